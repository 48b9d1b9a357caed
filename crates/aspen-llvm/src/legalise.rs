//! Forms that LLVM's SPIR-V back end gets right (`shim/spirv`, docs/decisions/0022).
//!
//! In C++, because LLVM's C API cannot change the types of functions nor ask what intrinsics there are.

use crate::ffi;
use crate::ir::{ModuleRef, take_message};

/// Rewrites what the back end would write wrongly, right before code generation: later passes could bring it back.
///
/// # Errors
/// What SPIR-V has no form for, with the function, and the place where debug info has it.
pub(crate) fn legalise_for_spirv(module: ModuleRef<'_>) -> Result<(), String> {
    // SAFETY: a valid module; the message is ours.
    match unsafe { take_message(ffi::aspen_llvm_legalise_for_spirv(module.raw())) } {
        None => Ok(()),
        Some(reason) => Err(reason),
    }
}
