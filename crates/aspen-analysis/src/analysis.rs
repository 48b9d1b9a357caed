//! From a summary to requirements, their reasons, and what to warn about.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, AspectSet, Guard, Need, Place, Requirements, Source, Step};

use crate::chain::{Callers, Chain, Distances, Goal, Link};
use crate::finding::Finding;
use crate::optimized::OptimizedUse;
use crate::propagate::{OwnBodies, Used, used, used_sets};
use crate::summary::{FuncId, Function, Role, Summary, is_entry_point};

/// What [`analyse`] found out about a summary.
pub struct Analysis {
    used: Vec<AspectSet>,
    requirements: BTreeMap<FuncId, Requirements>,
    guards: BTreeMap<FuncId, BTreeMap<Guard, AspectSet>>,
    sources: BTreeMap<FuncId, Vec<Source>>,
    findings: Vec<Finding>,
}

impl Analysis {
    /// The aspects the function uses, itself or through calls: `!intel_used_aspects` after propagation.
    pub fn used(&self, id: FuncId) -> &AspectSet {
        &self.used[id.index()]
    }

    /// What a device needs to run the entry point (a defined kernel or exported function); nothing for other functions.
    pub fn requirements(&self, id: FuncId) -> Requirements {
        self.requirements.get(&id).cloned().unwrap_or_default()
    }

    /// Why the entry point needs what it needs: one source a need, in the order of [`Requirements::needs`]. A source of something that is
    /// no requirement tells of a need of the source code that optimisation removed (DESIGN §7.12).
    pub fn sources(&self, id: FuncId) -> &[Source] {
        self.sources.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The guards in all that the entry point reaches, each with what it needs under it beyond what it needs anyway; often nothing.
    pub fn guards(&self, id: FuncId) -> BTreeMap<Guard, AspectSet> {
        let mut out = self.guards.get(&id).cloned().unwrap_or_default();
        out.extend(self.requirements(id).guarded);
        out
    }

    /// Takes these aspects out of what [`Analysis::used`] says was computed. What a function's own attribute uses stays there, and so does
    /// what the functions it calls declare; requirements and findings are as before. `summary` is the one that was analysed, with every
    /// attribute of the module. Source: FORMATS §3.1, §3.6.
    pub fn exclude(&mut self, summary: &Summary, excluded: &AspectSet) {
        let rest = summary.without_uses_of(excluded);
        self.used = used_sets(&rest, &OwnBodies::of(&rest));
        for id in summary.ids() {
            self.used[id.index()].extend(&summary.function(id).uses_attribute);
        }
    }

    /// Uses that an attribute does not list, one for each function and aspect, in module order.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Propagates aspects up the call graph and explains the result.
/// Source: S0 "New LLVM IR pass to propagate aspect usage"; DESIGN §3, §4, §7.4, §7.7.
pub fn analyse(summary: &Summary) -> Analysis {
    let own_bodies = OwnBodies::of(summary);
    let used = used(summary, &own_bodies);
    let mut chains = Chains { summary, own_bodies: &own_bodies, callers: Callers::of(summary), distances: BTreeMap::new() };
    let findings = findings(summary, &used, &mut chains);
    let always: Vec<AspectSet> = used.iter().map(|used| used.always.clone()).collect();
    let (mut requirements, mut sources, mut guards) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let optimized = OptimizedUse::of(summary, &always);
    let has_guards = summary.functions.iter().any(|function| function.guard.is_some());
    for (id, function) in summary.iter().filter(|(_, function)| is_entry_point(function)) {
        let used = &used[id.index()];
        let in_source = requirements_of(summary, id, used);
        sources.insert(id, in_source.needs().map(|need| source_of(summary, id, need, &mut chains)).collect());
        let left = optimized.as_ref().map(|optimized| Used { always: optimized.used(id), guarded: used.guarded.clone() });
        requirements.insert(id, left.map_or(in_source, |left| requirements_of(summary, id, &left)));
        if has_guards {
            guards.insert(id, guards_of(summary, id));
        }
        debug_assert!(function.defined);
    }
    Analysis { used: always, requirements, guards, sources, findings }
}

/// The guards of all functions that an entry point reaches.
fn guards_of(summary: &Summary, entry: FuncId) -> BTreeMap<Guard, AspectSet> {
    let (mut seen, mut work, mut out) = (BTreeSet::from([entry]), vec![entry], BTreeMap::new());
    while let Some(id) = work.pop() {
        let function = summary.function(id);
        out.extend(function.guard.clone().map(|guard| (guard, AspectSet::new())));
        work.extend(function.calls.iter().map(|call| call.callee).filter(|callee| seen.insert(*callee)));
    }
    out
}

struct Chains<'s> {
    summary: &'s Summary,
    own_bodies: &'s OwnBodies,
    callers: Callers,
    distances: BTreeMap<(Aspect, u8, bool), Distances<'s>>,
}

impl Chains<'_> {
    fn find(&mut self, root: FuncId, aspect: Aspect, goal: Goal, guarded: bool) -> Option<Chain> {
        let (summary, own_bodies, callers) = (self.summary, self.own_bodies, &self.callers);
        let distances = self.distances.entry((aspect, goal as u8, guarded));
        distances.or_insert_with(|| Distances::to(summary, own_bodies, callers, aspect, goal, guarded)).chain(root)
    }
}

