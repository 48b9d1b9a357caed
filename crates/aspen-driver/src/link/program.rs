//! The device code of all units as one program: who needs what, what shares an image, and what is wrong. Source: DESIGN §7.7, §7.11.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aspen_analysis::imports::is_import;
use aspen_analysis::link::{LinkError, Linked, Unit, link};
use aspen_analysis::split::{CodeSplit, ImagePlan, split};
use aspen_analysis::summary::{FuncId, Function, Role};
use aspen_analysis::{Analysis, Launch, Summary, analyse, strict_across_units};
use aspen_contract::{Place, Step};

use super::files::LinkUnit;
use super::provided::Provided;
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::fixed;
use crate::libraries::Imported;
use crate::pragmas::Pragmas;
use crate::targets::Target;

/// One analysed program; targets whose analyses are equal share it.
pub struct Program {
    summaries: Vec<Summary>,
    /// Where kernels are, by symbol.
    places: BTreeMap<String, Place>,
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

/// Tells of a clash, at the second of the two; of kernels the objects' launches know the places.
fn tell(error: &LinkError, units: &[LinkUnit<'_>], diagnostics: &mut Diagnostics) {
    let (first, [before, after]) = match error {
        LinkError::DuplicateFunction { first, places, .. } => (format!("the function of '{first}'"), places.as_ref().clone()),
        LinkError::DuplicateKernel { name, first, second } => {
            let place = |object: &String| {
                let units = units.iter().filter(|unit| unit.object == *object);
                units.flat_map(host_launches).find(|launch| launch.name == *name).and_then(|launch| launch.place)
            };
            (format!("the kernel of '{first}'"), [place(first), place(second)])
        }
    };
    diagnostics.add_error(after, error.to_string(), Vec::new(), before.map(|place| (place, first)));
}

/// What the host launches in a unit, as far as it can be read.
fn host_launches(unit: &LinkUnit<'_>) -> Vec<Launch> {
    let launches = unit.unit.blobs.iter().flat_map(|blob| blob.host_launches.values());
    launches.filter_map(|bytes| postcard::from_bytes(bytes).ok()).collect()
}

impl Program {
    /// Links, analyses and splits. Exported functions get images only where others may call them.
    ///
    /// # Errors
    /// [`Error::Reported`] after all clashes of names were told.
    pub fn new(
        units: &[LinkUnit<'_>],
        summaries: Vec<Summary>,
        mode: CodeSplit,
        exports: bool,
        diagnostics: &mut Diagnostics,
    ) -> Result<Program, Error> {
        let inputs: Vec<Unit<'_>> = units
            .iter()
            .zip(&summaries)
            .map(|(unit, summary)| Unit { object: &unit.object, tag: &unit.unit.header.tag, summary })
            .collect();
        let linked = link(&inputs).map_err(|errors| {
            errors.iter().for_each(|error| tell(error, units, diagnostics));
            Error::Reported
        })?;
        let mut places = BTreeMap::new();
        for (unit, renames) in units.iter().zip(&linked.renames) {
            for Launch { symbol, place, .. } in host_launches(unit) {
                places.extend(place.map(|place| (renames.get(&symbol).cloned().unwrap_or(symbol), place)));
            }
        }
        let analysis = analyse(&linked.summary);
        let mut plans = split(&linked.summary, &analysis, mode);
        if !exports {
            for plan in &mut plans {
                plan.entries.retain(|&entry| matches!(linked.summary.function(entry).role, Role::Kernel(_)));
            }
            plans.retain(|plan| !plan.entries.is_empty());
        }
        Ok(Program { summaries, places, linked, analysis, plans })
    }

    /// Whether it was made from these.
    pub fn is_of(&self, summaries: &[Summary]) -> bool {
        self.summaries == summaries
    }

    /// Recursion that leads from unit to unit.
    pub fn check_recursion(&self, for_spirv: bool, diagnostics: &mut Diagnostics) {
        for strict in strict_across_units(&self.linked.summary) {
            diagnostics.add_strict(&strict, for_spirv);
        }
    }

    /// What only the whole program shows: definitions that need more than declarations said.
    pub fn check_declarations(&self, diagnostics: &mut Diagnostics) {
        for excess in self.linked.excess(&self.analysis) {
            diagnostics.add_excess(&excess);
        }
    }

    /// Device functions that neither the program nor a library of its line defines for that target.
    pub fn check_imports(&self, provided: &Provided, target: &Target, pragmas: &Pragmas, diagnostics: &mut Diagnostics) {
        let entries: Vec<FuncId> = self.plans.iter().flat_map(|plan| plan.entries.iter().copied()).collect();
        for (id, chain) in self.undefined(&entries) {
            let function = self.linked.summary.function(id);
            if is_import(function) {
                diagnostics.add_undefined(&function.name, &provided.provider(&function.symbol, target), &target.name, chain, |place| {
                    pragmas.told(place)
                });
            }
        }
    }

    /// What the program shows of the fixed targets, without what its units have said when they were compiled.
    pub fn check_fixed_targets(
        &self,
        units: &[LinkUnit<'_>],
        judged: &fixed::Judged<'_>,
        target: &Target,
        provided: &Provided,
        diagnostics: &mut Diagnostics,
    ) {
        if judged.fixed.is_empty() {
            return;
        }
        let mut known = BTreeSet::new();
        for (unit, summary) in units.iter().zip(&self.summaries) {
            let checked = fixed::checked_before(judged.fixed, &unit.unit.header.fixed);
            if !checked.is_empty() {
                let judged = fixed::Judged { fixed: &checked, ..*judged };
                let found = fixed::violations(&judged, summary, &analyse(summary), &|_| Default::default());
                known.extend(found.into_iter().map(|(violation, _)| violation));
            }
        }
        let beyond = |id| self.needs_beyond(id, provided, target);
        fixed::report(fixed::violations(judged, &self.linked.summary, &self.analysis, &beyond), &known, diagnostics);
    }

    /// What an entry point needs through what it takes from libraries.
    fn needs_beyond(&self, id: FuncId, provided: &Provided, target: &Target) -> fixed::Needs {
        let Some(plan) = self.plans.iter().find(|plan| plan.entries.contains(&id)) else { return Default::default() };
        let Imported { requirements, sources, .. } = provided.needs(plan, target);
        let undefined = if sources.is_empty() { BTreeMap::new() } else { self.undefined(&[id]) };
        let explained = sources.into_iter().map(|(mut source, import)| {
            let chain = undefined.iter().find(|(id, _)| self.linked.summary.function(**id).symbol == import).map(|(_, chain)| chain);
            source.chain.extend(chain.into_iter().flat_map(|chain| callers(chain)));
            source
        });
        (requirements, explained.collect())
    }

    /// How an entry point comes to each of these imports: from the import's caller up to the entry's user code.
    pub fn import_chains(&self, entry: FuncId, imports: &BTreeSet<String>) -> Vec<(String, Vec<Step>)> {
        if imports.is_empty() {
            return Vec::new();
        }
        let undefined = self.undefined(&[entry]).into_iter().map(|(id, chain)| (&self.linked.summary.function(id).symbol, chain));
        undefined.filter(|(symbol, _)| imports.contains(*symbol)).map(|(symbol, chain)| (symbol.clone(), callers(&chain))).collect()
    }

    /// Where a kernel is defined.
    pub fn kernel_place(&self, symbol: &str) -> Option<Place> {
        self.places.get(symbol).cloned()
    }

    /// The last call of a chain that is the user's: what libraries' headers call is reached from there.
    pub fn users_call(&self, chain: &[Step]) -> Option<Place> {
        // The entry of a kernel is the header's, and called as its body is.
        let is_users = |name: &str| self.linked.summary.functions.iter().any(|function| !function.system && function.name == name);
        let calls = chain.windows(2).rev();
        calls.filter(|pair| is_users(&pair[0].function)).find_map(|pair| pair[1].place.clone())
    }

    /// How an entry point of an image reaches a symbol that has no definition in the program: the function, and the chain.
    pub fn chain_to(&self, plan: &ImagePlan, symbol: &str) -> Option<(&Function, Vec<Step>)> {
        let function = |id: FuncId| self.linked.summary.function(id);
        let found = self.undefined(&plan.entries).into_iter().find(|(id, _)| function(*id).symbol == symbol);
        found.map(|(id, chain)| (function(id), chain))
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

/// The functions of a chain above its last, from there up, each with the place of its own call: as a [`Source`] goes on. Source: DESIGN §2.
fn callers(chain: &[Step]) -> Vec<Step> {
    let pairs = chain.windows(2).rev();
    pairs.map(|pair| Step { function: pair[0].function.clone(), place: pair[1].place.clone(), remark: None }).collect()
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
        // What a header puts between two of the user's functions is left out, with the calls in it.
        let (mut caller, mut place) = (*caller, place);
        while let Some(Some((above, call))) = from.get(&caller).filter(|_| summary.function(caller).glue && !bodies.contains(&caller)) {
            (caller, place) = (*above, call);
        }
        steps.push(Step { function: summary.function(id).name.clone(), place: place.clone(), remark: None });
        id = caller;
    }
    steps.push(Step { function: summary.function(id).name.clone(), place: None, remark: None });
    steps.reverse();
    steps
}
