//! How the work-items of a group hand each other values on the native CPU: in memory, between barriers.
//!
//! Each group and each sub-group has a place for a value of every work-item, and behind these another one for every work-item's result
//! (native_cpu.h). What is to be done once is done by one work-item, which has not ended (`wait_to_compute_for_group`). It reads values and
//! writes results, so nobody has to wait again until results have been read: who writes the next values disturbs nobody.
//!
//! Values lie side by side, so that loops over them become vector instructions. They go in and out as bytes: values of different types use
//! the same memory one after the other.
#pragma once
#include <sycl/functional.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::detail {

enum class scan_kind : unsigned { reduce = 0, inclusive = 1, exclusive = 2 };

/// Room for a `T`, which need not have a constructor without arguments.
template <class T> struct raw_bytes {
  unsigned char of[sizeof(T)];
};
template <class T> inline T bit_cast_of_bytes(const void *from) {
  raw_bytes<T> copy;
  __builtin_memcpy(&copy, from, sizeof(T));
  return __builtin_bit_cast(T, copy);
}

#if defined(__ASPEN_NATIVE_CPU__)
/// What differs between a work-group and a sub-group. Parts of a sub-group have none of it: they bring their own.
template <class Group, class = void> struct slots_of {
  static constexpr bool is_part = true;
};
template <int D> struct slots_of<group<D>> {
  static constexpr bool is_part = false;
  static constexpr bool is_sub_group = false;
  static void wait(const work_item &w) { wait_for_group(w.cpu); }
  static bool wait_to_compute(const work_item &w) { return wait_to_compute_for_group(w.cpu); }
  static char *values(const work_item &w) { return w.cpu->group_slots; }
  static size_t room(const work_item &w) { return w.local_linear_range(); }
  static std::uint32_t first(const work_item &) { return 0; }
};
template <> struct slots_of<sub_group> {
  static constexpr bool is_part = false;
  static constexpr bool is_sub_group = true;
  static void wait(const work_item &w) { wait_for_sub_group(w.cpu); }
  static bool wait_to_compute(const work_item &w) { return wait_to_compute_for_sub_group(w.cpu); }
  static char *values(const work_item &w) { return w.cpu->sub_group_slots; }
  static size_t room(const work_item &w) { return w.cpu->sub_group_max_size; }
  static std::uint32_t first(const work_item &w) { return w.cpu->local_linear_id - w.cpu->lane; }
};
template <class Group> struct slots_of<Group, if_derived_group<Group>> : slots_of<base_group<Group>> {};

/// Bytes from one value to the next.
constexpr size_t slot_step(size_t size) { return size <= ASPEN_CPU_SLOT_SIZE && (size & (size - 1)) == 0 ? size : ASPEN_CPU_SLOT_SIZE; }

template <class T> inline T read_slot(const char *from) { return bit_cast_of_bytes<T>(from); }
template <class T> inline void write_slot(char *to, const T &value) { __builtin_memcpy(to, &value, sizeof(T)); }

/// The values, or results, of a group.
template <class T> class slots {
public:
  static_assert(sizeof(T) <= ASPEN_CPU_SLOT_SIZE, "reductions and scans are of values of at most 64 bytes");
  static constexpr size_t step = slot_step(sizeof(T));
  explicit slots(char *memory) : at_(memory) {}
  T operator[](std::ptrdiff_t index) const { return read_slot<T>(at_ + index * static_cast<std::ptrdiff_t>(step)); }
  void set(size_t index, const T &value) const { write_slot(at_ + index * step, value); }
  /// Those of a vector, from this one on; of values that lie side by side.
  template <class V> V several(size_t index) const { return read_slot<V>(at_ + index * step); }
  template <class V> void set_several(size_t index, const V &values) const { write_slot(at_ + index * step, values); }

private:
  char *at_;
};
template <class T, class Group> inline slots<T> values_of(const Group &g) { return slots<T>(slots_of<Group>::values(g.work_item_())); }
template <class T, class Group> inline slots<T> results_of(const Group &g) {
  const work_item &w = g.work_item_();
  return slots<T>(slots_of<Group>::values(w) + slots_of<Group>::room(w) * ASPEN_CPU_SLOT_SIZE);
}

