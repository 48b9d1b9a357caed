//! `cargo xtask test`: everything CI runs. All suites run even when one fails; the last line counts what passed and what failed.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::setup::{setup_for_tests, setup_services};
use crate::shell::{Tree, is_root, output, run, shown};
use crate::{cuda, devices, generate, install, layers, matrix, package, random, reality, validator};

/// Tests that passed and failed.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    /// What could not run here; each is named where it is skipped.
    pub skipped: u64,
}

struct Suite {
    name: &'static str,
    about: &'static str,
    run: fn(&Tree, &mut Count) -> Result<()>,
}

const SUITES: [Suite; 13] = [
    Suite { name: "fmt", about: "formatting", run: |tree, _| run(&mut tree.cargo(&["fmt", "--all", "--check"])) },
    Suite { name: "clippy", about: "lints, as errors", run: clippy },
    Suite { name: "generated", about: "generated files are up to date", run: |tree, _| generate::check(&tree.root) },
    Suite { name: "layers", about: "planes of the crates", run: |tree, _| layers::check(tree) },
    Suite { name: "unit", about: "tests at the crates", run: unit },
    Suite { name: "headers", about: "every header alone, and what the headers offer", run: headers },
    Suite { name: "aot", about: "the target database against ocloc", run: aot },
    Suite { name: "reality", about: "the target database against the devices that are there", run: reality },
    Suite { name: "e2e", about: "programs of tests/e2e against an installation", run: e2e },
    Suite { name: "random", about: "random kernels against an interpreter, random requirements against a model", run: random_programs },
    Suite { name: "cuda", about: "programs for NVIDIA's GPUs through ptxas, and against a driver of the tests", run: cuda },
    Suite { name: "opencl", about: "programs of tests/opencl on every driver that is installed", run: opencl },
    Suite {
        name: SERVICES,
        about: "what needs large packages: links whose compilers run on Slurm, reports in a browser, packages in a bare Debian",
        run: services,
    },
];

/// What starts daemons and browsers runs only where it is asked for by name: CI's machines need not stand it.
const SERVICES: &str = "services";

/// Runs all suites but the one of daemons, or one. `complete`: what could be skipped is installed first, and a skip is a failure.
pub fn test(tree: &Tree, only: Option<&str>, complete: bool) -> Result<()> {
    let suites: Vec<&Suite> = SUITES.iter().filter(|suite| only.map_or(suite.name != SERVICES, |name| name == suite.name)).collect();
    if suites.is_empty() {
        let known: Vec<String> = SUITES.iter().map(|suite| format!("  {:10} {}", suite.name, suite.about)).collect();
        bail!("no suite is called '{}'; there are\n{}", only.unwrap_or_default(), known.join("\n"));
    }
    setup_for_tests(complete)?;
    if complete {
        devices::devices(true, &[])?;
    }
    let (mut total, mut lines) = (Count::default(), Vec::new());
    for suite in suites {
        println!("\n== {}: {}", suite.name, suite.about);
        let (start, mut count) = (Instant::now(), Count::default());
        let outcome = (suite.run)(tree, &mut count);
        if let Err(error) = &outcome {
            eprintln!("{}: {error:#}", suite.name);
        }
        // A suite that counts nothing is one test; one that fails without saying which of its tests did is one failure.
        if outcome.is_ok() && count.passed == 0 && count.skipped == 0 {
            count.passed = 1;
        } else if outcome.is_err() && count.failed == 0 {
            count.failed = 1;
        }
        total.passed += count.passed;
        total.failed += count.failed;
        total.skipped += count.skipped;
        let verdict = if count.failed == 0 { "ok" } else { "FAILED" };
        let Count { passed, failed, skipped } = count;
        let skipped = if skipped == 0 { String::new() } else { format!("{skipped} skipped, ") };
        let seconds = start.elapsed().as_secs_f64();
        lines.push(format!("{:10} {verdict:7} {passed} passed, {failed} failed, {skipped}{seconds:.0} s", suite.name));
    }
    let skipped = if total.skipped == 0 { String::new() } else { format!(", {} skipped", total.skipped) };
    println!("\n{}\n{} passed, {} failed{skipped}", lines.join("\n"), total.passed, total.failed);
    ensure!(total.failed == 0, "not all tests passed");
    ensure!(!complete || total.skipped == 0, "tests were skipped, and all were asked for");
    Ok(())
}

