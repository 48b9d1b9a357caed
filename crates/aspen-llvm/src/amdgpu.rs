//! What a module for AMD's processors needs before LLVM's back end can make an object of it.
//!
//! The back end has instructions for few mathematical functions, and those for sines and logarithms are approximations. ROCm's ocml has
//! all of them as bitcode, so calls are renamed to its functions and those are linked in, as libdevice's are for PTX. What ocml asks of the
//! processor and of the user's options, by variables of the prefix `__oclc_`, is answered here.
//! Source: ROCm "OCML Documentation" and "Controls"; docs/decisions/0056.

use std::ffi::CString;
use std::fs;
use std::path::PathBuf;

use llvm_sys::core::*;

use crate::calls::KERNEL_CONVENTIONS;
use crate::libraries::{needs, remainders, resolve, scalarise};
use crate::module::{Context, Module};
use crate::ptx::FUNCTIONS;

/// Code for one of AMD's processors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AmdGpu {
    /// `gfx90a`.
    pub processor: CString,
    /// ROCm's `ocml.bc`, if it was found.
    pub library: Option<PathBuf>,
    /// The work-group that every kernel of the module requires, fastest dimension first.
    pub work_group: Option<[u32; 3]>,
    /// The sub-group size that every kernel of the module requires.
    pub sub_group: Option<u32>,
    /// What stays visible: kernels and exported functions.
    pub entries: Vec<String>,
}

/// Intrinsics that the back end cannot select or only approximates, and what ocml calls the same.
const INTRINSICS: [(&str, &str); 20] = [
    ("acos", "__ocml_acos"),
    ("asin", "__ocml_asin"),
    ("atan", "__ocml_atan"),
    ("atan2", "__ocml_atan2"),
    ("cos", "__ocml_cos"),
    ("cosh", "__ocml_cosh"),
    ("exp", "__ocml_exp"),
    ("exp10", "__ocml_exp10"),
    ("exp2", "__ocml_exp2"),
    ("log", "__ocml_log"),
    ("log10", "__ocml_log10"),
    ("log2", "__ocml_log2"),
    ("modf", "__aspen_modf"),
    ("pow", "__ocml_pow"),
    ("powi", "__ocml_pown"),
    ("sin", "__ocml_sin"),
    ("sincos", "__aspen_sincos"),
    ("sinh", "__ocml_sinh"),
    ("tan", "__ocml_tan"),
    ("tanh", "__ocml_tanh"),
];

/// C's functions that ocml lacks.
const LACKS: [&str; 1] = ["jn"];

/// C's functions with a result by address: ocml's take addresses of private memory, which ours need not be.
const BY_ADDRESS: [&str; 4] = ["frexp", "modf", "remquo", "sincos"];