/// Whether a work-item of the group has ended, by its place there.
template <class Group> inline bool is_gone(const Group &g, size_t index) {
  const work_item &w = g.work_item_();
  return has_ended(w.cpu, slots_of<Group>::first(w) + static_cast<std::uint32_t>(index), slots_of<Group>::is_sub_group);
}

/// What all ask for with the same arguments is done by one of them, between two barriers.
template <class Group, class F> inline void by_one(const Group &g, F &&compute) {
  if constexpr (slots_of<Group>::is_part) {
    g.aspen_by_one(compute);
  } else {
    if (slots_of<Group>::wait_to_compute(g.work_item_()))
      compute();
    slots_of<Group>::wait(g.work_item_());
  }
}

/// The same, with a result for all.
template <class T, class Group, class F> inline T value_by_one(const Group &g, F &&compute) {
  if constexpr (slots_of<Group>::is_part) {
    return g.template aspen_value_by_one<T>(compute);
  } else if constexpr (sizeof(T) > ASPEN_CPU_SLOT_SIZE) {
    // What no slot holds, each computes for itself.
    slots_of<Group>::wait(g.work_item_());
    const T result = compute();
    slots_of<Group>::wait(g.work_item_());
    return result;
  } else {
    by_one(g, [&] { results_of<T>(g).set(0, compute()); });
    return results_of<T>(g)[0];
  }
}

/// The sum of all values. Of numbers eight partial sums: those are vectors.
template <class T, class Op> inline T sum_of(slots<T> values, size_t count, Op op) {
  constexpr size_t width = 8;
  if constexpr (std::is_floating_point_v<T> && operation_of<Op> != operation::other) {
    if (count % width == 0) {
      T part[width];
      for (size_t j = 0; j < width; ++j)
        part[j] = values[j];
      for (size_t i = width; i < count; i += width)
        for (size_t j = 0; j < width; ++j)
          part[j] = op(part[j], values[i + j]);
      for (size_t step = width / 2; step > 0; step /= 2)
        for (size_t j = 0; j < step; ++j)
          part[j] = op(part[j], part[j + step]);
      return part[0];
    }
  }
  T sum = values[0];
  for (size_t i = 1; i < count; ++i)
    sum = static_cast<T>(op(sum, values[i]));
  return sum;
}

/// The value of another lane, of any size.
template <class T> inline T take_by_lane(const sub_group &g, const T &value, lane_way way, std::uint32_t amount) {
  static_assert(std::is_trivially_copyable_v<T>, "group algorithms exchange trivially copyable values");
  using word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  constexpr size_t count = (sizeof(T) + sizeof(word) - 1) / sizeof(word);
  aspen_cpu_item_t *const item = g.work_item_().cpu;
  word words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(word) == 4)
      words[i] = take_32(item, words[i], way, amount);
    else
      words[i] = take_64(item, words[i], way, amount);
  }
  return bit_cast_of_bytes<T>(words);
}
/// Whether code generation folds the values of a sub-group: numbers, in 32 or 64 bits, by operations that stay in their type.
template <class T, class Op> inline constexpr bool is_folded = false;
template <class T, template <class> class Op, class Of>
inline constexpr bool is_folded<T, Op<Of>> = std::is_arithmetic_v<T> && sizeof(T) <= 8 && operation_of<Op<Of>> != operation::other &&
                                             (std::is_void_v<Of> || std::is_same_v<Of, T>) && identity_is_known<T, operation_of<Op<Of>>>();

