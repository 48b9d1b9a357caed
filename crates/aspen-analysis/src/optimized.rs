//! `-fsycl-requirements=optimized`: `double` counts where it is left after clang's optimisation, everything else as in the source.
//!
//! Only an entry point knows what optimisation left of everything it calls in its own module; what other modules define is asked there.
//! An entry point (or a function of another module) that was compiled without the option counts as in the source. Source: DESIGN §7.12.

use std::collections::{BTreeSet, HashMap, HashSet};

use aspen_contract::{Aspect, AspectSet};

use crate::propagate::{OwnBodies, used_sets};
use crate::summary::{FuncId, Optimized, Summary, is_entry_point};

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
                let mut reaches: Vec<FuncId> =
                    after.undefined_from(id).into_iter().filter_map(|id| ids.get(&after.function(id).symbol).copied()).collect();
                reaches.sort_unstable();
                function.optimized = Some(Optimized { double: used[id.index()].contains(&Aspect::FP64), reaches });
            }
        }
    }

    /// What other modules may define of all that a function reaches, itself included; in no particular order.
    pub fn undefined_from(&self, root: FuncId) -> Vec<FuncId> {
        let (mut seen, mut work, mut out) = (HashSet::from([root]), vec![root], Vec::new());
        while let Some(id) = work.pop() {
            if !self.function(id).defined {
                out.push(id);
            }
            work.extend(self.function(id).calls.iter().map(|call| call.callee).filter(|callee| seen.insert(*callee)));
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
