//! `group_load` and `group_store`: the items of a group take turns (blocked: each its own neighbours; striped: neighbours by neighbours).
//! What the items wrote before is seen by all of them, and what the function wrote, too: a barrier of the group stands before and after, as
//! with DPC++. Source: sycl_ext_oneapi_group_load_store.
#pragma once
#include <iterator>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/span.hpp>
#include <sycl/vec.hpp>

#define SYCL_EXT_ONEAPI_GROUP_LOAD_STORE 1

namespace sycl::ext::oneapi::experimental {

enum class data_placement_enum { blocked, striped };
struct data_placement_key {
  template <data_placement_enum Placement>
  using value_t = property_value<data_placement_key, std::integral_constant<data_placement_enum, Placement>>;
};
template <data_placement_enum Placement> inline constexpr data_placement_key::value_t<Placement> data_placement;
inline constexpr data_placement_key::value_t<data_placement_enum::blocked> data_placement_blocked;
inline constexpr data_placement_key::value_t<data_placement_enum::striped> data_placement_striped;
/// What is promised of the iterator: it goes over memory without gaps.
struct contiguous_memory_key {
  using value_t = property_value<contiguous_memory_key>;
};
inline constexpr contiguous_memory_key::value_t contiguous_memory;
/// What is promised of the group: its sub-groups are full.
struct full_group_key {
  using value_t = property_value<full_group_key>;
};
inline constexpr full_group_key::value_t full_group;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class Properties> constexpr bool is_striped() {
  using namespace ext::oneapi::experimental;
  if constexpr (has_property_v<Properties, data_placement_key>)
    return decltype(std::declval<Properties>().template get_property<data_placement_key>())::value == data_placement_enum::striped;
  else
    return false;
}

/// Where the group's memory has the item's element of that number, of `count` an item.
template <class Properties, class Group> size_t place_in_group(const Group &g, size_t count, size_t element) {
  const size_t item = g.get_local_linear_id();
  return is_striped<Properties>() ? element * g.get_local_linear_range() + item : item * count + element;
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Group, class In, class T, size_t N, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_load(Group g, In in, span<T, N> out, Properties = {}) {
  group_barrier(g);
  for (size_t i = 0; i < N; ++i)
    out[i] = in[sycl::detail::place_in_group<Properties>(g, N, i)];
  group_barrier(g);
}
template <class Group, class In, class T, int N, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_load(Group g, In in, vec<T, N> &out, Properties = {}) {
  group_barrier(g);
  for (int i = 0; i < N; ++i)
    out[i] = in[sycl::detail::place_in_group<Properties>(g, N, i)];
  group_barrier(g);
}
template <class Group, class In, class T, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_load(Group g, In in, T &out, Properties = {}) {
  group_barrier(g);
  out = in[sycl::detail::place_in_group<Properties>(g, 1, 0)];
  group_barrier(g);
}

template <class Group, class T, size_t N, class Out, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_store(Group g, span<T, N> in, Out out, Properties = {}) {
  group_barrier(g);
  for (size_t i = 0; i < N; ++i)
    out[sycl::detail::place_in_group<Properties>(g, N, i)] = in[i];
  group_barrier(g);
}
template <class Group, class T, int N, class Out, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_store(Group g, const vec<T, N> &in, Out out, Properties = {}) {
  group_barrier(g);
  for (int i = 0; i < N; ++i)
    out[sycl::detail::place_in_group<Properties>(g, N, i)] = in[i];
  group_barrier(g);
}
template <class Group, class T, class Out, class Properties = empty_properties_t>
std::enable_if_t<is_group_v<Group> && is_property_list_v<Properties>> group_store(Group g, const T &in, Out out, Properties = {}) {
  group_barrier(g);
  out[sycl::detail::place_in_group<Properties>(g, 1, 0)] = in;
  group_barrier(g);
}

} // namespace sycl::ext::oneapi::experimental