template <class T> constexpr lane_fold fold_of(operation what) {
  constexpr bool is_real = std::is_floating_point_v<T>, is_signed = std::is_signed_v<T>;
  switch (what) {
  case operation::plus: return is_real ? lane_fold::add_float : lane_fold::add;
  case operation::multiplies: return is_real ? lane_fold::multiply_float : lane_fold::multiply;
  case operation::logical_and: // of zeros and ones
  case operation::bit_and: return lane_fold::bit_and;
  case operation::logical_or:
  case operation::bit_or: return lane_fold::bit_or;
  case operation::bit_xor: return lane_fold::bit_xor;
  case operation::minimum: return is_real ? lane_fold::least_float : is_signed ? lane_fold::least : lane_fold::least_unsigned;
  default: return is_real ? lane_fold::most_float : is_signed ? lane_fold::most : lane_fold::most_unsigned;
  }
}

/// The sum of a sub-group, in all lanes.
template <class T, class Op> inline T fold_lanes(const sub_group &g, const T &value, Op) {
  constexpr operation what = operation_of<Op>;
  constexpr bool is_question = what == operation::logical_and || what == operation::logical_or;
  constexpr std::uint32_t how = static_cast<std::uint32_t>(fold_of<T>(what));
  aspen_cpu_item_t *const item = g.work_item_().cpu;
  if constexpr (is_question) {
    return static_cast<T>(take_32(item, value ? 1 : 0, lane_way::fold, how));
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (sizeof(T) == 4)
      return __builtin_bit_cast(T, take_32(item, __builtin_bit_cast(std::uint32_t, value), lane_way::fold, how));
    else
      return __builtin_bit_cast(T, take_64(item, __builtin_bit_cast(std::uint64_t, value), lane_way::fold, how));
  } else if constexpr (sizeof(T) <= 4) { // wider by its sign: smaller stays smaller, and the lower bits of a sum are a sum's
    return static_cast<T>(take_32(item, static_cast<std::uint32_t>(value), lane_way::fold, how));
  } else {
    return static_cast<T>(take_64(item, static_cast<std::uint64_t>(value), lane_way::fold, how));
  }
}

/// Values that are scanned at a time, in a vector.
inline constexpr int scan_width = 16;

/// Whether they can be: numbers that processors have vectors of, by an operation with a value that changes nothing.
template <class T, class Op>
inline constexpr bool is_scanned_in_vectors = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 && is_folded<T, Op> &&
                                              operation_of<Op> != operation::logical_and && operation_of<Op> != operation::logical_or;

template <operation What, class V> inline V combined_lanes(V a, V b) {
  if constexpr (What == operation::plus)
    return a + b;
  else if constexpr (What == operation::multiplies)
    return a * b;
  else if constexpr (What == operation::bit_and)
    return a & b;
  else if constexpr (What == operation::bit_or)
    return a | b;
  else if constexpr (What == operation::bit_xor)
    return a ^ b;
  else if constexpr (What == operation::minimum)
    return b < a ? b : a;
  else
    return a < b ? b : a;
}

/// The lanes of `values` so many places further, behind as many of `nothing`.
template <int By, class V, int... I> inline V moved_lanes(V values, V nothing, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(values, nothing, (I < By ? scan_width + I : I - By)...);
}

template <scan_kind Kind, class Op, class T> inline void scan_vectors(slots<T> values, slots<T> results, size_t count, const T *first, Op op) {
  typedef T vector __attribute__((ext_vector_type(scan_width)));
  constexpr operation what = operation_of<Op>;
  constexpr std::make_integer_sequence<int, scan_width> lanes{};
  // What is added to a negative zero stays what it is.
  constexpr T none = what == operation::plus && std::is_floating_point_v<T> ? static_cast<T>(-T(0)) : identity_value<T, what>();
  const vector nothing = none;
  T sum = first ? *first : none;
  size_t i = 0;
  for (; i + scan_width <= count; i += scan_width) {
    vector upto = values.template several<vector>(i);
    upto = combined_lanes<what>(moved_lanes<1>(upto, nothing, lanes), upto);
    upto = combined_lanes<what>(moved_lanes<2>(upto, nothing, lanes), upto);
    upto = combined_lanes<what>(moved_lanes<4>(upto, nothing, lanes), upto);
    upto = combined_lanes<what>(moved_lanes<8>(upto, nothing, lanes), upto);
    const vector before = sum;
    sum = combined_lanes<what>(sum, static_cast<T>(upto[scan_width - 1]));
    results.set_several(i, combined_lanes<what>(before, Kind == scan_kind::inclusive ? upto : moved_lanes<1>(upto, nothing, lanes)));
  }
  for (; i < count; ++i) {
    const T next = static_cast<T>(op(sum, values[i]));
    results.set(i, Kind == scan_kind::inclusive ? next : sum);
    sum = next;
  }
}

