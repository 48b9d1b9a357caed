//! What a module for NVIDIA's processors needs before LLVM's back end can make PTX of it.
//!
//! The back end has no mathematical library: it crashes on `llvm.sin` and leaves `erff` unresolved. CUDA's libdevice has all of them as
//! bitcode, so calls are renamed to its functions and those are linked in, here at code generation: compiling needs no CUDA, and it does
//! not matter which header declared a function. Source: DEVICE_CODE §5 (N); NVIDIA "libdevice User's Guide".

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::path::PathBuf;

use aspen_contract::in_ptx;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode};

use crate::calls::KERNEL_CONVENTIONS;
use crate::ffi;
use crate::ir::{Value, attribute_kind, take_message};
use crate::libraries::{needs, remainders, resolve, scalarise};
use crate::module::{Context, Module};

/// PTX for one processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ptx {
    /// `sm_90`.
    pub processor: CString,
    /// `+ptx80`: the version of PTX.
    pub features: CString,
    /// CUDA's `libdevice.10.bc`, if it was found.
    pub library: Option<PathBuf>,
    /// The work-group that every kernel of the module requires, fastest dimension first.
    pub work_group: Option<[u32; 3]>,
}

/// Intrinsics and C functions of one or more numbers that libdevice has as `__nv_<name>` for `double` and `__nv_<name>f` for `float`.
pub(crate) const FUNCTIONS: [&str; 57] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "modf",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalbn",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "jn",
];

/// Intrinsics that the back end cannot select, and libdevice's name without the mark of the type.
const INTRINSICS: [(&str, &str); 24] = [
    ("acos", "__nv_acos"),
    ("asin", "__nv_asin"),
    ("atan", "__nv_atan"),
    ("atan2", "__nv_atan2"),
    ("cos", "__nv_cos"),
    ("cosh", "__nv_cosh"),
    ("exp", "__nv_exp"),
    ("exp10", "__nv_exp10"),
    // The back end has approximations of these two for float; the header promises more.
    ("exp2", "__nv_exp2"),
    ("log2", "__nv_log2"),
    ("log", "__nv_log"),
    ("log10", "__nv_log10"),
    ("llrint", "__nv_llrint"),
    ("llround", "__nv_llround"),
    ("lrint", "__nv_llrint"),
    ("lround", "__nv_llround"),
    ("modf", "__aspen_modf"),
    ("pow", "__nv_pow"),
    ("powi", "__nv_powi"),
    ("sin", "__nv_sin"),
    ("sincos", "__aspen_sincos"),
    ("sinh", "__nv_sinh"),
    ("tan", "__nv_tan"),
    ("tanh", "__nv_tanh"),
];

/// Intrinsics with two results, which no library function has.
const SUPPORT: &str = r"
define internal { TYPE, TYPE } @__aspen_modfMARK(TYPE %x) alwaysinline {
  %whole = call TYPE @llvm.trunc.SHORT(TYPE %x)
  %rest = fsub TYPE %x, %whole
  %magnitude = call TYPE @llvm.fabs.SHORT(TYPE %x)
  %infinite = fcmp oeq TYPE %magnitude, 0x7FF0000000000000
  %part = select i1 %infinite, TYPE 0.0, TYPE %rest
  %signed = call TYPE @llvm.copysign.SHORT(TYPE %part, TYPE %x)
  %first = insertvalue { TYPE, TYPE } poison, TYPE %signed, 0
  %both = insertvalue { TYPE, TYPE } %first, TYPE %whole, 1
  ret { TYPE, TYPE } %both
}
define internal { TYPE, TYPE } @__aspen_sincosMARK(TYPE %x) alwaysinline {
  %sine = call TYPE @__nv_sinMARK(TYPE %x)
  %cosine = call TYPE @__nv_cosMARK(TYPE %x)
  %first = insertvalue { TYPE, TYPE } poison, TYPE %sine, 0
  %both = insertvalue { TYPE, TYPE } %first, TYPE %cosine, 1
  ret { TYPE, TYPE } %both
}
declare TYPE @llvm.trunc.SHORT(TYPE)
declare TYPE @llvm.fabs.SHORT(TYPE)
declare TYPE @llvm.copysign.SHORT(TYPE, TYPE)
declare TYPE @__nv_sinMARK(TYPE)
declare TYPE @__nv_cosMARK(TYPE)
";

