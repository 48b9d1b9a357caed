//! Code that runs on some devices only, for whoever has nothing but the module.
//!
//! Unlike what a function uses, what it needs under a guard stands in no metadata: a guard belongs to the function that it guards, so the
//! call graph above it must be read again. Source: DESIGN §7.8; ARCHITECTURE "Guarded code".

use std::collections::BTreeMap;

use aspen_analysis::analyse;
use aspen_analysis::summary::FuncId;

use crate::dialect::Kinds;
use crate::entries::DeviceFunction;
use crate::facts::Facts;
use crate::ir::ModuleRef;
use crate::summarise::summarise;

/// Completes what [`crate::device_functions`] read of the same module: guards in what entry points reach, and what they need under them.
/// Costs nothing where no function has a guard.
pub fn add_guards(module: ModuleRef<'_>, functions: &mut [DeviceFunction]) {
    let guard = Kinds::ids(module).guard;
    if !module.functions().any(|function| function.global_metadata(module).iter().any(|&(kind, _)| kind == guard)) {
        return;
    }
    let summary = summarise(module, &Facts::default());
    // A module may have been propagated before; then functions around guarded code say what that needs where it runs.
    let analysis = analyse(&summary.without_propagated_attributes());
    let ids: BTreeMap<&str, FuncId> = summary.iter().map(|(id, function)| (function.symbol.as_str(), id)).collect();
    for function in functions {
        if let Some(&id) = ids.get(function.symbol.as_str()) {
            function.requirements.guarded = analysis.requirements(id).guarded;
            function.guards = analysis.guards(id);
        }
    }
}
