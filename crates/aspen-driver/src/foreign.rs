//! Command lines that were written for another compiler: `aspen-instead` runs aspen++ in the place of g++, whose options clang does not all
//! know. Source: issue 18, "CMake".

use std::path::Path;

use crate::args::{known, response};
use crate::error::Error;
use crate::jobs::{self, Command};
use crate::toolchain;

/// Whose place aspen++ takes, given as a path; `aspen-instead` writes it.
const OPTION: &str = "-fsycl-instead-of=";

/// What is left of a command line, and what to say about the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Own {
    /// The words that clang and aspen++ know.
    pub words: Vec<String>,
    /// A warning for each other one.
    pub notes: Vec<String>,
}

/// Leaves out the options of another compiler that clang does not know, if the command line says that it was written for one.
///
/// # Errors
/// If clang is not there, or a response file cannot be read.
pub fn own_words(words: Vec<String>) -> Result<Own, Error> {
    let Some(other) = words.iter().find_map(|word| word.strip_prefix(OPTION)).map(str::to_owned) else {
        return Ok(Own { words, notes: Vec::new() });
    };
    let mut words = response::expand(words)?;
    words.retain(|word| !word.starts_with(OPTION));
    let outcome = jobs::run(&Command::new(&toolchain::find_clang()?, ["-###".to_owned()].into_iter().chain(for_clang(&words))))?;
    let (words, mut notes) = split(words, &unknown(&outcome.stderr_text()), &other);
    if words.iter().any(|word| word == "-w") {
        notes.clear();
    }
    // Its warnings have other names, too.
    let words = ["-Wno-unknown-warning-option".to_owned()].into_iter().chain(words).collect();
    Ok(Own { words, notes })
}

/// All but what clang need not know, with the words that stand behind options as their values: else it would take others for these.
fn for_clang(words: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let name = word.split('=').next().unwrap_or(word);
        if word == "-j" || word == "-Xs" || word.starts_with("-Xsycl") {
            rest.next(); // its value
        } else if !["-fsycl", "-fno-sycl", "-j", "-Xs"].iter().any(|start| word.starts_with(start)) && known::takes_value(name).is_none() {
            out.push(word.clone());
        }
    }
    out
}

/// The options that clang complains about, in its words: `unknown argument: '-fx'`, `unknown argument '-fx'; did you mean '-fy'?`.
fn unknown(said: &str) -> Vec<&str> {
    let named = |line: &'_ str| -> Option<(usize, usize)> {
        let start = line.find("unknown argument")?;
        let open = start + line[start..].find('\'')? + 1;
        Some((open, open + line[open..].find('\'')?))
    };
    said.lines().filter_map(|line| named(line).map(|(open, close)| &line[open..close])).collect()
}

fn split(words: Vec<String>, unknown: &[&str], other: &str) -> (Vec<String>, Vec<String>) {
    let name = Path::new(other).file_name().map_or_else(|| other.into(), |name| name.to_string_lossy());
    let (left_out, kept): (Vec<String>, Vec<String>) = words.into_iter().partition(|word| unknown.contains(&word.as_str()));
    let note = |word: &String| format!("'{word}' is for {name} and left out: clang does not know it [-Wunused-command-line-argument]");
    (kept, left_out.iter().map(note).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, kept: &str, left_out: &str) {
        let own = own_words(line.split_whitespace().map(str::to_owned).collect()).expect(line);
        assert_eq!(own.words.join(" "), kept, "{line}");
        let named: Vec<&str> = own.notes.iter().filter_map(|note| note.split('\'').nth(1)).collect();
        assert_eq!(named.join(" "), left_out, "{line}");
    }

    #[test]
    fn options_of_others_are_left_out() {
        check("-fipa-pta -c x.cpp", "-fipa-pta -c x.cpp", "");
        check(
            "-fsycl-instead-of=/usr/bin/g++ -O2 -fipa-pta -fno-gnu-unique -Wlogical-op -fsycl-targets=spir64 -static-intel -j 2 -c x.cpp -o x.o",
            "-Wno-unknown-warning-option -O2 -Wlogical-op -fsycl-targets=spir64 -static-intel -j 2 -c x.cpp -o x.o",
            "-fipa-pta -fno-gnu-unique",
        );
        // Values are no options, and stay with theirs.
        check(
            "-fsycl-instead-of=g++ -isystem /opt/sycl -fipa-pta -MF -fipa-sra.d -Xsycl-target-backend=spir64 -device -c x.cpp",
            "-Wno-unknown-warning-option -isystem /opt/sycl -MF -fipa-sra.d -Xsycl-target-backend=spir64 -device -c x.cpp",
            "-fipa-pta",
        );
        check("-w -fsycl-instead-of=g++ -fipa-pta x.o", "-Wno-unknown-warning-option -w x.o", "");
    }
}
