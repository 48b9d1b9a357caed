//! Device functions of other modules that an entry point may call, itself or through what it calls.
//!
//! They are part of what splits images: what an imported function needs is known only where its library is, so two kernels that import
//! different functions must be checked, and refused, apart from each other. Source: DESIGN §7.11.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use aspen_contract::Guard;

use crate::propagate::components;
use crate::summary::{FuncId, Function, Role, Summary};

/// Under which guards, one of them, an entry point calls what it imports. What it calls wherever it runs, is not among them.
pub type ImportGuards = BTreeMap<FuncId, BTreeSet<Guard>>;

/// What every function of a summary imports.
pub struct Imports {
    /// By index; functions that import the same mostly share it.
    sets: Vec<Rc<BTreeSet<FuncId>>>,
}

/// Whether other modules may provide the function: it is `SYCL_EXTERNAL` and not defined here.
pub fn is_import(function: &Function) -> bool {
    !function.defined && function.role == Role::Exported
}

impl Imports {
    /// Goes up the call graph once, callees before callers.
    pub fn of(summary: &Summary) -> Imports {
        let none = Rc::new(BTreeSet::new());
        let mut sets = vec![Rc::clone(&none); summary.functions.len()];
        for component in components(summary) {
            let mut all = Rc::clone(&none);
            for &member in &component {
                if is_import(summary.function(member)) {
                    Rc::make_mut(&mut all).insert(member);
                }
                // Callees of the same component have nothing yet, which adds nothing.
                for call in &summary.function(member).calls {
                    add(&mut all, &sets[call.callee.index()]);
                }
            }
            for member in component {
                sets[member.index()] = Rc::clone(&all);
            }
        }
        Imports { sets }
    }

    /// The functions that this one imports, in module order.
    pub fn of_function(&self, id: FuncId) -> &BTreeSet<FuncId> {
        &self.sets[id.index()]
    }
}

/// Of one entry point; each import's guards are as weak as they are. Source: DESIGN §7.8.
pub fn import_guards(summary: &Summary, entry: FuncId) -> ImportGuards {
    // The ways to each function: where one is taken whenever another one is, only the other one stays.
    let mut ways: BTreeMap<FuncId, BTreeSet<Guard>> = BTreeMap::new();
    let mut work = vec![(entry, Guard::default())];
    while let Some((id, guard)) = work.pop() {
        let known = ways.entry(id).or_default();
        if known.iter().any(|other| guard.implies(other)) {
            continue;
        }
        known.retain(|other| !other.implies(&guard));
        known.insert(guard.clone());
        for call in &summary.function(id).calls {
            let below = summary.function(call.callee).guard.as_ref().map_or_else(|| guard.clone(), |own| guard.and(own));
            if !below.is_never() {
                work.push((call.callee, below));
            }
        }
    }
    ways.retain(|&id, guards| is_import(summary.function(id)) && !guards.iter().any(Guard::is_always));
    ways
}

fn add(all: &mut Rc<BTreeSet<FuncId>>, more: &Rc<BTreeSet<FuncId>>) {
    if all.is_empty() {
        *all = Rc::clone(more);
    } else if !Rc::ptr_eq(all, more) && !more.is_subset(all) {
        Rc::make_mut(all).extend(more.iter());
    }
}