/// Intrinsics with two results, which no library function has, and functions with results by address.
const SUPPORT: &str = r"
define { TYPE, TYPE } @__aspen_modf_SHORT(TYPE %x) alwaysinline {
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
define { TYPE, TYPE } @__aspen_sincos_SHORT(TYPE %x) alwaysinline {
  %sine = call TYPE @__ocml_sin_SHORT(TYPE %x)
  %cosine = call TYPE @__ocml_cos_SHORT(TYPE %x)
  %first = insertvalue { TYPE, TYPE } poison, TYPE %sine, 0
  %both = insertvalue { TYPE, TYPE } %first, TYPE %cosine, 1
  ret { TYPE, TYPE } %both
}
define TYPE @__aspen_c_modf_SHORT(TYPE %x, ptr %to) alwaysinline {
  %both = call { TYPE, TYPE } @__aspen_modf_SHORT(TYPE %x)
  %part = extractvalue { TYPE, TYPE } %both, 0
  %whole = extractvalue { TYPE, TYPE } %both, 1
  store TYPE %whole, ptr %to
  ret TYPE %part
}
define void @__aspen_c_sincos_SHORT(TYPE %x, ptr %s, ptr %c) alwaysinline {
  %sine = call TYPE @__ocml_sin_SHORT(TYPE %x)
  %cosine = call TYPE @__ocml_cos_SHORT(TYPE %x)
  store TYPE %sine, ptr %s
  store TYPE %cosine, ptr %c
  ret void
}
define TYPE @__aspen_c_frexp_SHORT(TYPE %x, ptr %to) alwaysinline {
  %both = call { TYPE, i32 } @llvm.frexp.SHORT.i32(TYPE %x)
  %part = extractvalue { TYPE, i32 } %both, 0
  %exponent = extractvalue { TYPE, i32 } %both, 1
  store i32 %exponent, ptr %to
  ret TYPE %part
}
define TYPE @__aspen_c_remquo_SHORT(TYPE %x, TYPE %y, ptr %to) alwaysinline {
  %own = alloca i32, addrspace(5)
  %rest = call TYPE @__ocml_remquo_SHORT(TYPE %x, TYPE %y, ptr addrspace(5) %own)
  %quotient = load i32, ptr addrspace(5) %own
  store i32 %quotient, ptr %to
  ret TYPE %rest
}
declare TYPE @llvm.trunc.SHORT(TYPE)
declare TYPE @llvm.fabs.SHORT(TYPE)
declare TYPE @llvm.copysign.SHORT(TYPE, TYPE)
declare { TYPE, i32 } @llvm.frexp.SHORT.i32(TYPE)
declare TYPE @__ocml_sin_SHORT(TYPE)
declare TYPE @__ocml_cos_SHORT(TYPE)
declare TYPE @__ocml_remquo_SHORT(TYPE, TYPE, ptr addrspace(5))
";

/// What is true of all our code: infinities and denormal numbers count, and square roots and quotients are rounded as IEEE 754 says.
const ANSWERS: &str = r"
@__oclc_finite_only_opt = addrspace(4) constant i8 0
@__oclc_unsafe_math_opt = addrspace(4) constant i8 0
@__oclc_daz_opt = addrspace(4) constant i8 0
@__oclc_correctly_rounded_sqrt32 = addrspace(4) constant i8 1
@__oclc_wavefrontsize64 = addrspace(4) constant i8 WIDE
@__oclc_wavefrontsize_log2 = addrspace(4) constant i8 LOG2
@__oclc_ISA_version = addrspace(4) constant i32 VERSION
@__oclc_ABI_version = addrspace(4) constant i32 500
";

impl AmdGpu {
    /// Whether code may call a function that no device code defines: ocml has it, or this code generator makes it.
    pub fn provides(symbol: &str) -> bool {
        symbol.starts_with("__ocml_") || library_name(symbol).is_some()
    }

    /// Resolves the mathematical functions and states what all kernels require.
    pub(crate) fn prepare<'c>(&self, context: &'c Context, module: &mut Module<'c>) -> Result<(), String> {
        let lanes = self.lanes();
        if let Some(size) = self.sub_group.filter(|&size| size != lanes) {
            let name = self.processor.to_string_lossy();
            return Err(format!("its kernels require sub-groups of {size} work-items, and those of {name} have {lanes}"));
        }
        scalarise(module, library_name)?;
        remainders(module, [c"__ocml_fmod_f32", c"__ocml_fmod_f64"]);
        resolve(module, library_name);
        let parse = |name: &str, text: &str| context.parse(name, text.as_bytes()).map_err(|error| error.to_string());
        if needs(module, "__aspen_").is_some() {
            for (ty, short) in [("float", "f32"), ("double", "f64")] {
                self.link(module, parse("support", &SUPPORT.replace("TYPE", ty).replace("SHORT", short))?)?;
            }
        }
        if let Some(function) = needs(module, "__ocml_") {
            let Some(file) = &self.library else {
                return Err(format!(
                    "it calls '{function}' of ROCm's ocml, which was not found: install Debian's package rocm-device-libs or ROCm's, or set \
                     HIP_DEVICE_LIB_PATH to the folder that holds ocml.bc, or ROCM_PATH to ROCm"
                ));
            };
            let bytes = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let library = context.parse(&file.display().to_string(), &bytes).map_err(|error| error.to_string())?;
            self.link(module, library)?;
            self.link(module, parse("answers", &self.answers())?)?;
            if let Some(function) = needs(module, "__ocml_") {
                return Err(format!("it calls '{function}', which {} does not have", file.display()));
            }
        }
        without_first_values(module);
        self.describe_kernels(module);
        module.verify().map_err(|error| error.to_string())
    }

    fn link<'c>(&self, module: &mut Module<'c>, library: Module<'c>) -> Result<(), String> {
        module.link_library(library, &self.processor, c"").map_err(|error| error.to_string())
    }

    fn answers(&self) -> String {
        let version = isa_version(&self.processor.to_string_lossy());
        let wide = self.lanes() == 64;
        ANSWERS
            .replace("WIDE", if wide { "1" } else { "0" })
            .replace("LOG2", if wide { "6" } else { "5" })
            .replace("VERSION", &version.to_string())
    }

    /// Of a wavefront, which is a sub-group (`sycl/detail/amdgcn.hpp`). gfx10 and later can have 64, and have 32 where nothing is said.
    fn lanes(&self) -> u32 {
        if isa_version(&self.processor.to_string_lossy()) < 10_000 { 64 } else { 32 }
    }

    /// Sizes of work-groups, and that all of a launch are of one size. An entry of three parameters runs one work-item for a whole group
    /// (`sycl/detail/kernel_entry.hpp`): the required size is not its.
    fn describe_kernels(&self, module: &Module<'_>) {
        let required = self.work_group.and_then(|size| size.into_iter().try_fold(1u32, u32::checked_mul));
        let required = required.filter(|items| (1..=MOST_ITEMS).contains(items));
        for kernel in module.view().functions().filter(|function| KERNEL_CONVENTIONS.contains(&function.calling_convention())) {
            let items = match kernel.parameter_count() {
                3 => Some(1),
                _ => required.filter(|_| !kernel.name().starts_with(crate::EXCHANGES_DEVICE_GLOBALS)),
            };
            let range = items.map_or(format!("1,{MOST_ITEMS}"), |items| format!("{items},{items}"));
            for (key, value) in [(c"amdgpu-flat-work-group-size", range.as_str()), (c"uniform-work-group-size", "true")] {
                let Ok(value) = CString::new(value) else { continue };
                // SAFETY: a function of a valid module, and terminated strings.
                unsafe { LLVMAddTargetDependentFunctionAttr(kernel.raw(), key.as_ptr(), value.as_ptr()) };
            }
        }
    }
}

