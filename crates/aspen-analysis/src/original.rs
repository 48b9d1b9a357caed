//! Modules that went through the pass before: their `used` metadata holds what was propagated besides what an attribute said.
//!
//! Chains must not end at a function only because an earlier run wrote down there what it calls, and a second run over its own output says
//! the same as the first. Source: DESIGN §3 "so a second run over its own output prints the same"; §4.

use std::borrow::Cow;

use aspen_contract::AspectSet;

use crate::propagate::{OwnBodies, components};
use crate::summary::{FuncId, Summary};

impl Summary {
    /// The summary with only those `uses_attribute`s of definitions that neither their bodies nor what they call explains.
    ///
    /// What functions use in all is the same. Members of a cycle that nothing else explains keep the aspect, each of them.
    pub fn without_propagated_attributes(&self) -> Summary {
        let mut out = self.clone();
        let own_bodies = OwnBodies::of(self);
        let calls = self.without_guarded_calls();
        let mut used = vec![AspectSet::new(); self.functions.len()];
        for component in components(&calls) {
            let mut explained = AspectSet::new();
            for &member in &component {
                let function = calls.function(member);
                explained.extend(function.uses.iter().map(|one| one.aspect));
                for call in &function.calls {
                    explained.extend(&used[call.callee.index()]);
                    if !own_bodies.contains(member, call.callee) {
                        explained.extend(self.function(call.callee).declared.iter().flat_map(|declared| &declared.aspects));
                    }
                }
            }
            let mut set = explained.clone();
            for &member in &component {
                let attribute = &mut out.functions[member.index()].uses_attribute;
                set.extend(attribute.iter());
                if self.function(member).defined {
                    attribute.retain(|aspect| !explained.contains(aspect));
                }
            }
            for &member in &component {
                used[member.index()].clone_from(&set);
            }
        }
        out
    }

    /// The summary without the calls that give their callers no use. Source: DESIGN §7.8.
    fn without_guarded_calls(&self) -> Cow<'_, Summary> {
        if self.functions.iter().all(|function| function.guard.is_none()) {
            return Cow::Borrowed(self);
        }
        let mut out = self.clone();
        for function in &mut out.functions {
            function.calls.retain(|call| self.function(call.callee).guard.is_none());
        }
        Cow::Owned(out)
    }

    /// The summary without the uses and `uses_attribute`s of these aspects; what functions declare stays.
    pub(crate) fn without_uses_of(&self, excluded: &AspectSet) -> Summary {
        let mut out = self.clone();
        for function in &mut out.functions {
            function.uses.retain(|one| !excluded.contains(&one.aspect));
            function.uses_attribute.retain(|aspect| !excluded.contains(aspect));
        }
        out
    }

    /// The ids of all functions.
    pub(crate) fn ids(&self) -> impl Iterator<Item = FuncId> + use<> {
        (0..self.functions.len()).map(FuncId::from_index)
    }
}
