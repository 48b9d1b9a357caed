//! The running work-item, its sub-group and its group without an nd_item at hand; in kernels over an nd_range only.
//! On NVIDIA's GPUs they know nothing of an nd_range's offset, which SYCL 2020 deprecates.
//! Source: sycl_ext_oneapi_free_function_queries, sycl_ext_oneapi_work_item_queries' names before.
#pragma once
#include <sycl/nd_item.hpp>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl {

namespace ext::oneapi {

namespace this_work_item {
template <int D> nd_item<D> get_nd_item() { return nd_item<D>(sycl::detail::running_work_item()); }
template <int D> group<D> get_work_group() { return group<D>(sycl::detail::running_work_item()); }
inline sub_group get_sub_group() { return sub_group(sycl::detail::running_work_item()); }
} // namespace this_work_item

namespace experimental {
namespace this_work_item = oneapi::this_work_item;
template <int D> nd_item<D> this_nd_item() { return this_work_item::get_nd_item<D>(); }
template <int D> group<D> this_group() { return this_work_item::get_work_group<D>(); }
inline sub_group this_sub_group() { return this_work_item::get_sub_group(); }
} // namespace experimental

} // namespace ext::oneapi
} // namespace sycl
