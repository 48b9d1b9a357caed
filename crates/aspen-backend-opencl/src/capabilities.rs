//! From a driver's answers to what the device can do: one table of aspects.

use aspen_contract::{Aspect, AspectSet, BackendKind, Capabilities, Offers};
use aspen_runtime::backend::{DeviceType, Facts};

use crate::answers::Answers;
use crate::sys;

type Has = fn(&Answers) -> bool;

/// An aspect, and which answers mean that a device has it. Aspects that are not here no OpenCL device has.
const ASPECTS: [(&str, Has); 21] = [
    ("cpu", |answers| answers.device_type() == DeviceType::Cpu),
    ("gpu", |answers| answers.device_type() == DeviceType::Gpu),
    ("accelerator", |answers| answers.device_type() == DeviceType::Accelerator),
    ("custom", |answers| answers.device_type() == DeviceType::Custom),
    ("fp16", |answers| answers.has_extension("cl_khr_fp16")),
    // Drivers list cl_khr_fp64 also for emulation that they do not offer; the configuration tells. Source: OpenCL 3.0 §4.2.
    ("fp64", |answers| answers.double_fp_config != 0),
    ("atomic64", |answers| answers.has_extension("cl_khr_int64_base_atomics") && answers.has_extension("cl_khr_int64_extended_atomics")),
    // Images are software here too (docs/decisions/0032); a driver that has none says that its device is not for them.
    ("image", |answers| answers.image_support),
    ("ext_intel_legacy_image", |answers| answers.image_support),
    // Programs are SPIR-V: a compiler for OpenCL C alone is none for them.
    ("online_compiler", Answers::takes_spirv),
    ("online_linker", |answers| answers.takes_spirv() && answers.linker_available),
    // What the headers' user-constructed groups are made of.
    ("ext_oneapi_fragment", parts_of_sub_groups),
    ("ext_oneapi_chunk", parts_of_sub_groups),
    ("ext_oneapi_tangle", parts_of_sub_groups),
    // Their elements go from one work-item to the others.
    ("ext_intel_matrix", parts_of_sub_groups),
    ("queue_profiling", |answers| answers.queue_properties & sys::CL_QUEUE_PROFILING_ENABLE != 0),
    ("usm_device_allocations", |answers| access(answers.usm_device) || answers.has_svm_instead(0)),
    ("usm_host_allocations", |answers| access(answers.usm_host) || answers.has_svm_instead(sys::CL_DEVICE_SVM_FINE_GRAIN_BUFFER)),
    ("usm_shared_allocations", |answers| access(answers.usm_shared) || answers.has_svm_instead(sys::CL_DEVICE_SVM_FINE_GRAIN_BUFFER)),
    ("usm_atomic_host_allocations", |answers| atomics(answers.usm_host) || answers.has_svm_instead(SVM_ATOMICS)),
    ("usm_atomic_shared_allocations", |answers| atomics(answers.usm_shared) || answers.has_svm_instead(SVM_ATOMICS)),
];

/// SPIR-V's GroupNonUniformBallot and GroupNonUniformShuffle.
fn parts_of_sub_groups(answers: &Answers) -> bool {
    answers.has_extension("cl_khr_subgroup_ballot") && answers.has_extension("cl_khr_subgroup_shuffle")
}

const SVM_ATOMICS: u64 = sys::CL_DEVICE_SVM_FINE_GRAIN_BUFFER | sys::CL_DEVICE_SVM_ATOMICS;

fn access(usm: u64) -> bool {
    usm & sys::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0
}

fn atomics(usm: u64) -> bool {
    usm & sys::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL != 0
}

const SYSTEM_ALLOCATIONS: &str = "usm_system_allocations";

