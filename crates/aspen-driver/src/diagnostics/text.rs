//! The text that people read: S0's warning in clang's dress, with source line and caret. Source: DESIGN §4.

use std::fmt::Write;

use aspen_contract::Place;

use super::{Diagnostic, Fix};
use crate::args::Severity;

/// clang's colours.
const BOLD: &str = "\x1b[1m";
const MAGENTA: &str = "\x1b[0;1;35m";
const RED: &str = "\x1b[0;1;31m";
const CYAN: &str = "\x1b[0;1;36m";
const GREEN: &str = "\x1b[0;1;32m";
const RESET: &str = "\x1b[0m";

/// How wide clang takes a tab to be.
const TAB: usize = 8;

pub(super) fn render(diagnostic: &Diagnostic, color: bool, source: &dyn Fn(&Place) -> Option<String>) -> String {
    let group = diagnostic.group.map(|group| format!("-W{}]", group.name()));
    let (word, paint, flag) = match diagnostic.severity {
        Severity::Error if diagnostic.by_default => ("error: ", RED, group.map(|group| format!(" [{group}"))),
        Severity::Error => ("error: ", RED, group.map(|group| format!(" [-Werror,{group}"))),
        Severity::Warning | Severity::Ignored => ("warning: ", MAGENTA, group.map(|group| format!(" [{group}"))),
    };
    let mut out = String::new();
    if diagnostic.group.is_none() && diagnostic.place.is_none() {
        out.push_str("aspen++: ");
    }
    head(&mut out, diagnostic.place.as_ref(), word, paint, &format!("{}{}", diagnostic.message, flag.unwrap_or_default()), color);
    snippet(&mut out, diagnostic.place.as_ref(), color, source);
    if !diagnostic.chain.is_empty() {
        out.push_str("use is from this call chain:\n");
        for step in &diagnostic.chain {
            let place = step.place.as_ref().map_or_else(String::new, |place| format!(" {place}"));
            let remark = step.remark.as_ref().map_or_else(String::new, |remark| format!(" {remark}"));
            let _ = writeln!(out, "  {}(){place}{remark}", step.function);
        }
        if diagnostic.place.is_none() && diagnostic.group.is_some() {
            out.push_str("compile with '-g' to get source location\n");
        }
    }
    if let Some((place, sentence)) = &diagnostic.note {
        head(&mut out, Some(place), "note: ", CYAN, sentence, color);
        snippet(&mut out, Some(place), color, source);
        if let Some(fix) = &diagnostic.fix {
            insertion(&mut out, fix, Some(place), color, source);
        }
    }
    out
}

fn head(out: &mut String, place: Option<&Place>, word: &str, paint: &str, sentence: &str, color: bool) {
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    if color {
        let strong = if word == "note: " { "" } else { BOLD };
        let _ = writeln!(out, "{BOLD}{place}{RESET}{paint}{word}{RESET}{strong}{sentence}{RESET}");
    } else {
        let _ = writeln!(out, "{place}{word}{sentence}");
    }
}

/// The place's line alone.
pub(super) fn source_snippet(place: &Place, color: bool, source: &dyn Fn(&Place) -> Option<String>) -> String {
    let mut out = String::new();
    snippet(&mut out, Some(place), color, source);
    out
}

/// The source line under its number, and a caret where the column is known; tabs are shown as clang shows them.
fn snippet(out: &mut String, place: Option<&Place>, color: bool, source: &dyn Fn(&Place) -> Option<String>) {
    let Some((place, line)) = place.and_then(|place| Some((place, source(place)?))) else { return };
    numbered(out, place, &line);
    if place.column > 0 {
        below(out, place, &line, "^", color);
    }
}

/// What to insert, under the place in the source: under the caret's line or, if it is another one, under its own. As clang shows fix-its.
fn insertion(out: &mut String, fix: &Fix, caret: Option<&Place>, color: bool, source: &dyn Fn(&Place) -> Option<String>) {
    let Some(line) = source(&fix.place) else { return };
    if caret.is_none_or(|caret| (&caret.file, caret.line) != (&fix.place.file, fix.place.line)) {
        numbered(out, &fix.place, &line);
    }
    below(out, &fix.place, &line, &fix.text, color);
}

fn numbered(out: &mut String, place: &Place, line: &str) {
    let number = place.line.to_string();
    let (shown, _) = expanded(line, 0);
    let _ = writeln!(out, "{number:>width$} | {shown}", width = gutter(place).len());
}

/// A line of its own, beginning under the place.
fn below(out: &mut String, place: &Place, line: &str, text: &str, color: bool) {
    let (_, column) = expanded(line, place.column.saturating_sub(1) as usize);
    let (green, reset) = if color { (GREEN, RESET) } else { ("", "") };
    let _ = writeln!(out, "{} | {}{green}{text}{reset}", gutter(place), " ".repeat(column));
}

fn gutter(place: &Place) -> String {
    " ".repeat(place.line.to_string().len().max(4) + 1)
}

/// A line as it is shown, and the column at which its byte `offset` is then.
fn expanded(line: &str, offset: usize) -> (String, usize) {
    let (mut shown, mut width, mut column) = (String::new(), 0, 0);
    for (at, c) in line.char_indices() {
        if at < offset {
            column = width + if c == '\t' { TAB - width % TAB } else { 1 };
        }
        if c == '\t' {
            let blanks = TAB - width % TAB;
            shown.extend(std::iter::repeat_n(' ', blanks));
            width += blanks;
        } else {
            shown.push(c);
            width += 1;
        }
    }
    (shown, column)
}
