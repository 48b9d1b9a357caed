//! Which functions make an image, and which an image may import. Source: FORMATS §4.5, §4.6; S0 "An exported device function".

use aspen_llvm::{DeviceFunction, Dialect};

/// Names of functions that the device's compiler provides.
const BUILT_IN_PREFIXES: [&str; 3] = ["__spirv_", "__sycl_", "__esimd_"];

/// Kernels, and exported functions (`sycl-module-id`) unless only kernels are wanted; virtual functions of a set stay wanted even then.
pub(crate) fn is_entry_point(function: &DeviceFunction, only_kernels: bool) -> bool {
    if !function.defined {
        return false;
    }
    let exported = || {
        let built_in = BUILT_IN_PREFIXES.iter().any(|prefix| plain_name(&function.symbol).starts_with(prefix));
        function.module_id.is_some() && !built_in && !function.symbol.starts_with("__builtin_")
    };
    function.kernel || function.indirectly_callable.is_some() || (!only_kernels && exported())
}

/// Entry points that other images may call; virtual functions are not called by name.
pub(crate) fn is_export(function: &DeviceFunction) -> bool {
    !function.kernel && function.indirectly_callable.is_none()
}

/// The functions of DPC++'s bfloat16 libraries, which runtimes link as they link images. Source: DPC++ 2026, `-device-lib-dir`.
pub(crate) fn is_bfloat16_conversion(symbol: &str) -> bool {
    let rest = ["__devicelib_ConvertFToBF16INTEL", "__devicelib_ConvertBF16ToFINTEL"].iter().find_map(|name| symbol.strip_prefix(name));
    rest.is_some_and(|rest| ["", "Vec1", "Vec2", "Vec3", "Vec4", "Vec8", "Vec16"].contains(&rest))
}

/// Whether an image takes a function that it calls from another image. What another image of this module defines is taken whatever its
/// name. Of others, DPC++ takes only what its front end marked as `SYCL_EXTERNAL`; the seed dialect takes all but reserved names, since
/// modules need not be marked. Virtual functions are found by their sets.
pub(crate) fn is_import(function: &DeviceFunction, read: Dialect) -> bool {
    function.indirectly_callable.is_none()
        && (function.defined
            || is_bfloat16_conversion(&function.symbol)
            || (is_importable(&function.symbol) && (read == Dialect::Seed || function.module_id.is_some())))
}

/// Whether DPC++'s images take such a function from each other; of any other name each image that calls it has a copy.
pub(crate) fn is_asked_for(symbol: &str) -> bool {
    is_importable(symbol) || is_bfloat16_conversion(symbol)
}

/// Whether an undefined function is looked for in other images. Reserved names are the device's own.
pub fn is_importable(symbol: &str) -> bool {
    !symbol.starts_with("__") && !plain_name(symbol).starts_with("__")
}

/// Whether a function reads a specialization constant of SYCL 1.2.1's proposal, which DPC++ dropped with its headers.
pub(crate) fn reads_old_spec_constant(symbol: &str) -> bool {
    let name = plain_name(symbol);
    ["__sycl_getSpecConstantValue", "__sycl_getScalarSpecConstantValue", "__sycl_getCompositeSpecConstantValue"]
        .iter()
        .any(|old| name.starts_with(old))
}

/// The first name of a mangled symbol without its length: `__spirv_dot…` of `_Z13__spirv_dot…`, `ns…` of `_ZN2ns…`.
fn plain_name(symbol: &str) -> &str {
    let Some(rest) = symbol.strip_prefix("_Z") else { return symbol };
    rest.trim_start_matches(['N', 'K']).trim_start_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(symbol: &str, kernel: bool, exported: bool) -> DeviceFunction {
        let module_id = exported.then(|| "a.cpp".to_owned());
        DeviceFunction { symbol: symbol.into(), defined: true, kernel, module_id, ..DeviceFunction::default() }
    }

    #[test]
    fn kernels_and_exported_functions_make_images() {
        for (entry, all, only_kernels) in [
            (function("k", true, false), true, true),
            (function("_Z1fv", false, true), true, false),
            (function("_Z1fv", false, false), false, false),
            (function("_Z20__spirv_AtomicFAddEXTv", false, true), false, false),
            (function("_Z17__sycl_somethingv", false, true), false, false),
            (function("__builtin_x", false, true), false, false),
            (DeviceFunction { indirectly_callable: Some("s".into()), ..function("_Z1vv", false, false) }, true, true),
            (DeviceFunction { defined: false, ..function("k", true, true) }, false, false),
        ] {
            assert_eq!((is_entry_point(&entry, false), is_entry_point(&entry, true)), (all, only_kernels), "{}", entry.symbol);
        }
    }

    #[test]
    fn reserved_names_are_no_imports() {
        assert!(is_importable("_Z3foov") && is_importable("foo") && is_importable("_ZN2ns3fooEv"));
        assert!(!is_importable("__spirv_x") && !is_importable("_Z9__spirv_xv") && !is_importable("_ZN3__x1yEv"));
        assert!(reads_old_spec_constant("_Z33__sycl_getScalarSpecConstantValueIbET_PKc") && !reads_old_spec_constant("_Z3foov"));
        assert!(!reads_old_spec_constant("_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPvS3_"));
    }
}
