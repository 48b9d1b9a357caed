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
const DEVICES: [&str; 22] = [
    "bdw", "skl", "kbl", "cfl", "apl", "glk", "whl", "aml", "cml", "icllp", "ehl", "tgllp", "rkl", "adl_s", "rpl_s", "adl_p", "adl_n",
    "dg1", "acm_g10", "acm_g11", "acm_g12", "pvc",
];

/// What was expected and what came out, for one kernel and device.
#[derive(Clone, Copy)]
struct Cell {
    allowed: bool,
    compiled: bool,
}

/// Prints the matrix; the number of cells that agree, or are listed with their reason.
pub fn run(tree: &Tree) -> Result<u64> {
    ensure!(find_program("ocloc").is_some(), "ocloc is missing; `cargo xtask setup` or the Debian package intel-opencl-icd brings it");
    let bin = tree.build_release()?;
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
    judge(&kernels, results, &exceptions(&tree.root.join("tests/aot/exceptions.txt"))?)
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
    // ocloc knows rpl_s as adl-s, as the database says.
    let name = device.replace('_', "-").replace("rpl-s", "adl-s");
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
