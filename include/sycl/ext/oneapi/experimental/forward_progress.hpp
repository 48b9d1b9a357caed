//! What work-items may expect of others that they wait for: on every device the least that C++ has, so a kernel that asks for more is refused
//! when it is launched. Source: sycl_ext_oneapi_forward_progress.
#pragma once
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_ONEAPI_FORWARD_PROGRESS 1

namespace sycl {
namespace ext::oneapi::experimental {

enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };

#define __ASPEN_PROGRESS(scope)                                                                                                           \
  struct scope##_progress_key {                                                                                                           \
    template <forward_progress_guarantee Guarantee, execution_scope Coordination>                                                         \
    using value_t = property_value<scope##_progress_key, std::integral_constant<forward_progress_guarantee, Guarantee>,                   \
                                   std::integral_constant<execution_scope, Coordination>>;                                                \
  };                                                                                                                                      \
  /** What the kernel needs of each `scope`, when members of one `Coordination` wait for each other. */                                   \
  template <forward_progress_guarantee Guarantee, execution_scope Coordination,                                                           \
            std::enable_if_t<(Coordination > execution_scope::scope), int> = 0>                                                           \
  inline constexpr scope##_progress_key::value_t<Guarantee, Coordination> scope##_progress;                                               \
  namespace info::device {                                                                                                                \
  template <execution_scope Coordination> struct scope##_progress_capabilities {                                                          \
    static_assert(Coordination > execution_scope::scope, "the scope that is asked about lies within the one whose members wait");         \
    using return_type = std::vector<forward_progress_guarantee>;                                                                          \
    static return_type get(const sycl::device &) { return {forward_progress_guarantee::weakly_parallel}; }                                \
  };                                                                                                                                      \
  }
__ASPEN_PROGRESS(work_group)
__ASPEN_PROGRESS(sub_group)
__ASPEN_PROGRESS(work_item)
#undef __ASPEN_PROGRESS

} // namespace ext::oneapi::experimental

namespace ext::oneapi::info::device { // as the extension's document spells them
using experimental::info::device::sub_group_progress_capabilities, experimental::info::device::work_group_progress_capabilities;
using experimental::info::device::work_item_progress_capabilities;
} // namespace ext::oneapi::info::device

namespace detail {
template <auto Guarantee> struct progress_attribute {
  template <class Launch> static void aspen_check_launch(const Launch &) {
    if (Guarantee != ext::oneapi::experimental::forward_progress_guarantee::weakly_parallel)
      fail(errc::feature_not_supported, "no device guarantees more than weakly parallel forward progress");
  }
};
#define __ASPEN_PROGRESS(scope)                                                                                                           \
  template <ext::oneapi::experimental::forward_progress_guarantee G, class C>                                                             \
  struct kernel_attribute<ext::oneapi::experimental::property_value<ext::oneapi::experimental::scope##_progress_key,                      \
                                                                    std::integral_constant<ext::oneapi::experimental::forward_progress_guarantee, G>, C>> \
      : progress_attribute<G> {};
__ASPEN_PROGRESS(work_group)
__ASPEN_PROGRESS(sub_group)
__ASPEN_PROGRESS(work_item)
#undef __ASPEN_PROGRESS
} // namespace detail
} // namespace sycl
