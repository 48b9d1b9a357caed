//! What became Khronos' casts into address spaces, under the names that it had first. Source: sycl_ext_oneapi_address_cast.
#pragma once
#include <sycl/khr/dynamic_addrspace_cast.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

#define SYCL_EXT_ONEAPI_ADDRESS_CAST 1

namespace sycl::ext::oneapi::experimental {

inline constexpr access::address_space global_space = access::address_space::global_space;
inline constexpr access::address_space local_space = access::address_space::local_space;
inline constexpr access::address_space private_space = access::address_space::private_space;
inline constexpr access::address_space generic_space = access::address_space::generic_space;

/// First with the decoration of the result beside the space, later without; then it is that of the argument.
template <access::address_space Space, access::decorated Decorated, class T>
multi_ptr<T, Space, Decorated> static_address_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(pointer);
}
template <access::address_space Space, access::decorated Decorated, class T>
multi_ptr<T, Space, Decorated> dynamic_address_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(khr::dynamic_addrspace_cast<Space>(pointer).get_raw());
}
template <access::address_space Space, class T> auto static_address_cast(T *pointer) {
  return khr::static_addrspace_cast<Space>(pointer);
}
template <access::address_space Space, class T> auto dynamic_address_cast(T *pointer) {
  return khr::dynamic_addrspace_cast<Space>(pointer);
}
template <access::address_space Space, class T, access::decorated Decorated>
auto static_address_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  return khr::static_addrspace_cast<Space>(pointer);
}
template <access::address_space Space, class T, access::decorated Decorated>
auto dynamic_address_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  return khr::dynamic_addrspace_cast<Space>(pointer);
}

} // namespace sycl::ext::oneapi::experimental
