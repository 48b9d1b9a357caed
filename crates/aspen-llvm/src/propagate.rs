//! The pass `sycl-propagate-aspects-usage` on a module that says everything itself: `aspen propagate`, and the plugin for LLVM's `opt`.
//! Source: S0 "New LLVM IR pass to propagate aspect usage".

use aspen_analysis::{Finding, analyse};
use aspen_contract::AspectSet;

use crate::attach::attach;
use crate::dialect::{Dialect, dialect_of};
use crate::facts::Facts;
use crate::ir::ModuleRef;
use crate::malformed::{MalformedMetadata, check_metadata};
use crate::summarise::summarise_as;

/// Propagates aspects up the call graph, writes them in the dialect's names, and returns what to warn about.
///
/// Metadata of both dialects is read. Sizes are read as the module's marks say they are written, else as in `dialect` (DESIGN §7.24). `excluded` aspects are not added to any function; those that a function had before stay
/// (FORMATS §3.6). A run over its own output changes nothing and warns about the same.
///
/// # Errors
/// If metadata cannot be read; the module is as before then.
pub fn propagate(module: ModuleRef<'_>, dialect: Dialect, excluded: &AspectSet) -> Result<Vec<Finding>, MalformedMetadata> {
    check_metadata(module)?;
    let facts = Facts::default();
    let summary = summarise_as(module, &facts, dialect_of(module).unwrap_or(dialect));
    let mut analysis = analyse(&summary.without_propagated_attributes());
    if !excluded.is_empty() {
        analysis.exclude(&summary, excluded);
    }
    attach(module, &facts, &summary, &analysis, dialect);
    Ok(analysis.findings().to_vec())
}
