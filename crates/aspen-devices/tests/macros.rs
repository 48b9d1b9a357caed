//! The set rules of S3, as data: targets in, macros out.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap as tests do

use aspen_devices::{Database, Target, macros};

const FILE: &str = "
a: {aspects: [gpu, fp16, fp64]}
b: {aspects: [gpu, fp16, atomic64]}
c: {aspects: [gpu], may_support_other_aspects: true}
none: {}
new: {aspects: [gpu, 4242]}
intel_gpu_skl: {aspects: [accelerator]}
vectors: {aspects: [ext_intel_esimd, fp16, ext_oneapi_cuda_cluster_group]}
";

const NVIDIA: &str = "all:gpu all:fp64 all:online_compiler all:online_linker all:queue_profiling all:usm_device_allocations \
                      all:usm_host_allocations all:usm_shared_allocations all:ext_oneapi_fragment \
                      all:ext_oneapi_chunk all:ext_oneapi_limited_graph";

/// What is offered on the embedded CPU alone.
const EMBEDDED: &str = "!any:ext_oneapi_graph !any:ext_oneapi_virtual_mem !any:ext_oneapi_async_memory_alloc \
                        !any:ext_oneapi_clock_sub_group !any:ext_oneapi_clock_work_group !any:ext_oneapi_clock_device";

fn names(targets: &str) -> String {
    let (database, _) = Database::builtin().overlay("F.yaml", FILE).unwrap();
    let targets: Vec<&Target> = targets.split_whitespace().map(|name| database.lookup(name).unwrap()).collect();
    let shorten = |(name, value): (String, u32)| {
        let no = if value == 0 { "!" } else { "" };
        let name = name.strip_prefix("__SYCL_").unwrap().strip_suffix("__").unwrap();
        no.to_owned() + &name.replace("ALL_DEVICES_HAVE_", "all:").replace("ANY_DEVICE_HAS_", "any:")
    };
    macros(targets).into_iter().map(shorten).collect::<Vec<_>>().join(" ")
}

#[test]
fn intersection_and_union() {
    for (targets, expected) in [
        ("a", "all:gpu all:fp16 all:fp64 any:gpu any:fp16 any:fp64"),
        ("a b", "all:gpu all:fp16 any:gpu any:fp16 any:fp64 any:atomic64"),
        ("b a", "all:gpu all:fp16 any:gpu any:fp16 any:fp64 any:atomic64"),
        ("a a", "all:gpu all:fp16 all:fp64 any:gpu any:fp16 any:fp64"),
        ("a c", "all:gpu any:ANY_ASPECT"),
        ("c", "all:gpu any:ANY_ASPECT"),
        ("a none", "any:gpu any:fp16 any:fp64"),
        ("none", ""),
        ("spir64", "any:ANY_ASPECT"),
        ("a spir64", "any:ANY_ASPECT"),
        ("spir64_gen", "any:ANY_ASPECT"),
        ("new", "all:gpu any:gpu"),
        ("intel_gpu_9_0_9", "all:accelerator any:accelerator"),
        ("", ""),
        // What Aspen does not offer nobody has, whatever a list says; the headers know what it offers nowhere.
        ("vectors", "all:fp16 any:fp16"),
        ("vectors spir64", "any:ANY_ASPECT"),
        // Debuggers stop on the embedded CPU only, which may not be the device meant here and is no open target.
        (
            "nvidia_gpu_sm_50",
            &format!("{NVIDIA} any:ANY_ASPECT !any:host_debuggable !any:ext_oneapi_tangle !any:ext_intel_matrix {EMBEDDED}"),
        ),
        ("nvidia_gpu_sm_50 c", "all:gpu any:ANY_ASPECT"),
        (
            "nvidia_gpu_sm_50 native_cpu",
            "all:fp64 all:online_compiler all:online_linker all:queue_profiling all:usm_device_allocations all:usm_host_allocations \
          all:usm_shared_allocations all:ext_oneapi_fragment all:ext_oneapi_chunk all:ext_oneapi_limited_graph any:ANY_ASPECT !any:ext_oneapi_tangle",
        ),
        (
            "intel_cpu_spr nvidia_gpu_sm_90",
            "all:fp16 all:fp64 all:online_compiler all:online_linker all:queue_profiling \
          all:usm_device_allocations all:usm_host_allocations all:usm_shared_allocations all:usm_atomic_shared_allocations all:atomic64 \
          all:ext_oneapi_fragment all:ext_oneapi_chunk any:ANY_ASPECT",
        ),
    ] {
        assert_eq!(names(targets), expected, "{targets}");
    }
}

#[test]
fn macros_of_one_targets_passes() {
    let (database, _) = Database::builtin().overlay("F.yaml", FILE).unwrap();
    for (target, expected) in [
        ("spir64", ""),
        ("spir64_gen", ""),
        ("a", "ASPEN_TARGET_ASPECTS__=2,5,6 ASPEN_TARGET_IS_OPEN__=0"),
        ("c", "ASPEN_TARGET_ASPECTS__=2 ASPEN_TARGET_IS_OPEN__=1"),
        ("vectors", "ASPEN_TARGET_ASPECTS__=5 ASPEN_TARGET_IS_OPEN__=0"),
        (
            "nvidia_gpu_sm_50",
            "SYCL_TARGET_NVIDIA_GPU_SM_50__=1 ASPEN_TARGET_ASPECTS__=2,6,10,11,12,13,14,15,50,51,57 ASPEN_TARGET_IS_OPEN__=1 ASPEN_TARGET_LACKS__=31,52,53,56,67,80,84,85,86",
        ),
        ("none", "ASPEN_TARGET_ASPECTS__= ASPEN_TARGET_IS_OPEN__=0"),
        ("new", "ASPEN_TARGET_ASPECTS__=2,4242 ASPEN_TARGET_IS_OPEN__=0"),
        ("intel_gpu_9_0_9", "SYCL_TARGET_INTEL_GPU_SKL__=1 ASPEN_TARGET_ASPECTS__=3,10001 ASPEN_TARGET_IS_OPEN__=0"),
    ] {
        let shorten = |(name, value): (String, String)| format!("{}={value}", name.strip_prefix("__").unwrap());
        let found: Vec<String> = database.lookup(target).unwrap().pass_macros().into_iter().map(shorten).collect();
        assert_eq!(found.join(" "), expected, "{target}");
    }
    let x86 = database.lookup("spir64_x86_64").unwrap().pass_macros();
    assert_eq!(x86[0].0, "__SYCL_TARGET_INTEL_X86_64__");
}
