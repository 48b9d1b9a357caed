//! DPC++'s sets of virtual functions, which its front end marks by attributes: what a function may call that no pointer in the module shows.
//! Source: FORMATS §2, §3.5 "Virtual sets"; sycl_ext_oneapi_virtual_functions.

use std::collections::BTreeMap;

use aspen_analysis::summary::{Call, FuncId, Function};

use crate::ir::Value;

/// On functions that belong to a set.
const MEMBER: &str = "indirectly-callable";
/// On functions that may call sets: a list with commas.
const CALLS: &str = "calls-indirectly";
/// On call sites that are virtual calls.
const VIRTUAL_CALL: &str = "virtual-call";

/// Adds edges to all members of the sets that a function may call. A kernel that only constructs objects names the sets too and calls
/// nothing of them: so there are edges only where what it calls directly holds a virtual call.
pub(crate) fn add_calls(values: &[Value<'_>], functions: &mut [Function]) {
    let mut members: BTreeMap<String, Vec<FuncId>> = BTreeMap::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(set) = value.string_attribute(MEMBER) {
            members.entry(set).or_default().push(FuncId::from_index(index));
        }
    }
    if members.is_empty() {
        return;
    }
    let virtual_calls: Vec<bool> = values.iter().map(|value| holds_virtual_call(*value)).collect();
    for (index, value) in values.iter().enumerate() {
        let Some(sets) = value.string_attribute(CALLS) else { continue };
        if !reaches(index, functions, &virtual_calls) {
            continue;
        }
        let called: Vec<FuncId> = sets.split(',').filter_map(|set| members.get(set.trim())).flatten().copied().collect();
        let one_of = Some(u32::try_from(called.len()).unwrap_or(u32::MAX));
        let known: Vec<FuncId> = functions[index].calls.iter().map(|call| call.callee).collect();
        let new = called.into_iter().filter(|callee| !known.contains(callee) && callee.index() != index);
        functions[index].calls.extend(new.map(|callee| Call { callee, place: None, one_of }));
    }
}

fn holds_virtual_call(function: Value<'_>) -> bool {
    function.instructions().any(|instruction| instruction.is_call() && instruction.call_site_has(VIRTUAL_CALL))
}

/// Whether the function or what it calls by name is marked.
fn reaches(root: usize, functions: &[Function], marked: &[bool]) -> bool {
    let mut seen = vec![false; functions.len()];
    let mut open = vec![root];
    while let Some(index) = open.pop() {
        if marked[index] {
            return true;
        }
        if !std::mem::replace(&mut seen[index], true) {
            let direct = functions[index].calls.iter().filter(|call| call.one_of.is_none());
            open.extend(direct.map(|call| call.callee.index()));
        }
    }
    false
}
