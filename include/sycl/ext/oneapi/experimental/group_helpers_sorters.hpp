//! `group_with_scratchpad` and sorters. Ranges are merged by way of scratch memory, and sorted in place where there is too little of it; values of
//! work-items need none.
//! Source: sycl_ext_oneapi_group_sort, sycl_ext_oneapi_user_defined_reductions.
#pragma once
#include <bitset>
#include <iterator>
#include <limits>
#include <sycl/bit_cast.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/span.hpp>
#include <tuple>

namespace sycl::ext::oneapi::experimental {

/// A group, and memory that all of it may use.
template <class Group, size_t Extent = sycl::dynamic_extent> class group_with_scratchpad {
public:
  template <class Byte> group_with_scratchpad(Group g, sycl::span<Byte, Extent> memory)
      : group_(g), memory_(reinterpret_cast<std::byte *>(memory.data()), memory.size()) {}
  Group get_group() const { return group_; }
  auto get_memory() const { return memory_; }

private:
  Group group_;
  sycl::span<std::byte, sycl::dynamic_extent> memory_;
};
template <class Group, class Byte, size_t Extent> group_with_scratchpad(Group, sycl::span<Byte, Extent>) -> group_with_scratchpad<Group, Extent>;

/// Less for numbers, the order of ascending sorts.
struct less_of_sort {
  template <class T> bool operator()(const T &a, const T &b) const { return a < b; }
};

/// Where the values of arrays lie that the items of a group have: each has its own neighbours, or the items take turns.
enum class group_algorithm_data_placement { blocked, striped };
struct input_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<input_data_placement_key, std::integral_constant<group_algorithm_data_placement, Placement>>;
};
struct output_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<output_data_placement_key, std::integral_constant<group_algorithm_data_placement, Placement>>;
};
template <group_algorithm_data_placement Placement> inline constexpr input_data_placement_key::value_t<Placement> input_data_placement;
template <group_algorithm_data_placement Placement> inline constexpr output_data_placement_key::value_t<Placement> output_data_placement;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class Properties, class Key> constexpr bool is_placed_striped() {
  using namespace ext::oneapi::experimental;
  if constexpr (has_property_v<Properties, Key>)
    return decltype(std::declval<Properties>().template get_property<Key>())::value == group_algorithm_data_placement::striped;
  else
    return false;
}

/// Values that may have no default.
template <class T, size_t N> struct some_values {
  T values[N];
};
template <class T, size_t... I> some_values<T, sizeof...(I)> copies_of(const T *from, std::index_sequence<I...>) { return {{from[I]...}}; }

/// Bytes to sort so many elements by merging.
template <class T> constexpr size_t scratch_of(size_t count) { return count * sizeof(T) + alignof(T); }

/// The algorithms of all sorters.
template <class Compare> class sorts_by {
public:
  explicit sorts_by(Compare compare, span<std::byte> memory = {}) : compare_(compare), memory_(memory) {}

  /// Sorts a range that all of the group name; equal ones keep their order.
  template <class Group, class Pointer> void range(Group g, Pointer first, Pointer last) const {
    using value = typename std::iterator_traits<Pointer>::value_type; // iterators may give references of their own kind
    const size_t count = static_cast<size_t>(last - first);
    group_barrier(g);
    if constexpr (std::is_trivially_copyable_v<value>) {
      const size_t skipped = (0 - reinterpret_cast<std::uintptr_t>(memory_.data())) % alignof(value);
      if (count > 4 && memory_.size() >= skipped + count * sizeof(value))
        return merged(g, first, reinterpret_cast<value *>(memory_.data() + skipped), count);
    }
    exchanged(g, first, count);
  }
  /// Sorts N keys of each work-item, and perhaps values beside them: each key counts how many come before it, equal ones in their order,
  /// and each place takes what has its number.
  template <class Properties, size_t N, class Group, class Key, class... Value> void arrays(Group g, Key *keys, Value *...values) const {
    using namespace ext::oneapi::experimental;
    const std::uint32_t own = static_cast<std::uint32_t>(g.get_local_linear_id());
    const std::uint32_t count = static_cast<std::uint32_t>(g.get_local_linear_range());
    const auto place = [count](bool striped, std::uint32_t item, std::uint32_t element) {
      return striped ? element * count + item : item * static_cast<std::uint32_t>(N) + element;
    };
    constexpr bool in = is_placed_striped<Properties, input_data_placement_key>();
    constexpr bool out = is_placed_striped<Properties, output_data_placement_key>();
    std::uint32_t ranks[N] = {};
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t from = 0; from < N; ++from) {
        const Key other = take_from<false>(g, keys[from], i);
        for (std::uint32_t e = 0; e < N; ++e)
          ranks[e] += compare_(other, keys[e]) || (place(in, i, from) < place(in, own, e) && !compare_(keys[e], other));
      }
    auto sorted = copies_of(keys, std::make_index_sequence<N>());
    auto beside = std::make_tuple(copies_of(values, std::make_index_sequence<N>())...);
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t from = 0; from < N; ++from) {
        const std::uint32_t rank = take_from<false>(g, ranks[from], i);
        const Key other = take_from<false>(g, keys[from], i);
        const auto with = std::make_tuple(take_from<false>(g, values[from], i)...);
        for (std::uint32_t e = 0; e < N; ++e)
          if (rank == place(out, own, e)) {
            sorted.values[e] = other;
            if constexpr (sizeof...(Value) > 0)
              std::get<0>(beside).values[e] = std::get<0>(with);
          }
      }
    for (size_t e = 0; e < N; ++e) {
      keys[e] = sorted.values[e];
      if constexpr (sizeof...(Value) > 0)
        ((values[e] = std::get<0>(beside).values[e]), ...);
    }
  }
  /// One of each work-item.
  template <class Group, class T> T one_each(Group g, T value) const {
    arrays<ext::oneapi::experimental::empty_properties_t, 1>(g, &value);
    return value;
  }
  template <class Group, class T, class U> std::tuple<T, U> one_each(Group g, T key, U value) const {
    arrays<ext::oneapi::experimental::empty_properties_t, 1>(g, &key, &value);
    return {key, value};
  }

