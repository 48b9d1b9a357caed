//! `-fsycl-fixed-targets`: kernels that a promised target cannot run. Each unit says when it is compiled what it shows alone; the link says
//! what only the whole program shows, and what a unit shows alone that was compiled without the promise. Source: S2; DESIGN §4.

use std::collections::BTreeSet;

use aspen_analysis::summary::Role;
use aspen_analysis::{Analysis, FuncId, Summary};
use aspen_contract::{Need, Requirements, Source, Verdict, check};

use crate::diagnostics::Diagnostics;
use crate::targets::Target;

/// A target that the program promises to run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedTarget {
    /// As the user spelled it.
    pub spelling: String,
    /// What the database knows of it.
    pub info: aspen_devices::Target,
}

impl FixedTarget {
    /// The target and what was known of it, whatever it was called: what an object says that it was checked for.
    fn identity(&self) -> String {
        let known = blake3::hash(format!("{:?}", self.info.capabilities()).as_bytes()).to_hex();
        format!("{}#{}", self.info.name, &known[..16])
    }
}

/// What an object records of the targets it was checked for.
pub fn identities(fixed: &[FixedTarget]) -> String {
    fixed.iter().map(FixedTarget::identity).collect::<Vec<_>>().join(",")
}

/// Those of the targets that an object was checked for when it was compiled.
pub fn checked_before(fixed: &[FixedTarget], recorded: &str) -> Vec<FixedTarget> {
    fixed.iter().filter(|target| recorded.split(',').any(|one| one == target.identity())).cloned().collect()
}

/// A need of a kernel that a fixed target does not meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Violation {
    /// The kernel's name.
    kernel: String,
    /// The target as spelled.
    target: String,
    need: Need,
    /// Why nobody gets it there, if that is not the target's fault.
    not_offered: Option<String>,
}

/// Fixed targets, and what tells which of them an analysis is to judge.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'t> {
    /// The promise.
    pub fixed: &'t [FixedTarget],
    /// The targets that code is made for.
    pub compiled_for: &'t [Target],
    /// What the analysis was run with: a fixed target that is also compiled for is judged by its own analysis only, because
    /// `if_device_has` makes them differ.
    pub macros: &'t [String],
}

/// What a kernel needs, and why.
pub type Needs = (Requirements, Vec<Source>);

/// All violations of a program or unit, with the reasons, in the order of its kernels. `beyond` says what a kernel needs besides what its
/// analysis knows.
pub fn violations(
    judged: &Judged<'_>,
    summary: &Summary,
    analysis: &Analysis,
    beyond: &dyn Fn(FuncId) -> Needs,
) -> Vec<(Violation, Option<Source>)> {
    let Judged { fixed, compiled_for, macros } = *judged;
    let judged_elsewhere =
        |target: &FixedTarget| compiled_for.iter().any(|compiled| compiled.name == target.info.name && compiled.analysis_macros != macros);
    let mut out = Vec::new();
    for (id, function) in summary.iter() {
        let Role::Kernel(kernel) = &function.role else { continue };
        if !function.defined {
            continue;
        }
        let mut requirements = analysis.requirements(id);
        let (more, reasons) = beyond(id);
        // Two required sizes are an error where the kernel is launched; its own is the one that is judged.
        let _ = requirements.also(more);
        for target in fixed.iter().filter(|target| !judged_elsewhere(target)) {
            let device = target.info.capabilities();
            let Verdict::Unmet(needs) = check(&requirements, &device) else { continue };
            for need in needs {
                let source = analysis.sources(id).iter().chain(&reasons).find(|source| source.need == need).cloned();
                let violation = Violation {
                    kernel: kernel.name.clone(),
                    target: target.spelling.clone(),
                    not_offered: device.not_offered(&need),
                    need,
                };
                out.push((violation, source));
            }
        }
    }
    out
}

/// Adds those that are not `known` to the diagnostics.
pub fn report(found: Vec<(Violation, Option<Source>)>, known: &BTreeSet<Violation>, diagnostics: &mut Diagnostics) {
    for (violation, source) in found.into_iter().filter(|(violation, _)| !known.contains(violation)) {
        let Violation { kernel, target, need, not_offered } = violation;
        let why = not_offered.map_or(String::new(), |why| format!("; {why}"));
        diagnostics.add_fixed(&format!("kernel '{kernel}' cannot run on fixed target '{target}': needs {need}{why}"), source);
    }
}
