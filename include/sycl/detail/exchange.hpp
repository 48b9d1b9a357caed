//! How the work-items of a group hand each other values: the ground of all group algorithms.
//!
//! SPIR-V has instructions for numbers; other values travel as 32-bit words, as all do between the lanes of a warp (PTX); warps meet in
//! shared memory. On the native CPU each work-item has a slot of exchange memory (exchange_slots.hpp) and one work-item computes for all,
//! between two barriers. Work-items that have ended contribute nothing: between the barriers it is known which these are, since all others
//! are there.
#pragma once
#include <sycl/detail/exchange_slots.hpp>
#include <sycl/functional.hpp>
#include <sycl/nd_item.hpp>

#if defined(__ASPEN_SPIRV__)
// Plain overloads: the code generator finds these by their mangled names, and those of templates mean nothing to it.
#define __ASPEN_CONVERGENT extern __attribute__((convergent))
#define __ASPEN_EXCHANGE(T)                                                                                                               \
  __ASPEN_CONVERGENT T __spirv_GroupNonUniformShuffle(unsigned, T, unsigned);                                                              \
  __ASPEN_CONVERGENT T __spirv_GroupNonUniformShuffleXor(unsigned, T, unsigned);                                                           \
  __ASPEN_CONVERGENT T __spirv_GroupBroadcast(unsigned, T, unsigned long);                                                                 \
  __ASPEN_CONVERGENT T __spirv_GroupBroadcast(unsigned, T, unsigned long __attribute__((ext_vector_type(3))));
__ASPEN_EXCHANGE(unsigned)
__ASPEN_EXCHANGE(unsigned long)
#undef __ASPEN_EXCHANGE
#define __ASPEN_REDUCE(T, sum, order)                                                                                                     \
  __ASPEN_CONVERGENT T __spirv_Group##sum##Add(unsigned, unsigned, T);                                                                     \
  __ASPEN_CONVERGENT T __spirv_Group##order##Min(unsigned, unsigned, T);                                                                   \
  __ASPEN_CONVERGENT T __spirv_Group##order##Max(unsigned, unsigned, T);
__ASPEN_REDUCE(int, I, S)
__ASPEN_REDUCE(unsigned, I, U)
__ASPEN_REDUCE(long, I, S)
__ASPEN_REDUCE(unsigned long, I, U)
__ASPEN_REDUCE(float, F, F)
__ASPEN_REDUCE(double, F, F)
__ASPEN_REDUCE(_Float16, F, F)
#undef __ASPEN_REDUCE
__ASPEN_CONVERGENT bool __spirv_GroupAll(unsigned, bool);
__ASPEN_CONVERGENT bool __spirv_GroupAny(unsigned, bool);
#undef __ASPEN_CONVERGENT
#endif

