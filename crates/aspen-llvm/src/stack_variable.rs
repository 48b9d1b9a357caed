//! What happens to a variable on the stack, where its address goes nowhere else: what was written without optimisation can be read so.

use llvm_sys::LLVMOpcode;

use crate::ir::Value;

/// The uses of an `alloca`, also through casts of its address.
pub(crate) struct StackVariable<'m> {
    /// The variable itself first, then what casts it.
    pub(crate) addresses: Vec<Value<'m>>,
    /// What stores to it.
    pub(crate) stores: Vec<Value<'m>>,
    /// What loads from it.
    pub(crate) loads: Vec<Value<'m>>,
    /// Whether anything else knows its address, except where its lifetime begins and ends.
    pub(crate) escapes: bool,
}

impl<'m> StackVariable<'m> {
    /// Of the variable behind this pointer; nothing if it is no variable on the stack.
    pub(crate) fn behind(pointer: Value<'m>) -> Option<StackVariable<'m>> {
        let variable = pointer.strip_pointer_casts();
        if !is(variable, LLVMOpcode::LLVMAlloca) {
            return None;
        }
        let mut out = StackVariable { addresses: vec![variable], stores: Vec::new(), loads: Vec::new(), escapes: false };
        let mut index = 0;
        while let Some(&address) = out.addresses.get(index) {
            index += 1;
            for user in address.users() {
                // Stored to it, not its address stored somewhere.
                if is(user, LLVMOpcode::LLVMStore) && user.operands().nth(1) == Some(address) && user.operands().next() != Some(address) {
                    out.stores.push(user);
                } else if is(user, LLVMOpcode::LLVMLoad) {
                    out.loads.push(user);
                } else if user.is_instruction() && user.strip_pointer_casts() == variable {
                    if !out.addresses.contains(&user) {
                        out.addresses.push(user);
                    }
                } else {
                    out.escapes |= !(user.is_call() && user.called().name().starts_with("llvm.lifetime."));
                }
            }
        }
        Some(out)
    }
}

/// Whether a value is an instruction of this kind.
pub(crate) fn is(value: Value<'_>, opcode: LLVMOpcode) -> bool {
    value.is_instruction() && value.opcode() == opcode
}
