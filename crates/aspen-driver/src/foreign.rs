//! Command lines that were written for another compiler: `aspen-instead` runs aspen++ in the place of g++, whose options clang does not all
//! know. Source: issue 18, "CMake".

use std::path::Path;

use crate::args::{self, known};
use crate::error::Error;
use crate::jobs::{self, Command};
use crate::toolchain;

/// Whose place aspen++ takes, given as a path; `aspen-instead` writes it.
const OPTION: &str = "-fsycl-instead-of=";

/// How often clang is asked at most.
const ROUNDS: usize = 8;

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
/// If clang is not there.
pub fn own_words(words: Vec<String>) -> Result<Own, Error> {
    let Some(other) = words.iter().find_map(|word| word.strip_prefix(OPTION)).map(str::to_owned) else {
        return Ok(Own { words, notes: Vec::new() });
    };
    let mut left_out = Vec::new();
    let words = words.into_iter().filter(|word| !word.starts_with(OPTION)).collect();
    let mut words = translated(words, &mut left_out);
    let clang = toolchain::find_clang()?;
    // What clang complains about first may hide the rest.
    for _ in 0..ROUNDS {
        let outcome = jobs::run(&Command::new(&clang, ["-###".to_owned()].into_iter().chain(for_clang(&words))))?;
        let before = left_out.len();
        words = without(words, &complaints(&outcome.stderr_text()), &mut left_out);
        if left_out.len() == before {
            break;
        }
    }
    let name = Path::new(&other).file_name().map_or_else(|| other.clone().into(), |name| name.to_string_lossy());
    let note = |word: &String| format!("'{word}' is for {name} and left out: clang does not know it [-Wunused-command-line-argument]");
    let mut notes: Vec<String> = left_out.iter().map(note).collect();
    if words.iter().any(|word| word == "-w") {
        notes.clear();
    }
    // Its warnings have other names, too.
    let words = ["-Wno-unknown-warning-option".to_owned()].into_iter().chain(words).collect();
    Ok(Own { words, notes })
}

/// What clang++ is to do alone, if the command line says that its sources are no SYCL: `-fno-sycl` is the last word about it. Build files write it for single
/// files.
pub fn plain_words(words: &[String]) -> Option<Vec<String>> {
    let last = words.iter().rev().find(|word| ["-fsycl", "-fno-sycl"].contains(&word.as_str()));
    last.is_some_and(|word| word == "-fno-sycl").then(|| for_clang(words))
}

/// Has clang++ do it, which says itself what is wrong.
///
/// # Errors
/// If clang is not there or cannot be run, or fails.
pub fn run_plain(words: &[String]) -> Result<(), Error> {
    let clang = toolchain::find_clang()?;
    let status = std::process::Command::new(&clang).args(words).status().map_err(|error| Error::file("run", &clang, error))?;
    if status.success() { Ok(()) } else { Err(Error::Reported) }
}

/// All but what clang need not know, with the words that stand behind options as their values: else it would take others for these.
fn for_clang(words: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let name = word.split('=').next().unwrap_or(word);
        if word == "-j" || word == "-Xs" || word.starts_with("-Xsycl") {
            rest.next(); // its value
        } else if word == "-Xarch_host" || word == "-Xarch_device" {
            // clang looks at what follows only where it compiles for several.
        } else if !["-fsycl", "-fno-sycl", "-j", "-Xs"].iter().any(|start| word.starts_with(start)) && known::takes_value(name).is_none() {
            out.push(word.clone());
        }
    }
    out
}

/// What clang complains about, in its words: `unknown argument: '-fx'`, `unknown argument '-fx'; did you mean '-fy'?`,
/// `unsupported argument 'x' to option '-fy='`, `invalid value 'x' in '-fy=x'`, `unsupported option '-fx'`. An option, or start and end of one.
fn complaints(said: &str) -> Vec<(&str, &str)> {
    let named = |line: &'_ str| -> Vec<(usize, usize)> {
        let ends: Vec<usize> = line.match_indices('\'').map(|(at, _)| at).collect();
        ends.as_chunks::<2>().0.iter().map(|[open, close]| (open + 1, *close)).collect()
    };
    let mut out = Vec::new();
    for line in said.lines() {
        let quoted: Vec<&str> = named(line).into_iter().map(|(open, close)| &line[open..close]).collect();
        match quoted[..] {
            [option, ..] if line.contains("unknown argument") || line.contains(": error: unsupported option") => out.push((option, "")),
            [value, option, ..] if line.contains(": error: unsupported argument") => out.push((option, value)),
            [_, option, ..] if line.contains(": error: invalid value") => out.push((option, "")),
            _ => {}
        }
    }
    out
}

/// The words without those; of a list of values only the one goes.
fn without(words: Vec<String>, complaints: &[(&str, &str)], left_out: &mut Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let concerns = |(option, value): &&(&str, &str)| match *value {
            "" => word == *option,
            value => word.strip_prefix(option).is_some_and(|values| values.split(',').any(|one| one == value)),
        };
        let Some((option, value)) = complaints.iter().find(concerns) else {
            out.push(word);
            continue;
        };
        if out.last().is_some_and(|last| last == "-Xarch_host" || last == "-Xarch_device") {
            out.pop();
        }
        let others: Vec<&str> = word[option.len()..].split(',').filter(|one| one != value && !one.is_empty()).collect();
        if others.is_empty() {
            left_out.push(word);
        } else {
            left_out.push(format!("{option}{value}"));
            out.push(format!("{option}{}", others.join(",")));
        }
    }
    out
}

/// What becomes of options of g++ that clang's driver takes, and then does not as g++ would. Source: GCC's manual, "Option Index".
fn translated(words: Vec<String>, left_out: &mut Vec<String>) -> Vec<String> {
    let mut out = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let is_output = |format: &str| !matches!(format, "text" | "json" | "sarif");
        if word == "-aux-info" || word == "-wrapper" {
            left_out.extend([Some(word), words.next()].into_iter().flatten().reduce(|option, value| format!("{option} {value}")));
        } else if word.starts_with("-gstabs") || word == "-mtune=intel" || word.strip_prefix("-fdiagnostics-format=").is_some_and(is_output)
        {
            left_out.push(word);
        } else if let Some(number) = word.strip_prefix("-fmax-errors=") {
            out.push(format!("-ferror-limit={number}"));
        } else if word.strip_prefix("-flto=").is_some_and(|jobs| jobs.parse::<u32>().is_ok() || jobs == "jobserver") {
            out.push("-flto".to_owned());
        } else if args::takes_next_word(&word) {
            out.push(word);
            out.extend(words.next());
        } else {
            out.push(word);
        }
    }
    out
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
        // What clang takes from no other, or with another meaning.
        check(
            "-fsycl-instead-of=g++ -flto=4 -mtune=intel -fsanitize=address,bounds-strict -fexcess-precision=16 -gstabs -aux-info a.txt \
             -fdiagnostics-format=json-file -wrapper gdb,--args -fmax-errors=5 -Xarch_host -fipa-pta -MF -gstabs -c -x c++ /dev/null",
            "-Wno-unknown-warning-option -flto -fsanitize=address -fexcess-precision=16 -ferror-limit=5 -MF -gstabs -c -x c++ /dev/null",
            "-mtune=intel -gstabs -aux-info a.txt -fdiagnostics-format=json-file -wrapper gdb,--args -fsanitize=bounds-strict -fipa-pta",
        );
        check("-w -fsycl-instead-of=g++ -fipa-pta x.o", "-Wno-unknown-warning-option -w x.o", "");
    }
}