namespace sycl::detail {

/// What differs between groups. This is for parts of a sub-group (ext/oneapi/experimental/non_uniform_groups.hpp), whose members have lanes of
/// their own; `is_sub_group` is true of what lies within one.
template <class Group, class = void> struct group_traits {
  static constexpr bool is_sub_group = true, is_part = true;
  static unsigned lane(const Group &g, size_t i) { return g.aspen_lane(i); }
  static std::uint64_t members(const Group &g) { return g.aspen_members(); }
};
template <int D> struct group_traits<group<D>> {
  static constexpr unsigned spirv_scope = spirv::work_group_scope;
  static constexpr bool is_sub_group = false, is_part = false;
  static void barrier(const work_item &w) { w.group_barrier(); }
};
template <> struct group_traits<sub_group> {
  static constexpr unsigned spirv_scope = spirv::sub_group_scope;
  static constexpr bool is_sub_group = true, is_part = false;
  static void barrier(const work_item &w) { w.sub_group_barrier(); }
  static size_t lane(const sub_group &, size_t i) { return i; }
#if defined(__ASPEN_PTX__)
  static std::uint64_t members(const sub_group &) { return ptx::whole_warp; }
#elif defined(__ASPEN_AMDGCN__)
  static std::uint64_t members(const sub_group &) { return amdgcn::ballot(true); }
#endif
};

template <class Group>
struct group_traits<Group, if_derived_group<Group>> : group_traits<base_group<Group>> {};

/// A value as 32-bit words, for types no instruction knows.
template <class T> struct words_of {
  static constexpr size_t count = (sizeof(T) + 3) / 4;
  unsigned words[count] = {};
  words_of() = default;
  explicit words_of(const T &value) { __builtin_memcpy(words, &value, sizeof(T)); }
  /// Words are read as such: bytes would be, one by one, where the memory is a device's.
  T value() const {
    const words_of copy = *this;
    if constexpr (sizeof(T) == sizeof(words))
      return __builtin_bit_cast(T, copy);
    else
      return bit_cast_of_bytes<T>(copy.words);
  }
};

/// The type in which SPIR-V adds and compares a `T`; exact for all narrower integers.
template <class T> struct spirv_number {
  using signed_type = std::conditional_t<sizeof(T) == 8, long, int>;
  using unsigned_type = std::conditional_t<sizeof(T) == 8, unsigned long, unsigned>;
  using type = std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<std::is_signed_v<T>, signed_type, unsigned_type>>;
  static type to(T value) { return static_cast<type>(value); }
  static T from(type value) { return static_cast<T>(value); }
};
template <> struct spirv_number<half_impl::half> {
  using type = _Float16;
  static type to(half_impl::half value) { return value.native_(); }
  static half_impl::half from(type value) { return half_impl::half::make(value); }
};

#if defined(__ASPEN_PTX__)
/// Of larger values no slot for each warp is kept: blocks have 48 KiB.
inline constexpr size_t widest_slot = 256;

/// Shared memory for a value of each warp, or for one if values are large. Every use is followed by a barrier, so that the next one may write again.
template <class T> inline words_of<T> *warp_slots() {
  typedef unsigned words __attribute__((opencl_local));
  alignas(16) static words slots[(sizeof(T) > widest_slot ? 1 : ptx::warp_size) * words_of<T>::count];
  return (words_of<T> *)(unsigned *)slots;
}

/// Eight of them, by as few instructions as there are.
template <class T> struct alignas(16) eight_slots {
  words_of<T> of[8];
};

template <class T, class Exchange> inline T exchange_words(const T &value, Exchange exchange) {
  words_of<T> in(value), out;
  for (size_t i = 0; i < words_of<T>::count; ++i)
    out.words[i] = exchange(in.words[i]);
  return out.value();
}

/// The value of the lane that lies that way; any value where there is none.
template <class T> inline T take_by_lane(const sub_group &, const T &value, lane_way way, std::uint32_t amount) {
  static_assert(std::is_trivially_copyable_v<T>, "group algorithms exchange trivially copyable values");
  return exchange_words(value, [=](unsigned word) {
    switch (way) {
    case lane_way::mask:
      return ptx::shuffle_xor(word, amount);
    case lane_way::after:
      return ptx::shuffle_down(word, amount);
    case lane_way::before:
      return ptx::shuffle_up(word, amount);
    default:
      return ptx::shuffle(ptx::whole_warp, word, amount);
    }
  });
}
#endif

} // namespace sycl::detail
#include <sycl/detail/amdgcn_exchange.hpp>
namespace sycl::detail {

/// The value that the work-item `from` of the group passes in; all pass the same `from` unless the group is a sub-group. An item that has
/// ended passes nothing: the result is any value then, and for a broadcast that is a mistake (ASPEN_CHECK=1).
template <bool IsBroadcast, class Group, class T> inline T take_from(const Group &g, const T &value, size_t from) {
  static_assert(std::is_trivially_copyable_v<T>, "group algorithms exchange trivially copyable values");
#if defined(__ASPEN_NATIVE_CPU__)
  if constexpr (group_traits<Group>::is_part)
    return g.template aspen_take<IsBroadcast>(value, from);
  else
    return take_natively<IsBroadcast>(g, value, from);
#elif defined(__ASPEN_SPIRV__)
  words_of<T> in(value), out;
  // Nobody's value may be any value, but SPIR-V makes all that is computed with it undefined, and so do drivers.
  if constexpr (!IsBroadcast)
    from = from < g.get_local_linear_range() ? from : g.get_local_linear_id();
  for (size_t i = 0; i < words_of<T>::count; ++i) {
    if constexpr (group_traits<Group>::is_sub_group) {
      out.words[i] = __spirv_GroupNonUniformShuffle(spirv::sub_group_scope, in.words[i], static_cast<unsigned>(group_traits<Group>::lane(g, from)));
    } else if constexpr (Group::dimensions == 1) {
      out.words[i] = __spirv_GroupBroadcast(spirv::work_group_scope, in.words[i], from);
    } else {
      // A 32-bit index crashes one vendor's compiler, so always three 64-bit ones.
      typedef unsigned long index __attribute__((ext_vector_type(3)));
      const range<Group::dimensions> extent = g.get_local_range();
      const id<Group::dimensions> at = delinearize(from, extent);
      index where = {at[Group::dimensions - 1], at[Group::dimensions - 2], 0};
      if constexpr (Group::dimensions == 3)
        where[2] = at[0];
      out.words[i] = __spirv_GroupBroadcast(spirv::work_group_scope, in.words[i], where);
    }
  }
  return out.value();
#elif defined(__ASPEN_PTX__)
  if constexpr (group_traits<Group>::is_sub_group) {
    const unsigned mask = static_cast<unsigned>(group_traits<Group>::members(g)), lane = static_cast<unsigned>(group_traits<Group>::lane(g, from));
    return exchange_words(value, [=](unsigned word) { return ptx::shuffle(mask, word, lane); });
  } else {
    words_of<T> *slot = warp_slots<T>();
    if (ptx::thread() == from)
      *slot = words_of<T>(value);
    __syncthreads();
    const T out = slot->value();
    __syncthreads();
    return out;
  }
#elif defined(__ASPEN_AMDGCN__)
  if constexpr (group_traits<Group>::is_sub_group)
    return from_lane(value, static_cast<unsigned>(group_traits<Group>::lane(g, from)));
  else
    return from_item(value, from);
#else
  (void)g;
  (void)from;
  return value;
#endif
}

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_NATIVE_CPU__)
/// Any operation on any type: a chain of exchanges, one for each work-item. For what has no instruction, and no slot.
template <scan_kind Kind, class Group, class T, class Op> inline T combine_one_by_one(const Group &g, const T &value, const T *first, Op op) {
  const size_t own = g.get_local_linear_id();
  const size_t count = g.get_local_linear_range();
  T sum = first ? *first : value;
  T out = sum;
  bool none = !first;
  for (size_t i = 0; i < count; ++i) {
    bool gone = false;
#if defined(__ASPEN_NATIVE_CPU__)
    const T next = take_natively<false>(g, value, i, &gone);
#else
    const T next = take_from<false>(g, value, i);
#endif
    if (Kind == scan_kind::exclusive && i == own)
      out = sum;
    if (gone)
      continue;
    sum = none ? next : static_cast<T>(op(sum, next));
    none = false;
    if (Kind == scan_kind::inclusive && i == own)
      out = sum;
  }
  return Kind == scan_kind::reduce ? sum : out;
}
#endif

