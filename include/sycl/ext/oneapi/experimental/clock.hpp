//! Counters of time in kernels. Only the embedded CPU device has them: it counts its cycles. Source: sycl_ext_oneapi_clock.
#pragma once
#include <cstdint>
#include <sycl/aspects.hpp>
#include <sycl/detail/config.hpp>

#define SYCL_EXT_ONEAPI_CLOCK 1

namespace sycl {

namespace detail {
inline std::uint64_t read_clock() {
#if defined(__ASPEN_NATIVE_CPU__)
  return __builtin_readcyclecounter();
#else
  return 0; // no device that would run this has the aspect
#endif
}
} // namespace detail

namespace ext::oneapi::experimental {

/// Who sees one counter: its values can be compared within the scope.
enum class clock_scope : int { device = 0, work_group = 1, sub_group = 2 };

#define __ASPEN_CLOCK(scope)                                                                                                              \
  [[__sycl_detail__::__uses_aspects__(aspect::ext_oneapi_clock_##scope)]] inline std::uint64_t aspen_clock_of_##scope() {                  \
    return sycl::detail::read_clock();                                                                                                    \
  }
__ASPEN_CLOCK(device)
__ASPEN_CLOCK(work_group)
__ASPEN_CLOCK(sub_group)
#undef __ASPEN_CLOCK

template <clock_scope Scope> std::uint64_t clock() {
  if constexpr (Scope == clock_scope::device)
    return aspen_clock_of_device();
  else if constexpr (Scope == clock_scope::work_group)
    return aspen_clock_of_work_group();
  else
    return aspen_clock_of_sub_group();
}
/// As DPC++ first had it: the kernel needs what the widest scope does.
inline std::uint64_t clock(clock_scope) { return aspen_clock_of_device(); }

} // namespace ext::oneapi::experimental
} // namespace sycl
