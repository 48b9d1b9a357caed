//! S0's IR pass as a plugin for LLVM's own opt:
//! `opt-22 -load-pass-plugin=libaspen_pass.so -passes=sycl-propagate-aspects-usage`.
//!
//! The same work as `aspen propagate`; findings are printed as text. `plugin/Pass.cpp` registers the pass. Nothing here may unwind into
//! LLVM, so panics become messages.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic;

use aspen_analysis::Level;
use aspen_contract::AspectSet;
use aspen_llvm::{AspectNames, Dialect, FixedTargets, ModuleRef, propagate};
use llvm_sys::prelude::LLVMModuleRef;

unsafe extern "C" {
    /// plugin/Pass.cpp: registers the pass with a pass builder.
    fn aspen_pass_register(builder: *mut c_void);
}

/// LLVM's `PassPluginLibraryInfo`, version 2 of the interface (plugin/Pass.cpp asserts its size).
#[repr(C)]
pub struct PassPluginLibraryInfo {
    version: u32,
    name: *const c_char,
    plugin_version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    before_code_generation: Option<unsafe extern "C" fn()>,
}

const NAME: &CStr = c"aspen";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version holds no zero"),
};

/// What LLVM asks a plugin for. It is defined here because a Rust library exports only Rust's own symbols.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "LLVM's name")]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        version: 2,
        name: NAME.as_ptr(),
        plugin_version: VERSION.as_ptr(),
        register: Some(aspen_pass_register),
        before_code_generation: None,
    }
}

/// Runs the pass. `text` becomes what to print, or, if the result is false, why nothing was done; `aspen_pass_free` frees it.
///
/// # Safety
/// `module` is a valid module that nothing else changes during the call, `excluded` points to `length` bytes, `fixed` is null
/// or points to `fixed_length`, `text` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_pass_run(
    module: LLVMModuleRef,
    dpcpp: bool,
    excluded: *const c_char,
    length: usize,
    fixed: *const c_char,
    fixed_length: usize,
    text: *mut *mut c_char,
) -> bool {
    // SAFETY: promised by the caller, for the duration of the call.
    let (module, excluded) = unsafe { (ModuleRef::from_raw(module), std::slice::from_raw_parts(excluded.cast::<u8>(), length)) };
    let excluded = String::from_utf8_lossy(excluded);
    // SAFETY: promised by the caller.
    let fixed = (!fixed.is_null()).then(|| unsafe { std::slice::from_raw_parts(fixed.cast::<u8>(), fixed_length) });
    let fixed = fixed.map(String::from_utf8_lossy);
    let dialect = if dpcpp { Dialect::Dpcpp } else { Dialect::Seed };
    let run = panic::AssertUnwindSafe(|| run(module, dialect, &excluded, fixed.as_deref()));
    let result = panic::catch_unwind(run)
        .unwrap_or_else(|_| Err("the analysis of optional kernel features failed; this is a bug in Aspen, please report it".into()));
    let good = result.is_ok();
    let words = result.unwrap_or_else(|error| error).replace('\0', " ");
    // SAFETY: promised by the caller.
    unsafe { *text = CString::new(words).unwrap_or_default().into_raw() };
    good
}

/// Frees a text of [`aspen_pass_run`].
///
/// # Safety
/// `text` comes from there and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_pass_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made with CString::into_raw; the caller hands it back once.
        drop(unsafe { CString::from_raw(text) });
    }
}

fn run(module: ModuleRef<'_>, dialect: Dialect, excluded: &str, fixed: Option<&str>) -> Result<String, String> {
    let own = AspectNames::of(module);
    let aspects = |list: &str, what_for: &str| -> Result<AspectSet, String> {
        let names = list.split(',').filter(|name| !name.is_empty());
        names.map(|name| own.find(name).ok_or_else(|| format!("there is no aspect '{name}' {what_for}"))).collect()
    };
    let excluded = aspects(excluded, "to exclude")?;
    let fixed = fixed.map(|list| aspects(list, "to fix targets by")).transpose()?.map(FixedTargets);
    if fixed.is_some() && dialect == Dialect::Seed {
        return Err("fixed targets are metadata of DPC++'s dialect; add -sycl-propagate-aspects-usage-dialect=dpcpp".into());
    }
    let findings = propagate(module, dialect, &excluded, fixed.as_ref()).map_err(|error| error.to_string())?;
    Ok(findings.iter().map(|finding| finding.text(Level::Warning)).collect())
}
