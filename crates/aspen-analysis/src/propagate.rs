//! Which aspects every function uses, through everything it calls. Exact on cycles.
//!
//! used(f) = what f's body uses ∪ f's `uses_aspects` ∪ over all callees g: used(g) ∪ declared(g). A function's own declared set enters only
//! by a detour through a cycle (DESIGN §3). Functions of one strongly connected component reach each other, so they share one set; the
//! components are visited callees first, so every call is looked at once: linear in functions and calls.
//!
//! A function with a guard runs only where the guard holds, so what it uses is no use of its callers but a need of theirs under the guard
//! (DESIGN §7.8). Such needs go up the same way, and are kept as weak as they are: one that is there anyway, or under a guard that is
//! implied, is left out. In a cycle through a guard the members differ, and the component is gone through until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{AspectSet, Guard};

use crate::summary::{FuncId, Function, Role, Summary};

/// Calls at which the callee's declared set does not count: from a kernel's entry (or the header's glue under it) to the kernel's body.
/// The body's attributes *are* the kernel's (DESIGN §7.15); a kernel does not use what it declares itself.
pub(crate) struct OwnBodies(BTreeSet<(FuncId, FuncId)>);

impl OwnBodies {
    pub(crate) fn of(summary: &Summary) -> OwnBodies {
        let mut pairs = BTreeSet::new();
        for (entry, function) in summary.iter() {
            let Role::Kernel(kernel) = &function.role else { continue };
            let Some(body) = kernel.body else { continue };
            let (mut seen, mut work) = (BTreeSet::from([entry]), vec![entry]);
            while let Some(caller) = work.pop() {
                for call in &summary.function(caller).calls {
                    if call.callee == body {
                        pairs.insert((caller, body));
                    } else if seen.insert(call.callee) {
                        work.push(call.callee);
                    }
                }
            }
        }
        OwnBodies(pairs)
    }

    pub(crate) fn contains(&self, caller: FuncId, callee: FuncId) -> bool {
        self.0.contains(&(caller, callee))
    }
}

/// What a function uses, through everything it calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Used {
    /// Wherever it runs.
    pub(crate) always: AspectSet,
    /// Besides, where a guard holds.
    pub(crate) guarded: BTreeMap<Guard, AspectSet>,
}

impl Used {
    fn need(&mut self, guard: Guard, aspects: impl IntoIterator<Item = aspen_contract::Aspect>) {
        if guard.is_always() {
            self.always.extend(aspects);
        } else if !guard.is_never() {
            self.guarded.entry(guard).or_default().extend(aspects);
        }
    }

    /// What a call of `callee`, which uses `theirs`, adds; `declared` counts as used by the call.
    fn call(&mut self, callee: &Function, theirs: &Used, declared: bool) {
        let declared = callee.declared.iter().filter(|_| declared).flat_map(|declared| &declared.aspects);
        match &callee.guard {
            None => {
                self.always.extend(theirs.always.iter().chain(declared));
                for (guard, aspects) in &theirs.guarded {
                    self.need(guard.clone(), aspects.iter().copied());
                }
            }
            Some(guard) => {
                self.need(guard.clone(), theirs.always.iter().chain(declared).copied());
                for (inner, aspects) in &theirs.guarded {
                    self.need(guard.and(inner), aspects.iter().copied());
                }
            }
        }
    }

    /// Leaves out what a guard says itself, what is used always, and what is needed under a guard that holds wherever this one does.
    pub(crate) fn reduce(&mut self) {
        if self.guarded.is_empty() {
            return;
        }
        let all = self.guarded.clone();
        for (guard, aspects) in &mut self.guarded {
            aspects.retain(|aspect| {
                let elsewhere = |(other, theirs): (&Guard, &AspectSet)| other != guard && guard.implies(other) && theirs.contains(aspect);
                !guard.has.contains(aspect) && !self.always.contains(aspect) && !all.iter().any(elsewhere)
            });
        }
        self.guarded.retain(|_, aspects| !aspects.is_empty());
    }
}

/// What every function uses, by index.
pub(crate) fn used(summary: &Summary, own_bodies: &OwnBodies) -> Vec<Used> {
    let mut used: Vec<Used> = vec![Used::default(); summary.functions.len()];
    for component in components(summary) {
        let own = |member: FuncId, used: &[Used]| {
            let function = summary.function(member);
            let mut out = Used::default();
            out.always.extend(function.uses.iter().map(|one| one.aspect));
            out.always.extend(&function.uses_attribute);
            for call in &function.calls {
                let declared = !own_bodies.contains(member, call.callee);
                out.call(summary.function(call.callee), &used[call.callee.index()], declared);
            }
            out.reduce();
            out
        };
        let guarded = component.len() > 1 && component.iter().any(|&member| summary.function(member).guard.is_some());
        if guarded || component.len() == 1 {
            // Sets only grow towards what is true, and there are finitely many guards, so this ends; a function alone needs a second look
            // only if it calls itself.
            loop {
                let mut changed = false;
                for &member in &component {
                    let now = own(member, &used);
                    changed |= now != used[member.index()];
                    used[member.index()] = now;
                }
                if !changed || component.len() == 1 && !calls_itself(summary, component[0]) {
                    break;
                }
            }
            continue;
        }
        let mut all = Used::default();
        for &member in &component {
            let one = own(member, &used);
            all.always.extend(one.always);
            for (guard, aspects) in one.guarded {
                all.need(guard, aspects);
            }
        }
        all.reduce();
        if let Some((last, others)) = component.split_last() {
            for member in others {
                used[member.index()].clone_from(&all);
            }
            used[last.index()] = all;
        }
    }
    used
}

fn calls_itself(summary: &Summary, id: FuncId) -> bool {
    summary.function(id).calls.iter().any(|call| call.callee == id)
}

/// The aspects that every function uses wherever it runs, by index.
pub(crate) fn used_sets(summary: &Summary, own_bodies: &OwnBodies) -> Vec<AspectSet> {
    used(summary, own_bodies).into_iter().map(|used| used.always).collect()
}

/// Strongly connected components of the call graph, callees before callers (Tarjan, without recursion: call chains may be deep).
pub(crate) fn components(summary: &Summary) -> Vec<Vec<FuncId>> {
    const UNSEEN: u32 = u32::MAX;
    let count = summary.functions.len();
    let (mut order, mut low, mut on_stack) = (vec![UNSEEN; count], vec![0_u32; count], vec![false; count]);
    let (mut stack, mut out, mut next) = (Vec::new(), Vec::new(), 0_u32);
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        let mut frames = Vec::new();
        let mut opened = Some(root);
        loop {
            if let Some(node) = opened.take() {
                (order[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
                frames.push((node, 0_usize));
            }
            let Some(frame) = frames.last_mut() else { break };
            let node = frame.0;
            if let Some(call) = summary.functions[node].calls.get(frame.1) {
                frame.1 += 1;
                let callee = call.callee.index();
                if order[callee] == UNSEEN {
                    opened = Some(callee);
                } else if on_stack[callee] {
                    low[node] = low[node].min(order[callee]);
                }
                continue;
            }
            if low[node] == order[node] {
                let start = stack.iter().rposition(|&member| member == node).expect("a component's root is on the stack");
                let component: Vec<FuncId> = stack.split_off(start).into_iter().map(FuncId::from_index).collect();
                for member in &component {
                    on_stack[member.index()] = false;
                }
                out.push(component);
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    out
}
