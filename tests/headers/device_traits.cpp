//! `any_device_has`, `all_devices_have`: every aspect of aspects.def has both (S3's test). With the default targets, of which one is open, some
//! device may have whatever Aspen offers (DESIGN §7.26), and not all have anything.
#include <sycl/device_traits.hpp>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/// What Aspen offers on some device, beside the architectures. Source: `offered` in data/aspects.toml.
constexpr sycl::aspect OFFERED[] = {
    sycl::aspect::cpu,
    sycl::aspect::gpu,
    sycl::aspect::accelerator,
    sycl::aspect::custom,
    sycl::aspect::emulated,
    sycl::aspect::image,
    sycl::aspect::ext_intel_legacy_image,
    sycl::aspect::ext_oneapi_graph,
    sycl::aspect::ext_oneapi_limited_graph,
    sycl::aspect::ext_oneapi_virtual_mem,
    sycl::aspect::ext_oneapi_async_memory_alloc,
    sycl::aspect::ext_oneapi_clock_sub_group,
    sycl::aspect::ext_oneapi_clock_work_group,
    sycl::aspect::ext_oneapi_clock_device,
    sycl::aspect::ext_oneapi_fragment,
    sycl::aspect::ext_oneapi_chunk,
    sycl::aspect::ext_oneapi_tangle,
    sycl::aspect::ext_intel_matrix,
    sycl::aspect::host_debuggable,
    sycl::aspect::fp16,
    sycl::aspect::fp64,
    sycl::aspect::atomic64,
    sycl::aspect::online_compiler,
    sycl::aspect::online_linker,
    sycl::aspect::queue_profiling,
    sycl::aspect::ext_oneapi_queue_profiling_tag,
    sycl::aspect::usm_device_allocations,
    sycl::aspect::usm_host_allocations,
    sycl::aspect::usm_atomic_host_allocations,
    sycl::aspect::usm_shared_allocations,
    sycl::aspect::usm_atomic_shared_allocations,
    sycl::aspect::usm_system_allocations,
    sycl::aspect::ext_oneapi_is_integrated_gpu,
};

constexpr bool offered(sycl::aspect wanted) {
  for (sycl::aspect aspect : OFFERED)
    if (aspect == wanted)
      return true;
  return false;
}

#define CHECK(name, expected)                                                                                                             \
  constexpr bool any_##name = sycl::any_device_has_v<sycl::aspect::name>;                                                                \
  constexpr bool all_##name = sycl::all_devices_have_v<sycl::aspect::name>;                                                              \
  static_assert(any_##name == (expected) && !all_##name);
#define __SYCL_ASPECT(name, number) CHECK(name, offered(sycl::aspect::name))
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) CHECK(name, true)
#include <sycl/aspects.def>

static_assert(sycl::any_device_has_v<sycl::aspect{4242}>, "spir64 may run on hardware that this table does not know");
static_assert(std::is_base_of_v<std::true_type, sycl::any_device_has<sycl::aspect::fp64>>);
static_assert(std::is_base_of_v<std::false_type, sycl::all_devices_have<sycl::aspect::fp64>>);
