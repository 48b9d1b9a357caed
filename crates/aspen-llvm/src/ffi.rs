//! Declarations of `shim/*.cpp` and of LLVM functions that llvm-sys lacks.

use std::ffi::c_char;

use llvm_sys::prelude::*;

unsafe extern "C" {
    /// The name of a mangled symbol without its parameters, or only its last component; null if it is not mangled.
    pub fn aspen_llvm_demangle(symbol: *const c_char, base: bool) -> *mut c_char;
    /// Removes a named metadata node, if it is there.
    pub fn aspen_llvm_erase_named_metadata(module: LLVMModuleRef, name: *const c_char, length: usize);
    /// A context that collects errors.
    pub fn aspen_llvm_context() -> LLVMContextRef;
    /// Reads and verifies a module; null and a message on failure. `lost`: the context must not be used or freed any more.
    pub fn aspen_llvm_parse(
        context: LLVMContextRef,
        data: *const c_char,
        size: usize,
        name: *const c_char,
        name_size: usize,
        message: *mut *mut c_char,
        lost: *mut bool,
    ) -> LLVMModuleRef;
    /// Links `source`, which it consumes, into `destination`; null or a message.
    pub fn aspen_llvm_link(destination: LLVMModuleRef, source: LLVMModuleRef) -> *mut c_char;
    /// A new module with what the roots reach.
    pub fn aspen_llvm_clone_closure(source: LLVMModuleRef, roots: *mut LLVMValueRef, count: usize) -> LLVMModuleRef;
}
