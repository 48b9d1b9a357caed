//! How many registers a kernel's work-items get on Intel's GPUs: a hint, which Aspen does not pass on. Source: sycl_ext_intel_grf_size.
#pragma once
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

#define SYCL_EXT_INTEL_GRF_SIZE 1

namespace sycl::ext::intel::experimental {
struct grf_size_key {
  template <unsigned Size> using value_t = oneapi::experimental::property_value<grf_size_key, std::integral_constant<unsigned, Size>>;
};
struct grf_size_automatic_key {
  using value_t = oneapi::experimental::property_value<grf_size_automatic_key>;
};
template <unsigned Size> inline constexpr grf_size_key::value_t<Size> grf_size;
inline constexpr grf_size_automatic_key::value_t grf_size_automatic;
} // namespace sycl::ext::intel::experimental

namespace sycl::ext::oneapi::experimental {
template <> struct is_property_key<intel::experimental::grf_size_key> : std::true_type {};
template <> struct is_property_key<intel::experimental::grf_size_automatic_key> : std::true_type {};
} // namespace sycl::ext::oneapi::experimental
