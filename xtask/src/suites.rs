//! `cargo xtask test`: everything CI runs. All suites run even when one fails; the last line counts what passed and what failed.

mod headers;

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::setup::{setup_for_tests, setup_services};
use crate::shell::{Tree, is_root, output, run, shown};
use crate::{book, cuda, devices, generate, install, layers, matrix, onedpl, package, random, reality, s3_server, validator};

/// Tests that passed and failed.
#[derive(Default)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    /// What could not run here; each is named where it is skipped.
    pub skipped: u64,
    /// Tests that a deep run does, or does more of.
    deeper: u64,
    /// What the runners said of those that failed, a line each, to be said again at the end of a long log.
    failures: Vec<String>,
}

/// How much of a suite is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What CI has time for: something of everything.
    Usual,
    /// Also what takes long and seldom finds what the rest does not.
    Deep,
}

struct Suite {
    name: &'static str,
    about: &'static str,
    run: fn(&Tree, Depth, &mut Count) -> Result<()>,
}

const SUITES: [Suite; 16] = [
    Suite { name: "fmt", about: "formatting", run: |tree, _, _| run(&mut tree.cargo(&["fmt", "--all", "--check"])) },
    Suite { name: "clippy", about: "lints, as errors", run: clippy },
    Suite { name: "generated", about: "generated files are up to date", run: |tree, _, _| generate::check(&tree.root) },
    Suite { name: "layers", about: "planes of the crates", run: |tree, _, _| layers::check(tree) },
    Suite { name: "unit", about: "tests at the crates", run: unit },
    Suite { name: "headers", about: "every header alone, and what the headers offer", run: headers::run },
    Suite { name: "aot", about: "the target database against ocloc", run: aot },
    Suite { name: "reality", about: "the target database against the devices that are there", run: reality },
    Suite { name: "e2e", about: "programs of tests/e2e against an installation", run: e2e },
    Suite { name: "book", about: "the book's chapters, links and examples", run: the_book },
    Suite { name: "random", about: "random programs: kernels, requirements, lanes in step, loops in steps", run: random_programs },
    Suite { name: "cuda", about: "programs for NVIDIA's GPUs through ptxas, and against a driver of the tests", run: cuda },
    Suite { name: "amd", about: "programs for AMD's GPUs through lld, and against a runtime of the tests", run: amd },
    Suite { name: "onedpl", about: "programs of tests/onedpl with oneDPL's headers; in a deep run also of an older release", run: onedpl },
    Suite { name: "opencl", about: "programs of tests/opencl on every driver that is installed", run: opencl },
    Suite {
        name: SERVICES,
        about: "what needs large packages: links whose compilers run on Slurm, caches on servers, reports in a browser, packages in a bare Debian",
        run: services,
    },
];

/// Suites that need no OpenCL driver and nothing else that comes with them.
const WITHOUT_DRIVERS: [&str; 4] = ["fmt", "clippy", "generated", "layers"];

/// How names of Rust's tests begin that only deep runs do. Plain `cargo test` runs them too.
const DEEP: &str = "deep_";

/// What starts daemons and browsers runs only where it is asked for by name: CI's machines need not stand it.
const SERVICES: &str = "services";

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// Only this suite
    #[arg(long)]
    only: Option<String>,
    /// Also what CI leaves out: what takes long and seldom finds what the rest does not
    #[arg(long)]
    deep: bool,
    /// Install the drivers that tests run on, and fail if a test is skipped nonetheless
    #[arg(long)]
    complete: bool,
}

