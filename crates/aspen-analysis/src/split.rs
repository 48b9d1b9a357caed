//! Which entry points share a device image.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Guard, Requirements};

use crate::analysis::Analysis;
use crate::imports::{Imports, import_guards};
use crate::summary::{FuncId, Role, Summary, is_entry_point};

/// `-fsycl-device-code-split`. Source: S0 "Changes to the device code split algorithm".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CodeSplit {
    /// `per_kernel`: an image for each entry point.
    PerKernel,
    /// `per_source`, also `auto`: entry points of one translation unit.
    #[default]
    PerSource,
    /// `off`: all together.
    Off,
}

/// One device image to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImagePlan {
    /// Its kernels and exported functions, in module order; never empty.
    pub entries: Vec<FuncId>,
    /// What each of them needs.
    pub requirements: Requirements,
    /// The symbols of the device functions that each of them takes from other modules.
    pub imports: BTreeSet<String>,
    /// Under which guards, one of them, each of them calls those imports; what is not here is called wherever they run.
    pub import_guards: GuardedImports,
}

/// Imports by symbol, each with guards.
pub type GuardedImports = BTreeMap<String, BTreeSet<Guard>>;

/// What decides about an entry point's image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint<'u> {
    /// The kernel or exported function.
    pub id: FuncId,
    /// Its translation unit.
    pub unit: &'u str,
    /// What it needs, as far as that splits images.
    pub requirements: Requirements,
    /// The symbols of what it takes from other modules, by closure.
    pub imports: BTreeSet<String>,
    /// Those that it calls under guards only, with these.
    pub import_guards: GuardedImports,
}

/// Splits first as the user asked, then by requirements and imports, whatever the user asked. Images come in the order of
/// [`order_by_kernels`]. Source: S0; DESIGN §7.11.
pub fn split(summary: &Summary, analysis: &Analysis, mode: CodeSplit) -> Vec<ImagePlan> {
    let imports = Imports::of(summary);
    let symbols = |id| imports.of_function(id).iter().map(|&import| summary.function(import).symbol.clone()).collect();
    let has_guards = summary.functions.iter().any(|function| function.guard.is_some());
    let guards = |id: FuncId| {
        let may = has_guards && !imports.of_function(id).is_empty();
        let guarded = if may { import_guards(summary, id) } else { Default::default() };
        guarded.into_iter().map(|(import, guards)| (summary.function(import).symbol.clone(), guards)).collect()
    };
    let entries = summary.iter().filter(|(_, function)| is_entry_point(function));
    let described = entries.map(|(id, function)| EntryPoint {
        id,
        unit: function.unit.as_str(),
        requirements: analysis.requirements(id),
        imports: symbols(id),
        import_guards: guards(id),
    });
    let mut images = group(described, mode);
    order_by_kernels(summary, &mut images);
    images
}

/// Images in the order of their first kernel, then those of exported functions alone in the order of these: an executable exports none of
/// them, and is to have the order of its kernels nonetheless. Source: DESIGN §7.11.
pub fn order_by_kernels(summary: &Summary, images: &mut [ImagePlan]) {
    images.sort_by_key(|image| {
        let kernel = image.entries.iter().find(|&&entry| matches!(summary.function(entry).role, Role::Kernel(_)));
        (kernel.is_none(), kernel.or(image.entries.first()).copied())
    });
}

/// Splits without regard to requirements: images of conditional SPIR-V, which kernels of different needs share, in the order of their first
/// entry point. Source: S1 "JIT case".
pub fn bundle<'u>(entries: impl IntoIterator<Item = EntryPoint<'u>>, mode: CodeSplit) -> Vec<ImagePlan> {
    group(entries.into_iter().map(|entry| EntryPoint { requirements: Requirements::default(), ..entry }), mode)
}

/// The same for entry points of which everything is known from elsewhere, in module order.
pub fn group<'u>(entries: impl IntoIterator<Item = EntryPoint<'u>>, mode: CodeSplit) -> Vec<ImagePlan> {
    let mut images: Vec<ImagePlan> = Vec::new();
    let mut by_key = BTreeMap::new();
    for EntryPoint { id, unit, requirements, imports, import_guards } in entries {
        let (entry, unit) = match mode {
            CodeSplit::PerKernel => (Some(id), ""),
            CodeSplit::PerSource => (None, unit),
            CodeSplit::Off => (None, ""),
        };
        let index = *by_key.entry((entry, unit, requirements.clone(), imports.clone(), import_guards.clone())).or_insert(images.len());
        match images.get_mut(index) {
            Some(image) => image.entries.push(id),
            None => images.push(ImagePlan { entries: vec![id], requirements, imports, import_guards }),
        }
    }
    images
}
