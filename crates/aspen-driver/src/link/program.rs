//! The device code of all units as one program: who needs what, what shares an image, and what is wrong. Source: DESIGN §7.7, §7.11.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aspen_analysis::link::{LinkError, Linked, Unit, link};
use aspen_analysis::split::{CodeSplit, ImagePlan, split};
use aspen_analysis::summary::{FuncId, Role};
use aspen_analysis::{Analysis, Launch, Summary, analyse};
use aspen_contract::{Place, Step};

use super::files::LinkUnit;
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::fixed::{self, FixedTarget};
use crate::targets::Target;

/// One analysed program; targets whose analyses are equal share it.
pub struct Program {
    summaries: Vec<Summary>,
    /// All units as one.
    pub linked: Linked,
    /// Requirements and their reasons.
    pub analysis: Analysis,
    /// The images to make.
    pub plans: Vec<ImagePlan>,
}

/// The summaries of all units that belong to a target.
///
/// # Errors
/// If one is damaged.
pub fn summaries(units: &[LinkUnit<'_>], target: &str) -> Result<Vec<Summary>, Error> {
    let blobs = units.iter().flat_map(|unit| unit.unit.blobs.iter().filter(|blob| blob.target == target).map(move |blob| (unit, blob)));
    blobs.map(|(unit, blob)| unit.summary(blob)).collect()
}

/// A clash of kernels with the places of both, which the objects' launches know.
fn with_places(error: &LinkError, units: &[LinkUnit<'_>]) -> String {
    let LinkError::DuplicateKernel { name, first, second } = error else { return error.to_string() };
    let place = |object: &String| {
        let blobs = units.iter().filter(|unit| unit.object == *object).flat_map(|unit| &unit.unit.blobs);
        let launches = blobs.flat_map(|blob| blob.host_launches.values()).filter_map(|bytes| postcard::from_bytes::<Launch>(bytes).ok());
        launches.into_iter().find(|launch| launch.name == *name).and_then(|launch| launch.place)
    };
    let lines =
        [first, second].map(|object| place(object).map_or_else(String::new, |place| format!("\n  {place}: the kernel of '{object}'")));
    format!("{error}{}", lines.concat())
}

impl Program {
    /// Links, analyses and splits. Exported functions get images only where others may call them.
    ///
    /// # Errors
    /// All clashes of names at once.
    pub fn new(units: &[LinkUnit<'_>], summaries: Vec<Summary>, mode: CodeSplit, exports: bool) -> Result<Program, Error> {
        let inputs: Vec<Unit<'_>> = units
            .iter()
            .zip(&summaries)
            .map(|(unit, summary)| Unit { object: &unit.object, tag: &unit.unit.header.tag, summary })
            .collect();
        let linked = link(&inputs).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(|error| with_places(error, units)).collect();
            Error::Device(lines.join("\naspen++: error: "))
        })?;
        let analysis = analyse(&linked.summary);
        let mut plans = split(&linked.summary, &analysis, mode);
        if !exports {
            for plan in &mut plans {
                plan.entries.retain(|&entry| matches!(linked.summary.function(entry).role, Role::Kernel(_)));
            }
            plans.retain(|plan| !plan.entries.is_empty());
        }
        Ok(Program { summaries, linked, analysis, plans })
    }

    /// Whether it was made from these.
    pub fn is_of(&self, summaries: &[Summary]) -> bool {
        self.summaries == summaries
    }

    /// What only the whole program shows: definitions that need more than declarations said, and functions that nobody defines.
    pub fn diagnose(&self, diagnostics: &mut Diagnostics) {
        for excess in self.linked.excess(&self.analysis) {
            diagnostics.add_excess(&excess);
        }
        let entries: Vec<FuncId> = self.plans.iter().flat_map(|plan| plan.entries.iter().copied()).collect();
        for (function, chain) in self.undefined(&entries) {
            if self.linked.summary.function(function).role == Role::Exported {
                diagnostics.add_undefined(&self.linked.summary.function(function).name, chain);
            }
        }
    }

    /// What the program shows of the fixed targets, without what its units have said when they were compiled.
    pub fn check_fixed_targets(
        &self,
        units: &[LinkUnit<'_>],
        fixed: &[FixedTarget],
        compiled_for: &[Target],
        target: &Target,
        diagnostics: &mut Diagnostics,
    ) {
        if fixed.is_empty() {
            return;
        }
        let violations = |fixed: &[FixedTarget], summary: &Summary, analysis: &Analysis| {
            fixed::violations(fixed, compiled_for, &target.analysis_macros, summary, analysis)
        };
        let mut known = BTreeSet::new();
        for (unit, summary) in units.iter().zip(&self.summaries) {
            let checked = fixed::checked_before(fixed, &unit.unit.header.fixed);
            if !checked.is_empty() {
                known.extend(violations(&checked, summary, &analyse(summary)).into_iter().map(|(violation, _)| violation));
            }
        }
        fixed::report(violations(fixed, &self.linked.summary, &self.analysis), &known, diagnostics);
    }

    /// Functions that an image takes from elsewhere.
    pub fn imports(&self, plan: &ImagePlan) -> BTreeSet<String> {
        let functions = self.undefined(&plan.entries).into_keys().map(|id| self.linked.summary.function(id));
        functions.filter(|function| function.role == Role::Exported).map(|function| function.symbol.clone()).collect()
    }

    /// How an entry point reaches a symbol that has no definition in the program: the function's name, and the chain.
    pub fn chain_to(&self, plan: &ImagePlan, symbol: &str) -> Option<(String, Vec<Step>)> {
        let function = |id: FuncId| self.linked.summary.function(id);
        let found = self.undefined(&plan.entries).into_iter().find(|(id, _)| function(*id).symbol == symbol);
        found.map(|(id, chain)| (function(id).name.clone(), chain))
    }

    /// The names of all functions without definition that an image reaches, with the chains.
    pub fn undefined_chains(&self, plan: &ImagePlan) -> Vec<(String, Vec<Step>)> {
        let undefined = self.undefined(&plan.entries).into_iter();
        undefined.map(|(id, chain)| (self.linked.summary.function(id).name.clone(), chain)).collect()
    }

    /// Every function without definition that the entries reach, with the shortest chain from an entry: the entry's user code first, each
    /// further step at its call in the step before.
    fn undefined(&self, entries: &[FuncId]) -> BTreeMap<FuncId, Vec<Step>> {
        let summary = &self.linked.summary;
        let mut from: BTreeMap<FuncId, Option<(FuncId, Option<Place>)>> = entries.iter().map(|&entry| (entry, None)).collect();
        let mut queue: VecDeque<FuncId> = entries.iter().copied().collect();
        let roles = entries.iter().map(|&entry| &summary.function(entry).role);
        let bodies = roles.filter_map(|role| if let Role::Kernel(kernel) = role { kernel.body } else { None }).collect();
        let mut out = BTreeMap::new();
        while let Some(id) = queue.pop_front() {
            let function = summary.function(id);
            if !function.defined {
                out.insert(id, chain(summary, &from, &bodies, id));
            }
            for call in &function.calls {
                from.entry(call.callee).or_insert_with(|| {
                    queue.push_back(call.callee);
                    Some((id, call.place.clone()))
                });
            }
        }
        out
    }
}

/// Kernels' bodies are the user's code; what is between the kernel entry and its body is ours and not shown.
fn chain(
    summary: &Summary,
    from: &BTreeMap<FuncId, Option<(FuncId, Option<Place>)>>,
    bodies: &BTreeSet<FuncId>,
    last: FuncId,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut id = last;
    while let Some(Some((caller, place))) = from.get(&id).filter(|_| !bodies.contains(&id)) {
        steps.push(Step { function: summary.function(id).name.clone(), place: place.clone(), remark: None });
        id = *caller;
    }
    steps.push(Step { function: summary.function(id).name.clone(), place: None, remark: None });
    steps.reverse();
    steps
}
