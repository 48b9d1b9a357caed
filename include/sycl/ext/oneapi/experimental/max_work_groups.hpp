//! How many work-groups a launch may have, and how many compute units run them. Source: sycl_ext_oneapi_max_work_group_query,
//! sycl_ext_oneapi_num_compute_units; for CUDA its programming guide, "Compute Capabilities", where all devices of today have the same limits.
#pragma once
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

// Only CUDA has a limit. Elsewhere it is said to be one that programs can hold in a signed integer of either size, as they do.
inline constexpr size_t most = 0x7FFFFFFF;

template <int D> struct max_work_groups {
  using return_type = id<D>;
  static return_type get(const sycl::device &device) {
    id<D> out;
    for (int d = 0; d < D; ++d)
      out[d] = device.get_backend() == backend::cuda && d != D - 1 ? 65535 : most;
    return out;
  }
};
struct max_global_work_groups {
  using return_type = size_t;
  static return_type get(const sycl::device &) { return most; }
};

} // namespace sycl::ext::oneapi::experimental::info::device

/// Their first names.
namespace sycl::info::device {
using ext_oneapi_max_work_groups_1d = ext::oneapi::experimental::info::device::max_work_groups<1>;
using ext_oneapi_max_work_groups_2d = ext::oneapi::experimental::info::device::max_work_groups<2>;
using ext_oneapi_max_work_groups_3d = ext::oneapi::experimental::info::device::max_work_groups<3>;
using ext_oneapi_max_global_work_groups = ext::oneapi::experimental::info::device::max_global_work_groups;
} // namespace sycl::info::device