#if defined(__ASPEN_PTX__)
/// Each lane's sum of all values up to its own, in five steps.
template <class T, class Op> inline T scan_warp(unsigned lane, const T &value, Op op) {
  T sum = value;
  for (unsigned step = 1; step < ptx::warp_size; step *= 2) {
    const T before = exchange_words(sum, [=](unsigned word) { return ptx::shuffle_up(word, step); });
    if (lane >= step)
      sum = static_cast<T>(op(before, sum));
  }
  return sum;
}

template <class T, class Op> inline T add_lane(unsigned step, const T &sum, Op op) {
  return static_cast<T>(op(sum, exchange_words(sum, [=](unsigned word) { return ptx::shuffle_xor(word, step); })));
}

/// The sum of lanes that differ in the bits below `count`, a power of two; every lane of the warp is there.
template <class T, class Op> inline T reduce_lanes(unsigned count, T sum, Op op) {
  if (count > 16)
    sum = add_lane(16, sum, op);
  if (count > 8)
    sum = add_lane(8, sum, op);
  if (count >= 8) // without a loop
    return add_lane(1, add_lane(2, add_lane(4, sum, op), op), op);
  for (unsigned step = count / 2; step > 0; step /= 2)
    sum = add_lane(step, sum, op);
  return sum;
}

