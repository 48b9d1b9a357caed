//! What programs for DPC++ take from beneath SYCL: a work-item's numbers without an item at hand (Grid), and macros of its headers (sycl-tla).
#pragma once
#include <sycl/ext/oneapi/free_function_queries.hpp>

#ifndef __SYCL_EXPORT
#define __SYCL_EXPORT
#endif
#ifndef __SYCL_CONVERGENT__
#if defined(__SYCL_DEVICE_ONLY__)
#define __SYCL_CONVERGENT__ __attribute__((convergent))
#else
#define __SYCL_CONVERGENT__
#endif
#endif
/// For destructors, which must not throw. Who uses it includes <iostream> and <cassert>.
#ifndef __SYCL_REPORT_EXCEPTION_TO_STREAM
#define __SYCL_REPORT_EXCEPTION_TO_STREAM(text, exception)                                                                                             \
  do {                                                                                                                                                 \
    std::cerr << (text) << ' ' << (exception).what() << std::endl;                                                                                     \
    assert(false && "an exception where none may leave");                                                                                              \
  } while (false)
#endif

#if defined(__SYCL_DEVICE_ONLY__)
/// Of the work-item of an ND-range that runs: `T` is an `id` or a `range` of as many dimensions. As with DPC++, in device passes only.
namespace __spirv {
template <int D, class T> T numbers_of(sycl::id<D> of) {
  if constexpr (D == 1)
    return T(of[0]);
  else if constexpr (D == 2)
    return T(of[0], of[1]);
  else
    return T(of[0], of[1], of[2]);
}
template <int D> sycl::nd_item<D> item() { return sycl::ext::oneapi::this_work_item::get_nd_item<D>(); }

template <int D, class T> T initGlobalInvocationId() { return numbers_of<D, T>(item<D>().get_global_id()); }
template <int D, class T> T initLocalInvocationId() { return numbers_of<D, T>(item<D>().get_local_id()); }
template <int D, class T> T initWorkgroupId() { return numbers_of<D, T>(item<D>().get_group().get_group_id()); }
template <int D, class T> T initGlobalOffset() { return numbers_of<D, T>(item<D>().get_offset()); }
template <int D, class T> T initGlobalSize() { return numbers_of<D, T>(sycl::id<D>(item<D>().get_global_range())); }
template <int D, class T> T initWorkgroupSize() { return numbers_of<D, T>(sycl::id<D>(item<D>().get_local_range())); }
template <int D, class T> T initNumWorkgroups() { return numbers_of<D, T>(sycl::id<D>(item<D>().get_group_range())); }
} // namespace __spirv
#endif
