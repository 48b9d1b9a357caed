//! What came of a program. `right` is the program's own word: its check says so, or a number it prints is compared by it; a program that only
//! ends well merely `runs`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// In the file and in tables: the first word, and a reason after a colon where there is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Verdict {
    /// Its own check passed.
    Right,
    /// It ends with 0 and does not check itself.
    Runs,
    /// Compiled and linked; not run, or its files do not say how.
    Compiles,
    /// It was still running after the limit.
    Slow,
    /// Its own check failed.
    Wrong(String),
    /// It ended otherwise than with 0.
    Crashes(String),
    /// aspen++ does not take it.
    Refused(String),
    /// A library or file that is neither SYCL's nor in the checkout.
    Needs(String),
}

/// What a program prints when its own check passed or failed, in capitals.
const PASSED: [&str; 17] = [
    "PASS",
    "PASSED",
    "SUCCESS",
    "SUCCESSFUL",
    "SUCCESSFULLY",
    "CORRECT",
    "CORRECTLY",
    "VERIFIED",
    "VERIFICATION: OK",
    "OK",
    "MATCH",
    "MATCHES",
    "MATCHED",
    "SUCCEEDED",
    "VALID: TRUE",
    "(VALID)",
    "NO ERRORS DETECTED",
];
const FAILED: [&str; 16] = [
    "FAIL",
    "FAILS",
    "FAILED",
    "FAILURE",
    "FAILURES",
    "MISMATCH",
    "MISMATCHES",
    "MISMATCHED",
    "UNMATCHED",
    "INCORRECT",
    "WRONG",
    "UNSUCCESSFUL",
    "VERIFICATION ERROR",
    "INAVALID CHECKSUM",
    "INVALID CHECKSUM",
    "VALID: FALSE",
];
/// What a program says where it compares.
const DIFFERENCES: [&str; 4] = ["RESULTS DIFFER", "RESULT DIFFERS", "OUTPUT NOT EQUAL", "OUTPUTS DIFFER"];

impl Verdict {
    /// Of a program that ended with 0 and said this.
    pub fn of_output(text: &str) -> Verdict {
        for line in text.lines() {
            let capitals = line.to_uppercase();
            if misses_a_file(&capitals) {
                return Verdict::Needs(short(line));
            }
            let failed = FAILED.iter().chain(&DIFFERENCES).any(|word| has_word(&capitals, word)) && !says_none(&capitals);
            if failed || says_not(&capitals) {
                return Verdict::Wrong(short(line));
            }
        }
        let capitals = text.to_uppercase();
        if PASSED.iter().any(|word| has_word(&capitals, word)) { Verdict::Right } else { Verdict::Runs }
    }

    /// Of a program that ended otherwise than with 0 and said this, if it lacked what a checkout or this machine does not have.
    pub fn of_crash(text: &str) -> Option<Verdict> {
        let lacks = |line: &&str| misses_a_file(&line.to_uppercase()) || line.contains("no device is available that the selector accepts");
        text.lines().find(lacks).map(|line| Verdict::Needs(short(line)))
    }

    /// Of a build that failed and said this.
    pub fn of_errors(text: &str) -> Verdict {
        let mut first = None;
        for line in text.lines() {
            if let Some((_, file)) = line.split_once("fatal error: '")
                && let Some((file, _)) = file.split_once("' file not found")
            {
                return if file.starts_with("sycl/") {
                    Verdict::Refused(format!("no header {file}"))
                } else {
                    Verdict::Needs(file.to_owned())
                };
            }
            // What CMake says stands below the place.
            if line.starts_with("CMake Error") {
                let said = text.lines().skip_while(|other| other != &line).skip(1).find(|line| !line.trim().is_empty());
                return Verdict::Refused(short(said.unwrap_or(line)));
            }
            if line.contains("No such file or directory") || line.contains("No rule to make target") || line.contains("no makefile found") {
                first.get_or_insert_with(|| Verdict::Needs(short(line)));
            } else if let Some((_, error)) = line.split_once("error: ") {
                first.get_or_insert_with(|| Verdict::Refused(short(error)));
            }
        }
        first.unwrap_or_else(|| Verdict::Refused(short(text.lines().last().unwrap_or_default())))
    }

    /// Whether what was seen is no worse than this. A program that was not run is only compared by whether it compiles.
    pub fn allows(&self, seen: &Verdict, not_run: bool) -> bool {
        if not_run || matches!(seen, Verdict::Slow) {
            return matches!((self.compiles(), seen.compiles()), (false, _) | (true, true));
        }
        let ends = matches!((self, seen), (Verdict::Slow, Verdict::Runs));
        ends || std::mem::discriminant(self) == std::mem::discriminant(seen) || matches!(seen, Verdict::Right)
    }

