//! What the libraries of mathematical functions for GPUs have in common: C's functions and LLVM's intrinsics under names of the library's
//! own, linked where code is generated.

use std::ffi::{CString, c_uint};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use crate::ffi;
use crate::ir::{Value, take_message};
use crate::module::Module;

/// The first function with that prefix that is called and not defined.
pub(crate) fn needs(module: &Module<'_>, prefix: &str) -> Option<String> {
    module.imports().into_iter().find(|name| name.starts_with(prefix))
}

/// Takes vectors apart in functions that ask for what the library has for numbers alone: `__builtin_elementwise_sin`, remainders.
///
/// # Errors
/// LLVM crashed.
pub(crate) fn scalarise(module: &Module<'_>, library_name: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    let is_of_vectors = |instruction: Value<'_>| match instruction.opcode() {
        LLVMOpcode::LLVMFRem => instruction.ty().spelling().starts_with('<'),
        LLVMOpcode::LLVMCall => of_a_lane(&instruction.called().name()).is_some_and(|of_a_lane| library_name(&of_a_lane).is_some()),
        _ => false,
    };
    for function in module.view().functions().filter(|function| function.instructions().any(is_of_vectors)) {
        // SAFETY: a function of a valid module, which has a body; the message is ours.
        if let Some(message) = unsafe { take_message(ffi::aspen_llvm_scalarise(function.raw())) } {
            return Err(message);
        }
    }
    Ok(())
}

/// What an intrinsic of vectors is for a lane of them: `llvm.sin.f32` of `llvm.sin.v4f32`.
fn of_a_lane(intrinsic: &str) -> Option<String> {
    let (name, types) = intrinsic.strip_prefix("llvm.")?.split_once('.')?;
    let of_a_lane = |ty: &str| Some(ty.strip_prefix('v')?.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned());
    let lanes: Option<Vec<String>> = types.split('.').map(|ty| of_a_lane(ty).or_else(|| (ty == "i32").then(|| ty.to_owned()))).collect();
    types.starts_with('v').then_some(())?;
    Some(format!("llvm.{name}.{}", lanes?.join(".")))
}

/// Declarations of mathematical functions become those of the library. (An intrinsic that is renamed is a plain function.)
pub(crate) fn resolve(module: &Module<'_>, library_name: impl Fn(&str) -> Option<String>) {
    let declared: Vec<Value<'_>> = module.view().functions().filter(|function| function.is_declaration()).collect();
    for function in declared {
        if let Some(name) = library_name(&function.name()) {
            let Ok(c_name) = CString::new(name.as_str()) else { continue };
            // SAFETY: functions of a valid module; after the replacement nothing uses the old one.
            unsafe {
                let known = LLVMGetNamedFunction(module.raw(), c_name.as_ptr());
                if known.is_null() {
                    LLVMSetValueName2(function.raw(), name.as_ptr().cast(), name.len());
                } else {
                    LLVMReplaceAllUsesWith(function.raw(), known);
                }
            }
        }
    }
}

/// `frem` becomes a call of `fmod`: back ends divide and multiply back, which is wrong for large quotients. `names` are the library's for
/// `float` and `double`.
pub(crate) fn remainders(module: &Module<'_>, names: [&std::ffi::CStr; 2]) {
    let found: Vec<Value<'_>> = module
        .view()
        .functions()
        .flat_map(Value::instructions)
        .filter(|instruction| instruction.opcode() == LLVMOpcode::LLVMFRem)
        .collect();
    for instruction in found {
        let name = match instruction.ty().spelling().as_str() {
            "float" => names[0],
            "double" => names[1],
            _ => continue,
        };
        let mut operands: Vec<LLVMValueRef> = instruction.operands().map(Value::raw).collect();
        let count = operands.len() as c_uint;
        // SAFETY: a module with its instruction; the call has the instruction's operands and type, and takes its place.
        unsafe {
            let ty = LLVMTypeOf(instruction.raw());
            let mut parameters = vec![ty; operands.len()];
            let function_type = LLVMFunctionType(ty, parameters.as_mut_ptr(), count, 0);
            let mut function = LLVMGetNamedFunction(module.raw(), name.as_ptr());
            if function.is_null() {
                function = LLVMAddFunction(module.raw(), name.as_ptr(), function_type);
            }
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.raw()));
            LLVMPositionBuilderBefore(builder, instruction.raw());
            let call = LLVMBuildCall2(builder, function_type, function, operands.as_mut_ptr(), count, c"".as_ptr());
            LLVMReplaceAllUsesWith(instruction.raw(), call);
            LLVMInstructionEraseFromParent(instruction.raw());
            LLVMDisposeBuilder(builder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes() {
        for (intrinsic, expected) in [
            ("llvm.sin.v4f32", Some("llvm.sin.f32")),
            ("llvm.pow.v16f64", Some("llvm.pow.f64")),
            ("llvm.powi.v2f32.i32", Some("llvm.powi.f32.i32")),
            ("llvm.lround.v2i64.v2f64", Some("llvm.lround.i64.f64")),
            ("llvm.sin.f32", None),
            ("llvm.memcpy.p0.p0.i64", None),
            ("llvm.trap", None),
            ("sinf", None),
        ] {
            assert_eq!(of_a_lane(intrinsic).as_deref(), expected, "{intrinsic}");
        }
    }
}
