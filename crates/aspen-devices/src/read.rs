//! Reads the YAML of a device configuration file. Every value keeps its place, and nothing is merged here: entries come out in the order
//! of the file, duplicates included. Source: S2 "Changes to the DPC++ Frontend"; DESIGN §2.

use std::collections::BTreeSet;

use aspen_contract::{Aspect, AspectSet};
use serde_saphyr::{Location, Spanned};

use crate::diagnostic::{ConfigError, Diagnostic};
use crate::nearest::hint;
use crate::raw::{self, Value};

/// What an entry says of its target. Fields it does not give are `None`.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) aspects: Option<AspectSet>,
    pub(crate) may_support_other_aspects: Option<bool>,
    pub(crate) sub_group_sizes: Option<Vec<u32>>,
    pub(crate) aot_toolchain: Option<String>,
    pub(crate) aot_toolchain_options: Option<String>,
    pub(crate) aot_extra: Vec<(String, String)>,
}

/// One entry of a file, checked.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) fields: Fields,
}

/// The file, for its diagnostics.
#[derive(Clone, Copy)]
pub(crate) struct File<'f> {
    pub(crate) name: &'f str,
    pub(crate) text: &'f str,
}

impl File<'_> {
    pub(crate) fn diagnostic(&self, line: usize, column: usize, message: String) -> Diagnostic {
        // YAML ends lines by a carriage return alone, too.
        let text = self.text.replace("\r\n", "\n").replace('\r', "\n");
        let source_line = line.checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default().to_owned();
        Diagnostic { file: self.name.to_owned(), line, column: column.max(1), message, source_line }
    }

    fn at(&self, location: Location, message: String) -> Diagnostic {
        let (line, column) = place(location);
        self.diagnostic(line, column, message)
    }
}

fn place(location: Location) -> (usize, usize) {
    let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (number(location.line()), number(location.column()))
}

/// The text of a file, which must be UTF-8.
///
/// # Errors
/// The place of the first byte that is none.
pub fn text<'b>(file_name: &str, bytes: &'b [u8]) -> Result<&'b str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (good, bad) = bytes.split_at(error.valid_up_to());
        let good = String::from_utf8_lossy(good);
        let before = good.rsplit('\n').next().unwrap_or_default();
        let rest = String::from_utf8_lossy(bad.split(|&byte| byte == b'\n').next().unwrap_or_default());
        let byte = bad.first().copied().unwrap_or_default();
        ConfigError(vec![Diagnostic {
            file: file_name.to_owned(),
            line: good.matches('\n').count() + 1,
            column: before.chars().count() + 1,
            message: format!("the file is no UTF-8 text: byte 0x{byte:02x}"),
            source_line: format!("{before}{rest}"),
        }])
    })
}

/// Reads a file. An empty one, or one of comments only, has no entries.
///
/// # Errors
/// All mistakes, in the order of the file.
pub(crate) fn entries(file: File<'_>) -> Result<Vec<Entry>, ConfigError> {
    let mut problems: Vec<Diagnostic> = Vec::new();
    let raw = raw::read(file.text, |error| {
        let (line, column) = error.location().map_or((1, 1), place);
        let problem = file.diagnostic(line, column, plain(error));
        let is_new = !problems.contains(&problem);
        problems.extend(is_new.then_some(problem));
        is_new
    });
    let entries = raw.unwrap_or_default().into_iter().map(|(name, entry)| checked(file, &name, entry, &mut problems)).collect();
    problems.sort_by_key(|problem| (problem.line, problem.column));
    if problems.is_empty() { Ok(entries) } else { Err(ConfigError(problems)) }
}

