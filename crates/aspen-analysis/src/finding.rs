//! A warning about aspects, and how warnings read where the driver's snippets and colours are not.

use aspen_contract::{Aspect, Place, Step};
use serde::{Deserialize, Serialize};

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
    /// What a pragma makes of it, where one does.
    pub pragma: Option<Level>,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
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

/// What a warning of `group` says, with its chain of calls.
pub(crate) fn text(level: Level, group: &str, place: Option<&Place>, message: &str, chain: &[Step]) -> String {
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
