//! `joint_sort`, `sort_over_group` and `sort_key_value_over_group`. Source: sycl_ext_oneapi_group_sort.
#pragma once
#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

#define SYCL_EXT_ONEAPI_GROUP_SORT 2

namespace sycl::detail {

/// A group with scratch memory: whatever has the two functions.
template <class T, class = void> inline constexpr bool is_group_helper = false;
template <class T>
inline constexpr bool is_group_helper<T, std::void_t<decltype(std::declval<const T &>().get_memory())>> =
    is_group_v<std::decay_t<decltype(std::declval<const T &>().get_group())>>;

template <class Helper, class Result = void> using if_group_helper = std::enable_if_t<is_group_helper<Helper>, Result>;
template <class Properties> using if_properties = std::enable_if_t<ext::oneapi::experimental::is_property_list_v<Properties>, int>;
template <class T> using if_no_properties = std::enable_if_t<!ext::oneapi::experimental::is_property_list_v<T>, int>;

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// With a sorter.
template <class Group, class Pointer, class Sorter>
sycl::detail::if_group<Group, void> joint_sort(Group g, Pointer first, Pointer last, Sorter sorter) {
  sorter(g, first, last);
}
template <class Group, class T, class Sorter>
std::enable_if_t<is_group_v<Group> && std::is_invocable_v<Sorter &, Group, T>, T> sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}
template <class Group, class T, class U, class Sorter>
std::enable_if_t<is_group_v<Group> && std::is_invocable_v<Sorter &, Group, T, U>, std::tuple<T, U>>
sort_key_value_over_group(Group g, T key, U value, Sorter sorter) {
  return sorter(g, key, value);
}

/// With scratch memory and, perhaps, an order.
template <class Helper, class Pointer, class Compare = less_of_sort>
sycl::detail::if_group_helper<Helper> joint_sort(Helper with, Pointer first, Pointer last, Compare compare = {}) {
  default_sorters::joint_sorter<Compare>(with.get_memory(), compare)(with.get_group(), first, last);
}
template <class Helper, class T, class Compare = less_of_sort, std::enable_if_t<!sycl::detail::is_span<T>, int> = 0>
sycl::detail::if_group_helper<Helper, T> sort_over_group(Helper with, T value, Compare compare = {}) {
  return default_sorters::group_sorter<T, Compare>(with.get_memory(), compare)(with.get_group(), value);
}
template <class Helper, class T, class U, class Compare = less_of_sort, std::enable_if_t<!sycl::detail::is_span<T>, int> = 0>
sycl::detail::if_group_helper<Helper, std::tuple<T, U>> sort_key_value_over_group(Helper with, T key, U value, Compare compare = {}) {
  return default_sorters::group_key_value_sorter<T, U, Compare>(with.get_memory(), compare)(with.get_group(), key, value);
}

/// Several values of each work-item; their places are properties.
template <class Group, class T, size_t N, class Sorter, class Properties = empty_properties_t, sycl::detail::if_properties<Properties> = 0>
sycl::detail::if_group<Group, void> sort_over_group(Group g, sycl::span<T, N> values, Sorter sorter, Properties places = {}) {
  sorter(g, values, places);
}
template <class Helper, class T, size_t N, class Compare, class Properties = empty_properties_t,
          sycl::detail::if_properties<Properties> = 0, sycl::detail::if_no_properties<Compare> = 0>
sycl::detail::if_group_helper<Helper> sort_over_group(Helper with, sycl::span<T, N> values, Compare compare, Properties places = {}) {
  default_sorters::group_sorter<T, Compare, N>(with.get_memory(), compare)(with.get_group(), values, places);
}
template <class Helper, class T, size_t N, class Properties = empty_properties_t, sycl::detail::if_properties<Properties> = 0>
sycl::detail::if_group_helper<Helper> sort_over_group(Helper with, sycl::span<T, N> values, Properties places = {}) {
  sort_over_group(with, values, less_of_sort(), places);
}
template <class Group, class T, class U, size_t N, class Sorter, class Properties = empty_properties_t,
          sycl::detail::if_properties<Properties> = 0>
sycl::detail::if_group<Group, void> sort_key_value_over_group(Group g, sycl::span<T, N> keys, sycl::span<U, N> values, Sorter sorter,
                                                              Properties places = {}) {
  sorter(g, keys, values, places);
}
template <class Helper, class T, class U, size_t N, class Compare, class Properties = empty_properties_t,
          sycl::detail::if_properties<Properties> = 0, sycl::detail::if_no_properties<Compare> = 0>
sycl::detail::if_group_helper<Helper> sort_key_value_over_group(Helper with, sycl::span<T, N> keys, sycl::span<U, N> values,
                                                                Compare compare, Properties places = {}) {
  default_sorters::group_key_value_sorter<T, U, Compare, N>(with.get_memory(), compare)(with.get_group(), keys, values, places);
}
template <class Helper, class T, class U, size_t N, class Properties = empty_properties_t, sycl::detail::if_properties<Properties> = 0>
sycl::detail::if_group_helper<Helper> sort_key_value_over_group(Helper with, sycl::span<T, N> keys, sycl::span<U, N> values,
                                                                Properties places = {}) {
  sort_key_value_over_group(with, keys, values, less_of_sort(), places);
}

} // namespace sycl::ext::oneapi::experimental
