//! Reductions over groups by any function, with scratch memory. Source: sycl_ext_oneapi_user_defined_reductions.
#pragma once
#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

#define SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS 1

namespace sycl::ext::oneapi::experimental {

template <class Group, size_t Extent, class T, class Op> T reduce_over_group(group_with_scratchpad<Group, Extent> with, T x, Op op) {
  return sycl::reduce_over_group(with.get_group(), x, op);
}
template <class Group, size_t Extent, class V, class T, class Op> T reduce_over_group(group_with_scratchpad<Group, Extent> with, V x, T init, Op op) {
  return sycl::reduce_over_group(with.get_group(), x, init, op);
}
/// Of a range with at least one element.
template <class Group, size_t Extent, class Pointer, class Op> auto joint_reduce(group_with_scratchpad<Group, Extent> with, Pointer first, Pointer last, Op op) {
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
  return sycl::joint_reduce(with.get_group(), first + 1, last, static_cast<T>(*first), op);
}
template <class Group, size_t Extent, class Pointer, class T, class Op>
T joint_reduce(group_with_scratchpad<Group, Extent> with, Pointer first, Pointer last, T init, Op op) {
  return sycl::joint_reduce(with.get_group(), first, last, init, op);
}

} // namespace sycl::ext::oneapi::experimental
