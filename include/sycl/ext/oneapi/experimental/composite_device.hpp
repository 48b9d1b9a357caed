//! Devices that stand for several of their own kind, and their parts: no backend has such, so nothing is one, and nobody has to ask whether the
//! extension is there. Source: sycl_ext_oneapi_composite_device.
#pragma once
#include <sycl/device.hpp>
#include <vector>

#define SYCL_EXT_ONEAPI_COMPOSITE_DEVICE 1

namespace sycl::ext::oneapi::experimental {

/// Of all platforms: none.
template <class Vector = std::vector<device>> Vector get_composite_devices() { return {}; }

namespace info::device {

/// What a composite device consists of; of any other nothing.
struct component_devices {
  using return_type = std::vector<sycl::device>;
  template <class R = return_type> static R get(const sycl::device &) { return {}; }
};

/// What a component is of: `errc::invalid` for a device without aspect ext_oneapi_is_component, which none has.
struct composite_device {
  using return_type = sycl::device;
  static return_type get(const sycl::device &of) {
    sycl::detail::fail(errc::invalid, "composite_device: the device has no aspect ext_oneapi_is_component");
    return of;
  }
};

} // namespace info::device
} // namespace sycl::ext::oneapi::experimental
