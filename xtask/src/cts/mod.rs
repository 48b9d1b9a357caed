//! `cargo xtask cts --source DIR`: categories of the Khronos SYCL-CTS, built with aspen++ from a checkout that the user gives, and run over
//! drivers × profiles. Nothing of the suite is in this repository.
//!
//! How many assertions run is pinned in `tests/cts.toml`: a suite with files left out, a driver that is gone or a test that skips itself
//! would otherwise look like success (`tests/cts-full.toml` has those of full conformance). `--pin` writes what was seen, and the tables of
//! docs/CONFORMANCE.md from it.
//!
//! The whole suite is 1300 files, so what was compiled and run is kept, and a command that was ended goes on where it stopped.

mod build;
mod expected;
mod plan;
mod pool;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};

use crate::{devices, install, shell::Tree};
use build::Built;
use expected::{Category, Counts, Expected};

/// What the issue wants to be complete; other categories show how far we are.
const DEFAULT: &str = "optional_kernel_features";

/// The suite's option that adds types, dimensions and lengths.
const FULL: &str = "SYCL_CTS_ENABLE_FULL_CONFORMANCE";

/// Where the counts are pinned, of the suite as it is by default and of its full conformance.
const fn pins(full: bool) -> &'static str {
    if full { "tests/cts-full.toml" } else { "tests/cts.toml" }
}

/// `cargo xtask cts`.
#[derive(clap::Args)]
pub struct Options {
    /// A checkout of KhronosGroup/SYCL-CTS
    #[arg(long)]
    source: PathBuf,
    /// A checkout of Catch2, if the suite's submodule vendor/Catch2 is not there
    #[arg(long)]
    catch2: Option<PathBuf>,
    /// OpenCL's headers (the folder of CL), if the suite's submodule vendor/OpenCL-Headers is not there
    #[arg(long)]
    opencl_headers: Option<PathBuf>,
    /// Folders of its tests; without any, `optional_kernel_features`
    #[arg(long, value_delimiter = ',')]
    category: Vec<String>,
    /// All folders of its tests
    #[arg(long, conflicts_with = "category")]
    all: bool,
    /// Give an option of the suite another value, as in `SYCL_CTS_ENABLE_VERBOSE_LOG=1`; what is seen then is not pinned
    #[arg(long, value_parser = setting, conflicts_with = "pin")]
    set: Vec<(String, bool)>,
    /// The suite's full conformance (`SYCL_CTS_ENABLE_FULL_CONFORMANCE`): more types, dimensions and lengths in the same tests, with counts
    /// of their own
    #[arg(long)]
    full: bool,
    /// The suite's SYCL_CTS_MATH_BUILTIN_FRAGMENT_SIZE: functions in a file of the mathematical tests
    #[arg(long, default_value_t = 230)]
    fragment: u32,
    /// Folder of aspen++ and aspen; without it, an installation is built
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Only these drivers (`native_cpu` and those of `cargo xtask devices`)
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Of their files only these, by name without ending, each as a program of its own; '*' and '?' stand for anything, nothing is pinned
    #[arg(long, value_delimiter = ',', conflicts_with = "pin")]
    file: Vec<String>,
    /// Keep what an older compiler or older headers made, as long as its source is not newer; nothing is pinned
    #[arg(long, conflicts_with = "pin")]
    older: bool,
    /// Take what is seen for what is expected from now on
    #[arg(long)]
    pin: bool,
    /// Compile that many files at a time, and run a quarter as many programs, each of which has threads of its own
    #[arg(short, long, default_value_t = 1)]
    jobs: usize,
    /// Compile and link, and run nothing
    #[arg(long)]
    no_run: bool,
    /// Run also what has run since it was built; without this, a command that was ended goes on where it stopped
    #[arg(long)]
    again: bool,
}

/// `NAME=0` or `NAME=1`.
fn setting(text: &str) -> std::result::Result<(String, bool), String> {
    match text.split_once('=') {
        Some((name, "0")) => Ok((name.to_owned(), false)),
        Some((name, "1")) => Ok((name.to_owned(), true)),
        _ => Err("write NAME=0 or NAME=1".to_owned()),
    }
}