/// One work-item computes for the whole group, in the order of linear ids. `first` comes before all values; an exclusive scan starts with
/// it, so it must be a value then.
template <scan_kind Kind, class Group, class T, class Op>
inline T combine_natively(const Group &g, const T &value, const T *first, Op op) {
  if constexpr (Kind == scan_kind::reduce && slots_of<Group>::is_sub_group && is_folded<T, Op>) {
    const T sum = fold_lanes(g, value, op);
    return first ? static_cast<T>(op(*first, sum)) : sum;
  }
  const size_t own = g.get_local_linear_id();
  values_of<T>(g).set(own, value);
  by_one(g, [&] {
    const slots<T> values = values_of<T>(g), results = results_of<T>(g);
    const size_t count = g.get_local_linear_range();
    size_t i = 0;
    bool all = true;
    for (size_t other = 0; other < count; ++other)
      all = all && !is_gone(g, other);
    if (Kind == scan_kind::reduce && all) {
      const T sum = sum_of(values, count, op);
      results.set(0, first ? static_cast<T>(op(*first, sum)) : sum);
      return;
    }
    if constexpr (Kind != scan_kind::reduce && is_scanned_in_vectors<T, Op>)
      if (all)
        return scan_vectors<Kind>(values, results, count, first, op);
    while (is_gone(g, i))
      ++i;
    T sum = first ? *first : values[i];
    if (!first) {
      results.set(i, sum);
      ++i;
    }
    for (; i < count; ++i) {
      if (is_gone(g, i))
        continue;
      const T next = static_cast<T>(op(sum, values[i]));
      if (Kind != scan_kind::reduce)
        results.set(i, Kind == scan_kind::inclusive ? next : sum);
      sum = next;
    }
    if (Kind == scan_kind::reduce)
      results.set(0, sum);
  });
  return results_of<T>(g)[Kind == scan_kind::reduce ? 0 : own];
}

/// The value that the work-item `from` of the group passes in. An item that has ended passes nothing: the result is any value then, and for
/// a broadcast, where all pass the same `from`, that is a mistake (ASPEN_CHECK=1). `gone` becomes whether it has.
template <bool IsBroadcast, class Group, class T> inline T take_natively(const Group &g, const T &value, size_t from, bool *gone = nullptr) {
  if constexpr (IsBroadcast && slots_of<Group>::is_sub_group)
    return take_by_lane(g, value, lane_way::broadcast, static_cast<std::uint32_t>(from));
  const work_item &w = g.work_item_();
  const size_t own = g.get_local_linear_id();
  if (from >= g.get_local_linear_range())
    from = IsBroadcast ? 0 : own;
  raw_bytes<T> out;
  // A slot at a time.
  for (size_t begin = 0; begin < sizeof(T); begin += ASPEN_CPU_SLOT_SIZE) {
    constexpr size_t step = slot_step(sizeof(T));
    const size_t size = sizeof(T) - begin < ASPEN_CPU_SLOT_SIZE ? sizeof(T) - begin : ASPEN_CPU_SLOT_SIZE;
    char *const values = slots_of<Group>::values(w);
    __builtin_memcpy(values + own * step, reinterpret_cast<const char *>(&value) + begin, size);
    slots_of<Group>::wait(w);
    if (IsBroadcast && is_gone(g, from))
      asked_ended(w.cpu, slots_of<Group>::first(w) + static_cast<std::uint32_t>(from));
    if (gone) // now, while none can go on
      *gone = is_gone(g, from);
    __builtin_memcpy(out.of + begin, values + from * step, size);
    slots_of<Group>::wait(w);
  }
  return __builtin_bit_cast(T, out);
}

#endif

} // namespace sycl::detail
