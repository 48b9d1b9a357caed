//! What one compiler pass tells the driver: launches, the summary, and what to warn about.

use aspen_contract::{Aspect, Place, Step};
use serde::{Deserialize, Serialize};

use crate::Summary;
use crate::strict::Strict;
use crate::summary::InvalidSummary;

/// Written by the clang plugin at the end of a pass (`report=FILE`), read by the driver.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PassReport {
    /// Host pass: the object's tag, 16 hexadecimal digits, from the content of the translation unit. Source: DESIGN §7.17.
    pub tag: Option<String>,
    /// Host pass: every launch; device pass: every kernel entry. They must agree. Source: DESIGN §7.18.
    pub launches: Vec<Launch>,
    /// A pass that only reports launches: whether a pragma sets the severity of one of our groups.
    pub pragmas: bool,
    /// Device pass on the SPIR-V triple: the module. Source: DESIGN §7.16.
    pub summary: Option<Summary>,
    /// What the analysis of this pass found.
    pub findings: Vec<Finding>,
    /// What SYCL does not allow in device code.
    pub strict: Vec<Strict>,
}

/// A kernel as one pass sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// The entry's symbol.
    pub symbol: String,
    /// The kernel's name for people.
    pub name: String,
    /// Whether the name type has internal linkage.
    pub internal: bool,
    /// Size of the functor, in bytes.
    pub closure_size: u64,
    /// A hash over the kinds, sizes and offsets of the functor's fields.
    pub layout: u64,
    /// Numbers in the functor that the source says (ranges of local accessors): their offsets, in bytes, and the numbers. A device pass says
    /// those that its code counts on.
    pub known: Vec<(u64, u64)>,
    /// Where the functor is defined.
    pub place: Option<Place>,
}

/// A function uses an aspect that its attribute does not list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The decorated function's name.
    pub function: String,
    /// The aspect that is not listed.
    pub aspect: Aspect,
    /// The attribute as spelled, `sycl::device_has` or `sycl::requires`.
    pub spelling: String,
    /// The use: where the warning points.
    pub place: Option<Place>,
    /// From the decorated function down to the use; each step's place is the call *in the step before*, the first has none.
    pub chain: Vec<Step>,
    /// The attribute's place.
    pub declared_at: Option<Place>,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Level {
    /// As it is.
    Warning,
    /// What the user's flags or pragmas made of it.
    Error,
}

impl Finding {
    /// S0's words, with the places that are known; for tools without the driver's snippets and colours. Source: DESIGN §4.
    pub fn text(&self, level: Level) -> String {
        let message = format!("function '{}' uses aspect '{}' not listed in '{}'", self.function, self.aspect, self.spelling);
        let mut out = text(level, "sycl-aspects", self.place.as_ref(), &message, &self.chain);
        if let Some(place) = &self.declared_at {
            out += &format!("{place}: note: aspects of '{}' are declared here\n", self.function);
        }
        out
    }
}

impl Strict {
    /// The same for what SYCL does not allow.
    pub fn text(&self, level: Level) -> String {
        text(level, "sycl-strict", self.place.as_ref(), &self.message(), &self.chain)
    }
}

fn text(level: Level, group: &str, place: Option<&Place>, message: &str, chain: &[Step]) -> String {
    let at = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let (word, flag) = match level {
        Level::Error => ("error", format!("-Werror,-W{group}")),
        Level::Warning => ("warning", format!("-W{group}")),
    };
    let mut out = format!("{at}{word}: {message} [{flag}]\nuse is from this call chain:\n");
    for step in chain {
        out += &format!("  {}()", step.function);
        if let Some(place) = &step.place {
            out += &format!(" {place}");
        }
        if let Some(remark) = &step.remark {
            out += &format!(" {remark}");
        }
        out.push('\n');
    }
    if place.is_none() {
        out += "compile with '-g' to get source location\n";
    }
    out
}

impl PassReport {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a report holds only plain values")
    }

    /// Reads what [`PassReport::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<PassReport, InvalidSummary> {
        postcard::from_bytes(bytes).map_err(|error| InvalidSummary::new(error.to_string()))
    }
}
