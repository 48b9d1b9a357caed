//! Where calls through pointers may go, in one module and in a program.
//!
//! Source: DESIGN §7.5: for a virtual call, the functions in that slot of the tables of its class, those of derived classes among them, or of any
//! table where the class is not known; else every function of the same type whose address is taken. What `!callees` lists is known without.

use std::collections::HashMap;

use crate::summary::{Call, FuncId, Shape, Summary, Taken};

/// Functions whose addresses are taken, by their types, each type's in the order in which they came.
#[derive(Debug)]
pub struct Targets<F> {
    by_type: HashMap<String, Vec<(F, Taken)>>,
}

impl<F: Copy> Targets<F> {
    /// Of these functions.
    pub fn new(taken: impl IntoIterator<Item = (F, Taken)>) -> Targets<F> {
        let mut by_type: HashMap<String, Vec<(F, Taken)>> = HashMap::new();
        for (function, taken) in taken {
            by_type.entry(taken.ty.clone()).or_default().push((function, taken));
        }
        Targets { by_type }
    }

    /// The functions that a call may reach.
    pub fn of(&self, call: &Shape) -> Vec<F> {
        let Some(targets) = self.by_type.get(&call.ty) else { return Vec::new() };
        let in_slot = |taken: &Taken| call.slot.as_ref().is_some_and(|slot| taken.slots.iter().any(|one| one.may_be(slot)));
        // Without a class, a table of functions that a structure points to looks like a vtable: functions that are taken elsewhere stay.
        let is_virtual = call.slot.as_ref().is_some_and(|slot| slot.class.is_some());
        let by_slot = is_virtual || targets.iter().any(|(_, taken)| in_slot(taken));
        let reached = targets.iter().filter(|(_, taken)| !by_slot || in_slot(taken) || (taken.elsewhere && !is_virtual));
        reached.map(|(function, _)| *function).collect()
    }
}

impl Taken {
    /// Adds what another module knows of the same function.
    pub(crate) fn join(known: &mut Option<Taken>, more: Option<Taken>) {
        match (known, more) {
            (Some(known), Some(more)) => {
                known.slots.extend(more.slots);
                known.elsewhere |= more.elsewhere;
            }
            (known @ None, more) => *known = more,
            (Some(_), None) => {}
        }
    }
}

impl Summary {
    /// Adds the calls that reach functions of other modules, which none of them could know.
    pub(crate) fn join_indirect_calls(&mut self) {
        if self.functions.iter().all(|function| function.indirect.is_empty()) {
            return;
        }
        let taken = self.iter().filter_map(|(id, function)| Some((id, function.taken.clone()?)));
        let targets = Targets::new(taken);
        let units: Vec<String> = self.functions.iter().map(|function| function.unit.clone()).collect();
        for function in &mut self.functions {
            // What an entry point reaches in its own module is known without.
            if let Some(optimized) = &mut function.optimized {
                let reached = optimized.indirect.iter().flat_map(|shape| targets.of(shape));
                let new: Vec<FuncId> = reached.filter(|id| units[id.index()] != function.unit && !optimized.reaches.contains(id)).collect();
                optimized.reaches.extend(new);
            }
            // From the last on, so that the places of those before stay.
            for indirect in function.indirect.iter().rev() {
                let Some(shape) = &indirect.shape else { continue };
                let reached = targets.of(shape);
                let one_of = Some(u32::try_from(reached.len()).unwrap_or(u32::MAX));
                for call in function.calls.iter_mut().filter(|call| call.place == indirect.place && reached.contains(&call.callee)) {
                    call.one_of = call.one_of.and(one_of);
                }
                let known: Vec<FuncId> = function.calls.iter().map(|call| call.callee).collect();
                let new = reached.into_iter().filter(|callee| !known.contains(callee));
                let new: Vec<Call> = new.map(|callee| Call { callee, place: indirect.place.clone(), one_of }).collect();
                let at = (indirect.before as usize).min(function.calls.len());
                function.calls.splice(at..at, new);
            }
        }
    }
}
