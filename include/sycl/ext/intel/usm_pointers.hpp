//! Pointers into unified shared memory of a device and of the host. No target here reads either faster than global memory in general, so they
//! are pointers to that. Source: sycl_ext_intel_usm_address_spaces.
#pragma once
#include <sycl/multi_ptr.hpp>

#define SYCL_EXT_INTEL_USM_ADDRESS_SPACES 2

namespace sycl::ext::intel {

#define __ASPEN_USM_POINTER(name, space)                                                                                                  \
  template <class T, access::decorated Decorated = access::decorated::legacy> using name = multi_ptr<T, access::address_space::space, Decorated>; \
  template <class T> using raw_##name = name<T, access::decorated::no>;                                                                    \
  template <class T> using decorated_##name = name<T, access::decorated::yes>;
__ASPEN_USM_POINTER(device_ptr, ext_intel_global_device_space)
__ASPEN_USM_POINTER(host_ptr, ext_intel_global_host_space)
#undef __ASPEN_USM_POINTER

} // namespace sycl::ext::intel
