//! How many work-groups a launch over an nd_range may have. Source: sycl_khr_max_work_group_queries.
#pragma once
#include <sycl/ext/oneapi/experimental/max_work_groups.hpp>

#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1

namespace sycl::khr::info::device {

/// In each dimension.
template <int D = 3> struct max_work_group_range {
  static_assert(D >= 1 && D <= 3, "an nd_range has one to three dimensions");
  using return_type = range<D>;
  static return_type get(const sycl::device &device) {
    const id<D> most = ext::oneapi::experimental::info::device::max_work_groups<D>::get(device);
    range<D> out;
    for (int d = 0; d < D; ++d)
      out[d] = most[d];
    return out;
  }
};
/// In all of them together.
struct max_work_group_range_size {
  using return_type = size_t;
  static return_type get(const sycl::device &device) { return ext::oneapi::experimental::info::device::max_global_work_groups::get(device); }
};

} // namespace sycl::khr::info::device
