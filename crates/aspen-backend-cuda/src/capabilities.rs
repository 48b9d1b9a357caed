//! From the driver's answers to what the device can do: one table of aspects.
//! Source: NVIDIA "CUDA C++ Programming Guide", "Compute Capabilities"; "CUDA Driver API", `CUdevice_attribute`.

use aspen_contract::{Aspect, AspectSet, BackendKind, Capabilities, Offers};
use aspen_runtime::backend::Facts;

use crate::answers::Answers;

type Has = fn(&Answers) -> bool;

/// An aspect, and which answers mean that a device has it. Aspects that are not here no CUDA device has in Aspen.
const ASPECTS: [(&str, Has); 18] = [
    ("gpu", |_| true),
    // Half arithmetic came with 5.3, on 6.1 it is slow but there.
    ("fp16", |answers| answers.processor >= (5, 3)),
    ("fp64", |_| true),
    // Atomic operations on 64-bit numbers that other devices and the host see came with 6.0.
    ("atomic64", |answers| answers.processor >= (6, 0)),
    // Images are software (docs/decisions/0032).
    ("image", |_| true),
    ("ext_intel_legacy_image", |_| true),
    ("online_compiler", |_| true),
    ("online_linker", |_| true),
    ("queue_profiling", |_| true),
    // Graphs are the runtime's own.
    ("ext_oneapi_limited_graph", |_| true),
    // Groups of a warp that part in the same instruction: threads are independent from 7.0 on.
    ("ext_oneapi_fragment", |answers| answers.processor >= (7, 0)),
    ("ext_oneapi_chunk", |answers| answers.processor >= (7, 0)),
    ("usm_device_allocations", |answers| answers.unified_addressing),
    ("usm_host_allocations", |answers| answers.unified_addressing),
    ("usm_shared_allocations", |answers| answers.managed_memory),
    ("usm_atomic_host_allocations", |answers| answers.unified_addressing && answers.host_native_atomics),
    ("usm_atomic_shared_allocations", |answers| answers.managed_memory && answers.concurrent_managed_access),
    ("usm_system_allocations", |answers| answers.pageable_memory_access),
];

/// Bytes that a kernel's parameters may have, on processors before 7.0 and later ones. Source: NVIDIA "PTX ISA", "Kernel Function
/// Parameters" of PTX 8.1.
const MAX_PARAMETERS: [u64; 2] = [4352, 32764];
/// What an entry takes besides its closure (`aspen/cuda.h`), rounded up to what alignment may add.
const OTHER_PARAMETERS: u64 = 128;

const NVIDIA: u64 = 0x10DE;

/// What a device with these answers can do.
pub fn capabilities(answers: &Answers) -> Capabilities {
    let names = ASPECTS.iter().filter(|(_, has)| has(answers)).map(|(name, _)| *name);
    let aspects: AspectSet = names.filter_map(Aspect::from_name).collect();
    let [x, y, z] = answers.max_block;
    Capabilities {
        aspects,
        may_support_other_aspects: false,
        sub_group_sizes: Some(vec![answers.warp_size]),
        max_work_group_size: Some(answers.max_threads),
        // CUDA counts dimensions from the fastest, SYCL from the slowest.
        max_work_item_sizes: Some([z, y, x]),
        offers: Offers::Aspen(Some(BackendKind::Cuda)),
    }
}

/// The facts of a device with these answers.
pub fn facts(answers: &Answers) -> Facts {
    let version = |(major, minor): (u32, u32)| format!("{major}.{minor}");
    Facts {
        name: answers.name.clone(),
        vendor: "NVIDIA Corporation".into(),
        driver_version: version(answers.driver),
        version: version(answers.processor),
        backend_version: format!("CUDA {}", version(answers.driver)),
        vendor_id: NVIDIA,
        max_compute_units: answers.multiprocessors,
        max_sub_groups: answers.max_threads.checked_div(u64::from(answers.warp_size)).unwrap_or(0),
        global_mem_size: answers.total_memory,
        local_mem_size: answers.shared_memory,
        max_mem_alloc_size: answers.total_memory,
        max_clock_frequency_mhz: answers.clock_khz / 1000,
        address_bits: 64,
        // What cuMemAlloc promises: 256 bytes.
        mem_base_addr_align_bits: 256 * 8,
        cache_line_size: 128,
        cache_size: answers.cache_size,
        max_parameter_size: MAX_PARAMETERS[usize::from(answers.processor >= (7, 0))] - OTHER_PARAMETERS,
        profiling_timer_resolution: 1,
        extensions: Vec::new(),
        runs_nothing: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data center GPU behind PCI Express.
    fn hopper() -> Answers {
        Answers {
            name: "H".into(),
            driver: (12, 4),
            processor: (9, 0),
            max_threads: 1024,
            max_block: [1024, 1024, 64],
            warp_size: 32,
            unified_addressing: true,
            managed_memory: true,
            concurrent_managed_access: true,
            ..Answers::default()
        }
    }

    const ALWAYS: &str = "gpu fp64 image ext_intel_legacy_image online_compiler online_linker queue_profiling ext_oneapi_limited_graph";

    #[test]
    fn aspects_follow_from_answers() {
        let usm = "usm_device_allocations usm_host_allocations";
        for (answers, expected) in [
            (Answers::default(), ALWAYS.to_owned()),
            (Answers { processor: (5, 2), ..hopper() }, format!("{ALWAYS} {usm} usm_shared_allocations usm_atomic_shared_allocations")),
            (Answers { processor: (7, 0), ..Answers::default() }, format!("{ALWAYS} fp16 atomic64 ext_oneapi_fragment ext_oneapi_chunk")),
            (
                Answers { processor: (5, 3), concurrent_managed_access: false, ..hopper() },
                format!("{ALWAYS} {usm} fp16 usm_shared_allocations"),
            ),
            (
                Answers { host_native_atomics: true, pageable_memory_access: true, ..hopper() },
                format!(
                    "{ALWAYS} {usm} fp16 atomic64 usm_shared_allocations usm_atomic_shared_allocations usm_atomic_host_allocations usm_system_allocations ext_oneapi_fragment ext_oneapi_chunk"
                ),
            ),
        ] {
            let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
            let found = capabilities(&answers).aspects.iter().map(|aspect| aspect.to_string()).collect::<std::collections::BTreeSet<_>>();
            assert_eq!(found, names(&expected), "{answers:?}");
        }
    }

    #[test]
    fn every_name_is_an_aspect_that_aspen_offers() {
        let offered = |name: &str| Aspect::from_name(name).is_some_and(|aspect| aspect.is_offered(Some(BackendKind::Cuda)));
        assert!(ASPECTS.iter().all(|(name, _)| offered(name)));
    }

    #[test]
    fn sizes_are_in_sycls_order() {
        let capabilities = capabilities(&hopper());
        assert_eq!(capabilities.max_work_item_sizes, Some([64, 1024, 1024]));
        assert_eq!(capabilities.sub_group_sizes, Some(vec![32]));
        let facts = facts(&hopper());
        assert_eq!((facts.version.as_str(), facts.backend_version.as_str(), facts.max_sub_groups), ("9.0", "CUDA 12.4", 32));
    }
}
