//! The work-item that device code runs as: ids, sizes and barriers of each code generator behind one class.
//!
//! SPIR-V reads built-in variables. The native CPU reads the structure that the backend hands to the entry; `current` remembers it for code
//! that has no nd_item at hand (local accessors). GPUs read special registers, and what the launch adds to them. In the host pass the functions exist so that kernels can be checked; they never run.
#pragma once
#include <aspen/native_cpu.h>
#include <sycl/detail/config.hpp>
#include <sycl/detail/amdgcn.hpp>
#include <sycl/detail/ptx.hpp>
#include <sycl/range.hpp>

#if defined(__ASPEN_SPIRV__)
extern __attribute__((convergent)) void __spirv_ControlBarrier(unsigned, unsigned, unsigned);
extern void __spirv_MemoryBarrier(unsigned, unsigned);
#endif

/// SPIR-V's scopes by the name that DPC++ has for them, which programs took up. Source: SPIR-V 1.6 §3.27.
namespace __spv {
struct Scope {
  enum Flag : std::uint32_t { CrossDevice = 0, Device = 1, Workgroup = 2, Subgroup = 3, Invocation = 4 };
  constexpr Scope(Flag flag) : flag_value(flag) {}
  constexpr operator std::uint32_t() const { return flag_value; }
  Flag flag_value;
};
} // namespace __spv

