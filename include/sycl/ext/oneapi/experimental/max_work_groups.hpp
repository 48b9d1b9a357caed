//! How many work-groups a launch may have, and how many compute units run them. Source: sycl_ext_oneapi_max_work_group_query,
//! sycl_ext_oneapi_num_compute_units; for CUDA its programming guide, "Compute Capabilities", where all devices of today have the same limits.
#pragma once
#include <limits>
#include <sycl/device_info.hpp>

#define SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY 1
#define SYCL_EXT_ONEAPI_NUM_COMPUTE_UNITS 1

namespace sycl::ext::oneapi::info::device {
struct num_compute_units {
  using return_type = size_t;
  static return_type get(const sycl::device &device) { return device.get_info<sycl::info::device::max_compute_units>(); }
};
} // namespace sycl::ext::oneapi::info::device

namespace sycl::ext::oneapi::experimental::info::device {

template <int D> struct max_work_groups {
  using return_type = id<D>;
  static return_type get(const sycl::device &device) {
    id<D> out;
    for (int d = 0; d < D; ++d)
      out[d] = device.get_backend() != backend::cuda ? std::numeric_limits<size_t>::max() : d == D - 1 ? 0x7FFFFFFF : 65535;
    return out;
  }
};
struct max_global_work_groups {
  using return_type = size_t;
  static return_type get(const sycl::device &) { return std::numeric_limits<size_t>::max(); }
};

} // namespace sycl::ext::oneapi::experimental::info::device