/// Builds and runs categories; fails where a count is not the pinned one.
pub fn cts(tree: &Tree, options: &Options) -> Result<()> {
    let source = options.source.canonicalize().with_context(|| format!("no checkout at {}", options.source.display()))?;
    ensure!(source.join("tests/common/main.cpp").is_file(), "{} is no checkout of SYCL-CTS", source.display());
    let categories = wanted(&source, options)?;
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let mut set = options.set.clone();
    set.extend(options.full.then(|| (FULL.to_owned(), true)));
    let folder = if set.is_empty() { "cts".to_owned() } else { format!("cts-{}", folder_of(&set)) };
    let settings = build::Settings {
        source: &source,
        catch2: &options.catch2.clone().unwrap_or_else(|| source.join("vendor/Catch2")),
        opencl_headers: &options.opencl_headers.clone().unwrap_or_else(|| source.join("vendor/OpenCL-Headers")),
        bin: &bin,
        folder: &tree.target.join(folder),
        jobs: options.jobs,
        fragment: options.fragment,
        set: &set,
        only: &options.file,
        older: options.older,
    };
    let suite = build::Suite::prepare(&settings)?;
    let built = suite.build(&categories)?;
    if options.no_run {
        let not_compiled: Vec<String> =
            built.iter().flat_map(|built| built.failed.keys().map(move |file| format!("{}/{file}", built.category))).collect();
        println!(
            "\n{} files compile, {} do not: {not_compiled:#?}",
            built.iter().map(|built| built.compiled).sum::<u64>(),
            not_compiled.len()
        );
        return Ok(());
    }
    let targets = run::targets(&bin, &suite.folder, &options.only)?;
    let seen = seen(&built, &targets, options, newest_library(&bin))?;
    if !options.set.is_empty() || !options.file.is_empty() || options.older {
        println!("\nnothing is pinned for a part, for what older headers made, and for options other than our own");
        return Ok(());
    }

    let path = tree.root.join(pins(options.full));
    let mut expected = Expected::read(&path)?;
    if options.pin {
        for (name, seen) in seen {
            expected.categories.entry(name).or_default().take(seen);
        }
        expected.write(&path)?;
        write_table(&tree.root, &expected, options.full)?;
        println!("pinned in {}", path.display());
        return Ok(());
    }
    let mut wrong = Vec::new();
    for (name, seen) in &seen {
        let pinned = expected.categories.entry(name.clone()).or_default();
        wrong.extend(pinned.differences(seen).into_iter().map(|line| format!("{name}: {line}")));
    }
    if wrong.is_empty() {
        println!("\nall counts are as pinned");
        return Ok(());
    }
    bail!("not what is pinned in {}:\n{}", pins(options.full), wrong.join("\n"))
}

/// The categories to build: those named, all, or the one that must be complete.
fn wanted(source: &Path, options: &Options) -> Result<Vec<String>> {
    let tests = source.join("tests");
    if options.all {
        // Of the folders there, `common` and those without a list of files are no categories.
        let entries = std::fs::read_dir(&tests).with_context(|| format!("cannot read {}", tests.display()))?;
        let mut all: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        all.retain(|name| name != "common" && tests.join(name).join("CMakeLists.txt").is_file());
        all.sort();
        return Ok(all);
    }
    for category in &options.category {
        ensure!(tests.join(category).join("CMakeLists.txt").is_file(), "the suite has no category '{category}'");
    }
    Ok(if options.category.is_empty() { vec![DEFAULT.to_owned()] } else { options.category.clone() })
}

/// A name for objects that are built with these options.
fn folder_of(set: &[(String, bool)]) -> String {
    set.iter()
        .map(|(name, on)| format!("{}{}", name.trim_start_matches("SYCL_CTS_").to_lowercase(), u8::from(*on)))
        .collect::<Vec<_>>()
        .join("-")
}

/// When what programs are run with was made: the libraries of an installation, or those that cargo puts beside the programs.
fn newest_library(bin: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(bin.parent()?.join("lib")).or_else(|_| std::fs::read_dir(bin)).ok()?;
    let libraries = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.to_string_lossy().contains(".so"));
    libraries.filter_map(|path| path.metadata().ok()?.modified().ok()).max()
}