/// Local memory begins with any values, and the back end refuses variables there that would begin with others.
fn without_first_values(module: &Module<'_>) {
    for variable in module.view().globals() {
        // SAFETY: a variable of a valid module; the value is of its type.
        unsafe {
            let local = LLVMGetPointerAddressSpace(LLVMTypeOf(variable.raw())) == LOCAL_SPACE;
            if local && !LLVMGetInitializer(variable.raw()).is_null() {
                LLVMSetInitializer(variable.raw(), LLVMGetPoison(LLVMGlobalGetValueType(variable.raw())));
            }
        }
    }
}

/// Where local memory lies. Source: LLVM "User Guide for AMDGPU Backend", "Address Spaces".
const LOCAL_SPACE: u32 = 3;

/// The largest work-group of all processors.
const MOST_ITEMS: u32 = 1024;

/// A processor as ocml counts it: major version times a thousand, minor version times a hundred, stepping. The last two figures are
/// hexadecimal. Source: LLVM "User Guide for AMDGPU Backend", "Processors"; ROCm's `oclc_isa_version_*`.
fn isa_version(processor: &str) -> u32 {
    let digits = processor.trim_start_matches("gfx");
    let Some(at) = digits.len().checked_sub(2) else { return 0 };
    let (major, rest) = digits.split_at(at);
    let mut figures = rest.chars().map(|figure| figure.to_digit(16).unwrap_or_default());
    let (minor, stepping) = (figures.next().unwrap_or_default(), figures.next().unwrap_or_default());
    major.parse::<u32>().unwrap_or_default() * 1000 + minor * 100 + stepping
}

/// ocml's name of a function of the C library or an intrinsic.
fn library_name(symbol: &str) -> Option<String> {
    let Some(intrinsic) = symbol.strip_prefix("llvm.") else {
        let known = |name: &&str| FUNCTIONS.contains(name) && !LACKS.contains(name);
        let (base, mark) = match symbol.strip_suffix('f').filter(known) {
            Some(base) => (base, "f32"),
            None => (Some(symbol).filter(known)?, "f64"),
        };
        let from = if BY_ADDRESS.contains(&base) { "__aspen_c_" } else { "__ocml_" };
        return Some(format!("{from}{base}_{mark}"));
    };
    let (name, types) = intrinsic.split_once('.')?;
    let (_, library) = INTRINSICS.iter().find(|(known, _)| *known == name)?;
    match types {
        "f32" | "f32.i32" => Some(format!("{library}_f32")),
        "f64" | "f64.i32" => Some(format!("{library}_f64")),
        "f16" | "f16.i32" if library.starts_with("__ocml_") => Some(format!("{library}_f16")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ocml() {
        for (symbol, expected) in [
            ("sin", Some("__ocml_sin_f64")),
            ("sinf", Some("__ocml_sin_f32")),
            ("erff", Some("__ocml_erf_f32")),
            ("erf", Some("__ocml_erf_f64")),
            ("frexpf", Some("__aspen_c_frexp_f32")),
            ("remquo", Some("__aspen_c_remquo_f64")),
            ("llvm.sin.f32", Some("__ocml_sin_f32")),
            ("llvm.exp.f16", Some("__ocml_exp_f16")),
            ("llvm.powi.f64.i32", Some("__ocml_pown_f64")),
            ("llvm.modf.f32", Some("__aspen_modf_f32")),
            ("llvm.modf.f16", None),
            ("llvm.sqrt.f32", None),
            ("llvm.sin.v2f32", None),
            ("jn", None),
            ("printf", None),
            ("f", None),
        ] {
            assert_eq!(library_name(symbol).as_deref(), expected, "{symbol}");
        }
    }

    #[test]
    fn processors_as_ocml_counts_them() {
        for (processor, version) in
            [("gfx90a", 9010), ("gfx906", 9006), ("gfx942", 9402), ("gfx1030", 10300), ("gfx1201", 12001), ("gfx", 0)]
        {
            assert_eq!(isa_version(processor), version, "{processor}");
        }
    }
}
