//! `-fsycl-requirements=optimized`: `double` counts where it is left after clang's optimisation, everything else as in the source.
//!
//! Only an entry point knows what optimisation left of everything it calls in its own module; what other modules define is asked there.
//! An entry point (or a function of another module) that was compiled without the option counts as in the source. Source: DESIGN §7.12.

use std::collections::{BTreeSet, HashMap, HashSet};

use aspen_contract::{Aspect, AspectSet};

use crate::propagate::{OwnBodies, used_sets};
use crate::summary::{FuncId, Optimized, Shape, Summary, is_entry_point};

impl Summary {
    /// Notes what is left after optimisation: `after` is the summary of the same module then. Entry points that are gone keep what they have.
    pub fn note_optimized(&mut self, after: &Summary) {
        let mut after = after.clone();
        for function in &mut after.functions {
            function.uses.retain(|one| one.implicit);
            // Metadata is the source's.
            (function.uses_attribute, function.declared) = (AspectSet::new(), None);
        }
        let used = used_sets(&after, &OwnBodies::of(&after));
        let ids: HashMap<String, FuncId> = self.iter().map(|(id, function)| (function.symbol.clone(), id)).collect();
        let left: HashMap<&str, FuncId> =
            after.iter().filter(|(_, function)| function.defined).map(|(id, function)| (function.symbol.as_str(), id)).collect();
        for function in self.functions.iter_mut().filter(|function| is_entry_point(function)) {
            if let Some(&id) = left.get(function.symbol.as_str()) {
                let all = after.reached_from(id);
                let undefined = after.undefined_from(id).into_iter();
                let reaches: BTreeSet<FuncId> = undefined.filter_map(|id| ids.get(&after.function(id).symbol).copied()).collect();
                let calls = all.iter().flat_map(|&id| &after.function(id).indirect);
                let indirect: BTreeSet<Shape> = calls.filter_map(|call| call.shape.clone()).collect();
                function.optimized = Some(Optimized {
                    double: used[id.index()].contains(&Aspect::FP64),
                    reaches: reaches.into_iter().collect(),
                    indirect: indirect.into_iter().collect(),
                });
            }
        }
    }

    /// What other modules may define of all that a function reaches, itself included; in no particular order.
    pub fn undefined_from(&self, root: FuncId) -> Vec<FuncId> {
        let mut reached = self.reached_from(root);
        reached.retain(|&id| !self.function(id).defined);
        reached
    }

    /// All that a function reaches, itself first.
    fn reached_from(&self, root: FuncId) -> Vec<FuncId> {
        let (mut seen, mut out, mut next) = (HashSet::from([root]), vec![root], 0);
        while let Some(&id) = out.get(next) {
            next += 1;
            out.extend(self.function(id).calls.iter().map(|call| call.callee).filter(|callee| seen.insert(*callee)));
        }
        out
    }
}

/// What entry points use when optimised code counts.
pub(crate) struct OptimizedUse<'s> {
    summary: &'s Summary,
    /// The used sets of the source.
    source: &'s [AspectSet],
    /// The used sets without what only `double` asks for.
    explicit: Vec<AspectSet>,
}

impl<'s> OptimizedUse<'s> {
    /// `None` if no unit was compiled with the option.
    pub(crate) fn of(summary: &'s Summary, source: &'s [AspectSet]) -> Option<OptimizedUse<'s>> {
        summary.functions.iter().any(|function| function.optimized.is_some()).then(|| {
            let mut rest = summary.clone();
            for function in &mut rest.functions {
                function.uses.retain(|one| !one.implicit);
            }
            OptimizedUse { summary, source, explicit: used_sets(&rest, &OwnBodies::of(&rest)) }
        })
    }

    /// What the entry point uses.
    pub(crate) fn used(&self, id: FuncId) -> AspectSet {
        if self.summary.function(id).optimized.is_none() {
            return self.source[id.index()].clone();
        }
        let mut out = self.explicit[id.index()].clone();
        // What optimisation left may stand in guarded code, which is no use of the entry point's.
        if self.doubles(id) && self.source[id.index()].contains(&Aspect::FP64) {
            out.insert(Aspect::FP64);
        }
        out
    }

    fn doubles(&self, root: FuncId) -> bool {
        let (mut seen, mut work) = (BTreeSet::from([root]), vec![root]);
        while let Some(id) = work.pop() {
            match &self.summary.function(id).optimized {
                Some(optimized) if optimized.double => return true,
                Some(optimized) => work.extend(optimized.reaches.iter().copied().filter(|reached| seen.insert(*reached))),
                None if self.source[id.index()].contains(&Aspect::FP64) => return true,
                None => {}
            }
        }
        false
    }
}
