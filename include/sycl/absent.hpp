//! What of SYCL 2020 is not here. Each name exists, so that using it is one clear error and not a heap of others; README lists them.
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
__ASPEN_ABSENT_NAME(raw_kernel_arg, "sycl_ext_oneapi_raw_kernel_arg", "Kernels are function objects here")
__ASPEN_ABSENT_NAME(memory_pool, "sycl_ext_oneapi_async_memory_alloc", "Use unified shared memory")
#undef __ASPEN_ABSENT_NAME
// Kernels that are functions: sycl_ext_oneapi_free_function_kernels.
template <auto *Function>
__attribute__((unavailable("Aspen does not have sycl_ext_oneapi_free_function_kernels. Write the kernel as a lambda or a function object"))) inline constexpr
    int kernel_function = 0;
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)
namespace matrix {
template <class Group, class T, auto... Rest> class joint_matrix {
  static_assert(sizeof(T) == 0, "Aspen does not have sycl_ext_oneapi_matrix. Multiply with the group algorithms of SYCL");
};
} // namespace matrix
} // namespace ext::oneapi::experimental
#undef __ASPEN_ABSENT_EXTENSION

} // namespace sycl
