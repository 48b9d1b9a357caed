//! The text that people read: S0's warning in clang's dress, with source line and caret. Source: DESIGN §4.

use std::fmt::Write;
use std::fs;

use aspen_contract::Place;

use super::{Diagnostic, Fix};
use crate::args::{Look, Places, Severity};

/// clang's colours.
const BOLD: &str = "\x1b[1m";
const MAGENTA: &str = "\x1b[0;1;35m";
const RED: &str = "\x1b[0;1;31m";
const CYAN: &str = "\x1b[0;1;36m";
const GREEN: &str = "\x1b[0;1;32m";
const RESET: &str = "\x1b[0m";

/// How wide clang takes a tab to be.
const TAB: usize = 8;

/// By what the lines of a diagnostic are made.
struct Printer<'a> {
    look: &'a Look,
    color: bool,
    source: &'a dyn Fn(&Place) -> Option<String>,
    out: String,
}

pub(super) fn render(diagnostic: &Diagnostic, look: &Look, color: bool, source: &dyn Fn(&Place) -> Option<String>) -> String {
    let group = diagnostic.group.filter(|_| look.group).map(|group| format!("-W{}]", group.name()));
    let (word, paint, flag) = match diagnostic.severity {
        Severity::Error if diagnostic.by_default => ("error: ", RED, group.map(|group| format!(" [{group}"))),
        Severity::Error => ("error: ", RED, group.map(|group| format!(" [-Werror,{group}"))),
        Severity::Warning | Severity::Ignored => ("warning: ", MAGENTA, group.map(|group| format!(" [{group}"))),
    };
    let mut printer = Printer { look, color, source, out: String::new() };
    if diagnostic.group.is_none() && diagnostic.place.is_none() {
        printer.out.push_str("aspen++: ");
    }
    printer.head(diagnostic.place.as_ref(), word, paint, &format!("{}{}", diagnostic.message, flag.unwrap_or_default()));
    printer.snippet(diagnostic.place.as_ref());
    if !diagnostic.chain.is_empty() {
        printer.out.push_str("use is from this call chain:\n");
        for step in &diagnostic.chain {
            let place = step.place.as_ref().and_then(|place| printer.place(place)).map_or_else(String::new, |place| format!(" {place}"));
            let remark = step.remark.as_ref().map_or_else(String::new, |remark| format!(" {remark}"));
            let _ = writeln!(printer.out, "  {}(){place}{remark}", step.function);
        }
        if diagnostic.place.is_none() && diagnostic.group.is_some() {
            printer.out.push_str("compile with '-g' to get source location\n");
        }
    }
    if let Some((place, sentence)) = &diagnostic.note {
        printer.head(Some(place), "note: ", CYAN, sentence);
        printer.snippet(Some(place));
        if let Some(fix) = diagnostic.fix.as_ref().filter(|_| look.snippet) {
            printer.insertion(fix, Some(place));
        }
    }
    printer.out
}

/// The place's line alone.
pub(super) fn source_snippet(place: &Place, color: bool, source: &dyn Fn(&Place) -> Option<String>) -> String {
    let mut printer = Printer { look: &Look::default(), color, source, out: String::new() };
    printer.snippet(Some(place));
    printer.out
}