namespace sycl::detail {

/// What a work-item takes from the lanes of its sub-group: the value of the lane whose number is its own by exclusive or with an amount, so
/// many after it, so many before, or of a number. The last two are the same for all lanes, which ask with the same amount: the value of one
/// of them, and what their values come to (`lane_fold`).
enum class lane_way : std::uint32_t { mask, after, before, number, broadcast, fold };

#if defined(__ASPEN_NATIVE_CPU__)
/// The work-item that this thread runs. Set by the entry, and again after each function that may switch to another item's stack.
__attribute__((visibility("hidden"))) inline thread_local aspen_cpu_item_t *current = nullptr;

// What code generation knows by name when it makes loops over the items of a group (native_cpu.h, aspen_cpu_group_t). Not inlined before.

/// Begins a work-item of an ND-range.
__attribute__((noinline)) inline void enter_nd_item(aspen_cpu_item_t *item) { current = item; }

/// Comes back when all work-items of the group are here.
__attribute__((noinline)) inline void wait_for_group(aspen_cpu_item_t *item) {
  item->ops->group_barrier(item);
  current = item;
}

/// The same for the sub-group.
__attribute__((noinline)) inline void wait_for_sub_group(aspen_cpu_item_t *item) {
  item->ops->sub_group_barrier(item);
  current = item;
}

/// Waits for those lanes of the sub-group. One waits for nobody, so that kernels whose groups are single items have loops (native_cpu.h).
/// Through a pointer that nobody follows: the items of such kernels are not in one place, so they run item by item (shim/items, `mayWait`).
inline void wait_for_members(aspen_cpu_item_t *item, std::uint64_t members) {
  if ((members & (members - 1)) == 0)
    return;
  void (*volatile wait)(aspen_cpu_item_t *) = wait_for_sub_group;
  item->members = members;
  wait(item);
  item->members = 0;
}

/// Whether the work-item at this place of the group has ended. It stays so, and what it is cannot be known but right behind a barrier: others
/// may not have come as far. `in_sub_group`: whether it is one of the asking item's sub-group.
__attribute__((noinline)) inline bool has_ended(const aspen_cpu_item_t *item, std::uint32_t local_linear_id, [[maybe_unused]] bool in_sub_group) {
  return item->ended[local_linear_id] != 0;
}

/// The first work-item that has not ended, from this one on.
inline std::uint32_t first_running(const aspen_cpu_item_t *item, std::uint32_t local_linear_id) {
  while (item->ended[local_linear_id] != 0)
    ++local_linear_id;
  return local_linear_id;
}

/// Waits for the group, as `wait_for_group`. True in one work-item, which may do for all what is to be done once before they meet again:
/// nobody does anything else until then.
__attribute__((noinline)) inline bool wait_to_compute_for_group(aspen_cpu_item_t *item) {
  item->ops->group_barrier(item);
  current = item;
  return item->local_linear_id == first_running(item, 0);
}

/// The same for the sub-group.
__attribute__((noinline)) inline bool wait_to_compute_for_sub_group(aspen_cpu_item_t *item) {
  item->ops->sub_group_barrier(item);
  current = item;
  return item->local_linear_id == first_running(item, item->local_linear_id - item->lane);
}

/// What makes one of two values, which are words of this meaning.
enum class lane_fold : std::uint32_t {
  add, add_float, multiply, multiply_float, bit_and, bit_or, bit_xor,
  least, least_unsigned, least_float, most, most_unsigned, most_float
};

template <class T> inline T folded(T a, T b, lane_fold how) {
  using number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using real = std::conditional_t<sizeof(T) == 4, float, double>;
  const number x = static_cast<number>(a), y = static_cast<number>(b);
  const real u = __builtin_bit_cast(real, a), v = __builtin_bit_cast(real, b);
  switch (how) {
  case lane_fold::add: return a + b;
  case lane_fold::add_float: return __builtin_bit_cast(T, u + v);
  case lane_fold::multiply: return a * b;
  case lane_fold::multiply_float: return __builtin_bit_cast(T, u * v);
  case lane_fold::bit_and: return a & b;
  case lane_fold::bit_or: return a | b;
  case lane_fold::bit_xor: return a ^ b;
  case lane_fold::least: return y < x ? b : a;
  case lane_fold::least_unsigned: return b < a ? b : a;
  case lane_fold::least_float: return v < u ? b : a;
  case lane_fold::most: return x < y ? b : a;
  case lane_fold::most_unsigned: return a < b ? b : a;
  case lane_fold::most_float: return u < v ? b : a;
  }
  return a;
}

/// Folds what lanes gave, but for those that have ended (null: none has): the second half into the first, until one value is left. So a sub-group
/// that is full comes to the same as the vectors do that code generation makes of this.
template <class T> inline T fold_all(T *values, const unsigned char *ended, std::uint32_t count, lane_fold how) {
  std::uint64_t here = 0;
  for (std::uint32_t lane = 0; lane < count; ++lane)
    here |= static_cast<std::uint64_t>(!ended || ended[lane] == 0) << lane;
  for (std::uint32_t step = 32; step > 0; step /= 2)
    for (std::uint32_t lane = 0; lane < step; ++lane) {
      if ((here >> (lane + step) & 1) == 0)
        continue;
      values[lane] = (here >> lane & 1) != 0 ? folded(values[lane], values[lane + step], how) : values[lane + step];
      here |= std::uint64_t{1} << lane;
    }
  return values[0];
}
__attribute__((noinline)) inline std::uint32_t fold_32(std::uint32_t *values, const unsigned char *ended, std::uint32_t count, lane_fold how) {
  return fold_all(values, ended, count, how);
}
__attribute__((noinline)) inline std::uint64_t fold_64(std::uint64_t *values, const unsigned char *ended, std::uint32_t count, lane_fold how) {
  return fold_all(values, ended, count, how);
}

/// Tells that a value is asked for which an ended work-item does not give.
__attribute__((noinline)) inline void asked_ended(aspen_cpu_item_t *item, std::uint32_t local_linear_id) {
  item->ops->asked_ended(item, local_linear_id);
}

template <class T> inline T fold_by_slots(aspen_cpu_item_t *item, T value, lane_fold how) {
  T *const slots = reinterpret_cast<T *>(item->sub_group_slots);
  slots[item->lane] = value;
  if (wait_to_compute_for_sub_group(item)) {
    const unsigned char *ended = item->ended + (item->local_linear_id - item->lane);
    if constexpr (sizeof(T) == 4)
      slots[0] = fold_32(slots, ended, item->sub_group_size, how);
    else
      slots[0] = fold_64(slots, ended, item->sub_group_size, how);
  }
  wait_for_sub_group(item);
  const T out = slots[0];
  wait_for_sub_group(item);
  return out;
}

template <class T> inline T take_by_slots(aspen_cpu_item_t *item, T value, lane_way way, std::uint32_t amount) {
  if (way == lane_way::fold)
    return fold_by_slots(item, value, static_cast<lane_fold>(amount));
  const std::uint32_t own = item->lane;
  const std::uint32_t there = way == lane_way::mask    ? own ^ amount
                              : way == lane_way::after  ? own + amount
                              : way == lane_way::before ? own - amount
                                                        : amount;
  const std::uint32_t from = there < item->sub_group_size ? there : way == lane_way::broadcast ? 0 : own;
  T *const slots = reinterpret_cast<T *>(item->sub_group_slots);
  slots[own] = value;
  wait_for_sub_group(item);
  if (const std::uint32_t linear = item->local_linear_id - own + from; way == lane_way::broadcast && has_ended(item, linear, true))
    asked_ended(item, linear);
  const T out = slots[from];
  wait_for_sub_group(item);
  return out;
}

/// What a lane takes of those that are passed in; any value of a lane that is not there or has ended, which is a mistake for a broadcast
/// (ASPEN_CHECK=1). A lane whose value nobody takes may have none.
__attribute__((noinline)) inline std::uint32_t take_32(aspen_cpu_item_t *item, __ASPEN_MAYBE_UNSET std::uint32_t value, lane_way way,
                                                       std::uint32_t amount) {
  return take_by_slots(item, value, way, amount);
}
__attribute__((noinline)) inline std::uint64_t take_64(aspen_cpu_item_t *item, __ASPEN_MAYBE_UNSET std::uint64_t value, lane_way way,
                                                       std::uint32_t amount) {
  return take_by_slots(item, value, way, amount);
}
#endif

/// SPIR-V's numbers for scopes and memory semantics.
namespace spirv {
inline constexpr unsigned device_scope = 1, work_group_scope = 2, sub_group_scope = 3;
inline constexpr unsigned acquire_release = 0x8, sequential = 0x10;
inline constexpr unsigned sub_group_memory = 0x80, work_group_memory = 0x100, global_memory = 0x200;
} // namespace spirv

/// A handle of the running work-item; the template argument `S` counts dimensions from the right: 2 is the one that runs fastest.
class work_item {
public:
  constexpr work_item() = default;
#if defined(__ASPEN_NATIVE_CPU__)
  explicit work_item(aspen_cpu_item_t *item) : cpu(item) {}
#define __ASPEN_WORK_ITEM_VALUE(name, builtin, member)                                                                                    \
  template <int S> size_t name() const { return cpu->member[S]; }
#elif defined(__ASPEN_SPIRV__)
#define __ASPEN_WORK_ITEM_VALUE(name, builtin, member)                                                                                    \
  template <int S> size_t name() const { return builtin(2 - S); }
#elif defined(__ASPEN_GPU__)
  explicit work_item(const aspen_cuda_launch_t &launch) : cpu((aspen_cpu_item_t *)&launch) {}
  const aspen_cuda_launch_t &launch() const { return *(const aspen_cuda_launch_t *)cpu; }
#define __ASPEN_WORK_ITEM_VALUE(name, builtin, member)                                                                                    \
  template <int S> size_t name() const { return gpu::name<S>(launch()); }
#else
#define __ASPEN_WORK_ITEM_VALUE(name, builtin, member)                                                                                    \
  template <int S> size_t name() const { return 0; }
#endif
  __ASPEN_WORK_ITEM_VALUE(global_id, __builtin_spirv_global_invocation_id, global_id)
  __ASPEN_WORK_ITEM_VALUE(local_id, __builtin_spirv_local_invocation_id, local_id)
  __ASPEN_WORK_ITEM_VALUE(group_id, __builtin_spirv_workgroup_id, group_id)
  __ASPEN_WORK_ITEM_VALUE(global_range, __builtin_spirv_global_size, global_range)
  __ASPEN_WORK_ITEM_VALUE(local_range, __builtin_spirv_workgroup_size, local_range)
  __ASPEN_WORK_ITEM_VALUE(group_range, __builtin_spirv_num_workgroups, group_range)
  __ASPEN_WORK_ITEM_VALUE(offset, __builtin_spirv_global_offset, offset)
#undef __ASPEN_WORK_ITEM_VALUE

#if defined(__ASPEN_NATIVE_CPU__)
#define __ASPEN_SUB_GROUP_VALUE(name, builtin, member)                                                                                    \
  std::uint32_t name() const { return cpu->member; }
#elif defined(__ASPEN_SPIRV__)
#define __ASPEN_SUB_GROUP_VALUE(name, builtin, member)                                                                                    \
  std::uint32_t name() const { return builtin(); }
#elif defined(__ASPEN_GPU__)
#define __ASPEN_SUB_GROUP_VALUE(name, builtin, member)                                                                                    \
  std::uint32_t name() const { return gpu::name(); }
#else
#define __ASPEN_SUB_GROUP_VALUE(name, builtin, member)                                                                                    \
  std::uint32_t name() const { return 1; }
#endif
  __ASPEN_SUB_GROUP_VALUE(sub_group_size, __builtin_spirv_subgroup_size, sub_group_size)
  __ASPEN_SUB_GROUP_VALUE(sub_group_max_size, __builtin_spirv_subgroup_max_size, sub_group_max_size)
  __ASPEN_SUB_GROUP_VALUE(sub_group_count, __builtin_spirv_num_subgroups, sub_group_count)
  __ASPEN_SUB_GROUP_VALUE(sub_group_id, __builtin_spirv_subgroup_id, sub_group_id)
  __ASPEN_SUB_GROUP_VALUE(lane, __builtin_spirv_subgroup_local_invocation_id, lane)
#undef __ASPEN_SUB_GROUP_VALUE

