//! The target database against ocloc: kernels with one need each × the Intel GPUs that S4 names. What `aspen check` allows must compile,
//! and what it refuses for fp64 or a sub-group size must fail when it is forced (`spir64_gen` stands for any device, so nothing is skipped).
//! Source: issue 5, "Proof against reality".

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::shell::{Tree, find_program, output};

/// S4's devices.
pub const DEVICES: [&str; 22] = [
    "bdw", "skl", "kbl", "cfl", "apl", "glk", "whl", "aml", "cml", "icllp", "ehl", "tgllp", "rkl", "adl_s", "rpl_s", "adl_p", "adl_n",
    "dg1", "acm_g10", "acm_g11", "acm_g12", "pvc",
];

/// The program whose kernels need all of what the matrix has, as one conditional module.
const PROGRAM: &str = "tests/aot/conditional/program.cpp";

/// What was expected and what came out, for one kernel and device.
#[derive(Clone, Copy)]
struct Cell {
    allowed: bool,
    compiled: bool,
}

/// Prints the matrix; the number of cells that agree, or are listed with their reason.
pub fn run(tree: &Tree) -> Result<u64> {
    ensure!(find_program("ocloc").is_some(), "ocloc is missing; `cargo xtask setup` or the Debian package intel-opencl-icd brings it");
    let bin = tree.build()?;
    let folder = tree.target.join("aot");
    std::fs::create_dir_all(&folder)?;
    let kernels = kernels(&tree.root.join("tests/aot"))?;
    for kernel in &kernels {
        let source = tree.root.join(format!("tests/aot/{kernel}.cpp"));
        let mut compile = Command::new(bin.join("aspen++"));
        compile.current_dir(&folder).args(["-fPIC", "-fsycl-targets=spir64_gen", "-c"]).arg(source).args(["-o", &format!("{kernel}.o")]);
        output(&mut compile)?;
    }
    let cells: Vec<(&str, &str)> = kernels.iter().flat_map(|kernel| DEVICES.map(|device| (kernel.as_str(), device))).collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&(kernel, device)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let cell = cell(&bin, &folder, kernel, device);
                    results.lock().expect("no thread panics while it holds the lock").insert((kernel, device), cell);
                }
            });
        }
    });
    let results = results.into_inner().expect("all threads have ended");
    let agree = judge(&kernels, results, &exceptions(&tree.root.join("tests/aot/exceptions.txt"))?)?;
    Ok(agree + conditional(tree, &bin, &folder)?)
}

/// One conditional module for all devices: specialised it compiles for each of them; whole, which is what `spir64_gen` gets since nothing is
/// known of it, it fails on those that lack something of it. Source: issue 7 "Proof against reality".
fn conditional(tree: &Tree, bin: &Path, folder: &Path) -> Result<u64> {
    let aspenxx = |targets: &str, arguments: &[&str]| {
        let mut command = Command::new(bin.join("aspen++"));
        command.current_dir(folder).env("ASPEN_CACHE", "0").args(["-fPIC", "-fsycl-optional-features=conditional"]);
        command.arg(format!("-fsycl-targets={targets}")).args(arguments);
        command
    };
    let (source, targets) = (tree.root.join(PROGRAM).display().to_string(), DEVICES.map(|device| format!("intel_gpu_{device}")));
    output(&mut aspenxx(&targets.join(","), &["-shared", &source, "-o", "conditional.so"]))?;
    let inspected = output(Command::new(bin.join("aspen")).args(["inspect", "--format", "json"]).arg(folder.join("conditional.so")))?;
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).context("`aspen inspect` writes JSON")?;
    output(&mut aspenxx("spir64_gen", &["-c", &source, "-o", "whole.o"]))?;
    let (mut lines, mut agree) = (Vec::new(), 0);
    for (device, target) in DEVICES.iter().zip(&targets) {
        let images = inspected["images"].as_array().context("images")?.iter();
        let specialised = images.filter(|image| image["target"] == target.as_str() && image["format"] == "native").count();
        ensure!(specialised == 1, "{PROGRAM} has {specialised} images for {target}");
        let checked = Command::new(bin.join("aspen")).current_dir(folder).args(["check", "conditional.so", "--device", target]).output()?;
        let runs_all = checked.status.success();
        let name = ocloc_name(device);
        let linked = aspenxx("spir64_gen", &["-shared", "-Xs", &format!("-device {name}"), "whole.o", "-o", "whole.so"]).output()?;
        let whole = linked.status.success();
        let words = String::from_utf8_lossy(&linked.stderr);
        ensure!(whole || words.contains("ocloc compile"), "linking whole.o for {target} failed, but not in ocloc: {words}");
        ensure!(whole == runs_all, "the whole module {}: {words}", if whole { "compiles where a kernel does not run" } else { "fails" });
        lines.push(format!("{device:10} whole {:5} specialised yes", if whole { "yes" } else { "-" }));
        agree += 1;
    }
    ensure!(lines.iter().any(|line| line.contains("whole -")), "the whole module compiles everywhere, and shows nothing");
    println!("one conditional module\n{}", lines.join("\n"));
    Ok(agree)
}