/// The sum of all lanes up to the last, in every lane.
template <class T, class Op> inline T reduce_warp(unsigned lane, unsigned last, const T &value, Op op) {
  if (last == ptx::warp_size - 1)
    return reduce_lanes(ptx::warp_size, value, op);
  const T sum = scan_warp(lane, value, op);
  return exchange_words(sum, [=](unsigned word) { return ptx::shuffle(ptx::whole_warp, word, last); });
}

/// The sum of a work-group of whole warps, in every thread: each warp reduces what the warps came to.
template <class T, class Op> inline T reduce_whole_warps(unsigned thread, unsigned count, const T &value, Op op) {
  unsigned lane = thread % ptx::warp_size;
  const T own = reduce_lanes(ptx::warp_size, value, op);
  words_of<T> *slots = warp_slots<T>();
  if (lane == 0)
    slots[thread / ptx::warp_size] = words_of<T>(own);
  __syncthreads();
  if constexpr (sizeof(T) <= 8) {
    if (count == 8) { // groups have 256 work-items most often; all lanes read the same, which takes less time than to exchange
      const eight_slots<T> all = *(const eight_slots<T> *)slots;
      __syncthreads();
      const auto both = [&](const T &a, const T &b) { return static_cast<T>(op(a, b)); };
      const auto four = [&](int i) { return both(both(all.of[i].value(), all.of[i + 1].value()), both(all.of[i + 2].value(), all.of[i + 3].value())); };
      return both(four(0), four(4));
    }
    lane = ptx::here(lane), count = ptx::here(count);
  }
  if ((count & (count - 1)) == 0) {
    const T sum = slots[lane & (count - 1)].value();
    __syncthreads();
    return reduce_lanes(count, sum, op);
  }
  T sum = slots[lane < count ? lane : 0].value();
  __syncthreads();
  for (unsigned step = 1; step < count; step *= 2) {
    const T other = exchange_words(sum, [=](unsigned word) { return ptx::shuffle_down(word, step); });
    if (lane + step < count)
      sum = static_cast<T>(op(sum, other));
  }
  return exchange_words(sum, [](unsigned word) { return ptx::shuffle(ptx::whole_warp, word, 0); });
}

/// The sum of a work-group, for large values: warps take turns at one slot.
template <class T, class Op> inline T reduce_by_turns(const T &value, Op op) {
  words_of<T> *slot = warp_slots<T>();
  T sum = reduce_warp(ptx::lane(), ptx::sub_group_size() - 1, value, op);
  const unsigned own = ptx::sub_group_id(), count = ptx::sub_group_count();
  for (unsigned turn = 0; turn < count; ++turn) {
    if (own == turn && ptx::lane() == 0)
      *slot = words_of<T>(turn ? static_cast<T>(op(slot->value(), sum)) : sum);
    __syncthreads();
  }
  sum = slot->value();
  __syncthreads();
  return sum;
}