fn body_of(function: &Function) -> Option<FuncId> {
    match &function.role {
        Role::Kernel(kernel) => kernel.body,
        Role::Plain | Role::Exported => None,
    }
}

/// Used ∪ declared, and the sizes; a kernel's attributes are those of its body.
fn requirements_of(summary: &Summary, id: FuncId, used: &Used) -> Requirements {
    let entry = summary.function(id);
    let body = body_of(entry).map(|body| summary.function(body));
    let declared = [Some(entry), body].into_iter().flatten().filter_map(|function| function.declared.as_ref());
    let mut all = used.clone();
    all.always.extend(declared.flat_map(|declared| &declared.aspects));
    all.reduce();
    let work_group = entry.reqd_work_group_size.as_ref().or(body.and_then(|body| body.reqd_work_group_size.as_ref()));
    let sub_group = entry.reqd_sub_group_size.as_ref().or(body.and_then(|body| body.reqd_sub_group_size.as_ref()));
    Requirements {
        aspects: all.always,
        guarded: all.guarded,
        reqd_work_group_size: work_group.map(|(size, _)| size.clone()),
        reqd_sub_group_size: sub_group.map(|(size, _)| *size),
    }
}

/// Why an entry point has a need: the use where there is one, else the declaration (DESIGN §6).
fn source_of(summary: &Summary, id: FuncId, need: Need, chains: &mut Chains<'_>) -> Source {
    let entry = summary.function(id);
    let body = body_of(entry);
    let by_attribute = |place: Option<Place>| Source {
        need: need.clone(),
        declared: true,
        chain: vec![Step { function: entry_name(entry).into(), place, remark: None }],
    };
    let own = |place_in: fn(&Function) -> Option<Place>| place_in(entry).or_else(|| body.and_then(|body| place_in(summary.function(body))));
    let aspect = match need {
        Need::SubGroupSize(_) => {
            return by_attribute(own(|function| function.reqd_sub_group_size.as_ref().and_then(|(_, place)| place.clone())));
        }
        Need::WorkGroupSize(_) => {
            return by_attribute(own(|function| function.reqd_work_group_size.as_ref().and_then(|(_, place)| place.clone())));
        }
        Need::Aspect(aspect) => aspect,
    };
    // The user's own code first; the header's glue between entry and body only when nothing else explains the need.
    for guarded in [false, true] {
        for goal in [Goal::Use, Goal::Declaration] {
            for root in [body, Some(id)].into_iter().flatten() {
                if let Some(chain) = chains.find(root, aspect, goal, guarded) {
                    return Source { need, declared: goal == Goal::Declaration, chain: use_first(summary, &chain, entry_name(entry)) };
                }
            }
        }
    }
    by_attribute(None)
}

fn entry_name(function: &Function) -> &str {
    match &function.role {
        Role::Kernel(kernel) => &kernel.name,
        Role::Plain | Role::Exported => &function.name,
    }
}