/// ocloc knows rpl_s as adl-s, as the database says.
fn ocloc_name(device: &str) -> String {
    device.replace('_', "-").replace("rpl-s", "adl-s")
}

fn kernels(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".cpp").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn exceptions(file: &Path) -> Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pairs = lines.map(|line| line.split_once(": ").with_context(|| format!("'{line}' is no 'kernel target: reason'")));
    pairs.map(|pair| pair.map(|(cell, reason)| (cell.to_owned(), reason.to_owned()))).collect()
}

fn cell(bin: &Path, folder: &Path, kernel: &str, device: &str) -> Result<Cell> {
    let target = format!("intel_gpu_{device}");
    let object = format!("{kernel}.o");
    let mut check = Command::new(bin.join("aspen"));
    let checked = check.current_dir(folder).args(["check", &object, "--device", &target]).output()?;
    let allowed = match checked.status.code() {
        Some(0) => true,
        Some(1) if checked.stderr.is_empty() => false,
        _ => bail!("`aspen check {object} --device {target}` failed: {}", String::from_utf8_lossy(&checked.stderr)),
    };
    let name = ocloc_name(device);
    let mut link = Command::new(bin.join("aspen++"));
    link.current_dir(folder).args(["-shared", "-fsycl-targets=spir64_gen", "-Xs", &format!("-device {name}"), &object]);
    let linked = link.args(["-o", &format!("{kernel}-{device}.so")]).output()?;
    let words = String::from_utf8_lossy(&linked.stderr);
    let compiled = linked.status.success();
    ensure!(compiled || words.contains("ocloc compile"), "linking {object} for {target} failed, but not in ocloc: {words}");
    Ok(Cell { allowed, compiled })
}

fn judge(kernels: &[String], results: BTreeMap<(&str, &str), Result<Cell>>, exceptions: &BTreeMap<String, String>) -> Result<u64> {
    let (mut agree, mut wrong) = (0, Vec::new());
    println!("{:14} {}", "", DEVICES.join(" "));
    let mut cells = BTreeMap::new();
    for (key, cell) in results {
        cells.insert(key, cell?);
    }
    for kernel in kernels {
        let mut line = format!("{kernel:14}");
        for device in DEVICES {
            let Cell { allowed, compiled } = cells[&(kernel.as_str(), device)];
            let known = exceptions.contains_key(&format!("{kernel} {device}"));
            line += &format!(" {:^width$}", if compiled { "yes" } else { "-" }, width = device.len());
            if allowed == compiled || known {
                agree += 1;
            } else {
                let say = |yes| if yes { "yes" } else { "no" };
                wrong.push(format!("{kernel} on {device}: the database says {}, ocloc {}", say(allowed), say(compiled)));
            }
        }
        println!("{}", line.trim_end());
    }
    for (cell, reason) in exceptions {
        println!("exception: {cell}: {reason}");
    }
    println!("{agree} cells agree, {} do not, 0 skipped", wrong.len());
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(agree)
}
