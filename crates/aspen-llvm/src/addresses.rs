//! Comparisons of addresses, for SPIR-V.
//!
//! LLVM's back end compares pointers by `OpPtrEqual`, which SPIR-V has since 1.4 only: such modules are refused by older drivers, and
//! some of those that know 1.4 crash on the instruction. As numbers, addresses compare the same everywhere.

use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use crate::ir::{ModuleRef, Value};

/// Makes `icmp` of pointers an `icmp` of 64-bit integers. Runs after optimisation, which would turn it back.
pub(crate) fn compare_as_integers(module: ModuleRef<'_>) {
    let found: Vec<Value<'_>> = module.functions().flat_map(Value::instructions).filter(|&value| compares_pointers(value)).collect();
    for comparison in found {
        // SAFETY: an `icmp` of two pointers in a valid module; what takes its place has its type and stands before it.
        unsafe {
            let context = LLVMGetModuleContext(module.raw());
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, comparison.raw());
            let integer = LLVMInt64TypeInContext(context);
            let address = |operand| LLVMBuildPtrToInt(builder, LLVMGetOperand(comparison.raw(), operand), integer, c"".as_ptr());
            let (left, right) = (address(0), address(1));
            let predicate: LLVMIntPredicate = LLVMGetICmpPredicate(comparison.raw());
            LLVMReplaceAllUsesWith(comparison.raw(), LLVMBuildICmp(builder, predicate, left, right, c"".as_ptr()));
            LLVMInstructionEraseFromParent(comparison.raw());
            LLVMDisposeBuilder(builder);
        }
    }
}

fn compares_pointers(value: Value<'_>) -> bool {
    // SAFETY: operands of an `icmp`, which has two.
    value.opcode() == LLVMOpcode::LLVMICmp
        && unsafe { LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value.raw(), 0))) } == LLVMTypeKind::LLVMPointerTypeKind
}
