//! Declarations of `shim/*.cpp` and of LLVM functions that llvm-sys lacks.

use std::ffi::{c_char, c_int, c_void};

use llvm_sys::prelude::*;

unsafe extern "C" {
    /// The name of a mangled symbol without its parameters, or only its last component; null if it is not mangled.
    pub fn aspen_llvm_demangle(symbol: *const c_char, base: bool) -> *mut c_char;
    /// Removes a named metadata node, if it is there.
    pub fn aspen_llvm_erase_named_metadata(module: LLVMModuleRef, name: *const c_char, length: usize);
    /// The value of a string attribute of a global variable, which the C API cannot ask for; null if there is none.
    pub fn aspen_llvm_global_attribute(global: LLVMValueRef, name: *const c_char, length: usize) -> *mut c_char;
    /// `Value::stripPointerCasts`.
    pub fn aspen_llvm_strip_pointer_casts(value: LLVMValueRef) -> LLVMValueRef;
    /// Removes a global variable that only its module sees and that nothing uses but constants that nothing uses.
    pub fn aspen_llvm_erase_if_dead(global: LLVMValueRef);
    /// A context that collects errors.
    pub fn aspen_llvm_context() -> LLVMContextRef;
    /// Instructions of the module's longest function.
    pub fn aspen_llvm_longest_function(module: LLVMModuleRef) -> usize;
    /// Sets LLVM's command-line options; the first argument is the program's name. Null or a message.
    pub fn aspen_llvm_set_options(count: c_int, arguments: *const *const c_char) -> *mut c_char;
    /// The errors that were collected, and forgets them; null if there were none.
    pub fn aspen_llvm_take_errors(context: LLVMContextRef) -> *mut c_char;
    /// Whose metadata the module holds: 2 for DPC++'s, 1 for the design documents', 0 for neither's.
    pub fn aspen_llvm_dialect(module: LLVMModuleRef) -> c_int;
    /// Reads and verifies a module; null and a message on failure. `placed`: the message begins with file, line and column. `lost`: the context must not be used or freed any more.
    pub fn aspen_llvm_parse(
        context: LLVMContextRef,
        data: *const c_char,
        size: usize,
        name: *const c_char,
        name_size: usize,
        message: *mut *mut c_char,
        placed: *mut bool,
        lost: *mut bool,
    ) -> LLVMModuleRef;
    /// Links `source`, which it consumes, into `destination`; null or a message. `lost` as for `aspen_llvm_parse`.
    pub fn aspen_llvm_link(destination: LLVMModuleRef, source: LLVMModuleRef, lost: *mut bool) -> *mut c_char;
    /// What all closures of a module have in common, with functions that no closure enters; valid until globals come or go. `seen`: a
    /// [`crate::Visible`].
    pub fn aspen_llvm_index(source: LLVMModuleRef, outside: *mut LLVMValueRef, count: usize, seen: c_int) -> *mut c_void;
    /// Removes `llvm.used`, and device globals from `llvm.compiler.used`.
    pub fn aspen_llvm_forget_used(module: LLVMModuleRef);
    /// Makes device globals of what sanitizers have listed; whether there was anything.
    pub fn aspen_llvm_describe_sanitizer_data(module: LLVMModuleRef) -> bool;
    /// Adds the kernels by which a runtime finds an image's sanitizer data.
    pub fn aspen_llvm_add_sanitizer_kernels(module: LLVMModuleRef);
    /// Frees an index; null is fine. The module may be gone.
    pub fn aspen_llvm_index_free(whole: *mut c_void);
    /// A new module with what the roots reach; null and a message if LLVM crashed, and the context is lost.
    pub fn aspen_llvm_clone_closure(
        source: LLVMModuleRef,
        whole: *const c_void,
        roots: *mut LLVMValueRef,
        count: usize,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;

    /// Which of the targets, functions of the same module, the roots reach: as many bools.
    pub fn aspen_llvm_closure_reaches(
        source: LLVMModuleRef,
        whole: *const c_void,
        roots: *mut LLVMValueRef,
        count: usize,
        targets: *mut LLVMValueRef,
        target_count: usize,
        held: *mut bool,
    );

    /// How many instructions the closure of a root has.
    pub fn aspen_llvm_closure_size(source: LLVMModuleRef, whole: *const c_void, root: LLVMValueRef) -> usize;
    /// How many instructions a module has that may be cut into parts of one image, else 0; gives variables names.
    pub fn aspen_llvm_size_for_parts(whole: LLVMModuleRef) -> usize;
    /// Makes variables of a part, which is the closure of some roots, one with those of other parts.
    pub fn aspen_llvm_share_variables(part: LLVMModuleRef, whole: LLVMModuleRef);

    /// Links what `destination` lacks from `library`, which it consumes; null or a message. `lost` as for `aspen_llvm_parse`.
    pub fn aspen_llvm_link_library(
        destination: LLVMModuleRef,
        library: LLVMModuleRef,
        processor: *const c_char,
        features: *const c_char,
        lost: *mut bool,
    ) -> *mut c_char;

    /// Adds a kernel of that name that exchanges addresses of device globals; `in_image`: the attribute of those that lie in the image.
    pub fn aspen_llvm_exchange_device_globals(
        module: LLVMModuleRef,
        name: *const c_char,
        in_image: *const c_char,
        message: *mut *mut c_char,
    ) -> bool;

    /// Adds a suffix to the names of device globals that have the attribute `internal`.
    pub fn aspen_llvm_tag_device_globals(module: LLVMModuleRef, internal: *const c_char, suffix: *const c_char);

    /// Takes vectors apart in a function's arithmetic and intrinsics; null or a message.
    pub fn aspen_llvm_scalarise(function: LLVMValueRef) -> *mut c_char;

    /// Lets vectors of more than 128 bits cross calls in memory, in a module for x86-64; null or a message.
    pub fn aspen_llvm_wide_vectors(module: LLVMModuleRef) -> *mut c_char;

    /// Of a module for PTX whose kernels are optimised: says which loads nothing writes to, and makes numbers of conditions by choice; null or a message.
    pub fn aspen_llvm_finish_ptx(module: LLVMModuleRef) -> *mut c_char;
    /// Writes out moves between address spaces, for which the machine's back end has nothing.
    pub fn aspen_llvm_expand_moves(module: LLVMModuleRef, machine: llvm_sys::target_machine::LLVMTargetMachineRef) -> *mut c_char;

    /// Prepares kernels of `parallel_for_work_group` in a module for PTX, in a thread a work-item if that is wanted; null or a message.
    pub fn aspen_llvm_hierarchical_kernels(module: LLVMModuleRef, in_threads: bool) -> *mut c_char;

    /// Exports how much stack functions need that need more than `least` bytes, and which functions are prompt; null or a message.
    pub fn aspen_llvm_export_facts(
        module: LLVMModuleRef,
        stack: *const c_char,
        prompt: *const c_char,
        group: *const c_char,
        least: u64,
    ) -> *mut c_char;

    /// Rewrites a module into forms that the SPIR-V back end gets right; null, or what has none.
    pub fn aspen_llvm_legalise_for_spirv(module: LLVMModuleRef) -> *mut c_char;

    pub fn LLVMInitializeSPIRVTargetInfo();
    pub fn LLVMInitializeSPIRVTarget();
    pub fn LLVMInitializeSPIRVTargetMC();
    pub fn LLVMInitializeSPIRVAsmPrinter();
    pub fn LLVMInitializeX86TargetInfo();
    pub fn LLVMInitializeX86Target();
    pub fn LLVMInitializeX86TargetMC();
    pub fn LLVMInitializeX86AsmPrinter();
    pub fn LLVMInitializeX86AsmParser();
    pub fn LLVMInitializeAMDGPUAsmParser();
    pub fn LLVMInitializeNVPTXTargetInfo();
    pub fn LLVMInitializeNVPTXTarget();
    pub fn LLVMInitializeNVPTXTargetMC();
    pub fn LLVMInitializeNVPTXAsmPrinter();
    pub fn LLVMInitializeAMDGPUTargetInfo();
    pub fn LLVMInitializeAMDGPUTarget();
    pub fn LLVMInitializeAMDGPUTargetMC();
    pub fn LLVMInitializeAMDGPUAsmPrinter();
}
