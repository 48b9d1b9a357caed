//! Calls through pointers, and the functions that they may reach: what [`aspen_analysis::targets`] brings together.
//!
//! Source: DESIGN §7.5.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use aspen_analysis::summary::{Shape, Slot, Taken};
use llvm_sys::LLVMOpcode;
use llvm_sys::prelude::LLVMValueRef;

use crate::ir::{Md, ModuleRef, Value};

/// Calling conventions of kernel entries: PTX, SPIR, AMDGPU. Source: LLVM's `CallingConv.h`; FORMATS §2.
pub(crate) const KERNEL_CONVENTIONS: [u32; 3] = [71, 76, 91];

/// Classes of virtual calls and vtables, from our own front end. Source: aspen-clang/plugin/VirtualCalls.h.
const CLASS: &str = "aspen.class";

/// The functions whose addresses are taken, in module order. Nobody calls a kernel so.
pub(crate) fn taken<'m>(module: ModuleRef<'m>, functions: &[Value<'m>]) -> Vec<(LLVMValueRef, Taken)> {
    let mut slots = vtable_slots(module);
    let callable = functions.iter().filter(|function| !KERNEL_CONVENTIONS.contains(&function.calling_convention()));
    let known = callable.filter_map(|function| {
        let slots = slots.remove(&function.raw()).unwrap_or_default();
        let elsewhere = is_taken(*function, &mut HashSet::new(), &|user| !is_vtable(user));
        let taken = elsewhere || !slots.is_empty();
        taken.then(|| (function.raw(), Taken { ty: function.value_type().spelling(), slots, elsewhere }))
    });
    known.collect()
}

/// What a call through a pointer shows of the function that it reaches.
pub(crate) fn shape(module: ModuleRef<'_>, call: Value<'_>) -> Shape {
    let class = || call.instruction_metadata(module.kind(CLASS))?.operands().first()?.as_text();
    Shape { ty: call.called_type().spelling(), slot: virtual_slot(call).map(|index| Slot { class: class(), index }) }
}

/// Whether a function's address is used other than for a direct call, or a call goes through a pointer.
pub(crate) fn uses_function_pointers(module: ModuleRef<'_>) -> bool {
    module.functions().any(|function| {
        let indirect = |instruction: Value<'_>| {
            instruction.is_call() && {
                let called = instruction.called().resolve();
                !called.is_function() && !called.is_inline_assembly()
            }
        };
        is_taken(function, &mut HashSet::new(), &|_| true) || function.instructions().any(indirect)
    })
}

/// Whether a function (or a constant made of it) is used for more than direct calls. Lists that the compiler keeps are no users, and of
/// other globals only those that `counts`.
fn is_taken<'m>(value: Value<'m>, seen: &mut HashSet<Value<'m>>, counts: &dyn Fn(Value<'m>) -> bool) -> bool {
    value.users().any(|user| {
        if user.is_call() {
            // As the callee only, or as an argument too?
            let called = user.called();
            return called != value || user.operands().filter(|operand| *operand == value).count() > 1;
        }
        if user.is_instruction() {
            return true;
        }
        if user.is_global_variable() {
            return !user.name().starts_with("llvm.") && counts(user);
        }
        // A personality or prefix of another function is no call target; other constants and aliases are looked through.
        !user.is_function() && !user.is_block_address() && seen.insert(user) && is_taken(user, seen, counts)
    })
}

/// Vtables and construction vtables, by the names of the Itanium C++ ABI.
fn is_vtable(global: Value<'_>) -> bool {
    let name = global.name();
    name.starts_with("_ZTV") || name.starts_with("_ZTC")
}

/// The slots of each function, counted from the address point of its vtable.
fn vtable_slots(module: ModuleRef<'_>) -> BTreeMap<LLVMValueRef, BTreeSet<Slot>> {
    let mut slots: BTreeMap<LLVMValueRef, BTreeSet<Slot>> = BTreeMap::new();
    for vtable in module.globals().filter(|global| is_vtable(*global)) {
        let address_points = address_points(module, vtable);
        let mut before = 0;
        // A structure of arrays, one a base with an own vtable pointer.
        for array in vtable.initializer().iter().flat_map(|initializer| initializer.operands()) {
            let entries: Vec<_> = (before..).zip(array.operands().map(Value::resolve)).collect();
            let first = entries.iter().find(|(_, entry)| entry.is_function()).map_or(before, |(at, _)| *at);
            for (at, entry) in entries.iter().filter(|(_, entry)| entry.is_function()) {
                let slots = slots.entry(entry.raw()).or_default();
                if address_points.is_empty() {
                    // Before the address point stand the offset to top, the type info, and offsets of virtual bases. The first slots
                    // may be empty (pure virtual functions), so both readings count.
                    slots.extend([before + 2, first].map(|point| Slot { class: None, index: at - point }));
                } else {
                    let own = address_points.iter().filter(|(point, _)| (before..=*at).contains(point));
                    slots.extend(own.map(|(point, class)| Slot { class: Some(class.clone()), index: at - point }));
                }
            }
            before += i64::try_from(entries.len()).unwrap_or(i64::MAX);
        }
    }
    slots
}

/// At which entries of a vtable tables for objects of which classes begin; empty where nobody has said it.
fn address_points<'m>(module: ModuleRef<'m>, vtable: Value<'m>) -> Vec<(i64, String)> {
    let kind = module.kind(CLASS);
    let lists = vtable.global_metadata(module).into_iter().filter(|(own, _)| *own == kind).flat_map(|(_, list)| list.operands());
    let point = |node: Md<'m>| match node.operands()[..] {
        [at, class] => Some((at.as_integer()?, class.as_text()?)),
        _ => None,
    };
    lists.filter_map(point).collect()
}

/// The slot of a virtual call: the callee is loaded from a constant index of a table whose address is loaded from the object, which is
/// the call's first argument (the second where the result is returned through memory).
fn virtual_slot(call: Value<'_>) -> Option<i64> {
    let entry = without_casts(call.called());
    let address = loaded_from(entry)?;
    let (table, slot) = if address.is_instruction() && address.opcode() == LLVMOpcode::LLVMGetElementPtr {
        let mut operands = address.operands();
        let (table, index) = (operands.next()?, operands.next()?);
        if operands.next().is_some() || address.gep_source_type() != entry.ty() {
            return None;
        }
        (table, index.constant_integer()?)
    } else {
        (address, 0)
    };
    let object = without_casts(loaded_from(without_casts(table))?);
    call.operands().take(2).any(|argument| without_casts(argument) == object).then_some(slot)
}

fn loaded_from(value: Value<'_>) -> Option<Value<'_>> {
    if value.is_instruction() && value.opcode() == LLVMOpcode::LLVMLoad { value.operands().next() } else { None }
}

fn without_casts(mut value: Value<'_>) -> Value<'_> {
    while value.is_instruction() && matches!(value.opcode(), LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast) {
        let Some(inner) = value.operands().next() else { break };
        value = inner;
    }
    value
}
