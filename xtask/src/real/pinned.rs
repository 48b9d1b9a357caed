//! The pinned verdicts: `tests/real.toml`, and the table that people read.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::verdict::Verdict;

/// The file: suites, in them programs.
#[derive(Default, Serialize, Deserialize)]
pub struct Pinned {
    #[serde(flatten)]
    pub suites: BTreeMap<String, BTreeMap<String, Verdict>>,
}

/// How many programs came to which verdict, by its word.
#[derive(Default)]
pub struct Tally(BTreeMap<&'static str, usize>);

const HEAD: &str = "# What becomes of programs that other people wrote: written by `cargo xtask real --pin`, compared by `cargo xtask real`.\n\
                    # A verdict is right (its own check passed), runs (it ends well and checks nothing), compiles, slow, wrong, crashes, refused\n\
                    # or needs (what is neither SYCL's nor in the checkout), with the reason.\n\n";
const BEGIN: &str = "<!-- written by cargo xtask real --pin: begin -->\n";
const END: &str = "<!-- end -->";
/// In the order of the table.
const WORDS: [&str; 8] = ["right", "runs", "compiles", "slow", "wrong", "crashes", "refused", "needs"];

impl Pinned {
    /// Nothing is pinned where there is no file.
    pub fn read(path: &Path) -> Result<Pinned> {
        match std::fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text).with_context(|| format!("{} is damaged", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Pinned::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let text = format!("{HEAD}{}", toml::to_string(self).context("verdicts are TOML")?);
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Puts the tables into docs/REAL.md: counts, then every program that is not right with its reason.
    pub fn write_table(&self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let place = || format!("{} has no place for the table", path.display());
        let (before, rest) = text.split_once(BEGIN).with_context(place)?;
        let (_, after) = rest.split_once(END).with_context(place)?;
        std::fs::write(path, format!("{before}{BEGIN}{}{END}{after}", self.table()))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn table(&self) -> String {
        let mut out = format!("| suite | programs | {} |\n|---|{}\n", WORDS.join(" | "), "---|".repeat(WORDS.len() + 1));
        for (suite, programs) in &self.suites {
            let mut tally = Tally::default();
            programs.values().for_each(|verdict| tally.add(verdict));
            let counts: Vec<String> = WORDS.iter().map(|word| tally.0.get(word).unwrap_or(&0).to_string()).collect();
            writeln!(out, "| {suite} | {} | {} |", programs.len(), counts.join(" | ")).expect("a string takes all writes");
        }
        out += "\n| program | verdict |\n|---|---|\n";
        for (suite, programs) in &self.suites {
            for (name, verdict) in programs.iter().filter(|(_, verdict)| verdict.parts().1.is_some()) {
                // Columns and tags are Markdown's, templates and strings are not meant so.
                let said = verdict.to_string().replace('|', "\\|").replace('<', "\\<");
                writeln!(out, "| {suite} {name} | {said} |").expect("a string takes all writes");
            }
        }
        out
    }
}

impl Tally {
    pub fn add(&mut self, verdict: &Verdict) {
        *self.0.entry(verdict.parts().0).or_default() += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = WORDS.iter().filter_map(|word| Some(format!("{} {word}", self.0.get(word)?))).collect();
        write!(f, "{} programs: {}", self.0.values().sum::<usize>(), counts.join(", "))
    }
}