/// Runs what was built everywhere, and counts.
fn seen(built: &[Built], targets: &[run::Target], options: &Options, newer_than: Option<SystemTime>) -> Result<BTreeMap<String, Category>> {
    let mut runs = Vec::new();
    for (at, built) in built.iter().enumerate() {
        // What a device lacks matters where the tests ask for it; elsewhere a profile only repeats them.
        for target in targets.iter().filter(|target| !target.is_profile || built.category == DEFAULT) {
            runs.extend(built.programs.iter().map(|program| (at, target, program)));
        }
    }
    let outcomes = pool::each(options.jobs.div_ceil(4), &runs, |(at, target, program)| {
        let outcome = run::run_or_kept(program, target, newer_than.filter(|_| !options.again))?;
        println!("{}, {}: {}: {}", built[*at].category, target.name, program.file_name().unwrap_or_default().display(), outcome.counts);
        anyhow::Ok(outcome)
    });
    let mut by_label: BTreeMap<(usize, String), run::Outcome> = BTreeMap::new();
    for ((at, target, _), outcome) in runs.iter().zip(outcomes) {
        by_label.entry((*at, format!("{}, {}", target.name, built[*at].form.name()))).or_default().add(outcome?);
    }
    let mut seen: BTreeMap<String, Category> = BTreeMap::new();
    for (at, built) in built.iter().enumerate() {
        let category = seen.entry(built.category.clone()).or_default();
        category.compiled = built.compiled;
        category.not_compiled.clone_from(&built.failed);
        category.apart.clone_from(&built.apart);
        println!("\n== {}, {}: {} files compile, {} do not", built.category, built.form.name(), built.compiled, built.failed.len());
        for (file, error) in &built.failed {
            println!("does not compile: {file}: {error}");
        }
        for (program, error) in &built.apart {
            println!("does not link: {program}: {error}");
        }
        for ((_, label), outcome) in by_label.range((at, String::new())..(at + 1, String::new())) {
            let cases = outcome.counts.cases;
            ensure!(cases.passed + cases.failed + cases.skipped > 0, "{} has run no test: {label}", built.category);
            println!("{label}: {}", outcome.counts);
            for failure in &outcome.failures {
                println!("    failed: {failure}");
            }
            category.runs.insert(label.clone(), outcome.counts);
        }
    }
    Ok(seen)
}

/// What stands before a table in docs/CONFORMANCE.md.
const fn begin(full: bool) -> &'static str {
    if full { "<!-- written by cargo xtask cts --full --pin: begin -->\n" } else { "<!-- written by cargo xtask cts --pin: begin -->\n" }
}
const END: &str = "<!-- end -->";

/// Puts a table into docs/CONFORMANCE.md.
fn write_table(root: &Path, expected: &Expected, full: bool) -> Result<()> {
    let path = root.join("docs/CONFORMANCE.md");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = with_table(&text, expected, full)?;
    std::fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))
}

fn with_table(text: &str, expected: &Expected, full: bool) -> Result<String> {
    let begin = begin(full);
    let (before, rest) = text.split_once(begin).context("docs/CONFORMANCE.md has no place for the table")?;
    let (_, after) = rest.split_once(END).context("docs/CONFORMANCE.md has no end of the table")?;
    Ok(format!("{before}{begin}{}{END}{after}", expected.table()))
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { cases, assertions } = self;
        write!(f, "test cases {} passed, {} failed, {} skipped; ", cases.passed, cases.failed, cases.skipped)?;
        write!(f, "assertions {} passed, {} failed, {} skipped", assertions.passed, assertions.failed, assertions.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_in_the_documentation_are_those_of_the_pinned_counts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
        let text = std::fs::read_to_string(root.join("docs/CONFORMANCE.md")).expect("docs/CONFORMANCE.md");
        for full in [false, true] {
            let expected = Expected::read(&root.join(pins(full))).expect("pinned counts");
            assert!(!expected.categories.is_empty(), "{}", pins(full));
            assert_eq!(with_table(&text, &expected, full).expect("a place for the table"), text, "run `cargo xtask cts --pin`");
        }
    }

    #[test]
    fn what_must_be_complete_is_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
        let expected = Expected::read(&root.join(pins(false))).expect("pinned counts");
        let category = &expected.categories[DEFAULT];
        assert!(category.not_compiled.is_empty());
        let as_written: Vec<_> = category.runs.iter().filter(|(label, _)| label.ends_with(build::Form::AsWritten.name())).collect();
        assert!(as_written.len() >= 12, "at least three drivers, each as it is and under three profiles: {as_written:?}");
        for (label, counts) in as_written {
            assert!(counts.cases.passed > 0 && counts.cases.failed == 0 && counts.cases.skipped == 0, "{label}: {counts}");
            assert!(counts.assertions.passed > 500 && counts.assertions.failed == 0, "{label}: {counts}");
        }
    }
}