fn clippy(tree: &Tree, _: &mut Count) -> Result<()> {
    run(&mut tree.cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Tests of some crates load what others build, so everything is built first. Those that need root are marked as ignored, with the reason; for
/// other users cargo names them, and they count as skipped.
fn unit(tree: &Tree, count: &mut Count) -> Result<()> {
    run(&mut tree.cargo(&["build", "--workspace"]))?;
    let mut tests = tree.cargo(&["test", "--workspace", "--no-fail-fast"]);
    if is_root()? {
        tests.args(["--", "--include-ignored"]);
    }
    match validator::installed(&devices::cache()?) {
        Some(tool) => _ = tests.env("ASPEN_SPIRV_VAL", tool),
        None => println!("conditional modules are validated without the tokens that Debian 12's spirv-val does not know"),
    }
    counted(&mut tests, count, |line| {
        let (_, rest) = line.split_once("test result: ")?;
        let number = |what: &str| rest.split([';', '.']).find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok());
        Some(Count { passed: number("passed")?, failed: number("failed")?, skipped: number("ignored")? })
    })
}

/// People may include parts of the header: each file compiles alone and twice in a unit. What the parts offer stands in `tests/headers`:
/// units of static assertions, and programs (`run_*.cpp`) that check themselves.
fn headers(tree: &Tree, count: &mut Count) -> Result<()> {
    let bin = tree.build()?;
    let folder = tree.target.join("headers");
    std::fs::create_dir_all(&folder)?;
    // The runner checks SPIR-V; cargo is asked for it once and not at each program.
    run(&mut tree.cargo(&["build", "--quiet", "-p", "aspen-e2e"]))?;
    let validator = tree.target.join("debug/aspen-e2e");
    let headers = [
        "include/sycl",
        "include/sycl/ext/intel",
        "include/sycl/ext/oneapi",
        "include/sycl/ext/oneapi/device_global",
        "include/sycl/ext/oneapi/experimental",
        "include/sycl/ext/oneapi/experimental/annotated_ptr",
        "include/sycl/ext/oneapi/experimental/complex",
        "include/sycl/ext/oneapi/kernel_properties",
        "include/sycl/ext/oneapi/properties",
        "include/CL",
    ]
    .map(|folder| files_in(tree, folder, ".hpp"));
    let headers = headers.into_iter().collect::<Result<Vec<_>>>()?;
    let mut chains: Vec<Vec<Step>> = Vec::new();
    for name in headers.into_iter().flatten() {
        let header = name.trim_start_matches("include/");
        let unit = folder.join(format!("{}.cpp", header.replace(['/', '.'], "_")));
        std::fs::write(&unit, format!("#include <{header}>\n#include <{header}>\n"))?;
        let mut compile = strict(&bin, "c++17", &unit);
        compile.arg("-fsyntax-only");
        chains.push(vec![(format!("<{header}>"), compile)]);
    }
    for name in files_in(tree, "tests/headers", ".cpp")? {
        let unit = tree.root.join(&name);
        let is_program = name.contains("/run_");
        for standard in ["c++17", "c++20", "c++23"] {
            // What changes with the standard stands in the units; programs take long to compile.
            if is_program && standard == "c++20" {
                continue;
            }
            let mut compile = strict(&bin, standard, &unit);
            if standard != "c++17" || !is_program {
                chains.push(vec![(format!("{name} as {standard}"), {
                    compile.arg("-fsyntax-only");
                    compile
                })]);
                continue;
            }
            let program = folder.join(unit.file_stem().context("a unit has a name")?);
            compile.arg("-O2").arg("-o").arg(&program);
            let mut validate = Command::new(&validator);
            validate.arg("--validate").arg(&program);
            let run = Command::new(program);
            chains.push(vec![
                (format!("{name}, built"), compile),
                (format!("{name}, its SPIR-V"), validate),
                (format!("{name}, run"), run),
            ]);
        }
    }
    *count = at_once(chains);
    ensure!(count.failed == 0, "headers that do not keep what they promise");
    Ok(())
}

/// A command, and what it shows.
type Step = (String, Command);

/// Runs chains of steps, one chain a core at a time, since a compile's passes differ too much in length to fill the cores; what stands behind
/// a step that failed is not run, and failed too.
fn at_once(chains: Vec<Vec<Step>>) -> Count {
    let chains = Mutex::new(chains.into_iter());
    let next = || chains.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut count = Count::default();
        while let Some(chain) = next() {
            let mut steps = chain.into_iter();
            while let Some((name, mut step)) = steps.next() {
                if let Err(error) = output(&mut step) {
                    eprintln!("{name}: {error:#}");
                    count.failed += 1 + steps.len() as u64;
                    break;
                }
                count.passed += 1;
            }
        }
        count
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().fold(Count::default(), |sum, thread| {
            let count = thread.join().expect("a thread that only runs commands");
            Count { passed: sum.passed + count.passed, failed: sum.failed + count.failed, skipped: 0 }
        })
    })
}

