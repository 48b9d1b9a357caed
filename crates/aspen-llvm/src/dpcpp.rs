//! What DPC++'s post-link does to a module besides cutting it, and reads of an image besides its functions. Source: docs/POST_LINK.md.

use std::ffi::CStr;

use crate::ffi;
use crate::ir::{ModuleRef, Value};
use crate::module::Module;

/// Pairs of a kernel's name and its symbol.
const REGISTERED_KERNELS: &CStr = c"sycl_registered_kernels";

/// What the names of variables begin with in which sanitizers list the kernels that they have instrumented, and the sanitizers' names.
const SANITIZERS: [(&str, &str); 3] =
    [("__AsanKernelMetadata", "asan"), ("__MsanKernelMetadata", "msan"), ("__TsanKernelMetadata", "tsan")];

/// What the names of functions begin with by which `invoke_simd` calls explicit SIMD code.
const INVOKE_SIMD: &str = "_Z33__regcall3____builtin_invoke_simd";

impl Module<'_> {
    /// Forgets what stands in lists so that optimisations of whole modules leave it: `llvm.used`, and of `llvm.compiler.used` the device
    /// globals. Of these goes what nothing uses.
    pub fn forget_used(&mut self) {
        self.forget_index();
        // SAFETY: a valid module.
        unsafe { ffi::aspen_llvm_forget_used(self.raw()) }
    }

    /// Makes device globals of what sanitizers have left for the runtime; a link drops what made them such.
    pub fn describe_sanitizer_data(&mut self) {
        self.forget_index();
        // SAFETY: a valid module.
        unsafe { ffi::aspen_llvm_describe_sanitizer_data(self.raw()) };
    }

    /// Adds to an image the empty kernels by which a runtime finds the image's sanitizer data.
    pub fn add_sanitizer_kernels(&mut self) {
        self.forget_index();
        // SAFETY: a valid module.
        unsafe { ffi::aspen_llvm_add_sanitizer_kernels(self.raw()) }
    }
}

/// The sanitizer that has instrumented the module, as runtimes call it.
pub fn sanitizer(module: ModuleRef<'_>) -> Option<&'static str> {
    let names: Vec<String> = module.globals().filter(|global| !global.is_declaration()).map(Value::name).collect();
    let has = |list: &str| names.iter().any(|name| name.starts_with(list));
    SANITIZERS.iter().find(|(list, _)| has(list)).map(|(_, sanitizer)| *sanitizer)
}

/// Whether a sanitizer's list has this name. Every image has it, whatever the kernels in it use.
pub(crate) fn is_sanitizer_list(name: &str) -> bool {
    SANITIZERS.iter().any(|(list, _)| name.starts_with(list))
}

/// Names under which a program may ask for kernels of this module, with their symbols, in the order of the module. What is no pair is
/// passed over, as are kernels that are not here.
pub fn registered_kernels(module: ModuleRef<'_>) -> Vec<(String, String)> {
    let symbols: Vec<String> = module.functions().map(Value::name).collect();
    let lists = module.named_metadata(REGISTERED_KERNELS);
    let pairs = lists.iter().flat_map(|list| list.operands()).filter_map(|pair| match &pair.operands()[..] {
        [name, symbol] => Some((name.as_text()?, symbol.as_text()?)),
        _ => None,
    });
    pairs.filter(|(_, symbol)| symbols.contains(symbol)).collect()
}

/// The first function that calls explicit SIMD code by `invoke_simd`. Source: sycl_ext_oneapi_invoke_simd.
pub fn calls_explicit_simd(module: ModuleRef<'_>) -> Option<String> {
    let calls = |value: Value<'_>| value.is_call() && value.called().name().starts_with(INVOKE_SIMD);
    module.functions().any(|function| function.name().starts_with(INVOKE_SIMD)).then_some(())?;
    module.functions().find(|function| function.instructions().any(calls)).map(Value::name)
}
