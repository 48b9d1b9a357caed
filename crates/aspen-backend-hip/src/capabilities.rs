//! From the runtime's answers to what the device can do: one table of aspects. Of processors that the device database describes it says which of
//! these they have, so that what a program was compiled to expect of its target is so where it runs. Source: ROCm "HIP Runtime API", `hipDeviceAttribute_t`.

use aspen_contract::{Aspect, AspectSet, BackendKind, Capabilities, Offers};
use aspen_devices::Database;
use aspen_runtime::backend::Facts;

use crate::answers::Answers;

type Has = fn(&Answers) -> bool;

/// An aspect, and which answers mean that a device has it. Aspects that are not here no device of HIP has in Aspen.
const ASPECTS: [(&str, Has); 15] = [
    ("gpu", |_| true),
    ("fp16", |_| true),
    ("fp64", |_| true),
    ("atomic64", |_| true),
    // Images are software (docs/decisions/0032).
    ("image", |_| true),
    ("ext_intel_legacy_image", |_| true),
    // Kernels are compiled ahead of time; bundles of each state are made (docs/decisions/0087).
    ("online_compiler", |_| true),
    ("online_linker", |_| true),
    ("queue_profiling", |_| true),
    ("usm_device_allocations", |_| true),
    ("usm_host_allocations", |_| true),
    ("usm_shared_allocations", |answers| answers.managed_memory),
    ("usm_atomic_host_allocations", |answers| answers.host_native_atomics),
    ("usm_atomic_shared_allocations", |answers| answers.managed_memory && answers.concurrent_managed_access),
    ("usm_system_allocations", |answers| answers.pageable_memory_access),
];

/// Bytes that a kernel's own arguments may have in all.
const MAX_PARAMETERS: u64 = 4096;
/// What an entry takes besides its closure (`aspen/hip.h`), rounded up to what alignment may add.
const OTHER_PARAMETERS: u64 = 128;

const AMD: u64 = 0x1002;

/// What a device with these answers can do.
pub(crate) fn capabilities(answers: &Answers) -> Capabilities {
    let row = Database::builtin().lookup(&format!("amd_gpu_{}", answers.architecture)).ok().filter(|target| !target.aspects.is_empty());
    let has = |(name, has): &(&str, Has)| {
        let aspect = Aspect::from_name(name)?;
        let is_there = match row {
            Some(row) => row.aspects.contains(&aspect) && (answers.managed_memory || !name.contains("_shared_")),
            None => has(answers),
        };
        is_there.then_some(aspect)
    };
    let aspects: AspectSet = ASPECTS.iter().filter_map(has).collect();
    let [x, y, z] = answers.max_block;
    Capabilities {
        aspects,
        may_support_other_aspects: false,
        sub_group_sizes: Some(vec![answers.warp_size]),
        max_work_group_size: Some(answers.max_threads),
        // HIP counts dimensions from the fastest, SYCL from the slowest.
        max_work_item_sizes: Some([z, y, x]),
        offers: Offers::Aspen(Some(BackendKind::Hip)),
    }
}

/// The facts of a device with these answers.
pub(crate) fn facts(answers: &Answers) -> Facts {
    let (major, minor) = answers.driver;
    Facts {
        name: answers.name.clone(),
        vendor: "Advanced Micro Devices, Inc.".into(),
        driver_version: format!("{major}.{minor}"),
        version: answers.architecture.clone(),
        backend_version: format!("HIP {major}.{minor}"),
        vendor_id: AMD,
        max_compute_units: answers.multiprocessors,
        max_sub_groups: answers.max_threads.checked_div(u64::from(answers.warp_size)).unwrap_or(0),
        global_mem_size: answers.total_memory,
        local_mem_size: answers.shared_memory,
        max_mem_alloc_size: answers.total_memory,
        max_clock_frequency_mhz: answers.clock_khz / 1000,
        address_bits: 64,
        // What the memory module asks of blocks: 256 bytes.
        mem_base_addr_align_bits: 256 * 8,
        cache_line_size: 128,
        cache_size: answers.cache_size,
        max_parameter_size: MAX_PARAMETERS - OTHER_PARAMETERS,
        profiling_timer_resolution: 1,
        extensions: Vec::new(),
        runs_nothing: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspects_follow_from_answers() {
        let answers = Answers { managed_memory: true, warp_size: 64, max_threads: 1024, max_block: [1024, 512, 64], ..Answers::default() };
        let found = capabilities(&answers);
        let has = |name: &str| found.aspects.iter().any(|aspect| aspect.to_string() == name);
        for (name, expected) in
            [("fp64", true), ("usm_shared_allocations", true), ("usm_system_allocations", false), ("online_compiler", true)]
        {
            assert_eq!(has(name), expected, "{name}");
        }
        // What the database says.
        for (architecture, managed_memory, expected) in [
            ("gfx90a", true, ["atomic64", "usm_atomic_host_allocations", "usm_shared_allocations"].as_slice()),
            ("gfx906", true, &["usm_atomic_host_allocations", "usm_shared_allocations"]),
            ("gfx906", false, &["usm_atomic_host_allocations"]),
        ] {
            let found = capabilities(&Answers { architecture: architecture.into(), managed_memory, ..Answers::default() });
            for name in ["atomic64", "usm_atomic_host_allocations", "usm_shared_allocations", "image"] {
                let has = found.aspects.iter().any(|aspect| aspect.to_string() == name);
                assert_eq!(has, expected.contains(&name), "{architecture} {name}");
            }
        }
        assert_eq!((found.sub_group_sizes, found.max_work_item_sizes), (Some(vec![64]), Some([64, 512, 1024])));
        assert_eq!(facts(&Answers { driver: (6, 2), architecture: "gfx90a".into(), ..answers }).backend_version, "HIP 6.2");
    }

    #[test]
    fn every_name_is_an_aspect_that_aspen_offers() {
        let offered = |name: &str| Aspect::from_name(name).is_some_and(|aspect| aspect.is_offered(Some(BackendKind::Hip)));
        assert!(ASPECTS.iter().all(|(name, _)| offered(name)));
    }
}