/// Runs all suites but the one of daemons, or one. `complete`: what could be skipped is installed first, and a skip is a failure.
pub fn test(tree: &Tree, &Options { ref only, deep, complete }: &Options) -> Result<()> {
    let only = only.as_deref();
    let depth = if deep { Depth::Deep } else { Depth::Usual };
    let tree = &Tree { stores: deep || only == Some(SERVICES), ..tree.clone() };
    let suites: Vec<&Suite> = SUITES.iter().filter(|suite| only.map_or(suite.name != SERVICES, |name| name == suite.name)).collect();
    if suites.is_empty() {
        let known: Vec<String> = SUITES.iter().map(|suite| format!("  {:10} {}", suite.name, suite.about)).collect();
        bail!("no suite is called '{}'; there are\n{}", only.unwrap_or_default(), known.join("\n"));
    }
    setup_for_tests(complete)?;
    install::forget(&shared_cache(tree))?;
    // Drivers are downloaded while others compile.
    let mut drivers = complete.then(|| std::thread::spawn(|| devices::devices(true, &[])));
    let (mut total, mut lines, mut failures) = (Count::default(), Vec::new(), Vec::new());
    for suite in suites {
        println!("\n== {}: {}", suite.name, suite.about);
        let (start, mut count) = (Instant::now(), Count::default());
        let installed = drivers.take_if(|_| !WITHOUT_DRIVERS.contains(&suite.name)).map_or(Ok(()), joined);
        let outcome = installed.and_then(|()| (suite.run)(tree, depth, &mut count));
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
        total.deeper += count.deeper;
        let verdict = if count.failed == 0 { "ok" } else { "FAILED" };
        let Count { passed, failed, skipped, deeper, failures: of_suite } = count;
        failures.extend(of_suite.into_iter().map(|line| format!("{}: {line}\n", suite.name)));
        let skipped = if skipped == 0 { String::new() } else { format!("{skipped} skipped, ") };
        let deeper = if deeper == 0 { String::new() } else { format!("{deeper} more with --deep, ") };
        let seconds = start.elapsed().as_secs_f64();
        lines.push(format!("{:10} {verdict:7} {passed} passed, {failed} failed, {skipped}{deeper}{seconds:.0} s", suite.name));
    }
    install::forget(&shared_cache(tree))?;
    drivers.map_or(Ok(()), joined)?;
    let skipped = if total.skipped == 0 { String::new() } else { format!(", {} skipped", total.skipped) };
    println!("\n{}{}\n{} passed, {} failed{skipped}", failures.concat(), lines.join("\n"), total.passed, total.failed);
    ensure!(total.failed == 0, "not all tests passed");
    ensure!(!complete || total.skipped == 0, "tests were skipped, and all were asked for");
    Ok(())
}

fn joined(drivers: std::thread::JoinHandle<Result<()>>) -> Result<()> {
    drivers.join().unwrap_or_else(|_| Err(anyhow!("the drivers' thread ended")))
}

fn clippy(tree: &Tree, _: Depth, _: &mut Count) -> Result<()> {
    run(tree.cargo(&["clippy", "--quiet"]).args(tree.packages()).args(["--all-targets", "--", "-D", "warnings"]))
}

/// Tests of some crates load what others build, so everything is built first.
fn unit(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    tree.build()?;
    let mut tests = tree.cargo(&["test", "--no-fail-fast"]);
    tests.args(tree.packages());
    match validator::installed(&devices::cache()?) {
        Some(tool) => _ = tests.env("ASPEN_SPIRV_VAL", tool),
        None => println!("conditional modules are validated without the tokens that Debian 12's spirv-val does not know"),
    }
    if depth == Depth::Usual {
        tests.args(["--", "--skip", DEEP]);
    }
    counted(&mut tests, count, |line| {
        let (_, rest) = line.split_once("test result: ")?;
        let number = |what: &str| rest.split([';', '.']).find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok());
        let (passed, failed, skipped, deeper) = (number("passed")?, number("failed")?, number("ignored")?, number("filtered out")?);
        Some(Count { passed, failed, skipped, deeper, failures: Vec::new() })
    })
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
                    count.failures.push(cut(&name));
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
            let failures = [sum.failures, count.failures].concat();
            Count { passed: sum.passed + count.passed, failed: sum.failed + count.failed, failures, ..Count::default() }
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

fn aot(tree: &Tree, _: Depth, count: &mut Count) -> Result<()> {
    count.passed += matrix::run(tree)?;
    Ok(())
}

fn reality(tree: &Tree, _: Depth, count: &mut Count) -> Result<()> {
    let outcome = reality::run(tree)?;
    count.passed += outcome.compared;
    count.skipped += outcome.skipped;
    Ok(())
}

fn e2e(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    with_one_cache(tree, depth, "tests/e2e", &[], count)
}

/// What runs the tests of a folder.
fn runner(tree: &Tree, depth: Depth, tests: &str) -> Result<Command> {
    let mut runner = tree.tool("aspen-e2e")?;
    runner.args(["--tests", tests]);
    if depth == Depth::Deep {
        runner.arg("--deep");
    }
    Ok(runner)
}

