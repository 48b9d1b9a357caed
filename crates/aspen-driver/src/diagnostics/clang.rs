//! What clang says as text, read back, so that a document has the findings of both compilers. Its own SARIF is unstable in clang 22, and has
//! neither groups nor notes that belong to somebody. Source: clang 22, what `-fno-caret-diagnostics` leaves.

use aspen_contract::Place;

use super::Diagnostic;
use crate::args::Severity;

/// The findings, and the lines that are none. Where an include was and how many warnings there were, findings say themselves.
pub(super) fn read(text: &str) -> (Vec<Diagnostic>, String) {
    let (mut found, mut rest): (Vec<Diagnostic>, String) = Default::default();
    for line in text.lines().filter(|line| !is_about_findings(line)) {
        match finding(line) {
            Some((None, place, message)) => {
                // A note without a place has nothing to point at.
                if let (Some(last), Some(place)) = (found.last_mut(), place) {
                    last.notes.push((place, message.to_owned()));
                }
            }
            Some((Some(severity), place, message)) => {
                let (message, flag) = without_flag(message);
                found.push(Diagnostic { flag, ..Diagnostic::of_nobody(severity, place, message.to_owned()) });
            }
            None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    (found, rest)
}

fn is_about_findings(line: &str) -> bool {
    let counts = line.starts_with(|first: char| first.is_ascii_digit()) && line.ends_with(" generated.");
    counts || line.trim().is_empty() || line.starts_with("In file included from ") || line.starts_with("In module ")
}

/// Severity (none: a note), place and message of a line.
fn finding(line: &str) -> Option<(Option<Severity>, Option<Place>, &str)> {
    let kinds = [
        (": fatal error: ", Some(Severity::Error)),
        (": error: ", Some(Severity::Error)),
        (": warning: ", Some(Severity::Warning)),
        (": note: ", None),
    ];
    let first = kinds.into_iter().filter_map(|(mark, severity)| Some((line.find(mark)?, mark, severity)));
    let (at, mark, severity) = first.min_by_key(|(at, ..)| *at)?;
    // Other tools speak of places in other ways; a file's name has no blank and colon behind it.
    let place = place(&line[..at]);
    let is_program = !line[..at].contains([' ', ':']);
    (place.is_some() || is_program).then_some((severity, place, &line[at + mark.len()..]))
}

/// `FILE:LINE:COLUMN`, `FILE:LINE`.
fn place(text: &str) -> Option<Place> {
    let (start, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match start.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some(Place { file: file.to_owned(), line, column: last }),
        None => Some(Place { file: start.to_owned(), line: last, column: 0 }),
    }
}

/// `message [-Wflag]`, `message [-Werror,-Wflag]`.
fn without_flag(message: &str) -> (&str, Option<String>) {
    let Some((start, flags)) = message.strip_suffix(']').and_then(|message| message.rsplit_once(" [-W")) else { return (message, None) };
    let flag = flags.rsplit("-W").next().unwrap_or(flags);
    (start, Some(flag.to_owned()))
}