  /// Position in the work-group, last dimension fastest.
  size_t local_linear_id() const {
#if defined(__ASPEN_NATIVE_CPU__)
    return cpu->local_linear_id;
#elif defined(__ASPEN_GPU__)
    return gpu::thread();
#else
    return (local_id<0>() * local_range<1>() + local_id<1>()) * local_range<2>() + local_id<2>();
#endif
  }
  size_t local_linear_range() const { return local_range<0>() * local_range<1>() * local_range<2>(); }

  void group_barrier() const {
#if defined(__ASPEN_NATIVE_CPU__)
    wait_for_group(cpu);
#elif defined(__ASPEN_SPIRV__)
    __spirv_ControlBarrier(spirv::work_group_scope, spirv::work_group_scope,
                           spirv::sequential | spirv::work_group_memory | spirv::global_memory);
#elif defined(__ASPEN_PTX__)
    __syncthreads();
#elif defined(__ASPEN_AMDGCN__)
    amdgcn::group_barrier();
#endif
  }
  void sub_group_barrier() const {
#if defined(__ASPEN_NATIVE_CPU__)
    wait_for_sub_group(cpu);
#elif defined(__ASPEN_SPIRV__)
    __spirv_ControlBarrier(spirv::sub_group_scope, spirv::sub_group_scope,
                           spirv::acquire_release | spirv::sub_group_memory | spirv::work_group_memory | spirv::global_memory);
#elif defined(__ASPEN_PTX__)
    __nvvm_bar_warp_sync(ptx::whole_warp);
#elif defined(__ASPEN_AMDGCN__)
    amdgcn::wave_barrier();
#endif
  }

