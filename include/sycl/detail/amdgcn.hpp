//! What the other headers need of AMD's processors: indices, wavefronts, fences. Dimension S counts from the left as in work_item.
//!
//! A sub-group is a wavefront: 64 lanes before gfx10, 32 from there on; the last one of a work-group may have fewer. Source: LLVM "User Guide
//! for AMDGPU Backend", "Kernel Dispatch" and "Code Object V5 Metadata".
#pragma once
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_AMDGCN__)
#include <aspen/cuda.h>
#include <aspen/hip.h>

/// The local memory of the launch, aligned as local accessors and scratch memory say.
extern __attribute__((address_space(3), aligned(128))) char __aspen_local_memory[];

namespace sycl::detail::amdgcn {

/// What the driver puts behind the kernel's own arguments.
typedef const __attribute__((address_space(4))) char *hidden_arguments;
inline hidden_arguments hidden() { return (hidden_arguments)__builtin_amdgcn_implicitarg_ptr(); }
template <class T> inline T hidden_at(unsigned offset) { return *(const __attribute__((address_space(4))) T *)(hidden() + offset); }

#define __ASPEN_AMDGCN_INDEX(name, builtin)                                                                                                \
  template <int S> inline unsigned name() {                                                                                                \
    if constexpr (S == 2)                                                                                                                  \
      return builtin##_x();                                                                                                                \
    else if constexpr (S == 1)                                                                                                             \
      return builtin##_y();                                                                                                                \
    else                                                                                                                                   \
      return builtin##_z();                                                                                                                \
  }
__ASPEN_AMDGCN_INDEX(tid, __builtin_amdgcn_workitem_id)
__ASPEN_AMDGCN_INDEX(ctaid, __builtin_amdgcn_workgroup_id)
#undef __ASPEN_AMDGCN_INDEX
template <int S> inline unsigned nctaid() { return hidden_at<unsigned>(4 * (2 - S)); }
template <int S> inline unsigned ntid() { return hidden_at<unsigned short>(12 + 2 * (2 - S)); }

typedef const aspen_cuda_launch_t &launch;
template <int S> inline size_t local_id(launch) { return tid<S>(); }
template <int S> inline size_t local_range(launch) { return ntid<S>(); }
template <int S> inline size_t group_id(launch) { return ctaid<S>(); }
template <int S> inline size_t group_range(launch) { return nctaid<S>(); }
template <int S> inline size_t offset(launch l) { return l.offset[S]; }
template <int S> inline size_t global_range(launch) { return size_t(nctaid<S>()) * ntid<S>(); }
template <int S> inline size_t global_id(launch l) { return size_t(ctaid<S>()) * ntid<S>() + tid<S>() + l.offset[S]; }

/// What code without an nd_item takes for the launch: one without an offset, since only the kernel's entry knows that.
inline constexpr aspen_cuda_launch_t launch_without_offset = {};

#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
inline constexpr unsigned wave_size = 32;
#else
inline constexpr unsigned wave_size = 64;
#endif
/// A work-group has 1024 work-items at most.
inline constexpr unsigned most_waves = 1024 / wave_size;

/// Position in the work-group.
inline unsigned thread() { return (tid<0>() * ntid<1>() + tid<1>()) * ntid<2>() + tid<2>(); }
inline unsigned threads() { return ntid<0>() * ntid<1>() * ntid<2>(); }
inline unsigned sub_group_max_size() { return wave_size; }
inline unsigned sub_group_id() { return thread() / wave_size; }
inline unsigned sub_group_count() { return (threads() + wave_size - 1) / wave_size; }
inline unsigned lane() {
  const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
  return wave_size == 32 ? low : __builtin_amdgcn_mbcnt_hi(~0u, low);
}
inline unsigned sub_group_size() {
  const unsigned rest = threads() - sub_group_id() * wave_size;
  return rest < wave_size ? rest : wave_size;
}

/// The lanes that come here and for which it is true, a bit each.
inline std::uint64_t ballot(bool x) {
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_ballot_w32(x);
#else
  return __builtin_amdgcn_ballot_w64(x);
#endif
}

/// The value of a lane.
inline unsigned shuffle(unsigned value, unsigned from) {
#if defined(__GFX7__) // has no ds_bpermute
  unsigned out = value;
  for (unsigned i = 0; i < wave_size; ++i) {
    const unsigned of = static_cast<unsigned>(__builtin_amdgcn_readlane(static_cast<int>(value), static_cast<int>(i)));
    out = i == from ? of : out;
  }
  return out;
#else
  return static_cast<unsigned>(__builtin_amdgcn_ds_bpermute(static_cast<int>(from * 4), static_cast<int>(value)));
#endif
}

/// Waits for the work-group; its accesses before are seen by those behind.
inline void group_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// The same for the wavefront, whose lanes run together: only the compiler has to keep the order.
inline void wave_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

} // namespace sycl::detail::amdgcn

namespace sycl::detail {
namespace gpu = amdgcn;
}
#endif
