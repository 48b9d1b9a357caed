//! What the embedded CPU says of itself. Only what is true here: nothing is claimed for the sake of a program that asks.

use std::fs;
use std::sync::OnceLock;

use aspen_contract::{Aspect, BackendKind, Capabilities, Offers};
use aspen_runtime::backend::Facts;

/// The largest work-group: what Intel's OpenCL driver for processors says, which programs for CPUs are written for.
pub(crate) const MAX_WORK_GROUP_SIZE: u64 = 8192;

/// Bytes of local memory of a group. There is no hardware limit; as much as stays in a core's caches, and more than GPUs have.
pub(crate) const LOCAL_MEM_SIZE: u64 = 256 << 10;

/// The sub-group sizes the device offers. The largest is the default, as ported code either assumes 32 or takes the largest; a larger one
/// is the user's wish (`ASPEN_CPU_SUB_GROUP_SIZE`). Source: DESIGN §7.22.
const SUB_GROUP_SIZES: [u32; 4] = [4, 8, 16, 32];

/// The sub-group size of kernels that require none, if the user wishes no other.
pub(crate) const DEFAULT_SUB_GROUP_SIZE: u32 = 32;

const ASPECTS: [&str; 26] = [
    "cpu",
    "fp16",
    "fp64",
    "atomic64",
    "image",
    "ext_intel_legacy_image",
    // Kernels are compiled ahead of time; bundles of each state are made (docs/decisions/0087).
    "online_compiler",
    "online_linker",
    "queue_profiling",
    "usm_device_allocations",
    "usm_host_allocations",
    "usm_shared_allocations",
    "usm_system_allocations",
    "usm_atomic_host_allocations",
    "usm_atomic_shared_allocations",
    "host_debuggable",
    "ext_oneapi_fragment",
    "ext_oneapi_chunk",
    "ext_intel_matrix",
    "ext_oneapi_graph",
    "ext_oneapi_limited_graph",
    "ext_oneapi_virtual_mem",
    "ext_oneapi_async_memory_alloc",
    "ext_oneapi_clock_sub_group",
    "ext_oneapi_clock_work_group",
    "ext_oneapi_clock_device",
];

/// `largest` is the default sub-group size.
pub(crate) fn capabilities(largest: u32) -> Capabilities {
    let mut sub_group_sizes = SUB_GROUP_SIZES.to_vec();
    if !sub_group_sizes.contains(&largest) {
        sub_group_sizes.push(largest);
    }
    Capabilities {
        aspects: ASPECTS.iter().filter_map(|name| Aspect::from_name(name)).collect(),
        may_support_other_aspects: false,
        sub_group_sizes: Some(sub_group_sizes),
        max_work_group_size: Some(MAX_WORK_GROUP_SIZE),
        max_work_item_sizes: Some([MAX_WORK_GROUP_SIZE; 3]),
        offers: Offers::Aspen(Some(BackendKind::NativeCpu)),
    }
}

/// `threads`: how many run kernels, if the user has said it.
pub(crate) fn facts(threads: Option<usize>) -> Facts {
    let available = || std::thread::available_parallelism().map_or(1, |count| count.get());
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    let vendor = field("vendor_id").unwrap_or_else(|| "unknown".into());
    let memory = memory();
    Facts {
        name: field("model name").unwrap_or_else(|| "x86-64 CPU".into()),
        vendor_id: match vendor.as_str() {
            "GenuineIntel" => 0x8086,
            "AuthenticAMD" => 0x1022,
            _ => 0,
        },
        vendor,
        driver_version: env!("CARGO_PKG_VERSION").into(),
        version: env!("CARGO_PKG_VERSION").into(),
        backend_version: env!("CARGO_PKG_VERSION").into(),
        // Groups that wait for each other go by this: no more run at once.
        max_compute_units: threads.unwrap_or_else(available) as u64,
        max_sub_groups: MAX_WORK_GROUP_SIZE.div_ceil(u64::from(SUB_GROUP_SIZES[0])),
        global_mem_size: memory,
        local_mem_size: LOCAL_MEM_SIZE,
        max_mem_alloc_size: memory,
        max_clock_frequency_mhz: clock_mhz(field("cpu MHz").as_deref()),
        address_bits: 64,
        mem_base_addr_align_bits: 1024,
        cache_line_size: Some(system(libc::_SC_LEVEL1_DCACHE_LINESIZE)).filter(|size| *size > 0).unwrap_or(64),
        cache_size: system(libc::_SC_LEVEL3_CACHE_SIZE),
        // Closures are passed by address: this is where a copy begins to be unreasonable.
        max_parameter_size: 1 << 20,
        profiling_timer_resolution: 1,
        extensions: Vec::new(),
        runs_nothing: String::new(),
    }
}

/// Bytes of this machine's memory.
pub(crate) fn memory() -> u64 {
    // Asked for at each launch, and a call of the system.
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| system(libc::_SC_PHYS_PAGES).saturating_mul(system(libc::_SC_PAGESIZE)))
}

fn clock_mhz(now: Option<&str>) -> u64 {
    let most = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
    let most = most.and_then(|text| text.trim().parse::<u64>().ok()).map(|khz| khz / 1000);
    let whole = || now.and_then(|text| text.split('.').next()).and_then(|text| text.parse().ok());
    most.or_else(whole).unwrap_or(0)
}

/// A figure of the system; 0 if it is not known.
fn system(name: libc::c_int) -> u64 {
    // SAFETY: `sysconf` only looks the number up; unknown names give -1.
    u64::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aspect_name_is_known_and_every_size_is_there() {
        assert_eq!(capabilities(32).offered().count(), ASPECTS.len(), "all of them are offered");
        assert_eq!(capabilities(32).sub_group_sizes, Some(vec![4, 8, 16, 32]));
        assert_eq!(capabilities(64).sub_group_sizes, Some(vec![4, 8, 16, 32, 64]));
        assert_eq!(super::facts(Some(3)).max_compute_units, 3);
        let facts = facts(None);
        assert!(!facts.name.is_empty() && facts.global_mem_size > 0 && facts.max_compute_units > 0);
        assert!(clock_mhz(Some("2596.102")) > 0);
    }
}