impl Printer<'_> {
    fn head(&mut self, place: Option<&Place>, word: &str, paint: &str, sentence: &str) {
        let place = place.and_then(|place| self.place(place)).map_or_else(String::new, |place| format!("{place}: "));
        let sentence = wrapped(sentence, place.chars().count() + word.len(), self.look.width);
        if self.color {
            let place = if place.is_empty() { place } else { format!("{BOLD}{place}{RESET}") };
            let strong = if word == "note: " { "" } else { BOLD };
            let _ = writeln!(self.out, "{place}{paint}{word}{RESET}{strong}{sentence}{RESET}");
        } else {
            let _ = writeln!(self.out, "{place}{word}{sentence}");
        }
    }

    /// Where something is, if that is to be said.
    fn place(&self, place: &Place) -> Option<String> {
        let line = place.line;
        let column = Some(place.column).filter(|&column| column > 0 && self.look.shows_column);
        let whole = if self.look.absolute { fs::canonicalize(&place.file).ok() } else { None };
        let file = whole.map_or_else(|| place.file.clone(), |file| file.to_string_lossy().into_owned());
        self.look.shows_place.then(|| match (self.look.places, column) {
            (Places::Clang, None) => format!("{file}:{line}"),
            (Places::Clang, Some(column)) => format!("{file}:{line}:{column}"),
            (Places::Msvc, None) => format!("{file}({line})"),
            (Places::Msvc, Some(column)) => format!("{file}({line},{column})"),
            (Places::Vi, None) => format!("{file} +{line}"),
            (Places::Vi, Some(column)) => format!("{file} +{line}:{column}"),
        })
    }

    /// The source line under its number, and a caret where the column is known; tabs are shown as clang shows them.
    fn snippet(&mut self, place: Option<&Place>) {
        let Some(place) = place.filter(|_| self.look.snippet) else { return };
        let Some(line) = (self.source)(place) else { return };
        self.numbered(place, &line);
        if place.column > 0 {
            self.below(place, &line, "^");
        }
    }

    /// What to insert, under the place in the source: under the caret's line or, if it is another one, under its own. As clang shows
    /// fix-its, and for tools once more as they read them.
    fn insertion(&mut self, fix: &Fix, caret: Option<&Place>) {
        if let Some(line) = (self.source)(&fix.place).filter(|_| self.look.fixes) {
            if caret.is_none_or(|caret| (&caret.file, caret.line) != (&fix.place.file, fix.place.line)) {
                self.numbered(&fix.place, &line);
            }
            self.below(&fix.place, &line, &fix.text);
        }
        if self.look.fixes_for_tools {
            let Place { file, line, column } = &fix.place;
            let (file, text) = (escaped(file), escaped(&fix.text));
            let _ = writeln!(self.out, "fix-it:\"{file}\":{{{line}:{column}-{line}:{column}}}:\"{text}\"");
        }
    }

    fn numbered(&mut self, place: &Place, line: &str) {
        let (shown, _) = expanded(line, 0);
        let _ = match self.look.numbers {
            true => writeln!(self.out, "{number:>width$} | {shown}", number = place.line, width = gutter(place).len()),
            false => writeln!(self.out, "{shown}"),
        };
    }

    /// A line of its own, beginning under the place.
    fn below(&mut self, place: &Place, line: &str, text: &str) {
        let (_, column) = expanded(line, place.column.saturating_sub(1) as usize);
        let (green, reset) = if self.color { (GREEN, RESET) } else { ("", "") };
        let gutter = if self.look.numbers { format!("{} | ", gutter(place)) } else { String::new() };
        let _ = writeln!(self.out, "{gutter}{}{green}{text}{reset}", " ".repeat(column));
    }
}

fn gutter(place: &Place) -> String {
    " ".repeat(place.line.to_string().len().max(4) + 1)
}

/// As in a string literal of C, with octal numbers for what ASCII does not print.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let _ = match byte {
            b'\n' => out.write_str("\\n"),
            b'\t' => out.write_str("\\t"),
            b'"' | b'\\' => write!(out, "\\{}", char::from(byte)),
            b' '..=b'~' => out.write_char(char::from(byte)),
            _ => write!(out, "\\{byte:03o}"),
        };
    }
    out
}

/// A sentence that begins at a column, in lines shorter than `width` as far as its words are; 0: in one. As clang's: what stands in quotes or
/// brackets is one word where it does not take too much of a line.
fn wrapped(sentence: &str, start: usize, width: usize) -> String {
    const INDENTATION: usize = 6;
    if width == 0 {
        return sentence.to_owned();
    }
    let (mut out, mut column, mut rest) = (String::new(), start, sentence.trim_start());
    while !rest.is_empty() {
        let word;
        (word, rest) = rest.split_at(end_of_word(rest, column, width));
        rest = rest.trim_start();
        let length = word.chars().count();
        if column + length < width {
            let blank = usize::from(!out.is_empty());
            out.push_str(&" ".repeat(blank));
            column += blank + length;
        } else {
            out.push('\n');
            out.push_str(&" ".repeat(INDENTATION));
            column = INDENTATION + length;
        }
        out.push_str(word);
    }
    out
}

/// How many bytes the first word has.
fn end_of_word(text: &str, column: usize, width: usize) -> usize {
    let plain = text.find(char::is_whitespace).unwrap_or(text.len());
    let closes = |c| match c {
        '\'' | '"' => Some(c),
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    };
    let mut chars = text.char_indices();
    let Some(first) = chars.next().and_then(|(_, c)| closes(c)) else { return plain };
    let mut open = vec![first];
    for (at, c) in chars {
        if open.last() == Some(&c) {
            open.pop();
        } else {
            open.extend(closes(c));
        }
        if open.is_empty() {
            let behind = at + c.len_utf8();
            let end = text[behind..].find(char::is_whitespace).map_or(text.len(), |blank| behind + blank);
            let length = text[..end].chars().count();
            return if column + length <= width || length < width / 3 { end } else { plain };
        }
    }
    plain
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
