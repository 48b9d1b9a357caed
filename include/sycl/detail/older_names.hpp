//! What `<CL/sycl.hpp>` alone brings: names of SYCL 1.2.1 and of DPC++ before 2022, under which programs of those years ask for what is here.
//! Source: SYCL 1.2.1 §4.9.2, §4.10.2; DPC++'s release notes of 2020 (`sycl::intel` became `sycl::ONEAPI` and `sycl::INTEL`) and of 2021
//! (`sycl::ONEAPI` became `sycl::ext::oneapi`).
#pragma once
#include <sycl/detail/letters_away.hpp>

#include <sycl/detail/older_program.hpp>
#include <sycl/detail/standard_classes.hpp>
#include <sycl/sycl.hpp>

/// The plugin makes these errors `sycl::exception` where this header is not included.
#define __ASPEN_OLDER_NAMES 1

namespace sycl {

// Classes of errors: their codes tell them apart now, and programs name them to catch what is thrown.
using runtime_error = exception;
using kernel_error = exception;
using accessor_error = exception;
using nd_range_error = exception;
using event_error = exception;
using invalid_parameter_error = exception;
using device_error = exception;
using compile_program_error = exception;
using link_program_error = exception;
using invalid_object_error = exception;
using memory_allocation_error = exception;
using platform_error = exception;
using profiling_error = exception;
using feature_not_supported = exception;

/// DPC++'s queue in order of before that was a property (2019): made of whatever makes a queue.
class ordered_queue : public queue {
  static property_list in_order(const property_list &properties) { return properties.aspen_and(property::queue::in_order{}); }

public:
  explicit ordered_queue(const property_list &properties = {}) : queue(in_order(properties)) {}
  template <class A, class = std::enable_if_t<!std::is_base_of_v<queue, A> && !std::is_convertible_v<const A &, property_list> &&
                                              std::is_constructible_v<queue, const A &, const property_list &>>>
  explicit ordered_queue(const A &a, const property_list &properties = {}) : queue(a, in_order(properties)) {}
  template <class A, class B, class = std::enable_if_t<std::is_constructible_v<queue, const A &, const B &, const property_list &>>>
  explicit ordered_queue(const A &a, const B &b, const property_list &properties = {}) : queue(a, b, in_order(properties)) {}
  template <class A, class B, class C, class = std::enable_if_t<std::is_constructible_v<queue, const A &, const B &, const C &, const property_list &>>>
  explicit ordered_queue(const A &a, const B &b, const C &c, const property_list &properties = {}) : queue(a, b, c, in_order(properties)) {}
};

#ifndef ASPEN_LEAN_HEADERS
/// By name, since programs use all of it beside all of `sycl`, where another `info` is.
namespace ONEAPI {
using namespace ext::oneapi::function_objects;
namespace experimental = ext::oneapi::experimental;
using ext::oneapi::all_of, ext::oneapi::any_of, ext::oneapi::none_of, ext::oneapi::broadcast, ext::oneapi::reduce, ext::oneapi::leader;
using ext::oneapi::exclusive_scan, ext::oneapi::filter_selector, ext::oneapi::inclusive_scan;
using sycl::atomic_fence, sycl::atomic_ref, sycl::memory_order, sycl::memory_scope, sycl::reduction, sycl::sub_group;
} // namespace ONEAPI
using ext::intel::device_ptr, ext::intel::host_ptr;
namespace INTEL {
using namespace ext::intel;
}
/// What both were called in 2019 and early 2020: an alias, since programs have one of that name, too.
namespace intel = ext::intel;
namespace ext::intel {
using namespace ext::oneapi::function_objects;
using sycl::atomic_ref, sycl::reduction, sycl::sub_group;
namespace experimental {
using ext::oneapi::experimental::printf;
}
} // namespace ext::intel
#endif

} // namespace sycl

#include <sycl/detail/letters_back.hpp>
