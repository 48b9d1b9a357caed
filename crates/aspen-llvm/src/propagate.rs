//! The pass `sycl-propagate-aspects-usage` on a module that says everything itself: `aspen propagate`, and the plugin for LLVM's `opt`.
//! Source: S0 "New LLVM IR pass to propagate aspect usage".

use std::collections::HashSet;

use aspen_analysis::{Finding, analyse, is_entry_point};
use aspen_contract::AspectSet;

use crate::aspect_names::AspectNames;
use crate::attach::attach;
use crate::dialect::{ASPECT_NAMES, Dialect, dialect_of};
use crate::facts::Facts;
use crate::ir::ModuleRef;
use crate::malformed::{MalformedMetadata, check_metadata};
use crate::summarise::summarise_as;

/// Devices that a program is meant for, by aspects such as `cpu`: DPC++ writes them to every entry point, `!{}` if there are none. It is a
/// mark of its dialect, so the module must be written in that. Source: FORMATS §3.1.
pub struct FixedTargets(pub AspectSet);

/// Propagates aspects up the call graph, writes them in the dialect's names, and returns what to warn about.
///
/// Metadata of both dialects is read. Sizes are read as the module's marks say they are written, else as in `dialect` (DESIGN §7.24). `excluded` aspects are not added to any function; those that a function had before stay
/// (FORMATS §3.6). `fixed` is written as DPC++ writes it, if it is given. A run over its own output changes nothing and warns about the same.
///
/// # Errors
/// If metadata cannot be read; the module is as before then.
pub fn propagate(
    module: ModuleRef<'_>,
    dialect: Dialect,
    excluded: &AspectSet,
    fixed: Option<&FixedTargets>,
) -> Result<Vec<Finding>, MalformedMetadata> {
    check_metadata(module)?;
    let facts = Facts::default();
    let summary = summarise_as(module, &facts, dialect_of(module).unwrap_or(dialect));
    let mut analysis = analyse(&summary.without_propagated_attributes());
    if !excluded.is_empty() {
        analysis.exclude(&summary, excluded);
    }
    let names = AspectNames::of(module);
    attach(module, &facts, &summary, &analysis, dialect);
    if let Some(FixedTargets(aspects)) = fixed {
        let numbers: Vec<_> = aspects.iter().map(|&aspect| module.integer(u64::from(names.number(aspect)))).collect();
        let kind = module.kind("sycl_fixed_targets");
        // A number of its own has a meaning only with its name.
        for &aspect in aspects.iter().filter(|&&aspect| names.number(aspect) != aspect.number() && dialect == Dialect::Dpcpp) {
            if let (Some(name), false) = (names.name(aspect), names.has(aspect)) {
                let pair = [module.string(name), module.integer(u64::from(names.number(aspect)))];
                module.add_named_metadata(ASPECT_NAMES, module.node(&pair));
            }
        }
        let entries = summary.iter().filter(|(_, function)| is_entry_point(function)).map(|(_, function)| function.symbol.as_str());
        let entries: HashSet<&str> = entries.collect();
        for function in module.functions().filter(|function| entries.contains(function.name().as_str())) {
            function.set_function_metadata(kind, Some(module.node(&numbers)));
        }
    }
    Ok(analysis.findings().to_vec())
}
