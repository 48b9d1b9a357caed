//! What the C++ half says about the pass: arguments of the plugin, the tag, and the user's pragmas.

use aspen_analysis::{Level, Told};
use aspen_contract::Place;
use serde::Deserialize;

/// The second document of a hand-over.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where the report goes; empty for none.
    pub report: String,
    /// Where the facts go, for people; empty for none.
    pub facts: String,
    /// Whose metadata names.
    pub dialect: DialectName,
    /// The object's tag, in host passes; where a header is precompiled, what the tag of its users goes on from.
    pub tag: Option<String>,
    /// Whether findings in system headers are wanted (`-Wsystem-headers`).
    pub system_headers: bool,
    /// `#pragma clang diagnostic` on our groups, in the order of the translation unit.
    pub pragmas: Vec<Pragma>,
}

/// The plugin's argument `dialect`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialectName {
    /// The design documents'.
    #[default]
    Seed,
    /// DPC++'s.
    Dpcpp,
}

impl From<DialectName> for aspen_llvm::Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Seed => aspen_llvm::Dialect::Seed,
            DialectName::Dpcpp => aspen_llvm::Dialect::Dpcpp,
        }
    }
}

/// From this place on, in this file, the severity holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pragma {
    file: String,
    line: u32,
    column: u32,
    group: Group,
    severity: Severity,
}

/// The groups that the plugin finds something for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub enum Group {
    /// A function uses an aspect that its attribute does not list.
    #[serde(rename = "sycl-aspects")]
    Aspects,
    /// What SYCL does not allow in device code.
    #[serde(rename = "sycl-strict")]
    Strict,
    /// A call of a function that the link does not find.
    #[serde(rename = "sycl-external")]
    External,
}

/// What a pragma says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No diagnostic.
    Ignored,
    /// As without any pragma.
    Default,
    /// A warning, and what the command line makes of it.
    Warning,
    /// An error whatever the command line says.
    Error,
}

impl Settings {
    /// The severity that pragmas give a finding at the place: that of the last pragma before it, in its file.
    pub fn severity(&self, group: Group, place: Option<&Place>) -> Severity {
        let Some(place) = place else { return Severity::Default };
        let last = self.pragmas.iter().rfind(|pragma| pragma.group == group && pragma.is_before(place));
        last.map_or(Severity::Default, |pragma| pragma.severity)
    }
}

impl Severity {
    /// What the link is told of a place.
    pub fn told(self) -> Option<Told> {
        match self {
            Severity::Ignored => Some(Told::Ignored),
            severity => severity.level().map(Told::Level),
        }
    }

    /// What is left to the driver of a finding that is shown.
    pub fn level(self) -> Option<Level> {
        match self {
            Severity::Error => Some(Level::Error),
            Severity::Warning => Some(Level::Warning),
            Severity::Default | Severity::Ignored => None,
        }
    }
}

impl Pragma {
    fn is_before(&self, place: &Place) -> bool {
        self.file == place.file && (self.line, self.column) <= (place.line, place.column)
    }
}