/// Warps scan on their own; in a work-group each then adds up what the warps before it came to.
template <scan_kind Kind, class Group, class T, class Op> inline T combine_warps(const T &value, const T *first, Op op) {
  if constexpr (!group_traits<Group>::is_sub_group && Kind == scan_kind::reduce) {
    if constexpr (sizeof(T) > widest_slot) {
      const T sum = reduce_by_turns(value, op);
      return first ? static_cast<T>(op(*first, sum)) : sum;
    }
    constexpr bool is_line = Group::dimensions == 1; // which saves the arithmetic of ids
    const unsigned thread = is_line ? ptx::tid<2>() : ptx::thread(), threads = is_line ? ptx::ntid<2>() : ptx::threads();
    if (threads % ptx::warp_size == 0) {
      const T sum = reduce_whole_warps(thread, threads / ptx::warp_size, value, op);
      return first ? static_cast<T>(op(*first, sum)) : sum;
    }
  }
  if constexpr (group_traits<Group>::is_sub_group && Kind == scan_kind::reduce)
    if (ptx::threads() % ptx::warp_size == 0) { // which is known of the whole launch
      const T sum = reduce_lanes(ptx::warp_size, value, op);
      return first ? static_cast<T>(op(*first, sum)) : sum;
    }
  // Work-groups of warps that are not whole are few.
  constexpr bool is_seldom = !group_traits<Group>::is_sub_group && Kind == scan_kind::reduce;
  const unsigned thread = is_seldom ? ptx::here(ptx::thread()) : ptx::thread(), threads = is_seldom ? ptx::here(ptx::threads()) : ptx::threads();
  const unsigned last = ptx::sub_group_size(thread, threads) - 1, lane = thread % ptx::warp_size;
  const T inclusive = Kind == scan_kind::reduce ? reduce_warp(lane, last, value, op) : scan_warp(lane, value, op);
  bool begun = first != nullptr; // whether `before` is a value
  T before = first ? *first : value;
  if constexpr (!group_traits<Group>::is_sub_group) {
    words_of<T> *slots = warp_slots<T>();
    const unsigned own = thread / ptx::warp_size, count = (threads + ptx::warp_size - 1) / ptx::warp_size;
    if constexpr (sizeof(T) > widest_slot) { // of scans: one warp after the other, at the one slot
      for (unsigned turn = 0; turn < count; ++turn) {
        const T so_far = turn > 0 ? slots->value() : inclusive;
        __syncthreads();
        if (turn == own && turn > 0) {
          before = begun ? static_cast<T>(op(before, so_far)) : so_far;
          begun = true;
        }
        if (turn == own && lane == last)
          *slots = words_of<T>(turn > 0 ? static_cast<T>(op(so_far, inclusive)) : inclusive);
        __syncthreads();
      }
    } else {
      if (lane == last)
        slots[own] = words_of<T>(inclusive);
      __syncthreads();
      for (unsigned i = 0; i < (Kind == scan_kind::reduce ? count : own); ++i) {
        const T next = slots[i].value();
        before = begun ? static_cast<T>(op(before, next)) : next;
        begun = true;
      }
      __syncthreads();
    }
    if (Kind == scan_kind::reduce)
      return before;
  } else if (Kind == scan_kind::reduce) {
    return begun ? static_cast<T>(op(before, inclusive)) : inclusive;
  }
  if (Kind == scan_kind::inclusive)
    return begun ? static_cast<T>(op(before, inclusive)) : inclusive;
  const T left = exchange_words(inclusive, [=](unsigned word) { return ptx::shuffle_up(word, 1); });
  return lane == 0 ? before : static_cast<T>(op(before, left));
}
#endif

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__) || defined(__ASPEN_NATIVE_CPU__)
/// Of parts of a sub-group: members take the sum of those before them, twice as many in each step.
template <scan_kind Kind, class Group, class T, class Op> inline T combine_members(const Group &g, const T &value, const T *first, Op op) {
#if defined(__ASPEN_NATIVE_CPU__)
  // Members that have ended contribute nothing, as in whole sub-groups.
  if constexpr (sizeof(T) <= ASPEN_CPU_SLOT_SIZE) {
    const unsigned lane = g.work_item_().lane();
    bool begun = first != nullptr;
    T sum = first ? *first : value, out = sum;
    g.aspen_for_each(value, [&](const T &next, unsigned of) {
      if (Kind == scan_kind::exclusive && of == lane)
        out = sum;
      sum = begun ? static_cast<T>(op(sum, next)) : next;
      begun = true;
      if (Kind == scan_kind::inclusive && of == lane)
        out = sum;
    });
    return Kind == scan_kind::reduce ? sum : out;
  }
#endif
  const std::uint32_t own = g.get_local_linear_id(), count = g.get_local_linear_range();
  T sum = value;
  for (std::uint32_t step = 1; step < count; step *= 2) {
    const T before = take_from<false>(g, sum, own >= step ? own - step : own);
    if (own >= step)
      sum = static_cast<T>(op(before, sum));
  }
  if constexpr (Kind == scan_kind::inclusive)
    return first ? static_cast<T>(op(*first, sum)) : sum;
  const T other = take_from<false>(g, sum, Kind == scan_kind::reduce ? count - 1 : own > 0 ? own - 1 : 0);
  if constexpr (Kind == scan_kind::exclusive)
    return own == 0 ? *first : static_cast<T>(op(*first, other));
  return first ? static_cast<T>(op(*first, other)) : other;
}
#endif