/// The chain as a [`Source`] tells it: the use first, the root last, each step with the place in its own function.
fn use_first(summary: &Summary, chain: &Chain, root_name: &str) -> Vec<Step> {
    let last = chain.links.len() - 1;
    let mut steps: Vec<Step> = chain
        .links
        .iter()
        .enumerate()
        .map(|(index, link)| {
            let function = if index == 0 { root_name.into() } else { summary.function(link.function).name.clone() };
            // A function that counts by its attribute is used where it is called.
            let place = if index == last && chain.by_attribute { &chain.links[index - 1].place } else { &link.place };
            Step { function, place: place.clone(), remark: link.remark.clone() }
        })
        .collect();
    steps.reverse();
    steps
}

/// One finding for each decorated function and aspect that it uses and does not list; kernel entries never warn, their bodies do.
fn findings(summary: &Summary, used: &[Used], chains: &mut Chains<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (id, function) in summary.iter() {
        let Some(declared) = function.declared.as_ref().filter(|_| function.defined && !matches!(function.role, Role::Kernel(_))) else {
            continue;
        };
        let used = &used[id.index()];
        // What a guard says stands in none of its lists, so this is "beyond declared ∪ guard".
        let mut all = used.always.clone();
        all.extend(used.guarded.values().flatten());
        for &aspect in all.difference(&declared.aspects) {
            // Constructors and destructors are several functions of one declaration.
            if !seen.insert((function.name.as_str(), aspect, declared.place.as_ref())) {
                continue;
            }
            let Some(chain) = chains.find(id, aspect, Goal::UseOrAttribute, !used.always.contains(&aspect)) else { continue };
            out.push(finding(summary, function, aspect, &chain));
        }
    }
    out
}

/// Ways to uses, for functions that are no entry points and that nobody is warned about yet.
pub(crate) struct UseChains<'s> {
    summary: &'s Summary,
    own_bodies: OwnBodies,
    callers: Callers,
}

impl<'s> UseChains<'s> {
    pub(crate) fn of(summary: &'s Summary) -> UseChains<'s> {
        UseChains { summary, own_bodies: OwnBodies::of(summary), callers: Callers::of(summary) }
    }

    /// The place of the nearest use of the aspect, and the way there as a [`Finding`] tells it.
    pub(crate) fn shortest(&self, root: FuncId, aspect: Aspect) -> Option<(Option<Place>, Vec<Step>)> {
        let goal = Goal::UseOrAttribute;
        let chain = Distances::to(self.summary, &self.own_bodies, &self.callers, aspect, goal, false).chain(root)?;
        Some((use_place(&chain), steps_down(self.summary, &chain)))
    }
}

/// Where the aspect is used: the last function, or the call of it if it counts by its attribute.
fn use_place(chain: &Chain) -> Option<Place> {
    let from_end = if chain.by_attribute { 2 } else { 1 };
    chain.links.len().checked_sub(from_end).and_then(|index| chain.links[index].place.clone())
}

/// Where no line of a body is the use: the attributes of the warned function if one of them says that it uses the aspect, or else the
/// function whose signature uses it.
fn place_of_the_user(summary: &Summary, function: &Function, aspect: Aspect, chain: &Chain) -> Option<Place> {
    let user = summary.function(chain.links.last()?.function);
    if chain.links.len() == 1 && user.uses_attribute.contains(&aspect) {
        return function.declared.as_ref()?.place.clone();
    }
    user.place.clone()
}

fn steps_down(summary: &Summary, chain: &Chain) -> Vec<Step> {
    let mut call_before = None;
    let mut steps = Vec::with_capacity(chain.links.len());
    for link in &chain.links {
        let (place, remark) = call_before.map_or((None, None), |before: &Link| (before.place.clone(), before.remark.clone()));
        steps.push(Step { function: summary.function(link.function).name.clone(), place, remark });
        call_before = Some(link);
    }
    steps
}

fn finding(summary: &Summary, function: &Function, aspect: Aspect, chain: &Chain) -> Finding {
    let declared = function.declared.as_ref().expect("only decorated functions are warned about");
    Finding {
        function: function.name.clone(),
        aspect,
        spelling: declared.spelling.clone(),
        place: use_place(chain).or_else(|| place_of_the_user(summary, function, aspect, chain)),
        chain: steps_down(summary, chain),
        declared_at: declared.place.clone(),
        pragma: None,
    }
}