/// What the header's code at work-group scope asks, which is answered here (`shim/hierarchy.cpp`).
const GROUP_SCOPE: [&str; 3] = ["__aspen_group_thread", "__aspen_group_threads", "__aspen_of_thread"];

/// The largest block of all processors, and its largest third dimension. Source: CUDA C++ Programming Guide, "Compute Capabilities".
const MOST_THREADS: u64 = 1024;
const MOST_LAYERS: u32 = 64;

impl Ptx {
    /// Functions that the driver's device runtime defines. Source: NVIDIA "CUDA C++ Programming Guide", "System Calls".
    pub const SYSTEM_CALLS: [&str; 4] = ["__assertfail", "free", "malloc", "vprintf"];

    /// Whether code for PTX may call a function that no device code defines: libdevice has it, the driver, or this code generator makes it.
    pub fn provides(symbol: &str) -> bool {
        symbol == "printf"
            || GROUP_SCOPE.contains(&symbol)
            || symbol.starts_with("__nv")
            || Self::SYSTEM_CALLS.contains(&symbol)
            || library_name(symbol).is_some()
    }

    /// Resolves the mathematical functions and states what all kernels require.
    pub(crate) fn prepare<'c>(&self, context: &'c Context, module: &mut Module<'c>, opt_level: u8) -> Result<(), String> {
        scalarise(module, library_name)?;
        remainders(module, [c"__nv_fmodf", c"__nv_fmod"]);
        resolve(module, library_name);
        // SAFETY: a valid module; the message is ours.
        if let Some(reason) = unsafe { take_message(ffi::aspen_llvm_hierarchical_kernels(module.raw(), opt_level > 0)) } {
            return Err(reason);
        }
        if opt_level > 0 {
            inline_bodies(module);
        }
        if needs(module, "__aspen_").is_some() {
            for (ty, mark, short) in [("float", "f", "f32"), ("double", "", "f64")] {
                let text = SUPPORT.replace("TYPE", ty).replace("MARK", mark).replace("SHORT", short);
                self.link(module, context.parse("support", text.replace("internal ", "").as_bytes()).map_err(|error| error.to_string())?)?;
            }
        }
        if let Some(function) = needs(module, "__nv_") {
            let Some(file) = &self.library else {
                return Err(format!(
                    "it calls '{function}' of CUDA's libdevice, which was not found: CUDA_PATH is to name a CUDA toolkit, or the folder of \
                     NVIDIA's Python packages nvidia-cuda-nvcc and nvidia-nvvm that holds bin and nvvm"
                ));
            };
            let bytes = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let library = context.parse(&file.display().to_string(), &bytes).map_err(|error| error.to_string())?;
            self.link(module, library)?;
        }
        self.require_work_group(module);
        name_for_ptx(module);
        Ok(())
    }

    fn link<'c>(&self, module: &mut Module<'c>, library: Module<'c>) -> Result<(), String> {
        module.link_library(library, &self.processor, &self.features).map_err(|error| error.to_string())
    }

    /// `.reqntid`. An entry of three parameters runs one thread for a whole group (`sycl/detail/kernel_entry.hpp`), so the size is not its.
    /// A size that no block can have is not stated: ptxas crashes at some, and the check refuses the launch in any case.
    fn require_work_group(&self, module: &Module<'_>) {
        let Some(size @ [x, y, z]) = self.work_group else { return };
        let items = size.into_iter().map(u64::from).try_fold(1, u64::checked_mul);
        if items.is_none_or(|items| items > MOST_THREADS) || z > MOST_LAYERS {
            return;
        }
        let (key, value) = (c"nvvm.reqntid", format!("{x},{y},{z}"));
        let Ok(value) = CString::new(value) else { return };
        for kernel in module.view().functions().filter(|function| KERNEL_CONVENTIONS.contains(&function.calling_convention())) {
            if kernel.parameter_count() < 3 && !kernel.name().starts_with(crate::EXCHANGES_DEVICE_GLOBALS) {
                // SAFETY: a function of a valid module, and terminated strings.
                unsafe { LLVMAddTargetDependentFunctionAttr(kernel.raw(), key.as_ptr(), value.as_ptr()) };
            }
        }
    }
}

/// What a kernel calls at once is its body, which CUDA's kernels have no call for: a body that is called takes what the kernel captured from
/// local memory. clang inlines it where one kernel calls it, and not always where several do; here all of them get it, up to this many
/// instructions together.
const MOST_OF_BODIES: usize = 20_000;