    pub fn compiles(&self) -> bool {
        !matches!(self, Verdict::Refused(_) | Verdict::Needs(_))
    }

    /// The word, and the reason.
    pub fn parts(&self) -> (&'static str, Option<&str>) {
        match self {
            Verdict::Right => ("right", None),
            Verdict::Runs => ("runs", None),
            Verdict::Compiles => ("compiles", None),
            Verdict::Slow => ("slow", None),
            Verdict::Wrong(why) => ("wrong", Some(why)),
            Verdict::Crashes(why) => ("crashes", Some(why)),
            Verdict::Refused(why) => ("refused", Some(why)),
            Verdict::Needs(what) => ("needs", Some(what)),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (word, Some(why)) => write!(f, "{word}: {why}"),
            (word, None) => f.write_str(word),
        }
    }
}

impl From<Verdict> for String {
    fn from(verdict: Verdict) -> String {
        verdict.to_string()
    }
}

impl From<String> for Verdict {
    /// A word that is not known is a damaged line, and read as a refusal with all of it.
    fn from(text: String) -> Verdict {
        let (word, why) = text.split_once(": ").unwrap_or((&text, ""));
        match word {
            "right" => Verdict::Right,
            "runs" => Verdict::Runs,
            "compiles" => Verdict::Compiles,
            "slow" => Verdict::Slow,
            "wrong" => Verdict::Wrong(why.to_owned()),
            "crashes" => Verdict::Crashes(why.to_owned()),
            "needs" => Verdict::Needs(why.to_owned()),
            "refused" => Verdict::Refused(why.to_owned()),
            _ => Verdict::Refused(text),
        }
    }
}

/// Whether these words stand somewhere: "PASS!" has "PASS", "BYPASS" and "PASSES" have not.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// "Unable to open file x", "cannot read input.bmp", "No such file or directory".
fn misses_a_file(capitals: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| has_word(capitals, word));
    let cannot = has(&["CANNOT", "CAN'T", "CAN NOT", "COULD NOT", "COULDN'T", "UNABLE TO", "FAILED TO", "NOT ABLE TO", "ERROR"]);
    let reads = has(&["OPEN", "OPENED", "OPENING", "LOAD", "LOADED", "LOADING", "READ", "READING", "FIND", "STAT", "IMPORT", "ACCESS"]);
    let file = has(&["FILE", "FILES", "FOLDER", "DIRECTORY", "IMAGE", "IMAGES", "DATASET"]) || has_path(capitals);
    cannot && reads && file || has(&["NO SUCH FILE", "NO SUCH FOLDER", "FILE OPEN FAILS", "WAS NOT OPENED", "BAD FILE"])
}

/// A word such as `../data/x` or `lp1.mtx`.
fn has_path(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '.');
        let word = word.trim_end_matches('.');
        let suffix = word.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        word.contains('/') && word.len() > 2
            || (2..=4).contains(&suffix.len()) && suffix.chars().all(char::is_alphanumeric) && !suffix.chars().all(char::is_numeric)
    })
}

fn words_of(capitals: &str) -> Vec<&str> {
    capitals.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
}

/// "0 failed", "failures: 0", "incorrect matches: 0", "no mismatch".
fn says_none(capitals: &str) -> bool {
    let is_none = |word: &str| word == "0" || word == "NO";
    let words = words_of(capitals);
    words.windows(2).any(|pair| is_none(pair[0]) && FAILED.contains(&pair[1]) || FAILED.contains(&pair[0]) && pair[1] == "0")
        || matches!(words[..], [.., failed, _, "0"] if FAILED.contains(&failed))
}

/// "do not match", "not successful", "isn't correct".
fn says_not(capitals: &str) -> bool {
    words_of(capitals).windows(2).any(|pair| (pair[0] == "NOT" || pair[0].ends_with("N'T")) && PASSED.contains(&pair[1]))
}