private:
  /// Neighbours are exchanged until none is out of order.
  template <class Group, class Pointer> void exchanged(Group g, Pointer first, size_t count) const {
    const size_t width = g.get_local_linear_range();
    for (size_t phase = 0; phase < count; ++phase) {
      for (size_t i = 2 * g.get_local_linear_id() + phase % 2; i + 1 < count; i += 2 * width)
        if (compare_(first[i + 1], first[i])) {
          const typename std::iterator_traits<Pointer>::value_type held = first[i];
          first[i] = first[i + 1];
          first[i + 1] = held;
        }
      group_barrier(g);
    }
  }
  /// Pairs of sorted runs become one: each element finds its place by how many of the other run come before it.
  template <class Group, class Pointer, class T> void merged(Group g, Pointer first, T *scratch, size_t count) const {
    const size_t own = g.get_local_linear_id(), width = g.get_local_linear_range();
    for (size_t run = 1; run < count; run *= 2) {
      for (size_t i = own; i < count; i += width) {
        const size_t begin = i & ~(2 * run - 1), middle = begin + run < count ? begin + run : count, end = middle + run < count ? middle + run : count;
        const bool is_left = i < middle;
        const T value = first[i];
        size_t least = is_left ? middle : begin, most = is_left ? end : middle;
        const size_t other = least;
        while (least < most) {
          const size_t at = least + (most - least) / 2;
          if (is_left ? compare_(first[at], value) : !compare_(value, first[at]))
            least = at + 1;
          else
            most = at;
        }
        scratch[begin + (i - (is_left ? begin : middle)) + (least - other)] = value;
      }
      group_barrier(g);
      for (size_t i = own; i < count; i += width)
        first[i] = scratch[i];
      group_barrier(g);
    }
  }
  Compare compare_;
  span<std::byte> memory_; // for ranges
};

/// The bytes of what a sorter was given.
template <class Byte, size_t Extent> span<std::byte> scratch(const span<Byte, Extent> &given) {
  return {reinterpret_cast<std::byte *>(given.data()), given.size_bytes()};
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// The one sorter of the extension's first version.
template <class Compare = less_of_sort> class default_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <class Byte, size_t Extent>
  explicit default_sorter(sycl::span<Byte, Extent> memory, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare, sycl::detail::scratch(memory)) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  template <class Group, class T> T operator()(Group g, T value) { return this->one_each(g, value); }

  /// Bytes of scratch memory for so many elements of the range, or work-items of the group; never none, so that it can be allocated.
  template <class T> static constexpr size_t memory_required(memory_scope, size_t count) { return sycl::detail::scratch_of<T>(count); }
  template <class T, int D> static constexpr size_t memory_required(memory_scope, sycl::range<D>) { return 1; }
};
default_sorter(sycl::span<std::byte>) -> default_sorter<>;

/// Bytes of scratch memory for so many elements, as a radix sorter has it; the others may be asked for those of a device.
#define __ASPEN_SCRATCH(of, bytes, ...)                                                                                                   \
  of static constexpr size_t memory_required(memory_scope, [[maybe_unused]] size_t count) { return bytes; }                              \
  template <__VA_ARGS__> static constexpr size_t memory_required(const Device &, memory_scope, [[maybe_unused]] size_t count) { return bytes; }
#define __ASPEN_GROUP_SORTER(Key)                                                                                                         \
  template <class Group> Key operator()(Group g, Key value) { return this->one_each(g, value); }                                          \
  template <class Group, class Properties = empty_properties_t>                                                                           \
  void operator()(Group g, sycl::span<Key, ElementsPerWorkItem> values, Properties = {}) {                                                \
    this->template arrays<Properties, ElementsPerWorkItem>(g, values.data());                                                             \
  }
