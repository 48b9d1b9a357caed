//! Intel's questions about devices. No device has the aspects behind them, since no backend asks its driver for the answers: so they throw,
//! as the extension says. Source: sycl_ext_intel_device_info.
#pragma once
#include <array>
#include <sycl/device.hpp>

#define SYCL_EXT_INTEL_DEVICE_INFO 6

namespace sycl::ext::intel::info::device {

/// What the device has under `name`, if it has `which`.
#define __ASPEN_INTEL_INFO(name, type, which)                                                                                             \
  struct name {                                                                                                                            \
    using return_type = type;                                                                                                              \
    static constexpr bool has_answer = false;                                                                                              \
    static return_type get(const sycl::device &) {                                                                                         \
      sycl::detail::fail(errc::feature_not_supported, "ext::intel::info::device::" #name ": the device does not have aspect::" #which);    \
    }                                                                                                                                      \
  };
__ASPEN_INTEL_INFO(device_id, std::uint32_t, ext_intel_device_id)
using sixteen_bytes = std::array<unsigned char, 16>;
__ASPEN_INTEL_INFO(uuid, sixteen_bytes, ext_intel_device_info_uuid)
__ASPEN_INTEL_INFO(pci_address, std::string, ext_intel_pci_address)
__ASPEN_INTEL_INFO(gpu_eu_count, std::uint32_t, ext_intel_gpu_eu_count)
__ASPEN_INTEL_INFO(gpu_eu_simd_width, std::uint32_t, ext_intel_gpu_eu_simd_width)
__ASPEN_INTEL_INFO(gpu_slices, std::uint32_t, ext_intel_gpu_slices)
__ASPEN_INTEL_INFO(gpu_subslices_per_slice, std::uint32_t, ext_intel_gpu_subslices_per_slice)
__ASPEN_INTEL_INFO(gpu_eu_count_per_subslice, std::uint32_t, ext_intel_gpu_eu_count_per_subslice)
__ASPEN_INTEL_INFO(gpu_hw_threads_per_eu, std::uint32_t, ext_intel_gpu_hw_threads_per_eu)
__ASPEN_INTEL_INFO(max_mem_bandwidth, std::uint64_t, ext_intel_max_mem_bandwidth)
__ASPEN_INTEL_INFO(free_memory, std::uint64_t, ext_intel_free_memory)
__ASPEN_INTEL_INFO(memory_clock_rate, std::uint32_t, ext_intel_memory_clock_rate)
__ASPEN_INTEL_INFO(memory_bus_width, std::uint32_t, ext_intel_memory_bus_width)
__ASPEN_INTEL_INFO(xe_stack_count, std::uint32_t, ext_intel_xe_stack_count)
__ASPEN_INTEL_INFO(xe_regions_per_stack, std::uint32_t, ext_intel_xe_regions_per_stack)
__ASPEN_INTEL_INFO(xe_clusters_per_region, std::uint32_t, ext_intel_xe_clusters_per_region)
__ASPEN_INTEL_INFO(xe_cores_per_cluster, std::uint32_t, ext_intel_xe_cores_per_cluster)
__ASPEN_INTEL_INFO(eus_per_xe_core, std::uint32_t, ext_intel_eus_per_xe_core)
__ASPEN_INTEL_INFO(max_lanes_per_hw_thread, std::uint32_t, ext_intel_max_lanes_per_hw_thread)
#undef __ASPEN_INTEL_INFO
/// A queue's `compute_index` chooses nothing. Source: sycl_ext_intel_queue_index.
struct max_compute_queue_indices {
  using return_type = int;
  static int get(const sycl::device &) { return 1; }
};

} // namespace sycl::ext::intel::info::device

/// Their first names. Source: sycl_ext_intel_device_info, "Deprecated queries".
namespace sycl::info::device {
using ext_intel_device_info_uuid = ext::intel::info::device::uuid;
using ext_intel_pci_address = ext::intel::info::device::pci_address;
using ext_intel_gpu_eu_count = ext::intel::info::device::gpu_eu_count;
using ext_intel_gpu_eu_simd_width = ext::intel::info::device::gpu_eu_simd_width;
using ext_intel_gpu_slices = ext::intel::info::device::gpu_slices;
using ext_intel_gpu_subslices_per_slice = ext::intel::info::device::gpu_subslices_per_slice;
using ext_intel_gpu_eu_count_per_subslice = ext::intel::info::device::gpu_eu_count_per_subslice;
using ext_intel_gpu_hw_threads_per_eu = ext::intel::info::device::gpu_hw_threads_per_eu;
using ext_intel_max_mem_bandwidth = ext::intel::info::device::max_mem_bandwidth;
/// Whether buffers may choose a channel of the memory: no device here tells its channels. Source: sycl_ext_intel_mem_channel_property.
struct ext_intel_mem_channel {
  using return_type = bool;
  static bool get(const sycl::device &) { return false; }
};
} // namespace sycl::info::device
