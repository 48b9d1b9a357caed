//! Declarations of `shim/shim.cpp` and of LLVM functions that llvm-sys lacks.

use std::ffi::c_char;

use llvm_sys::prelude::*;

unsafe extern "C" {
    /// The name of a mangled symbol without its parameters, or only its last component; null if it is not mangled.
    pub fn aspen_llvm_demangle(symbol: *const c_char, base: bool) -> *mut c_char;
    /// Removes a named metadata node, if it is there.
    pub fn aspen_llvm_erase_named_metadata(module: LLVMModuleRef, name: *const c_char, length: usize);
}
