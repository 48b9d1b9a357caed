//! Casts into an address space that give null where the memory lies in another one. Source: sycl_khr_dynamic_addrspace_cast.
#pragma once
#include <sycl/multi_ptr.hpp>

#if defined(__ASPEN_NATIVE_CPU__)
#include <aspen/native_cpu.h>
extern "C" {
/// The image's slot: the backend fills it before anything runs.
__attribute__((visibility("default"))) inline aspen_cpu_space_of_fn aspen_cpu_space_of = nullptr;
}
#elif defined(__ASPEN_SPIRV__)
extern __attribute__((opencl_global)) void *__spirv_GenericCastToPtrExplicit_ToGlobal(void *, int);
extern __attribute__((opencl_local)) void *__spirv_GenericCastToPtrExplicit_ToLocal(void *, int);
extern __attribute__((opencl_private)) void *__spirv_GenericCastToPtrExplicit_ToPrivate(void *, int);
#endif

#define SYCL_KHR_DYNAMIC_ADDRSPACE_CAST 1

namespace sycl {
namespace detail {

/// Whether memory that the running work-item may use lies in that address space.
template <access::address_space Space> bool lies_in(const volatile void *memory) {
  constexpr bool global = Space == access::address_space::global_space, local = Space == access::address_space::local_space;
  static_assert(global || local || Space == access::address_space::private_space, "memory lies in the global, the local or the private space");
  void *const pointer = const_cast<void *>(memory);
#if defined(__ASPEN_NATIVE_CPU__)
  const aspen_cpu_space_t found = aspen_cpu_space_of != nullptr ? aspen_cpu_space_of(pointer) : aspen_cpu_global;
  return pointer != nullptr && found == (global ? aspen_cpu_global : local ? aspen_cpu_local : aspen_cpu_private);
#elif defined(__ASPEN_PTX__)
  return global ? __nvvm_isspacep_global(pointer) : local ? __nvvm_isspacep_shared(pointer) : __nvvm_isspacep_local(pointer);
#elif defined(__ASPEN_AMDGCN__)
  const auto any = (const __attribute__((address_space(0))) void *)pointer;
  const bool is_local = __builtin_amdgcn_is_shared(any), is_private = __builtin_amdgcn_is_private(any);
  return pointer != nullptr && (global ? !is_local && !is_private : local ? is_local : is_private);
#elif defined(__ASPEN_SPIRV__)
  // The storage classes CrossWorkgroup, Workgroup and Function.
  if constexpr (global)
    return __spirv_GenericCastToPtrExplicit_ToGlobal(pointer, 5) != nullptr;
  else if constexpr (local)
    return __spirv_GenericCastToPtrExplicit_ToLocal(pointer, 4) != nullptr;
  else
    return __spirv_GenericCastToPtrExplicit_ToPrivate(pointer, 7) != nullptr;
#else
  return global && pointer != nullptr;
#endif
}

} // namespace detail

namespace khr {

/// Null if what `pointer` points to does not lie in `Space`.
template <access::address_space Space, class T> multi_ptr<T, Space, access::decorated::no> dynamic_addrspace_cast(T *pointer) {
  return multi_ptr<T, Space, access::decorated::no>(sycl::detail::lies_in<Space>(pointer) ? pointer : nullptr);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated> dynamic_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  T *const raw = pointer.get_raw();
  return multi_ptr<T, Space, Decorated>(sycl::detail::lies_in<Space>(raw) ? raw : nullptr);
}

} // namespace khr
} // namespace sycl
