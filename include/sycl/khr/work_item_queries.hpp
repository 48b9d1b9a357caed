//! The running work-item, its group and its sub-group without an nd_item at hand; in kernels over an nd_range only.
//! Source: sycl_khr_work_item_queries.
#pragma once
#include <sycl/ext/oneapi/free_function_queries.hpp>

#define SYCL_KHR_WORK_ITEM_QUERIES 1

namespace sycl::khr {

template <int D> nd_item<D> this_nd_item() { return ext::oneapi::this_work_item::get_nd_item<D>(); }
template <int D> group<D> this_group() { return ext::oneapi::this_work_item::get_work_group<D>(); }
inline sycl::sub_group this_sub_group() { return ext::oneapi::this_work_item::get_sub_group(); }

} // namespace sycl::khr
