//! Shortest chains of calls from a function to what it uses; ties go to the call that stands first in the source.
//!
//! For one aspect, a search backwards from all uses gives every function its distance; a chain is then read off by stepping, at each
//! function, to the first call in source order that comes closer. One search serves all roots, so the cost is linear in functions and
//! calls for each aspect, not for each root.

use aspen_contract::{Aspect, Place};

use crate::propagate::OwnBodies;
use crate::summary::{FuncId, Summary};

/// What ends a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// A use in a body, or the call of a function whose attribute (declared or `uses_aspects`) names the aspect: why to warn.
    UseOrAttribute,
    /// A use in a body, or the call of a function with `uses_aspects`: why a kernel needs it.
    Use,
    /// A function that declares it.
    Declaration,
}

/// The functions from a root to the end of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    /// Each function with the place of the call in it of the next one; for the last the place of the use, or none if it ends by attribute.
    pub(crate) steps: Vec<(FuncId, Option<Place>)>,
    /// Whether the last function is there for its attribute: the use is then the call of it.
    pub(crate) by_attribute: bool,
}

/// Distances to the goal for one aspect: how many functions a chain from here holds; `None`: no way.
pub(crate) struct Distances<'s> {
    summary: &'s Summary,
    own_bodies: &'s OwnBodies,
    aspect: Aspect,
    goal: Goal,
    distance: Vec<Option<u32>>,
}

/// For every function its callers.
pub(crate) struct Callers(Vec<Vec<FuncId>>);

impl Callers {
    pub(crate) fn of(summary: &Summary) -> Callers {
        let mut callers = vec![Vec::new(); summary.functions.len()];
        for (id, function) in summary.iter() {
            for call in &function.calls {
                callers[call.callee.index()].push(id);
            }
        }
        Callers(callers)
    }
}

impl<'s> Distances<'s> {
    pub(crate) fn to(summary: &'s Summary, own_bodies: &'s OwnBodies, callers: &Callers, aspect: Aspect, goal: Goal) -> Self {
        let mut out = Distances { summary, own_bodies, aspect, goal, distance: vec![None; summary.functions.len()] };
        let mut level: Vec<FuncId> = summary.iter().map(|(id, _)| id).filter(|&id| out.ends_in(id)).collect();
        for id in &level {
            out.distance[id.index()] = Some(1);
        }
        let by_attribute: Vec<FuncId> = summary
            .iter()
            .filter(|(caller, function)| function.calls.iter().any(|call| out.ends_at_call(*caller, call.callee)))
            .map(|(id, _)| id)
            .collect();
        let mut steps = 1;
        while !level.is_empty() || steps == 1 {
            let mut next = Vec::new();
            let from_level = level.iter().flat_map(|id| callers.0[id.index()].iter());
            for &caller in from_level.chain(if steps == 1 { by_attribute.iter() } else { [].iter() }) {
                if out.distance[caller.index()].is_none() {
                    out.distance[caller.index()] = Some(steps + 1);
                    next.push(caller);
                }
            }
            level = next;
            steps += 1;
        }
        out
    }

    /// Whether a chain may end with this function itself.
    fn ends_in(&self, id: FuncId) -> bool {
        let function = self.summary.function(id);
        match self.goal {
            Goal::UseOrAttribute | Goal::Use => {
                function.uses.iter().any(|one| one.aspect == self.aspect) || function.uses_attribute.contains(&self.aspect)
            }
            Goal::Declaration => function.declared.as_ref().is_some_and(|declared| declared.aspects.contains(&self.aspect)),
        }
    }

    /// Whether the call itself is the use, because of the callee's attribute.
    fn ends_at_call(&self, caller: FuncId, callee: FuncId) -> bool {
        let function = self.summary.function(callee);
        let declares = || function.declared.as_ref().is_some_and(|declared| declared.aspects.contains(&self.aspect));
        match self.goal {
            Goal::UseOrAttribute => {
                function.uses_attribute.contains(&self.aspect) || declares() && !self.own_bodies.contains(caller, callee)
            }
            Goal::Use => function.uses_attribute.contains(&self.aspect),
            Goal::Declaration => false,
        }
    }

    /// The shortest chain from a function, if there is one.
    pub(crate) fn chain(&self, root: FuncId) -> Option<Chain> {
        let mut steps = Vec::new();
        let mut at = root;
        loop {
            let left = self.distance[at.index()]?;
            let function = self.summary.function(at);
            if left == 1 {
                let place = match self.goal {
                    Goal::Declaration => function.declared.as_ref().and_then(|declared| declared.place.clone()),
                    _ => function.uses.iter().find(|one| one.aspect == self.aspect).and_then(|one| one.place.clone()),
                };
                steps.push((at, place));
                return Some(Chain { steps, by_attribute: false });
            }
            let call = function
                .calls
                .iter()
                .find(|call| left == 2 && self.ends_at_call(at, call.callee) || self.distance[call.callee.index()] == Some(left - 1))?;
            steps.push((at, call.place.clone()));
            if left == 2 && self.ends_at_call(at, call.callee) {
                steps.push((call.callee, None));
                return Some(Chain { steps, by_attribute: true });
            }
            at = call.callee;
        }
    }
}