/// One line for a table: without folders of this machine, of which the last name is kept. A path begins a word, or stands behind a quote,
/// a bracket or an equals sign in it.
pub fn short(line: &str) -> String {
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| {
            let begins = |at: usize| word[at..].starts_with('/') && (at == 0 || word[..at].ends_with(['"', '\'', '=', '(', '[', '`']));
            match (0..word.len()).find(|&at| word.is_char_boundary(at) && begins(at)) {
                Some(at) => word[..at].to_owned() + word[at..].rsplit('/').next().unwrap_or_default(),
                None => word.to_owned(),
            }
        })
        .collect();
    words.join(" ").chars().take(140).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_the_programs_own_word() {
        let check = |text: &str, expected: &str| assert_eq!(Verdict::of_output(text).to_string(), expected, "{text}");
        check("Average kernel time 3 us\nPASS\n", "right");
        check("Results are correct.", "right");
        check("Average kernel time 3 us\n", "runs");
        check("bypass the token stage", "runs");
        check("PASS\nFAIL at 3\n", "wrong: FAIL at 3");
        check("3 passed, 0 failed", "right");
        check("incorrect result", "wrong: incorrect result");
        check("number of passes: 3\nmatching took 2 ms, with the next correction in succession", "runs");
        check("results do not match", "wrong: results do not match");
        check("the run was not successful", "wrong: the run was not successful");
        check("it isn't correct", "wrong: it isn't correct");
        check("ERROR: results differ in 3 places!", "wrong: ERROR: results differ in 3 places!");
        check("0 mismatches\nPASSED", "right");
        check("Number of incorrect matches: 0\nAll matches are correct", "right");
        check("Number of incorrect matches: 3", "wrong: Number of incorrect matches: 3");
        check("all results match\n", "right");
        check("Matched\n", "right");
        check("Unmatched\n", "wrong: Unmatched");
        check("Verification checksum: 945990 (Valid)", "right");
        check("Verification checksum: 1 (WARNING - INAVALID CHECKSUM!)", "wrong: Verification checksum: 1 (WARNING - INAVALID CHECKSUM!)");
        check("outcome: { valid: true, max_diff_%: 0.001 }", "right");
        check("mismatch at 7", "wrong: mismatch at 7");
        check("Failed to load file SobelFilter_Input.bmp", "needs: Failed to load file SobelFilter_Input.bmp");
        check("Failed to open lp1.mtx.", "needs: Failed to open lp1.mtx.");
        check("FAIL: error 0.25 at 3", "wrong: FAIL: error 0.25 at 3");
        check("cannot read the clock\nPASS", "right");
    }

    #[test]
    fn what_a_program_lacks_is_no_crash_of_ours() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(Verdict::of_crash(text).map(|verdict| verdict.to_string()).as_deref(), expected, "{text}");
        };
        check("ERROR: could not open input file ../x/graph.csv", Some("needs: ERROR: could not open input file ../x/graph.csv"));
        check("what():  Bad file: ./data/bm1/ligand.in", Some("needs: what(): Bad file: ./data/bm1/ligand.in"));
        check("Segmentation fault", None);
    }

    #[test]
    fn a_refusal_is_the_first_error() {
        let check = |text: &str, expected: &str| assert_eq!(Verdict::of_errors(text).to_string(), expected, "{text}");
        check("main.cpp:1:10: fatal error: 'mpi.h' file not found", "needs: mpi.h");
        check("main.cpp:1:10: fatal error: 'sycl/ext/x.hpp' file not found", "refused: no header sycl/ext/x.hpp");
        check("a.cpp:3:4: error: no member named 'x'\na.cpp:4:4: error: later", "refused: no member named 'x'");
        check(
            "CMake Error at a/CMakeLists.txt:7 (message):\n\n  The model is not there\nSee also \"/w/x.log\".",
            "refused: The model is not there",
        );
        check("x: error: unknown argument: '-cxx=/some/where/bin/aspen++'", "refused: unknown argument: '-cxx=aspen++'");
        check("See also \"/some/where/CMakeOutput.log\".", "refused: See also \"CMakeOutput.log\".");
        check("/some/where/a.cpp:3: no rule for ../x/y", "refused: a.cpp:3: no rule for ../x/y");
        check("make: *** No rule to make target 'x'. Stop.", "needs: make: *** No rule to make target 'x'. Stop.");
    }

    #[test]
    fn better_than_expected_is_no_failure() {
        let check = |expected: &str, seen: &str, allowed: bool| {
            let [expected, seen] = [expected, seen].map(|text| Verdict::from(text.to_owned()));
            assert_eq!(expected.allows(&seen, false), allowed, "{expected}, then {seen}");
        };
        check("slow", "right", true);
        check("slow", "runs", true);
        check("slow", "wrong: FAIL", false);
        check("right", "slow", true);
        check("right", "runs", false);
        check("needs: mpi.h", "right", true);
    }

    #[test]
    fn a_verdict_is_written_as_it_is_read() {
        for text in ["right", "slow", "wrong: FAIL: at 3", "needs: mpi.h", "refused: no member named 'x'"] {
            assert_eq!(Verdict::from(text.to_owned()).to_string(), text);
        }
    }
}