/// What a device with these answers can do.
pub fn capabilities(answers: &Answers) -> Capabilities {
    let system = answers.has_system_memory().then_some(SYSTEM_ALLOCATIONS);
    let names = ASPECTS.iter().filter(|(_, has)| has(answers)).map(|(name, _)| *name).chain(system);
    let aspects: AspectSet = names.filter_map(Aspect::from_name).collect();
    // OpenCL counts dimensions from the fastest, SYCL from the slowest.
    let size = |dim: usize| answers.max_work_item_sizes.get(dim).map_or(1, |size| *size as u64);
    Capabilities {
        aspects,
        may_support_other_aspects: false,
        sub_group_sizes: Some(answers.sub_group_sizes.iter().filter_map(|size| u32::try_from(*size).ok()).collect()),
        max_work_group_size: Some(answers.max_work_group_size as u64),
        max_work_item_sizes: Some([size(2), size(1), size(0)]),
        offers: Offers::Aspen(Some(BackendKind::OpenCl)),
    }
}

/// The facts of a device with these answers, on a platform of that version.
pub fn facts(answers: &Answers, platform_version: &str) -> Facts {
    Facts {
        name: answers.name.clone(),
        vendor: answers.vendor.clone(),
        driver_version: answers.driver_version.clone(),
        version: answers.version.clone(),
        backend_version: platform_version.to_owned(),
        vendor_id: answers.vendor_id.into(),
        extensions: answers.extensions.clone(),
        max_compute_units: answers.max_compute_units.into(),
        max_sub_groups: answers.max_sub_groups.into(),
        global_mem_size: answers.global_mem_size,
        local_mem_size: answers.local_mem_size,
        max_mem_alloc_size: answers.max_mem_alloc_size,
        max_clock_frequency_mhz: answers.max_clock_frequency.into(),
        address_bits: answers.address_bits.into(),
        mem_base_addr_align_bits: answers.mem_base_addr_align.into(),
        cache_line_size: answers.cache_line_size.into(),
        cache_size: answers.cache_size,
        max_parameter_size: answers.max_parameter_size as u64,
        profiling_timer_resolution: answers.profiling_timer_resolution as u64,
        runs_nothing: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    fn names(answers: &Answers) -> String {
        capabilities(answers).aspects.iter().map(|aspect| aspect.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// A CPU driver that has everything, as intel-opencl-rt 2026.2 answers.
    fn full() -> Answers {
        Answers {
            device_type: sys::CL_DEVICE_TYPE_CPU,
            extensions: words(
                "cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_subgroup_ballot cl_khr_subgroup_shuffle",
            ),
            il_version: "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2".into(),
            double_fp_config: 0x3F,
            image_support: true,
            available: true,
            compiler_available: true,
            linker_available: true,
            queue_properties: 3,
            usm_host: 0xF,
            usm_device: 0xF,
            usm_shared: 0xF,
            usm_system: 0xF,
            sub_group_sizes: vec![4, 8, 16, 32, 64],
            max_work_group_size: 8192,
            max_work_item_sizes: vec![8192, 4096, 64],
            ..Answers::default()
        }
    }

    const FULL: &str = "cpu fp16 fp64 image online_compiler online_linker queue_profiling usm_device_allocations usm_host_allocations \
                        usm_shared_allocations usm_system_allocations usm_atomic_host_allocations usm_atomic_shared_allocations atomic64 \
                        ext_intel_legacy_image ext_oneapi_fragment ext_oneapi_chunk ext_oneapi_tangle ext_intel_matrix";

    #[test]
    fn svm_stands_in_for_usm_only_where_there_is_none() {
        let with = |svm, usm_device| Answers { svm, usm_device, device_type: sys::CL_DEVICE_TYPE_CPU, ..Answers::default() };
        for (answers, wanted) in [
            (with(0, 0), "cpu"),
            (with(1, 0), "cpu usm_device_allocations"),
            (with(3, 0), "cpu usm_device_allocations usm_host_allocations usm_shared_allocations"),
            (with(8 | 1, 0), "cpu usm_device_allocations"),
            (with(3, 1), "cpu usm_device_allocations"),
        ] {
            assert_eq!(names(&answers), wanted, "{answers:?}");
        }
        let all = names(&with(0xF, 0));
        for name in ["usm_atomic_host_allocations", "usm_atomic_shared_allocations", "usm_system_allocations"] {
            assert!(all.contains(name), "{all}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_an_aspect() {
        for name in ASPECTS.iter().map(|(name, _)| *name).chain([SYSTEM_ALLOCATIONS]) {
            assert!(Aspect::from_name(name).is_some(), "{name}");
        }
    }

    /// All that is asked of a driver programs can use. Source: DESIGN §7.26.
    #[test]
    fn no_answer_is_about_what_aspen_does_not_offer() {
        let device = capabilities(&full());
        let withheld = device.aspects.iter().filter(|aspect| !device.offered().any(|one| one == **aspect));
        assert_eq!(withheld.map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn a_driver_that_has_everything_and_one_that_answers_nothing() {
        assert_eq!(names(&full()), FULL);
        assert_eq!(names(&Answers::default()), "custom");
    }

    #[test]
    fn each_answer_takes_away_what_follows_from_it() {
        type Change = fn(&mut Answers);
        let cases: [(&str, Change); 16] = [
            ("fp16", |it| it.extensions.retain(|name| name != "cl_khr_fp16")),
            ("fp64", |it| it.double_fp_config = 0),
            ("ext_oneapi_fragment ext_oneapi_chunk ext_oneapi_tangle ext_intel_matrix", |it| {
                it.extensions.retain(|name| name != "cl_khr_subgroup_ballot")
            }),
            ("ext_oneapi_fragment ext_oneapi_chunk ext_oneapi_tangle ext_intel_matrix", |it| {
                it.extensions.retain(|name| name != "cl_khr_subgroup_shuffle")
            }),
            ("atomic64", |it| it.extensions.retain(|name| name != "cl_khr_int64_base_atomics")),
            ("atomic64", |it| it.extensions.retain(|name| name != "cl_khr_int64_extended_atomics")),
            ("image ext_intel_legacy_image", |it| it.image_support = false),
            ("online_compiler online_linker", |it| it.il_version.clear()),
            ("online_compiler online_linker", |it| it.compiler_available = false),
            ("online_linker", |it| it.linker_available = false),
            ("queue_profiling", |it| it.queue_properties = 1),
            ("usm_device_allocations", |it| it.usm_device = 0),
            ("usm_host_allocations usm_atomic_host_allocations", |it| it.usm_host = 0),
            ("usm_atomic_shared_allocations", |it| it.usm_shared = 7),
            ("usm_system_allocations", |it| it.usm_system = 0),
            // USM's word counts before SVM's.
            ("usm_system_allocations", |it| (it.usm_system, it.svm) = (0, sys::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)),
        ];
        for (gone, change) in cases {
            let mut answers = full();
            change(&mut answers);
            let left: Vec<&str> = FULL.split_whitespace().filter(|name| !gone.split_whitespace().any(|gone| gone == *name)).collect();
            assert_eq!(names(&answers), left.join(" "), "without {gone}");
        }
    }

    #[test]
    fn a_driver_with_svm_alone_shares_memory_if_it_is_of_the_finest_grain() {
        for (svm, shares) in [(0, false), (3, false), (4, true), (15, true)] {
            assert_eq!(Answers { svm, ..Answers::default() }.has_system_memory(), shares, "{svm}");
        }
    }

    #[test]
    fn types_of_devices() {
        for (bits, name) in [
            (sys::CL_DEVICE_TYPE_CPU, "cpu"),
            (sys::CL_DEVICE_TYPE_GPU, "gpu"),
            (sys::CL_DEVICE_TYPE_ACCELERATOR, "accelerator"),
            (sys::CL_DEVICE_TYPE_ACCELERATOR | sys::CL_DEVICE_TYPE_CPU, "accelerator"),
            (1 << 4, "custom"),
            // CL_DEVICE_TYPE_DEFAULT says nothing.
            (1 | sys::CL_DEVICE_TYPE_GPU, "gpu"),
        ] {
            assert_eq!(names(&Answers { device_type: bits, ..Answers::default() }), name);
        }
    }

    #[test]
    fn limits_are_turned_into_sycl_order() {
        let limits = capabilities(&full());
        assert_eq!(limits.max_work_item_sizes, Some([64, 4096, 8192]));
        assert_eq!((limits.max_work_group_size, limits.sub_group_sizes), (Some(8192), Some(vec![4, 8, 16, 32, 64])));
        // A driver without the extension has no sizes that a kernel may require, which is an answer too.
        assert_eq!(capabilities(&Answers::default()).sub_group_sizes, Some(Vec::new()));
    }
}
