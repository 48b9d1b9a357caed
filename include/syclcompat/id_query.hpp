//! Where the running work-item is, in kernels over an nd_range of any dimensions: x is the dimension that runs fastest.
//! Source: SYCLcompat's README, "dim3", "Utilities".
#pragma once
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/nd_item.hpp>

namespace syclcompat {

/// The running work-item.
template <int D> inline sycl::nd_item<D> get_nd_item() { return sycl::ext::oneapi::this_work_item::get_nd_item<D>(); }

/// Waits for all of the work-group.
inline void wg_barrier() { sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_work_group<3>()); }

#define __ASPEN_QUERY(name, member)                                                                                                       \
  namespace name {                                                                                                                         \
  inline size_t x() { return get_nd_item<3>().member(2); }                                                                                 \
  inline size_t y() { return get_nd_item<3>().member(1); }                                                                                 \
  inline size_t z() { return get_nd_item<3>().member(0); }                                                                                 \
  }
__ASPEN_QUERY(local_id, get_local_id)
__ASPEN_QUERY(local_range, get_local_range)
__ASPEN_QUERY(work_group_id, get_group)
__ASPEN_QUERY(work_group_range, get_group_range)
__ASPEN_QUERY(global_id, get_global_id)
__ASPEN_QUERY(global_range, get_global_range)
#undef __ASPEN_QUERY

inline size_t get_local_linear_id() { return get_nd_item<3>().get_local_linear_id(); }
inline size_t get_global_linear_id() { return get_nd_item<3>().get_global_linear_id(); }

} // namespace syclcompat
