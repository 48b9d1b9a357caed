//! What one compiler pass tells the driver: launches, the summary, and what to warn about.

use aspen_contract::Place;
use serde::{Deserialize, Serialize};

use crate::Summary;
use crate::finding::{Finding, Level};
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
    /// Calls of functions that this unit does not define, of which a pragma says what becomes of a warning that the link does not find them.
    pub external: Vec<(Place, Told)>,
}

/// What a pragma makes of a warning of the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Told {
    /// Nothing.
    Ignored,
    /// A warning or an error.
    Level(Level),
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
    /// A hash over the kinds, sizes and offsets of the functor's fields. The lowest bit: [`Launch::is_vouched_for`].
    pub layout: u64,
    /// Numbers in the functor that the source says (ranges of local accessors): their offsets, in bytes, and the numbers. A device pass says
    /// those that its code counts on.
    pub known: Vec<(u64, u64)>,
    /// Where the functor is defined.
    pub place: Option<Place>,
}

impl Launch {
    /// Whether a class in the functor has a `sycl::is_device_copyable` of the user's, who says so that its bytes mean the same to host and
    /// device. Such a class counts by its size alone, so where only one of two passes has found one, their layouts cannot be compared.
    /// Source: docs/decisions/0086.
    pub fn is_vouched_for(&self) -> bool {
        self.layout & 1 == 1
    }
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