/// Files of a folder by their ending, relative to the repository, sorted; a folder without any is an error.
fn files_in(tree: &Tree, folder: &str, ending: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(tree.root.join(folder)).with_context(|| format!("cannot list {folder}"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(ending) {
            names.push(format!("{folder}/{name}"));
        }
    }
    names.sort();
    ensure!(!names.is_empty(), "{folder} holds no {ending}");
    Ok(names)
}

/// All passes over a unit, with every warning an error.
fn strict(bin: &Path, standard: &str, unit: &Path) -> Command {
    let mut compile = Command::new(bin.join("aspen++"));
    compile.args([&format!("-std={standard}"), "-Wall", "-Wextra", "-Werror"]).arg(unit);
    compile
}

fn aot(tree: &Tree, count: &mut Count) -> Result<()> {
    count.passed += matrix::run(tree)?;
    Ok(())
}

fn reality(tree: &Tree, count: &mut Count) -> Result<()> {
    let outcome = reality::run(tree)?;
    count.passed += outcome.compared;
    count.skipped += outcome.skipped;
    Ok(())
}

fn e2e(tree: &Tree, count: &mut Count) -> Result<()> {
    let bin = install::made(tree)?;
    let mut runner = tree.cargo(&["run", "--quiet", "-p", "aspen-e2e", "--", "--tests", "tests/e2e", "--bin"]);
    counted(runner.arg(&bin), count, tally)
}

/// More of them, and other configurations: `cargo xtask random`.
fn random_programs(tree: &Tree, count: &mut Count) -> Result<()> {
    let outcomes = random::OF_THE_SUITE.map(|arguments| counted(&mut random::command(tree, arguments)?, count, tally));
    outcomes.into_iter().collect()
}

/// Programs that run on other devices must be PTX that ptxas takes, whatever they use; `tests/cuda` says what is special there.
fn cuda(tree: &Tree, count: &mut Count) -> Result<()> {
    let cuda = cuda::install(&devices::cache()?)?;
    let bin = install::made(tree)?;
    let folder = tree.target.join("cuda");
    std::fs::create_dir_all(&folder)?;
    let programs = [files_in(tree, "tests/headers", ".cpp")?, files_in(tree, "examples", ".cpp")?].concat();
    let programs = programs.into_iter().filter(|name| name.contains("/run_") || name.starts_with("examples/"));
    *count = at_once(
        programs
            .map(|name| {
                let mut build = Command::new(bin.join("aspen++"));
                build.env("CUDA_PATH", &cuda).args(["-w", "-O2", "-fsycl-targets=nvidia_gpu_sm_90"]).arg(tree.root.join(&name));
                build.arg("-o").arg(folder.join(name.replace('/', "-")));
                vec![(name, build)]
            })
            .collect(),
    );
    ensure!(count.failed == 0, "programs that are no PTX");
    let mut runner = tree.cargo(&["run", "--quiet", "-p", "aspen-e2e", "--", "--tests", "tests/cuda"]);
    runner.arg("--env").arg(format!("CUDA_PATH={}", cuda.display()));
    counted(runner.arg("--bin").arg(&bin), count, tally)
}

/// The daemons' packages are large and for root, so they are installed for this suite alone; without root it is skipped.
fn services(tree: &Tree, count: &mut Count) -> Result<()> {
    if !is_root()? {
        println!("skipped: all of tests/services, whose daemons run as root");
        count.skipped += 1;
        return Ok(());
    }
    setup_services()?;
    let folder = tree.target.join("package");
    let tried = package::try_packages(&package::make(tree, &folder)?, &folder.join("tried"))?;
    tried.skipped.iter().for_each(|why| println!("skipped: {why}"));
    count.passed += tried.passed;
    count.skipped += tried.skipped.len() as u64;
    let bin = install::made(tree)?;
    let mut runner = tree.cargo(&["run", "--quiet", "-p", "aspen-e2e", "--", "--tests", "tests/services"]);
    counted(runner.arg("--bin").arg(&bin), count, tally)
}

fn opencl(tree: &Tree, count: &mut Count) -> Result<()> {
    let cache = devices::cache()?;
    let (installed, missing): (Vec<_>, Vec<_>) = devices::DRIVERS.iter().partition(|driver| driver.is_installed(&cache));
    for driver in missing {
        println!("skipped: all of tests/opencl on {}, which is not installed (cargo xtask devices --install)", driver.name);
        count.skipped += 1;
    }
    if installed.is_empty() {
        return Ok(());
    }
    let bin = install::made(tree)?;
    let mut failed = Vec::new();
    let built = tree.built().join("opencl");
    install::forget(&built)?;
    for driver in installed {
        println!("-- {}", driver.name);
        let mut runner = tree.cargo(&["run", "--quiet", "-p", "aspen-e2e", "--", "--tests", "tests/opencl", "--built"]);
        runner.arg(&built);
        for (name, value) in driver.environment(&cache) {
            runner.arg("--env").arg(format!("{name}={value}"));
        }
        for (test, why) in driver.not_for {
            println!("not for {}: {test}: {why}", driver.name);
            runner.args(["--except", test]);
        }
        if let Err(error) = counted(runner.arg("--bin").arg(&bin), count, tally) {
            eprintln!("{}: {error:#}", driver.name);
            failed.push(driver.name);
        }
    }
    install::forget(&built)?;
    ensure!(failed.is_empty(), "failures on {}", failed.join(", "));
    Ok(())
}

/// `3 passed, 1 failed` or `3 passed, 1 failed, 2 skipped`, as the runners end.
pub fn tally(line: &str) -> Option<Count> {
    let (passed, rest) = line.trim().split_once(" passed, ")?;
    let (failed, rest) = rest.split_once(" failed")?;
    let skipped = rest.strip_prefix(", ").and_then(|rest| rest.strip_suffix(" skipped")).map_or(Ok(0), str::parse);
    Some(Count { passed: passed.parse().ok()?, failed: failed.parse().ok()?, skipped: skipped.ok()? })
}

/// Runs a command, shows what it prints and counts by its summary lines.
fn counted(command: &mut Command, count: &mut Count, summary: fn(&str) -> Option<Count>) -> Result<()> {
    let line = shown(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{line}`"))?;
    let said = child.stdout.take().context("the output was asked for")?;
    for text in BufReader::new(said).lines() {
        let text = text?;
        writeln!(std::io::stdout(), "{text}")?;
        if let Some(more) = summary(&text) {
            count.passed += more.passed;
            count.failed += more.failed;
            count.skipped += more.skipped;
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "`{line}` failed: {status}");
    ensure!(count.passed + count.failed + count.skipped > 0, "`{line}` ran no test");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_up_to_date() {
        generate::check(&Tree::find(crate::shell::Profile::Debug).expect("the repository").root).expect("run `cargo xtask generate`");
    }

    #[test]
    fn summaries_are_understood() {
        let numbers = |line| tally(line).map(|Count { passed, failed, skipped }| (passed, failed, skipped));
        for (line, expected) in [
            ("12 passed, 3 failed", Some((12, 3, 0))),
            ("12 passed, 3 failed, 0 errors", Some((12, 3, 0))),
            ("12 passed, 3 failed, 4 skipped", Some((12, 3, 4))),
            ("PASS x", None),
        ] {
            assert_eq!(numbers(line), expected, "{line}");
        }
    }
}
