//! The pinned counts: `tests/cts.toml`, and the table that people read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Of test cases or of assertions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// What one program did on one device. In the file: test cases passed, failed, skipped, then assertions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "[u64; 6]", into = "[u64; 6]")]
pub struct Counts {
    pub cases: Count,
    pub assertions: Count,
}

impl From<[u64; 6]> for Counts {
    fn from([a, b, c, d, e, f]: [u64; 6]) -> Counts {
        let count = |[passed, failed, skipped]: [u64; 3]| Count { passed, failed, skipped };
        Counts { cases: count([a, b, c]), assertions: count([d, e, f]) }
    }
}

impl From<Counts> for [u64; 6] {
    fn from(Counts { cases, assertions }: Counts) -> [u64; 6] {
        [cases.passed, cases.failed, cases.skipped, assertions.passed, assertions.failed, assertions.skipped]
    }
}

/// One folder of the suite's tests.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Category {
    /// Files that compile.
    pub compiled: u64,
    /// Files that do not, with the first error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_compiled: BTreeMap<String, String>,
    /// Programs of which each file is linked alone, since they do not link, with the error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub apart: BTreeMap<String, String>,
    /// By device and form.
    #[serde(default)]
    pub runs: BTreeMap<String, Counts>,
}

/// The file.
#[derive(Default, Debug, Serialize, Deserialize)]
pub struct Expected {
    #[serde(flatten)]
    pub categories: BTreeMap<String, Category>,
}

const HEAD: &str = "# What categories of SYCL-CTS do on our devices: written by `cargo xtask cts --pin`, compared by `cargo xtask cts`.\n\
                    # A run is [test cases passed, failed, skipped, assertions passed, failed, skipped].\n\n";

impl Expected {
    /// Nothing is pinned where there is no file.
    pub fn read(path: &Path) -> Result<Expected> {
        match std::fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text).with_context(|| format!("{} is damaged", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Expected::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let text = format!("{HEAD}{}", toml::to_string(self).context("counts are TOML")?);
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// For docs/CONFORMANCE.md.
    pub fn table(&self) -> String {
        let mut out = String::from("| category | files | device | test cases | assertions |\n|---|---|---|---|---|\n");
        for (name, category) in &self.categories {
            let all = category.compiled + category.not_compiled.len() as u64;
            let mut first = format!("| {name} | {} of {all} |", category.compiled);
            for (label, Counts { cases, assertions }) in &category.runs {
                let (cases, assertions) = (cell(*cases), cell(*assertions));
                writeln!(out, "{first} {label} | {cases} | {assertions} |").expect("a string takes all writes");
                first = "| | |".to_owned();
            }
            if category.runs.is_empty() {
                let why = if all == 0 { "none with the suite's default options" } else { "" };
                writeln!(out, "{first} {why} | | |").expect("a string takes all writes");
            }
        }
        out
    }
}

fn cell(count: Count) -> String {
    let mut out = format!("{} passed", count.passed);
    if count.failed > 0 {
        write!(out, ", **{} failed**", count.failed).expect("a string takes all writes");
    }
    if count.skipped > 0 {
        write!(out, ", {} skipped", count.skipped).expect("a string takes all writes");
    }
    out
}

impl Category {
    /// Replaces what was seen now; devices that were not asked keep their counts.
    pub fn take(&mut self, seen: Category) {
        self.compiled = seen.compiled;
        self.not_compiled = seen.not_compiled;
        self.apart = seen.apart;
        self.runs.extend(seen.runs);
    }

    /// One line for each thing that is not as pinned.
    pub fn differences(&self, seen: &Category) -> Vec<String> {
        let mut out = Vec::new();
        let failed = |category: &Category| category.not_compiled.keys().cloned().collect::<Vec<_>>().join(", ");
        if self.compiled != seen.compiled || failed(self) != failed(seen) {
            out.push(format!(
                "{} files compile and these do not: [{}]; pinned are {} and [{}]",
                seen.compiled,
                failed(seen),
                self.compiled,
                failed(self)
            ));
        }
        if self.apart != seen.apart {
            out.push(format!("these programs do not link: {:?}; pinned are {:?}", seen.apart, self.apart));
        }
        for (label, counts) in &seen.runs {
            match self.runs.get(label) {
                Some(pinned) if pinned == counts => {}
                Some(pinned) => out.push(format!("{label}: {counts}; pinned: {pinned}")),
                None => out.push(format!("{label}: {counts}; nothing is pinned")),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64) -> Counts {
        let count = Count { passed, failed: 1, skipped: 0 };
        Counts { cases: count, assertions: count }
    }

    #[test]
    fn a_missing_and_a_changed_count_are_differences() {
        let pinned =
            Category { compiled: 2, runs: BTreeMap::from([("a".into(), counts(1)), ("b".into(), counts(2))]), ..Category::default() };
        let mut seen = pinned.clone();
        assert!(pinned.differences(&seen).is_empty());
        seen.runs.insert("b".into(), counts(3));
        seen.runs.insert("c".into(), counts(4));
        seen.compiled = 1;
        seen.not_compiled.insert("x.cpp".into(), "error".into());
        let lines = pinned.differences(&seen);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].contains("x.cpp") && lines[1].starts_with("b:") && lines[2].contains("nothing is pinned"), "{lines:?}");
    }

    #[test]
    fn counts_survive_the_file() {
        let path = std::env::temp_dir().join(format!("aspen-cts-{}.toml", std::process::id()));
        let mut expected = Expected::default();
        let category =
            Category { compiled: 2, runs: BTreeMap::from([("native_cpu, as written".into(), counts(1))]), ..Category::default() };
        expected.categories.insert("range".into(), category);
        expected.write(&path).expect("written");
        let read = Expected::read(&path).expect("read");
        assert_eq!(read.categories["range"].runs, expected.categories["range"].runs);
        assert!(read.table().contains("| range | 2 of 2 | native_cpu, as written | 1 passed, **1 failed** |"), "{}", read.table());
        std::fs::remove_file(&path).expect("our own file");
        assert!(Expected::read(&path).expect("nothing").categories.is_empty());
    }
}
