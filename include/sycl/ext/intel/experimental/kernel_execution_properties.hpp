//! Whether a launch has more use of local memory or of cache where both share one memory: a hint, which Aspen does not pass on.
//! Source: sycl_ext_intel_cache_config.
#pragma once
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

#define SYCL_EXT_INTEL_CACHE_CONFIG 1

namespace sycl::ext::intel::experimental {
enum class cache_config_enum : std::uint16_t { large_slm, large_data };
inline constexpr cache_config_enum large_slm = cache_config_enum::large_slm;
inline constexpr cache_config_enum large_data = cache_config_enum::large_data;
struct cache_config {
  constexpr cache_config(cache_config_enum v) : value(v) {}
  cache_config_enum value;
};
using cache_config_key = cache_config;
constexpr bool operator==(const cache_config &a, const cache_config &b) { return a.value == b.value; }
constexpr bool operator!=(const cache_config &a, const cache_config &b) { return a.value != b.value; }
} // namespace sycl::ext::intel::experimental

template <> struct sycl::ext::oneapi::experimental::is_property_key<sycl::ext::intel::experimental::cache_config> : std::true_type {};
template <> struct sycl::detail::object_property<sycl::ext::intel::experimental::cache_config> : sycl::detail::launch_hint {};
