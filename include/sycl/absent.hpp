//! What of SYCL 2020 is not here. Each name exists, so that using it is one clear error and not a heap of others; docs/SYCL.md lists them.
#pragma once
#include <sycl/backend.hpp>
#include <sycl/detail/config.hpp>

namespace sycl {

namespace detail {
template <class... Arguments> inline constexpr bool never = false;
}

// Extensions of DPC++ that programs name most; others are no members of their namespaces.
#define __ASPEN_ABSENT_EXTENSION(name, extension, instead)                                                                                \
  template <class T, auto... Rest> class name {                                                                                            \
    static_assert(sizeof(T) == 0, "Aspen does not have " extension ". " instead);                                                          \
  };
namespace ext::intel::esimd {
__ASPEN_ABSENT_EXTENSION(simd, "sycl_ext_intel_esimd", "Write the kernel with sub-groups")
__ASPEN_ABSENT_EXTENSION(simd_mask, "sycl_ext_intel_esimd", "Write the kernel with sub-groups")
} // namespace ext::intel::esimd
namespace ext::intel {
template <class Name, class T, auto... Rest> class pipe {
  static_assert(sizeof(T) == 0, "Aspen does not have Intel's FPGA extensions (pipes). Pass values through unified shared memory");
};
} // namespace ext::intel
namespace ext::oneapi::experimental {
// Names that are no templates: the error stands where they are used.
#define __ASPEN_ABSENT_NAME(name, extension, instead)                                                                                     \
  struct __attribute__((unavailable("Aspen does not have " extension ". " instead))) name {                                                \
    template <class... A> name(A &&...);                                                                                                   \
  };
#define __ASPEN_ABSENT_BINDLESS(name) __ASPEN_ABSENT_NAME(name, "sycl_ext_oneapi_bindless_images", "Use a buffer or unified shared memory")
__ASPEN_ABSENT_BINDLESS(image_descriptor)
__ASPEN_ABSENT_BINDLESS(image_mem)
__ASPEN_ABSENT_BINDLESS(image_mem_handle)
__ASPEN_ABSENT_BINDLESS(unsampled_image_handle)
__ASPEN_ABSENT_BINDLESS(sampled_image_handle)
__ASPEN_ABSENT_BINDLESS(bindless_image_sampler)
#undef __ASPEN_ABSENT_BINDLESS
#undef __ASPEN_ABSENT_NAME
} // namespace ext::oneapi::experimental
#undef __ASPEN_ABSENT_EXTENSION

} // namespace sycl
