//! `get_kernel_info`: what `kernel::get_info` says, of a kernel that has a name. Source: sycl_ext_oneapi_get_kernel_info.
#pragma once
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_GET_KERNEL_INFO 1

namespace sycl::ext::oneapi {

template <class Name, class Descriptor> typename Descriptor::return_type get_kernel_info(const context &in) {
  return get_kernel_bundle<Name, bundle_state::executable>(in).template get_kernel<Name>().template get_info<Descriptor>();
}
template <class Name, class Descriptor> typename Descriptor::return_type get_kernel_info(const context &in, const device &on) {
  return get_kernel_bundle<Name, bundle_state::executable>(in, {on}).template get_kernel<Name>().template get_info<Descriptor>(on);
}
template <class Name, class Descriptor> typename Descriptor::return_type get_kernel_info(const queue &of) {
  return oneapi::get_kernel_info<Name, Descriptor>(of.get_context(), of.get_device());
}

} // namespace sycl::ext::oneapi
