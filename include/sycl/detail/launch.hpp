//! Naming a kernel towards the runtime: its symbol, the module and the object that launch it.
#pragma once
#include <aspen/aspen.h>
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_HOST__)
/// Defined by the registration object that aspen++ links: a program linked by another compiler driver stops here.
extern "C" __attribute__((visibility("hidden"))) const char __aspen_link_with_aspenxx;

namespace sycl::detail {
/// Distinguishes equally named kernels of internal linkage. The compiler plugin puts the digits here; clang without it stops at the name.
[[maybe_unused]] static constexpr const char *object_tag = __ASPEN_OBJECT_TAG__;
} // namespace sycl::detail
#endif

namespace sycl::detail {

/// What the runtime finds a kernel by.
struct kernel_identity {
  const void *module = nullptr;
  const char *tag = nullptr;
  const char *symbol = nullptr;
};

template <class Name> inline kernel_identity identify_kernel() {
#if defined(__ASPEN_HOST__)
  return {&__aspen_link_with_aspenxx, object_tag, __builtin_sycl_unique_stable_name(kernel_class_t<Name>)};
#else
  return {};
#endif
}

} // namespace sycl::detail