/// The reader's words in ours where they are a parser's, and without the place, which stands in front already.
fn plain(error: &serde_saphyr::Error) -> String {
    if let serde_saphyr::Error::MultipleDocuments { .. } = error.without_snippet() {
        return "the file holds more than one YAML document".to_owned();
    }
    // A key `~` or `null`.
    if let serde_saphyr::Error::NullIntoString { .. } = error.without_snippet() {
        return "expected a name; 'null' and '~' are none, unless they stand in quotes".to_owned();
    }
    if let serde_saphyr::Error::Budget { .. } = error.without_snippet() {
        return "the file unfolds to more than any list of devices holds: too many values, or too many uses of one '&anchor'".to_owned();
    }
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let end = text.rfind(" at line ").filter(|end| text[*end..].contains("column")).unwrap_or(text.len());
    match text[..end].trim_end_matches(',') {
        "expected mapping start" => "expected fields, 'name: value'".to_owned(),
        "expected sequence start" => "expected a list, '[a, b]'".to_owned(),
        "expected string scalar" => "expected a text".to_owned(),
        "invalid boolean" => "expected 'true' or 'false'".to_owned(),
        "recursive references require weak recursion types" => "an '*alias' stands inside of what it names".to_owned(),
        "invalid u32" => "expected a number from 1 to 4294967295".to_owned(),
        other => other.to_owned(),
    }
}

/// Checks one entry; what is wrong goes to `problems`.
fn checked(file: File<'_>, name: &Spanned<String>, entry: raw::Entry, problems: &mut Vec<Diagnostic>) -> Entry {
    let (line, column) = place(name.referenced);
    if name.value.is_empty() || !name.value.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) {
        let message = format!("'{}' is no name for a target: names have letters, digits, '_', '-' and '.'", name.value);
        problems.push(file.diagnostic(line, column, message));
    }
    let mut fields = Fields::default();
    let mut seen = BTreeSet::new();
    for (key, value) in entry {
        if !seen.insert(key.value.clone()) {
            problems.push(file.at(key.referenced, format!("the field '{}' stands here a second time for '{}'", key.value, name.value)));
        }
        match value {
            Value::Aspects(list) => fields.aspects = Some(list.iter().filter_map(|item| aspect(file, item, problems)).collect()),
            Value::Flag(flag) => fields.may_support_other_aspects = Some(flag),
            Value::Sizes(list) => fields.sub_group_sizes = Some(sizes(file, &list, problems)),
            Value::Text(text) if key.value == "aot-toolchain" => fields.aot_toolchain = Some(text),
            Value::Text(text) if key.value == "aot-toolchain-options" => fields.aot_toolchain_options = Some(text),
            Value::Text(text) => fields.aot_extra.push((key.value["aot-toolchain-".len()..].to_owned(), text)),
            Value::Wrong => {}
            Value::Nothing => problems.push(file.at(key.referenced, format!("the field '{}' has no value", key.value))),
            Value::Unknown => {
                let hint = hint(&key.value, FIELDS.iter().copied());
                problems.push(file.at(key.referenced, format!("unknown field '{}'{hint}", key.value)));
            }
        }
    }
    Entry { name: name.value.clone(), line, column, fields }
}

/// An aspect by name or number. Unknown numbers are new hardware, unknown names are mistakes. Source: DESIGN §2.
fn aspect(file: File<'_>, item: &Spanned<String>, problems: &mut Vec<Diagnostic>) -> Option<Aspect> {
    let text = item.value.as_str();
    let found = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok().map(Aspect::from_number)
    } else {
        Aspect::from_name(text)
    };
    if found.is_none() {
        let hint = hint(text, Aspect::all().filter_map(Aspect::name));
        problems.push(file.at(item.referenced, format!("unknown aspect '{text}'{hint}")));
    }
    found
}

fn sizes(file: File<'_>, list: &[Spanned<u32>], problems: &mut Vec<Diagnostic>) -> Vec<u32> {
    for zero in list.iter().filter(|size| size.value == 0) {
        problems.push(file.at(zero.referenced, "a sub-group has at least one work-item".to_owned()));
    }
    let sorted: BTreeSet<u32> = list.iter().map(|size| size.value).collect();
    sorted.into_iter().collect()
}

const FIELDS: [&str; 5] = ["aspects", "may_support_other_aspects", "sub-group-sizes", "aot-toolchain", "aot-toolchain-options"];
