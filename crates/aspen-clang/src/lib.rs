//! The clang plugin: `plugin/*.cpp` reads what only clang knows, this crate's Rust half analyses and reports.
//!
//! The two meet in a few functions (plugin/Bridge.h): a module or only launches with a facts document in, a message or nothing out. Nothing
//! here may unwind into clang, so every entry point catches panics and makes them a message, which clang shows as an error.

mod pass;
mod settings;

use std::ffi::{CString, c_char};
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use aspen_llvm::{AmdGpu, ModuleRef, Ptx};
use llvm_sys::prelude::LLVMModuleRef;

/// Analyses a device module, attaches its metadata and writes the report. Null, or why not.
///
/// # Safety
/// `module` is a valid module that nothing else changes during the call; the two texts point to that many readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_clang_on_module(
    module: LLVMModuleRef,
    facts: *const c_char,
    facts_length: usize,
    options: *const c_char,
    options_length: usize,
) -> *mut c_char {
    // SAFETY: promised by the caller, for the duration of the call.
    let (module, facts, options) = unsafe { (ModuleRef::from_raw(module), bytes(facts, facts_length), bytes(options, options_length)) };
    guarded(|| pass::module(module, facts, options))
}

/// Adds to the report of an analysis pass what optimisation has left of `double`. Null, or why not.
///
/// # Safety
/// `module` is a valid module that nothing else changes during the call; the text points to that many readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_clang_on_optimized(module: LLVMModuleRef, options: *const c_char, options_length: usize) -> *mut c_char {
    // SAFETY: promised by the caller, for the duration of the call.
    let (module, options) = unsafe { (ModuleRef::from_raw(module), bytes(options, options_length)) };
    guarded(|| pass::optimized(module, options))
}

/// The report of a pass whose module needs no analysis. Null, or why it could not be written.
///
/// # Safety
/// The two texts point to that many readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_clang_on_launches(
    facts: *const c_char,
    facts_length: usize,
    options: *const c_char,
    options_length: usize,
) -> *mut c_char {
    // SAFETY: promised by the caller, for the duration of the call.
    let (facts, options) = unsafe { (bytes(facts, facts_length), bytes(options, options_length)) };
    guarded(|| pass::launches(facts, options))
}

/// Whether SPIR-V's code generator (0), PTX's (1) or that for AMD's processors (2) brings the function of that symbol itself.
///
/// # Safety
/// The text points to that many readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_clang_is_provided(symbol: *const c_char, length: usize, generator: u32) -> bool {
    // SAFETY: promised by the caller, for the duration of the call.
    let symbol = unsafe { bytes(symbol, length) };
    let provides = match generator {
        1 => Ptx::provides,
        2 => AmdGpu::provides,
        _ => aspen_llvm::spirv_provides,
    };
    std::str::from_utf8(symbol).is_ok_and(provides)
}

/// Frees what the other functions return.
///
/// # Safety
/// `message` is null or comes from one of them, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_clang_free_message(message: *mut c_char) {
    if !message.is_null() {
        // SAFETY: `guarded` made it with CString::into_raw; the caller hands it back once.
        drop(unsafe { CString::from_raw(message) });
    }
}

/// # Safety
/// `data` is null or points to `length` bytes that live and stay unchanged for `'a`.
unsafe fn bytes<'a>(data: *const c_char, length: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: passed on from the caller.
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }
}

/// Runs `work`; its error or panic becomes a message for clang.
fn guarded(work: impl FnOnce() -> Result<(), pass::Error>) -> *mut c_char {
    let message = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return ptr::null_mut(),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            let reason = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let reason = reason.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            format!("the analysis of optional kernel features failed: {reason}; this is a bug in Aspen, please report it with this source")
        }
    };
    CString::new(message.replace('\0', " ")).unwrap_or_default().into_raw()
}