/// Where all commands that the suites run keep what can be made again, as a user's do: SYCL's header is precompiled once for each set of
/// options, and not for each test. Tests of caches have some of their own. [`test`] begins and ends without it.
fn shared_cache(tree: &Tree) -> PathBuf {
    tree.built().join("tests-cache")
}

/// The variables that name the [`shared_cache`]. There is room for all that a run makes.
fn cache_variables(tree: &Tree) -> [(&'static str, String); 2] {
    [("ASPEN_CACHE_DIR", shared_cache(tree).display().to_string()), ("ASPEN_CACHE_SIZE", "32G".to_owned())]
}

/// Runs tests whose commands have the [`shared_cache`].
fn with_one_cache(tree: &Tree, depth: Depth, tests: &str, variables: &[&str], count: &mut Count) -> Result<()> {
    let bin = install::made(tree)?;
    let mut runner = runner(tree, depth, tests)?;
    let cache = cache_variables(tree).map(|(name, value)| format!("{name}={value}"));
    for variable in cache.iter().map(String::as_str).chain(variables.iter().copied()) {
        runner.args(["--env", variable]);
    }
    counted(runner.arg("--bin").arg(&bin), count, tally)
}

/// What chapters show is what they print on the device that is there everywhere.
fn the_book(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    book::check(&tree.root)?;
    count.passed += 1;
    with_one_cache(tree, depth, "docs/book", &["ASPEN_DEVICE_SELECTOR=native_cpu"], count)
}

/// More of them, and other configurations: `cargo xtask random`.
fn random_programs(tree: &Tree, _: Depth, count: &mut Count) -> Result<()> {
    let outcomes = random::OF_THE_SUITE.map(|arguments| counted(&mut random::command(tree, arguments)?, count, tally));
    outcomes.into_iter().collect()
}

/// Programs that run on other devices must be PTX that ptxas takes, whatever they use; `tests/cuda` says what is special there.
fn cuda(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    let cuda = cuda::install(&devices::cache()?)?;
    gpu_programs(tree, depth, count, "cuda", "nvidia_gpu_sm_90", &[("CUDA_PATH", &cuda)])?;
    with_one_cache(tree, depth, "tests/cuda", &[&format!("CUDA_PATH={}", cuda.display())], count)
}

/// The same for AMD's GPUs: wavefronts of both widths.
fn amd(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    gpu_programs(tree, depth, count, "amd", "amd_gpu_gfx90a,amd_gpu_gfx1100", &[])?;
    with_one_cache(tree, depth, "tests/amd", &[], count)
}

/// Whoever uses oneDPL brings its headers by `-I`, or in the environment.
fn onedpl(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    let versions = if depth == Depth::Deep { &onedpl::VERSIONS[..] } else { &onedpl::VERSIONS[..1] };
    for version in versions {
        let include = onedpl::install(&devices::cache()?, version)?;
        with_one_cache(tree, depth, "tests/onedpl", &[&format!("CPLUS_INCLUDE_PATH={}", include.display())], count)?;
    }
    Ok(())
}

/// Examples, and in a deep run the programs of the headers, through a GPU's compiler.
fn gpu_programs(tree: &Tree, depth: Depth, count: &mut Count, name: &str, targets: &str, variables: &[(&str, &Path)]) -> Result<()> {
    let bin = install::made(tree)?;
    let folder = tree.target.join(name);
    let cache = cache_variables(tree);
    std::fs::create_dir_all(&folder)?;
    let programs = [files_in(tree, "tests/headers", ".cpp")?, files_in(tree, "examples", ".cpp")?].concat();
    let (deep, usual): (Vec<String>, Vec<String>) = programs
        .into_iter()
        .filter(|name| name.contains("/run_") || name.starts_with("examples/"))
        .partition(|name| name.contains("/run_"));
    let (deep, deeper) = if depth == Depth::Deep { (deep, 0) } else { (Vec::new(), deep.len() as u64) };
    *count = at_once(
        usual
            .into_iter()
            .chain(deep)
            .map(|name| {
                let mut build = Command::new(bin.join("aspen++"));
                build
                    .envs(variables.iter().copied())
                    .envs(cache.iter().map(|(name, value)| (name, value)))
                    .args(["-w", "-std=c++23", "-O2", &format!("-fsycl-targets={targets}")])
                    .arg(tree.root.join(&name));
                build.arg("-o").arg(folder.join(name.replace('/', "-")));
                vec![(name, build)]
            })
            .collect(),
    );
    count.deeper = deeper;
    ensure!(count.failed == 0, "programs that are no code for {targets}");
    Ok(())
}

/// The daemons' packages are large and for root, so they are installed for this suite alone; without root it is skipped.
fn services(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    if !is_root()? {
        println!("skipped: all of tests/services, whose daemons run as root");
        count.skipped += 1;
        return Ok(());
    }
    setup_services()?;
    let moto = s3_server::install(&devices::cache()?)?;
    let folder = tree.target.join("package");
    let tried = package::try_packages(&package::make(tree, &folder)?, &folder.join("tried"))?;
    tried.skipped.iter().for_each(|why| println!("skipped: {why}"));
    count.passed += tried.passed;
    count.skipped += tried.skipped.len() as u64;
    let bin = install::made(tree)?;
    let mut runner = runner(tree, depth, "tests/services")?;
    runner.arg("--env").arg(format!("MOTO={}", moto.display()));
    counted(runner.arg("--bin").arg(&bin), count, tally)
}

fn opencl(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
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
        if driver.is_deep && depth == Depth::Usual {
            println!("with --deep: {}", driver.name);
            count.deeper += 1;
            continue;
        }
        println!("-- {}", driver.name);
        let mut runner = runner(tree, depth, "tests/opencl")?;
        runner.arg("--built").arg(&built);
        for (name, value) in cache_variables(tree) {
            runner.arg("--compilers-env").arg(format!("{name}={value}"));
        }
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

/// `3 passed, 1 failed`, and behind it `, 2 skipped` or `, 4 more with --deep` or both, as the runners end.
pub fn tally(line: &str) -> Option<Count> {
    let (passed, rest) = line.trim().split_once(" passed, ")?;
    let (failed, rest) = rest.split_once(" failed")?;
    let further = |what| rest.split(", ").find_map(|part| part.strip_suffix(what)).map_or(Ok(0), str::parse);
    Some(Count {
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
        skipped: further(" skipped").ok()?,
        deeper: further(" more with --deep").ok()?,
        failures: Vec::new(),
    })
}

/// What a runner says of a test that failed, in the manner of ours or of Rust's, cut to what names it.
fn failure(line: &str) -> Option<String> {
    let name = line.strip_prefix("FAIL ").or_else(|| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    name.map(cut)
}

/// The beginning of a line, which may hold all that a program printed.
fn cut(line: &str) -> String {
    line.chars().take(240).collect()
}

/// Runs a command, shows what it prints and counts by its summary lines.
fn counted(command: &mut Command, count: &mut Count, summary: fn(&str) -> Option<Count>) -> Result<()> {
    let line = shown(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{line}`"))?;
    let said = child.stdout.take().context("the output was asked for")?;
    for text in BufReader::new(said).lines() {
        let text = text?;
        writeln!(std::io::stdout(), "{text}")?;
        count.failures.extend(failure(&text));
        if let Some(more) = summary(&text) {
            count.passed += more.passed;
            count.failed += more.failed;
            count.skipped += more.skipped;
            count.deeper += more.deeper;
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
    fn failures_are_named_again() {
        for (line, expected) in [
            ("test offers::targets ... FAILED", Some("offers::targets")),
            ("test offers::targets ... ok", None),
            ("FAIL stress: line 3: run: ./a.out", Some("stress: line 3: run: ./a.out")),
            ("PASS stress (2 s)", None),
        ] {
            assert_eq!(failure(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn summaries_are_understood() {
        let numbers = |line| tally(line).map(|Count { passed, failed, skipped, deeper, .. }| (passed, failed, skipped, deeper));
        for (line, expected) in [
            ("12 passed, 3 failed", Some((12, 3, 0, 0))),
            ("12 passed, 3 failed, 0 errors", Some((12, 3, 0, 0))),
            ("12 passed, 3 failed, 4 skipped", Some((12, 3, 4, 0))),
            ("12 passed, 3 failed, 7 more with --deep", Some((12, 3, 0, 7))),
            ("12 passed, 3 failed, 4 skipped, 7 more with --deep", Some((12, 3, 4, 7))),
            ("PASS x", None),
        ] {
            assert_eq!(numbers(line), expected, "{line}");
        }
    }
}
