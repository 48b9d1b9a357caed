//! `joint_sort` and `sort_over_group`. Source: sycl_ext_oneapi_group_sort.
#pragma once
#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

#define SYCL_EXT_ONEAPI_GROUP_SORT 1

namespace sycl::ext::oneapi::experimental {

/// With a sorter.
template <class Group, class Pointer, class Sorter> sycl::detail::if_group<Group, void> joint_sort(Group g, Pointer first, Pointer last, Sorter sorter) {
  sorter(g, first, last);
}
template <class Group, class T, class Sorter>
std::enable_if_t<is_group_v<Group> && std::is_invocable_v<Sorter &, Group, T>, T> sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}

/// With scratch memory and, perhaps, an order.
template <class Group, size_t Extent, class Pointer, class Compare = less_of_sort>
void joint_sort(group_with_scratchpad<Group, Extent> with, Pointer first, Pointer last, Compare compare = {}) {
  default_sorter<Compare>(with.get_memory(), compare)(with.get_group(), first, last);
}
template <class Group, size_t Extent, class T, class Compare = less_of_sort>
T sort_over_group(group_with_scratchpad<Group, Extent> with, T value, Compare compare = {}) {
  return default_sorter<Compare>(with.get_memory(), compare)(with.get_group(), value);
}

} // namespace sycl::ext::oneapi::experimental