#define __ASPEN_GROUP_KEY_VALUE_SORTER(Key, Value)                                                                                        \
  template <class Group> std::tuple<Key, Value> operator()(Group g, Key key, Value value) { return this->one_each(g, key, value); }       \
  template <class Group, class Properties = empty_properties_t>                                                                           \
  void operator()(Group g, sycl::span<Key, ElementsPerWorkItem> keys, sycl::span<Value, ElementsPerWorkItem> values, Properties = {}) {   \
    this->template arrays<Properties, ElementsPerWorkItem>(g, keys.data(), values.data());                                                \
  }

/// Of ranges, of values and of keys with values; the latter two sort one or several of each work-item.
namespace default_sorters {
template <class Compare = less_of_sort> class joint_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent> memory, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare, sycl::detail::scratch(memory)) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  __ASPEN_SCRATCH(template <class T>, sycl::detail::scratch_of<T>(count), class T, class Device)
};
template <class T, class Compare = less_of_sort, size_t ElementsPerWorkItem = 1> class group_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent>, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare) {}
  __ASPEN_GROUP_SORTER(T)
  __ASPEN_SCRATCH(, 1, class Device)
};
template <class T, class U, class Compare = less_of_sort, size_t ElementsPerWorkItem = 1>
class group_key_value_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <size_t Extent>
  explicit group_key_value_sorter(sycl::span<std::byte, Extent>, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare) {}
  __ASPEN_GROUP_KEY_VALUE_SORTER(T, U)
  __ASPEN_SCRATCH(, 1, class Device)
};
} // namespace default_sorters

enum class sorting_order { ascending, descending };

/// Of numbers, by those of their bits that the mask has. The results are those of a radix sort; the way there is that of the other sorters.
namespace radix_sorters {
template <class T> using mask = std::bitset<sizeof(T) * 8>;
inline constexpr unsigned long long all_bits = std::numeric_limits<unsigned long long>::max();

template <class T, sorting_order Order> struct order {
  explicit order(const mask<T> &of) : bits(static_cast<word>(of.to_ullong())) {}
  bool operator()(const T &a, const T &b) const { return Order == sorting_order::ascending ? place(a) < place(b) : place(b) < place(a); }

private:
  using large = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using word = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, large>>;
  /// In the order of unsigned numbers: negative ones come first, those with a sign of their own by falling magnitude.
  word place(const T &of) const {
    const word own = sycl::bit_cast<word>(of) & bits, sign = static_cast<word>(word(1) << (sizeof(word) * 8 - 1));
    if constexpr (std::is_integral_v<T>)
      return std::is_signed_v<T> ? own ^ sign : own;
    else
      return own & sign ? static_cast<word>(~own) : own | sign;
  }
  word bits;
};

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter : sycl::detail::sorts_by<order<T, Order>> {
public:
  template <size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent> memory, const mask<T> bits = mask<T>(all_bits))
      : sycl::detail::sorts_by<order<T, Order>>(order<T, Order>(bits), sycl::detail::scratch(memory)) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  __ASPEN_SCRATCH(, sycl::detail::scratch_of<T>(count), class Device)
};
template <class T, sorting_order Order = sorting_order::ascending, size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_sorter : sycl::detail::sorts_by<order<T, Order>> {
public:
  template <size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent>, const mask<T> bits = mask<T>(all_bits))
      : sycl::detail::sorts_by<order<T, Order>>(order<T, Order>(bits)) {}
  __ASPEN_GROUP_SORTER(T)
  __ASPEN_SCRATCH(, 1, class Device)
};
template <class T, class U, sorting_order Order = sorting_order::ascending, size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_key_value_sorter : sycl::detail::sorts_by<order<T, Order>> {
public:
  template <size_t Extent>
  explicit group_key_value_sorter(sycl::span<std::byte, Extent>, const mask<T> bits = mask<T>(all_bits))
      : sycl::detail::sorts_by<order<T, Order>>(order<T, Order>(bits)) {}
  __ASPEN_GROUP_KEY_VALUE_SORTER(T, U)
  __ASPEN_SCRATCH(, 1, class Device)
};
} // namespace radix_sorters

/// The extension's first version of it.
template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class radix_sorter : sycl::detail::sorts_by<radix_sorters::order<T, Order>> {
  using order = radix_sorters::order<T, Order>;

public:
  template <class Byte, size_t Extent>
  explicit radix_sorter(sycl::span<Byte, Extent> memory, const radix_sorters::mask<T> bits = radix_sorters::mask<T>(radix_sorters::all_bits))
      : sycl::detail::sorts_by<order>(order(bits), sycl::detail::scratch(memory)) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  template <class Group> T operator()(Group g, T value) { return this->one_each(g, value); }
  static constexpr size_t memory_required(memory_scope, size_t count) { return sycl::detail::scratch_of<T>(count); }
  template <int D> static constexpr size_t memory_required(memory_scope, sycl::range<D>) { return 1; }
};
#undef __ASPEN_GROUP_KEY_VALUE_SORTER
#undef __ASPEN_GROUP_SORTER
#undef __ASPEN_SCRATCH

} // namespace sycl::ext::oneapi::experimental
