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

/// What code without an nd_item takes for the launch: one without an offset, since only the kernel's entry knows that.
inline constexpr aspen_cuda_launch_t launch_without_offset = {};

inline constexpr unsigned warp_size = 32;

/// Position in the block.
inline unsigned thread() { return (tid<0>() * ntid<1>() + tid<1>()) * ntid<2>() + tid<2>(); }
inline unsigned threads() { return ntid<0>() * ntid<1>() * ntid<2>(); }
inline unsigned sub_group_max_size() { return warp_size; }
inline unsigned sub_group_id() { return thread() / warp_size; }
inline unsigned sub_group_count() { return (threads() + warp_size - 1) / warp_size; }
/// Warps are cut from a block in the order of its threads.
inline unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
/// All threads of a warp, for instructions that wait for those of them which are there and have not ended. A number that the compiler knows makes
/// them cheaper. Source: PTX ISA, `bar.warp.sync`, `vote.sync`, `shfl.sync`, `redux.sync`.
inline constexpr unsigned whole_warp = ~0u;
/// How many threads the warp of `thread` has.
inline unsigned sub_group_size(unsigned thread, unsigned threads) {
  const unsigned rest = threads - thread / warp_size * warp_size;
  return rest < warp_size ? rest : warp_size;
}
inline unsigned sub_group_size() { return sub_group_size(thread(), threads()); }
/// `value`, of which nothing is computed earlier than here: what is known before a loop is else computed before it, also for branches that are
/// seldom taken, and registers that hold it for the whole loop are warps that do not run.
inline unsigned here(unsigned value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// The value of lane `from`, taken modulo the size of a warp. `mask` has a bit for each thread that takes part.
inline unsigned shuffle(unsigned mask, unsigned value, unsigned from) {
  return static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(mask, static_cast<int>(value), static_cast<int>(from), 31));
}
/// The value of the lane `by` before this one; its own where there is none.
inline unsigned shuffle_up(unsigned value, unsigned by) {
  return static_cast<unsigned>(__nvvm_shfl_sync_up_i32(whole_warp, static_cast<int>(value), static_cast<int>(by), 0));
}
/// The value of the lane `by` behind this one; its own where there is none.
inline unsigned shuffle_down(unsigned value, unsigned by) {
  return static_cast<unsigned>(__nvvm_shfl_sync_down_i32(whole_warp, static_cast<int>(value), static_cast<int>(by), 31));
}
/// The value of the lane whose number differs in the bits of `by`.
inline unsigned shuffle_xor(unsigned value, unsigned by) {
  return static_cast<unsigned>(__nvvm_shfl_sync_bfly_i32(whole_warp, static_cast<int>(value), static_cast<int>(by), 31));
}

/// Orders this thread's accesses as the system (0), the device (1) or the block (2) sees them.
inline void fence(unsigned scope, bool sequential) {
#if __SYCL_CUDA_ARCH__ >= 700
  if (scope == 0) {
    if (sequential)
      asm volatile("fence.sc.sys;" ::: "memory");
    else
      asm volatile("fence.acq_rel.sys;" ::: "memory");
  } else if (scope == 1) {
    if (sequential)
      asm volatile("fence.sc.gpu;" ::: "memory");
    else
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
  } else {
    if (sequential)
      asm volatile("fence.sc.cta;" ::: "memory");
    else
      asm volatile("fence.acq_rel.cta;" ::: "memory");
  }
#else
  // These are as strong as sequential order wants.
  (void)sequential;
  if (scope == 0)
    __nvvm_membar_sys();
  else if (scope == 1)
    __nvvm_membar_gl();
  else
    __nvvm_membar_cta();
#endif
}

#if __SYCL_CUDA_ARCH__ >= 600
/// Relaxed operations that the whole system sees as atomic: those of LLVM are atomic for the device only.
#define __ASPEN_PTX_ATOMIC(name, instruction, type, T, r)                                                                                 \
  inline T name(T *at, T value) {                                                                                                          \
    T old;                                                                                                                                 \
    asm volatile("atom.sys." instruction "." type " %0, [%1], %2;" : "=" r(old) : "l"(at), r(value) : "memory");                           \
    return old;                                                                                                                            \
  }
#define __ASPEN_PTX_ATOMICS(T, bits, add, order, r)                                                                                       \
  __ASPEN_PTX_ATOMIC(atomic_exchange, "exch", bits, T, r)                                                                                  \
  __ASPEN_PTX_ATOMIC(atomic_add, "add", add, T, r)                                                                                         \
  __ASPEN_PTX_ATOMIC(atomic_min, "min", order, T, r)                                                                                       \
  __ASPEN_PTX_ATOMIC(atomic_max, "max", order, T, r)                                                                                       \
  __ASPEN_PTX_ATOMIC(atomic_and, "and", bits, T, r)                                                                                        \
  __ASPEN_PTX_ATOMIC(atomic_or, "or", bits, T, r)                                                                                          \
  __ASPEN_PTX_ATOMIC(atomic_xor, "xor", bits, T, r)
__ASPEN_PTX_ATOMICS(int, "b32", "s32", "s32", "r")
__ASPEN_PTX_ATOMICS(unsigned, "b32", "u32", "u32", "r")
__ASPEN_PTX_ATOMICS(long, "b64", "u64", "s64", "l")
__ASPEN_PTX_ATOMICS(unsigned long, "b64", "u64", "u64", "l")
__ASPEN_PTX_ATOMIC(atomic_add, "add", "f32", float, "f")
__ASPEN_PTX_ATOMIC(atomic_add, "add", "f64", double, "d")
#undef __ASPEN_PTX_ATOMICS
#undef __ASPEN_PTX_ATOMIC
#endif

} // namespace sycl::detail::ptx

namespace sycl::detail {
namespace gpu = ptx;
}

#endif
