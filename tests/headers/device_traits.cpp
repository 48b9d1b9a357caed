//! `any_device_has`, `all_devices_have`: every aspect of aspects.def has both (S3's test), with the default targets, of which one is open.
#include <sycl/device_traits.hpp>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#define __SYCL_ASPECT(name, number)                                                                                                      \
  constexpr bool any_##name = sycl::any_device_has_v<sycl::aspect::name>;                                                                \
  constexpr bool all_##name = sycl::all_devices_have_v<sycl::aspect::name>;                                                              \
  static_assert(any_##name && !all_##name);
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>

static_assert(sycl::any_device_has_v<sycl::aspect{4242}>, "spir64 may run on hardware that this table does not know");
static_assert(std::is_base_of_v<std::true_type, sycl::any_device_has<sycl::aspect::fp64>>);
static_assert(std::is_base_of_v<std::false_type, sycl::all_devices_have<sycl::aspect::fp64>>);
