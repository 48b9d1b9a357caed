//! llvm-tblgen's JSON. Source: LLVM's TableGen BackEnds, "JSON Reference".

use std::collections::BTreeMap;

use serde::Deserialize;

/// Everything that a file and what it includes define.
#[derive(Debug, Deserialize)]
pub(crate) struct Dump {
    /// Records by class; every class of the file is a key.
    #[serde(rename = "!instanceof")]
    pub(crate) classes: BTreeMap<String, Vec<String>>,
    /// The version of the format.
    #[serde(rename = "!tablegen_json_version")]
    pub(crate) version: u32,
    /// The records.
    #[serde(flatten)]
    pub(crate) records: BTreeMap<String, Record>,
}

/// One `def`.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    #[serde(rename = "!name")]
    pub(crate) name: String,
    #[serde(rename = "!anonymous")]
    pub(crate) anonymous: bool,
    /// `file:line`, innermost first: a `def` in a multiclass, then the `defm`.
    #[serde(rename = "!locs", default)]
    pub(crate) places: Vec<String>,
    #[serde(flatten)]
    pub(crate) fields: BTreeMap<String, serde_json::Value>,
}

impl Record {
    /// Where the user wrote it.
    pub(crate) fn place(&self) -> &str {
        self.places.last().map_or("", String::as_str)
    }

    /// Records in the order of the file: by line, and on one line (a `foreach`) by number, for llvm-tblgen numbers what has no name.
    pub(crate) fn order(&self) -> (&str, u64, bool, u64, &str) {
        let (file, line) = self.place().rsplit_once(':').unwrap_or_default();
        let digits = self.name.len() - self.name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = self.name[self.name.len() - digits..].parse().unwrap_or(0);
        (file, line.parse().unwrap_or(0), self.anonymous, number, &self.name)
    }
}