  aspen_cpu_item_t *cpu = nullptr; // in every pass, so that the layout is the same; on GPUs the launch
};

#define __ASPEN_INDEX_OF(name, Type)                                                                                                      \
  template <int D> inline Type<D> name##_of(const work_item &w) {                                                                          \
    if constexpr (D == 1)                                                                                                                  \
      return Type<D>(w.template name<2>());                                                                                                \
    else if constexpr (D == 2)                                                                                                             \
      return Type<D>(w.template name<1>(), w.template name<2>());                                                                          \
    else                                                                                                                                   \
      return Type<D>(w.template name<0>(), w.template name<1>(), w.template name<2>());                                                    \
  }
__ASPEN_INDEX_OF(global_id, id)
__ASPEN_INDEX_OF(local_id, id)
__ASPEN_INDEX_OF(group_id, id)
__ASPEN_INDEX_OF(offset, id)
__ASPEN_INDEX_OF(global_range, range)
__ASPEN_INDEX_OF(local_range, range)
__ASPEN_INDEX_OF(group_range, range)
#undef __ASPEN_INDEX_OF

#if defined(__ASPEN_SPIRV__)
/// Where a work-group's dynamic local memory begins. Every work-item stores the same address at the kernel's entry.
inline unsigned long &local_memory_slot() {
  __attribute__((opencl_local)) static unsigned long slot;
  return *(unsigned long *)&slot;
}
#endif

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
/// Where its scratch memory begins, or 0. The same: code that is far from the entry finds it here.
inline unsigned long &scratch_slot() {
  __attribute__((opencl_local)) static unsigned long slot;
  return *(unsigned long *)&slot;
}
#endif

/// The first byte of the local memory that the launch asked for.
inline char *local_memory() {
#if defined(__ASPEN_NATIVE_CPU__)
  return current->local_memory;
#elif defined(__ASPEN_SPIRV__)
  return (char *)local_memory_slot();
#elif defined(__ASPEN_GPU__)
  return (char *)__aspen_local_memory;
#else
  return nullptr;
#endif
}

/// The scratch memory of the work-group; null if the launch has no work_group_scratch_size. A kernel without work-groups has none to ask for; on the
/// embedded CPU it gets null, not a crash, as long as its thread has run no kernel with work-groups.
inline char *scratch_memory() {
#if defined(__ASPEN_NATIVE_CPU__)
  return current ? current->scratch_memory : nullptr;
#elif defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
  return (char *)scratch_slot();
#else
  return nullptr;
#endif
}

/// Without a handle of it at hand.
inline work_item running_work_item() {
#if defined(__ASPEN_NATIVE_CPU__)
  return work_item(current);
#elif defined(__ASPEN_GPU__)
  return work_item(gpu::launch_without_offset);
#else
  return work_item();
#endif
}

} // namespace sycl::detail
