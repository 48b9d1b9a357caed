//! Which entry points share a device image.

use std::collections::BTreeMap;

use aspen_contract::Requirements;

use crate::analysis::{Analysis, is_entry_point};
use crate::summary::{FuncId, Summary};

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
}

/// Splits first as the user asked, then by requirements, whatever the user asked (S0). Images come in the order of their first entry point.
pub fn split(summary: &Summary, analysis: &Analysis, mode: CodeSplit) -> Vec<ImagePlan> {
    let entries = summary.iter().filter(|(_, function)| is_entry_point(function));
    group(entries.map(|(id, function)| (id, function.unit.as_str(), analysis.requirements(id))), mode)
}

/// Entry points as the user asked alone, whatever they need: images of conditional SPIR-V. Source: S1 "JIT case".
pub fn bundle<'u>(entries: impl IntoIterator<Item = (FuncId, &'u str)>, mode: CodeSplit) -> Vec<ImagePlan> {
    group(entries.into_iter().map(|(id, unit)| (id, unit, Requirements::default())), mode)
}

/// The same for entry points whose requirements are known from elsewhere: each with its translation unit, in module order.
pub fn group<'u>(entries: impl IntoIterator<Item = (FuncId, &'u str, Requirements)>, mode: CodeSplit) -> Vec<ImagePlan> {
    let mut images: Vec<ImagePlan> = Vec::new();
    let mut by_key = BTreeMap::new();
    for (id, unit, requirements) in entries {
        let (entry, unit) = match mode {
            CodeSplit::PerKernel => (Some(id), ""),
            CodeSplit::PerSource => (None, unit),
            CodeSplit::Off => (None, ""),
        };
        let index = *by_key.entry((entry, unit, requirements.clone())).or_insert(images.len());
        match images.get_mut(index) {
            Some(image) => image.entries.push(id),
            None => images.push(ImagePlan { entries: vec![id], requirements }),
        }
    }
    images
}
