//! What the other headers need of NVIDIA's processors: indices, warps, fences, and atomic operations for the whole system.
//!
//! A sub-group is a warp of 32 threads; the last one of a work-group may have fewer. Dimension S counts from the left as in work_item.
#pragma once
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_PTX__)
#include <aspen/cuda.h>

/// The local memory of the launch.
extern __attribute__((address_space(3), aligned(128))) char __aspen_local_memory[];

namespace sycl::detail::ptx {

#define __ASPEN_PTX_INDEX(name)                                                                                                           \
  template <int S> inline unsigned name() {                                                                                                \
    if constexpr (S == 2)                                                                                                                  \
      return __nvvm_read_ptx_sreg_##name##_x();                                                                                            \
    else if constexpr (S == 1)                                                                                                             \
      return __nvvm_read_ptx_sreg_##name##_y();                                                                                            \
    else                                                                                                                                   \
      return __nvvm_read_ptx_sreg_##name##_z();                                                                                            \
  }
__ASPEN_PTX_INDEX(tid)
__ASPEN_PTX_INDEX(ntid)
__ASPEN_PTX_INDEX(ctaid)
__ASPEN_PTX_INDEX(nctaid)
#undef __ASPEN_PTX_INDEX

typedef const aspen_cuda_launch_t &launch;
template <int S> inline size_t local_id(launch) { return tid<S>(); }
template <int S> inline size_t local_range(launch) { return ntid<S>(); }
template <int S> inline size_t group_id(launch) { return ctaid<S>(); }
template <int S> inline size_t group_range(launch) { return nctaid<S>(); }
template <int S> inline size_t offset(launch l) { return l.offset[S]; }
template <int S> inline size_t global_range(launch) { return size_t(nctaid<S>()) * ntid<S>(); }
template <int S> inline size_t global_id(launch l) { return size_t(ctaid<S>()) * ntid<S>() + tid<S>() + l.offset[S]; }

inline constexpr unsigned warp_size = 32;

/// Position in the block.
inline unsigned thread() { return (tid<0>() * ntid<1>() + tid<1>()) * ntid<2>() + tid<2>(); }
inline unsigned threads() { return ntid<0>() * ntid<1>() * ntid<2>(); }
inline unsigned sub_group_max_size() { return warp_size; }
inline unsigned sub_group_id() { return thread() / warp_size; }
inline unsigned sub_group_count() { return (threads() + warp_size - 1) / warp_size; }
inline unsigned lane() { return thread() % warp_size; }
inline unsigned sub_group_size() {
  const unsigned rest = threads() - sub_group_id() * warp_size;
  return rest < warp_size ? rest : warp_size;
}
/// The own warp's threads, a bit each.
inline unsigned members() {
  const unsigned count = sub_group_size();
  return count == warp_size ? ~0u : (1u << count) - 1;
}

/// The value of lane `from`, taken modulo the size of a warp.
inline unsigned shuffle(unsigned mask, unsigned value, unsigned from) {
  return static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(mask, static_cast<int>(value), static_cast<int>(from), 31));
}
/// The value of the lane `by` before this one; its own where there is none.
inline unsigned shuffle_up(unsigned mask, unsigned value, unsigned by) {
  return static_cast<unsigned>(__nvvm_shfl_sync_up_i32(mask, static_cast<int>(value), static_cast<int>(by), 0));
}

} // namespace sycl::detail::ptx

#endif