fn inline_bodies(module: &Module<'_>) {
    let is_kernel = |function: &Value<'_>| KERNEL_CONVENTIONS.contains(&function.calling_convention());
    let mut callers: BTreeMap<LLVMValueRef, Vec<Value<'_>>> = BTreeMap::new();
    for call in module.view().functions().filter(is_kernel).flat_map(Value::instructions) {
        if call.opcode() == LLVMOpcode::LLVMCall && call.called().is_function() && !call.called().is_declaration() {
            callers.entry(call.called().raw()).or_default().push(call);
        }
    }
    let (always, never) = (attribute_kind("alwaysinline"), attribute_kind("noinline"));
    for calls in callers.values() {
        let body = calls[0].called();
        // SAFETY: functions and calls of a valid module, and an attribute of its context.
        unsafe {
            let stays = !LLVMGetEnumAttributeAtIndex(body.raw(), LLVMAttributeFunctionIndex, never).is_null();
            if stays || body.instructions().count() * calls.len() > MOST_OF_BODIES {
                continue;
            }
            let attribute = LLVMCreateEnumAttribute(module.view().context(), always, 0);
            calls.iter().for_each(|call| LLVMAddCallSiteAttribute(call.raw(), LLVMAttributeFunctionIndex, attribute));
        }
    }
}

/// PTX has no dots in names (the tags of kernels have), and nothing beyond ASCII. The backend that looks kernels up does the same
/// (`include/aspen/cuda.h`); of internal variables LLVM renames those with dots.
fn name_for_ptx(module: &Module<'_>) {
    let rename = |value: Value<'_>, name: &str| {
        let fitting = in_ptx(name);
        if fitting != name {
            // SAFETY: a function or variable of a valid module; the name is copied.
            unsafe { LLVMSetValueName2(value.raw(), fitting.as_ptr().cast(), fitting.len()) };
        }
    };
    for function in module.view().functions().filter(|function| !function.is_intrinsic()) {
        rename(function, &function.name());
    }
    for global in module.view().globals() {
        let name = global.name();
        if !name.is_ascii() {
            rename(global, &name);
        }
    }
}

/// libdevice's name of a function of the C library or an intrinsic.
fn library_name(symbol: &str) -> Option<String> {
    let Some(intrinsic) = symbol.strip_prefix("llvm.") else {
        let base = symbol.strip_suffix('f').filter(|base| FUNCTIONS.contains(base)).or(FUNCTIONS.contains(&symbol).then_some(symbol));
        // `long` has 64 bits here.
        let long = ["lrint", "lround", "lrintf", "lroundf"].contains(&symbol).then(|| format!("__nv_l{symbol}"));
        let wide = ["llrint", "llround", "llrintf", "llroundf"].contains(&symbol);
        return long.or_else(|| (base.is_some() || wide).then(|| format!("__nv_{symbol}")));
    };
    let (name, types) = intrinsic.split_once('.')?;
    let (_, library) = INTRINSICS.iter().find(|(known, _)| *known == name)?;
    let mark = match types {
        "f32" | "f32.i32" | "i64.f32" => "f",
        "f64" | "f64.i32" | "i64.f64" => "",
        _ => return None,
    };
    Some(format!("{library}{mark}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_libdevice() {
        for (symbol, expected) in [
            ("sin", Some("__nv_sin")),
            ("sinf", Some("__nv_sinf")),
            ("erff", Some("__nv_erff")),
            ("erf", Some("__nv_erf")),
            ("lround", Some("__nv_llround")),
            ("lrintf", Some("__nv_llrintf")),
            ("llroundf", Some("__nv_llroundf")),
            ("llvm.sin.f32", Some("__nv_sinf")),
            ("llvm.pow.f64", Some("__nv_pow")),
            ("llvm.powi.f32.i32", Some("__nv_powif")),
            ("llvm.lround.i64.f64", Some("__nv_llround")),
            ("llvm.modf.f32", Some("__aspen_modff")),
            ("llvm.sqrt.f32", None),
            ("llvm.sin.v2f32", None),
            ("llvm.memcpy.p0.p0.i64", None),
            ("vprintf", None),
            ("sinful", None),
            ("f", None),
        ] {
            assert_eq!(library_name(symbol).as_deref(), expected, "{symbol}");
        }
    }
}
