//! Shortest chains of calls from a function to what it uses; ties go to the call that stands first in the source.
//!
//! For one aspect, a search backwards from all uses gives every function its distance; a chain is then read off by stepping, at each
//! function, to the first call in source order that comes closer. One search serves all roots, so the cost is linear in functions and
//! calls for each aspect, not for each root.

use aspen_contract::{Aspect, Place, Remark};

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
    /// At least one; the root first.
    pub(crate) links: Vec<Link>,
    /// Whether the last function is there for its attribute: the use is then the call of it.
    pub(crate) by_attribute: bool,
}

impl Chain {
    /// Leaves out what only leads from one of the user's functions into another. What is to be said of a call that goes is said of the call
    /// before it.
    fn without_glue(mut self, summary: &Summary) -> Chain {
        let last = self.links.len() - 1;
        let mut kept: Vec<Link> = Vec::with_capacity(self.links.len());
        for (index, link) in self.links.drain(..).enumerate() {
            match kept.last_mut() {
                Some(before) if index < last && summary.function(link.function).glue => {
                    before.remark = both(before.remark.take(), link.remark)
                }
                _ => kept.push(link),
            }
        }
        Chain { links: kept, ..self }
    }
}

/// Guards inside of guards are one; else the outer remark is said.
fn both(outer: Option<Remark>, inner: Option<Remark>) -> Option<Remark> {
    match (outer, inner) {
        (Some(Remark::Guarded { guard }), Some(Remark::Guarded { guard: inner })) => Some(Remark::Guarded { guard: guard.and(&inner) }),
        (outer, inner) => outer.or(inner),
    }
}

/// One function of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub(crate) function: FuncId,
    /// Where it calls the next one; in the last function the use, or nothing if the chain ends by attribute.
    pub(crate) place: Option<Place>,
    /// What is to be said of that call or use.
    pub(crate) remark: Option<Remark>,
}

/// Distances to the goal for one aspect: how many functions a chain from here holds; `None`: no way.
pub(crate) struct Distances<'s> {
    summary: &'s Summary,
    own_bodies: &'s OwnBodies,
    aspect: Aspect,
    goal: Goal,
    guarded: bool,
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
    /// `guarded`: whether chains may go through functions that run only where a guard holds; never where the guard itself says that the
    /// device has the aspect.
    pub(crate) fn to(
        summary: &'s Summary,
        own_bodies: &'s OwnBodies,
        callers: &Callers,
        aspect: Aspect,
        goal: Goal,
        guarded: bool,
    ) -> Self {
        let mut out = Distances { summary, own_bodies, aspect, goal, guarded, distance: vec![None; summary.functions.len()] };
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
            level.retain(|&id| !out.is_closed(id));
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

    /// Whether no chain goes on through a call of this function.
    fn is_closed(&self, callee: FuncId) -> bool {
        self.summary.function(callee).guard.as_ref().is_some_and(|guard| !self.guarded || guard.has.contains(&self.aspect))
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
        if self.is_closed(callee) {
            return false;
        }
        let declares = || function.declared.as_ref().is_some_and(|declared| declared.aspects.contains(&self.aspect));
        match self.goal {
            Goal::UseOrAttribute => {
                function.uses_attribute.contains(&self.aspect) || declares() && !self.own_bodies.contains(caller, callee)
            }
            Goal::Use => function.uses_attribute.contains(&self.aspect),
            Goal::Declaration => false,
        }
    }

    /// Whether the call of that function comes closer than `left`.
    fn leads_on(&self, callee: FuncId, left: u32) -> bool {
        self.distance[callee.index()] == Some(left - 1) && !self.is_closed(callee)
    }

    /// The end of a chain in the function's own body or attribute.
    fn last(&self, function: FuncId) -> Link {
        let body = self.summary.function(function);
        let (place, remark) = match self.goal {
            Goal::Declaration => {
                let place = body.declared.as_ref().and_then(|declared| declared.place.clone());
                (place, (!body.defined).then_some(Remark::Elsewhere))
            }
            Goal::UseOrAttribute | Goal::Use => match body.uses.iter().find(|one| one.aspect == self.aspect) {
                Some(one) => (one.place.clone(), one.promoted_for.clone().map(|callee| Remark::Promoted { callee })),
                None => (None, None),
            },
        };
        Link { function, place, remark }
    }

    /// The shortest chain from a function, if there is one.
    pub(crate) fn chain(&self, root: FuncId) -> Option<Chain> {
        let mut links = Vec::new();
        let mut at = root;
        loop {
            let left = self.distance[at.index()]?;
            let function = self.summary.function(at);
            if left == 1 {
                links.push(self.last(at));
                return Some(Chain { links, by_attribute: false }.without_glue(self.summary));
            }
            let call =
                function.calls.iter().find(|call| left == 2 && self.ends_at_call(at, call.callee) || self.leads_on(call.callee, left))?;
            let guard = self.summary.function(call.callee).guard.clone().map(|guard| Remark::Guarded { guard });
            let remark = guard.or_else(|| call.one_of.map(|targets| Remark::Indirect { targets }));
            links.push(Link { function: at, place: call.place.clone(), remark });
            if left == 2 && self.ends_at_call(at, call.callee) {
                let remark = (!self.summary.function(call.callee).defined).then_some(Remark::Elsewhere);
                links.push(Link { function: call.callee, place: None, remark });
                return Some(Chain { links, by_attribute: true }.without_glue(self.summary));
            }
            at = call.callee;
        }
    }
}
