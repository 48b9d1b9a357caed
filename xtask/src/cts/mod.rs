//! `cargo xtask cts --source DIR`: categories of the Khronos SYCL-CTS, built with aspen++ from a checkout that the user gives, and run over
//! drivers × profiles. Nothing of the suite is in this repository.
//!
//! How many assertions run is pinned in `tests/cts.toml`: a suite with files left out, a driver that is gone or a test that skips itself
//! would otherwise look like success. `--pin` writes what was seen, and the table of docs/CONFORMANCE.md from it.

mod build;
mod expected;
mod plan;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::{devices, install, shell::Tree};
use expected::{Category, Counts, Expected};

/// What the issue wants to be complete; other categories show how far we are.
const DEFAULT: &str = "optional_kernel_features";

/// `cargo xtask cts`.
#[derive(clap::Args)]
pub struct Options {
    /// A checkout of KhronosGroup/SYCL-CTS
    #[arg(long)]
    source: PathBuf,
    /// A checkout of Catch2, if the suite's submodule vendor/Catch2 is not there
    #[arg(long)]
    catch2: Option<PathBuf>,
    /// Folders of its tests; without any, `optional_kernel_features`
    #[arg(long, value_delimiter = ',')]
    category: Vec<String>,
    /// Folder of aspen++ and aspen; without it, an installation is built
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Only these drivers (`native_cpu` and those of `cargo xtask devices`)
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Take what is seen for what is expected from now on
    #[arg(long)]
    pin: bool,
    /// Compile that many files at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

/// Builds and runs categories; fails where a count is not the pinned one.
pub fn cts(tree: &Tree, options: &Options) -> Result<()> {
    let source = options.source.canonicalize().with_context(|| format!("no checkout at {}", options.source.display()))?;
    ensure!(source.join("tests/common/main.cpp").is_file(), "{} is no checkout of SYCL-CTS", source.display());
    let categories = if options.category.is_empty() { vec![DEFAULT.to_owned()] } else { options.category.clone() };
    for category in &categories {
        ensure!(source.join("tests").join(category).is_dir(), "the suite has no category '{category}'");
    }
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let catch2 = options.catch2.clone().unwrap_or_else(|| source.join("vendor/Catch2"));
    let suite = build::Suite::prepare(&source, &catch2, &bin, &tree.target.join("cts"), options.jobs)?;
    let targets = run::targets(&bin, &suite.folder, &options.only)?;

    let path = tree.root.join("tests/cts.toml");
    let mut expected = Expected::read(&path)?;
    let mut wrong = Vec::new();
    for name in &categories {
        let seen = category(&suite, name, &targets)?;
        let pinned = expected.categories.entry(name.clone()).or_default();
        if options.pin {
            pinned.take(seen);
        } else {
            wrong.extend(pinned.differences(&seen).into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    if options.pin {
        expected.write(&path)?;
        write_table(&tree.root, &expected)?;
        println!("pinned in {}", path.display());
        return Ok(());
    }
    if wrong.is_empty() {
        println!("\nall counts are as pinned");
        return Ok(());
    }
    bail!("not what is pinned in tests/cts.toml:\n{}", wrong.join("\n"))
}

/// Builds one category in all its forms and runs it everywhere.
fn category(suite: &build::Suite, name: &str, targets: &[run::Target]) -> Result<Category> {
    println!("\n== {name}");
    let mut seen = Category { compiled: 0, not_compiled: BTreeMap::new(), runs: BTreeMap::new() };
    for form in build::forms(name) {
        let built = suite.build(name, *form)?;
        for (file, error) in &built.failed {
            println!("does not compile: {file}: {error}");
        }
        seen.compiled = built.compiled;
        seen.not_compiled = built.failed;
        // What a device lacks matters where the tests ask for it; elsewhere a profile only repeats them.
        for target in targets.iter().filter(|target| !built.programs.is_empty() && (!target.is_profile || name == DEFAULT)) {
            let mut all = run::Outcome::default();
            for program in &built.programs {
                all.add(run::run(program, target)?);
            }
            let cases = all.counts.cases;
            ensure!(cases.passed + cases.failed + cases.skipped > 0, "{name} has run no test on {}", target.name);
            let label = format!("{}, {}", target.name, form.name());
            println!("{label}: {}", all.counts);
            for failure in &all.failures {
                println!("    failed: {failure}");
            }
            seen.runs.insert(label, all.counts);
        }
    }
    Ok(seen)
}

const BEGIN: &str = "<!-- written by cargo xtask cts --pin: begin -->\n";
const END: &str = "<!-- end -->";

/// Puts the table into docs/CONFORMANCE.md.
fn write_table(root: &Path, expected: &Expected) -> Result<()> {
    let path = root.join("docs/CONFORMANCE.md");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = with_table(&text, expected)?;
    std::fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))
}

fn with_table(text: &str, expected: &Expected) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).context("docs/CONFORMANCE.md has no place for the table")?;
    let (_, after) = rest.split_once(END).context("docs/CONFORMANCE.md has no end of the table")?;
    Ok(format!("{before}{BEGIN}{}{END}{after}", expected.table()))
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
    fn the_table_in_the_documentation_is_that_of_the_pinned_counts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
        let expected = Expected::read(&root.join("tests/cts.toml")).expect("tests/cts.toml");
        let text = std::fs::read_to_string(root.join("docs/CONFORMANCE.md")).expect("docs/CONFORMANCE.md");
        assert_eq!(with_table(&text, &expected).expect("a place for the table"), text, "run `cargo xtask cts --pin`");
    }

    #[test]
    fn what_must_be_complete_is_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
        let expected = Expected::read(&root.join("tests/cts.toml")).expect("tests/cts.toml");
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
