//! Formats of `printf`, for SPIR-V.
//!
//! OpenCL wants them in constant memory; elsewhere they need an extension (`SPV_EXT_relaxed_printf_string_address_space`) that drivers before 2023
//! do not know, and refuse the module for (`aspen_spirv::without_format_extension`). C++ puts literals where other constants are.

use std::collections::HashMap;
use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMUnnamedAddr};

use crate::ir::{ModuleRef, Value};

/// OpenCL's constant memory.
const CONSTANT: u32 = 2;
/// What the back end knows as the instruction, with a format in constant memory: `__spirv_ocl_printf(const constant char *, ...)`.
const PRINT: &CStr = c"_Z18__spirv_ocl_printfPU3AS2Kcz";

/// Puts formats that are literals there.
pub(crate) fn put_formats_in_constant_memory(module: ModuleRef<'_>) {
    let calls: Vec<Value<'_>> = module.functions().flat_map(Value::instructions).filter(|&value| prints(value)).collect();
    let mut copies = HashMap::new();
    for call in calls {
        // SAFETY: a call with a format, of a valid module.
        let format = unsafe { Value::new(LLVMGetOperand(call.raw(), 0)) };
        if let Some(text) = literal(format).filter(|_| address_space(format) != CONSTANT) {
            print_by(module, call, *copies.entry(text).or_insert_with(|| in_constant_memory(module, text)));
        }
    }
}

fn prints(value: Value<'_>) -> bool {
    if !value.is_plain_call() || value.argument_count() == 0 {
        return false;
    }
    let called = value.called();
    called.is_function() && (called.name() == "printf" || called.name().as_bytes() == PRINT.to_bytes())
}

fn address_space(pointer: Value<'_>) -> u32 {
    // SAFETY: a format is a pointer.
    unsafe { LLVMGetPointerAddressSpace(pointer.ty().raw()) }
}

/// The constant that a format points to the beginning of.
fn literal(format: Value<'_>) -> Option<Value<'_>> {
    let text = format.strip_pointer_casts();
    // SAFETY: a global variable.
    (text.is_global_variable() && unsafe { LLVMIsGlobalConstant(text.raw()) } != 0 && text.initializer().is_some()).then_some(text)
}

fn in_constant_memory<'m>(module: ModuleRef<'m>, text: Value<'m>) -> Value<'m> {
    // SAFETY: a constant of a valid module with an initial value; the copy is alike but for where it lies.
    unsafe {
        let copy = LLVMAddGlobalInAddressSpace(module.raw(), LLVMGlobalGetValueType(text.raw()), c".format".as_ptr(), CONSTANT);
        LLVMSetInitializer(copy, LLVMGetInitializer(text.raw()));
        LLVMSetGlobalConstant(copy, 1);
        LLVMSetLinkage(copy, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetUnnamedAddress(copy, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
        LLVMSetAlignment(copy, LLVMGetAlignment(text.raw()));
        Value::new(copy)
    }
}

fn print_by(module: ModuleRef<'_>, call: Value<'_>, format: Value<'_>) {
    // SAFETY: a call of a valid module; what takes its place has its type and stands before it.
    unsafe {
        let context = LLVMGetModuleContext(module.raw());
        let mut parameters = [format.ty().raw()];
        let ty = LLVMFunctionType(LLVMInt32TypeInContext(context), parameters.as_mut_ptr(), 1, 1);
        let mut print = LLVMGetNamedFunction(module.raw(), PRINT.as_ptr());
        if print.is_null() {
            print = LLVMAddFunction(module.raw(), PRINT.as_ptr(), ty);
            LLVMSetFunctionCallConv(print, LLVMGetFunctionCallConv(call.called().raw()));
        }
        let mut arguments: Vec<_> = (0..call.argument_count()).map(|index| LLVMGetOperand(call.raw(), index)).collect();
        arguments[0] = format.raw();
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, call.raw());
        let printed = LLVMBuildCall2(builder, ty, print, arguments.as_mut_ptr(), call.argument_count(), c"".as_ptr());
        LLVMSetInstructionCallConv(printed, LLVMGetInstructionCallConv(call.raw()));
        LLVMReplaceAllUsesWith(call.raw(), printed);
        LLVMInstructionEraseFromParent(call.raw());
        LLVMDisposeBuilder(builder);
    }
}
