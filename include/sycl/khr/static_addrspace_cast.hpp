//! Casts into an address space that the caller vouches for. Source: sycl_khr_static_addrspace_cast.
#pragma once
#include <sycl/multi_ptr.hpp>

#define SYCL_KHR_STATIC_ADDRSPACE_CAST 1

namespace sycl::khr {

/// What `pointer` points to lies in `Space`; nobody looks.
template <access::address_space Space, class T> multi_ptr<T, Space, access::decorated::no> static_addrspace_cast(T *pointer) {
  return multi_ptr<T, Space, access::decorated::no>(pointer);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated> static_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  return multi_ptr<T, Space, Decorated>(pointer.get_raw());
}

} // namespace sycl::khr