/// Reduces or scans the values of all work-items. An exclusive scan needs `first`.
template <scan_kind Kind, class Group, class T, class Op> inline T combine(const Group &g, const T &value, const T *first, Op op) {
#if defined(__ASPEN_NATIVE_CPU__)
  if constexpr (group_traits<Group>::is_part)
    return combine_members<Kind>(g, value, first, op);
  else if constexpr (sizeof(T) > ASPEN_CPU_SLOT_SIZE)
    return combine_one_by_one<Kind>(g, value, first, op);
  else
    return combine_natively<Kind>(g, value, first, op);
#elif defined(__ASPEN_SPIRV__)
  constexpr operation what = operation_of<Op>;
  if constexpr (group_traits<Group>::is_part) {
    return combine_members<Kind>(g, value, first, op);
  } else if constexpr (is_number<T> && (what == operation::plus || what == operation::minimum || what == operation::maximum)) {
    constexpr unsigned scope = group_traits<Group>::spirv_scope;
    using number = spirv_number<T>;
    const auto in = number::to(value);
    typename number::type all;
    if constexpr (std::is_floating_point_v<T> || is_half<T>) {
      if constexpr (what == operation::plus)
        all = __spirv_GroupFAdd(scope, static_cast<unsigned>(Kind), in);
      else if constexpr (what == operation::minimum)
        all = __spirv_GroupFMin(scope, static_cast<unsigned>(Kind), in);
      else
        all = __spirv_GroupFMax(scope, static_cast<unsigned>(Kind), in);
    } else if constexpr (what == operation::plus) {
      all = __spirv_GroupIAdd(scope, static_cast<unsigned>(Kind), in);
    } else if constexpr (std::is_signed_v<T>) {
      if constexpr (what == operation::minimum)
        all = __spirv_GroupSMin(scope, static_cast<unsigned>(Kind), in);
      else
        all = __spirv_GroupSMax(scope, static_cast<unsigned>(Kind), in);
    } else if constexpr (what == operation::minimum) {
      all = __spirv_GroupUMin(scope, static_cast<unsigned>(Kind), in);
    } else {
      all = __spirv_GroupUMax(scope, static_cast<unsigned>(Kind), in);
    }
    const T out = number::from(all);
    // Intel's driver for CPUs has 0 before the first of small integers, whatever the operation.
    if (Kind == scan_kind::exclusive && first && g.get_local_linear_id() == 0)
      return *first;
    return first ? static_cast<T>(op(*first, out)) : out;
  } else {
    return combine_one_by_one<Kind>(g, value, first, op);
  }
#elif defined(__ASPEN_PTX__)
  if constexpr (group_traits<Group>::is_part)
    return combine_members<Kind>(g, value, first, op);
  else
    return combine_warps<Kind, Group>(value, first, op);
#elif defined(__ASPEN_AMDGCN__)
  if constexpr (group_traits<Group>::is_part)
    return combine_members<Kind>(g, value, first, op);
  else
    return combine_waves<Kind, Group>(value, first, op);
#else
  (void)g;
  return first ? static_cast<T>(op(*first, value)) : value;
#endif
}

} // namespace sycl::detail
