//! Which aspects every function uses, through everything it calls. Exact on cycles.
//!
//! used(f) = what f's body uses ∪ f's `uses_aspects` ∪ over all callees g: used(g) ∪ declared(g). A function's own declared set enters only
//! by a detour through a cycle (DESIGN §3). Functions of one strongly connected component reach each other, so they share one set; the
//! components are visited callees first, so every call is looked at once: linear in functions and calls.

use std::collections::BTreeSet;

use aspen_contract::AspectSet;

use crate::summary::{FuncId, Role, Summary};

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

/// The used set of every function, by index.
pub(crate) fn used_sets(summary: &Summary, own_bodies: &OwnBodies) -> Vec<AspectSet> {
    let mut used: Vec<AspectSet> = vec![AspectSet::new(); summary.functions.len()];
    for component in components(summary) {
        let mut set = AspectSet::new();
        for &member in &component {
            let function = summary.function(member);
            set.extend(function.uses.iter().map(|one| one.aspect));
            set.extend(&function.uses_attribute);
            for call in &function.calls {
                set.extend(&used[call.callee.index()]);
                if let Some(declared) = &summary.function(call.callee).declared
                    && !own_bodies.contains(member, call.callee)
                {
                    set.extend(&declared.aspects);
                }
            }
        }
        if let Some((last, others)) = component.split_last() {
            for member in others {
                used[member.index()].clone_from(&set);
            }
            used[last.index()] = set;
        }
    }
    used
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
