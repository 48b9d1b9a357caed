//! `group_with_scratchpad` and sorters. The algorithms here need no scratch memory: they are told of it and leave it alone.
//! Source: sycl_ext_oneapi_group_sort, sycl_ext_oneapi_user_defined_reductions.
#pragma once
#include <sycl/group_algorithm.hpp>
#include <sycl/span.hpp>

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

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

/// The algorithms of all sorters.
template <class Compare> class sorts_by {
public:
  explicit sorts_by(Compare compare) : compare_(compare) {}

  /// Sorts a range that all of the group name: neighbours are exchanged until none is out of order, which keeps equal ones in their order.
  template <class Group, class Pointer> void range(Group g, Pointer first, Pointer last) const {
    const size_t count = static_cast<size_t>(last - first), width = g.get_local_linear_range();
    for (size_t phase = 0; phase < count; ++phase) {
      group_barrier(g);
      for (size_t i = 2 * g.get_local_linear_id() + phase % 2; i + 1 < count; i += 2 * width)
        if (compare_(first[i + 1], first[i])) {
          const auto held = first[i];
          first[i] = first[i + 1];
          first[i + 1] = held;
        }
    }
    group_barrier(g);
  }
  /// The value of the work-item's place among those of the group: each counts how many come before its own.
  template <class Group, class T> T one_each(Group g, T value) const {
    const std::uint32_t own = static_cast<std::uint32_t>(g.get_local_linear_id()), count = static_cast<std::uint32_t>(g.get_local_linear_range());
    std::uint32_t rank = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const T other = take_from<false>(g, value, i);
      rank += compare_(other, value) || (i < own && !compare_(value, other));
    }
    T out = value;
    for (std::uint32_t i = 0; i < count; ++i) {
      const T other = take_from<false>(g, value, i);
      if (take_from<false>(g, rank, i) == own)
        out = other;
    }
    return out;
  }

private:
  Compare compare_;
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// The one sorter of the extension's first version.
template <class Compare = less_of_sort> class default_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <class Byte, size_t Extent>
  explicit default_sorter(sycl::span<Byte, Extent>, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  template <class Group, class T> T operator()(Group g, T value) { return this->one_each(g, value); }

  /// Bytes of scratch memory for so many elements of the range, or work-items of the group; never none, so that it can be allocated.
  template <class T> static constexpr size_t memory_required(memory_scope, size_t) { return 1; }
  template <class T, int D> static constexpr size_t memory_required(memory_scope, sycl::range<D>) { return 1; }
};
default_sorter(sycl::span<std::byte>) -> default_sorter<>;

/// Each sorts ranges, or one value of each work-item; not arrays of several, nor keys with values.
namespace default_sorters {
template <class Compare = less_of_sort> class joint_sorter : sycl::detail::sorts_by<Compare> {
public:
  template <size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent>, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  template <class T> static constexpr size_t memory_required(memory_scope, size_t) { return 1; }
};
template <class T, class Compare = less_of_sort, size_t ElementsPerWorkItem = 1> class group_sorter : sycl::detail::sorts_by<Compare> {
  static_assert(ElementsPerWorkItem == 1, "Aspen sorts one value of each work-item");

public:
  template <size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent>, Compare compare = {}) : sycl::detail::sorts_by<Compare>(compare) {}
  template <class Group> T operator()(Group g, T value) { return this->one_each(g, value); }
  static constexpr size_t memory_required(memory_scope, size_t) { return 1; }
};
} // namespace default_sorters

enum class sorting_order { ascending, descending };

/// Of numbers. The results are those of a radix sort by all bits; the way there is that of the other sorters.
namespace radix_sorters {
template <sorting_order Order> struct order {
  template <class T> bool operator()(const T &a, const T &b) const { return Order == sorting_order::ascending ? a < b : b < a; }
};
template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter : sycl::detail::sorts_by<order<Order>> {
public:
  template <size_t Extent> explicit joint_sorter(sycl::span<std::byte, Extent>) : sycl::detail::sorts_by<order<Order>>({}) {}
  template <class Group, class Pointer> void operator()(Group g, Pointer first, Pointer last) { this->range(g, first, last); }
  static constexpr size_t memory_required(memory_scope, size_t) { return 1; }
};
template <class T, sorting_order Order = sorting_order::ascending, size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_sorter : sycl::detail::sorts_by<order<Order>> {
  static_assert(ElementsPerWorkItem == 1, "Aspen sorts one value of each work-item");

public:
  template <size_t Extent> explicit group_sorter(sycl::span<std::byte, Extent>) : sycl::detail::sorts_by<order<Order>>({}) {}
  template <class Group> T operator()(Group g, T value) { return this->one_each(g, value); }
  static constexpr size_t memory_required(memory_scope, size_t) { return 1; }
};
} // namespace radix_sorters

} // namespace sycl::ext::oneapi::experimental
