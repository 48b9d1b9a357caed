//! Devices that are made of others. No backend says so of its devices: there are none, and none is a part of one.
//! Source: sycl_ext_oneapi_composite_device.
#pragma once
#include <sycl/device.hpp>
#include <vector>

#define SYCL_EXT_ONEAPI_COMPOSITE_DEVICE 1

namespace sycl::ext::oneapi::experimental {

/// Of all platforms.
template <class Vector = std::vector<device>> Vector get_composite_devices() { return {}; }

namespace info::device {

/// Empty for a device that is not made of others.
struct component_devices {
  using return_type = std::vector<sycl::device>;
  template <class Device> static return_type get(const Device &) { return {}; }
};
/// Throws `errc::invalid` unless the device has `aspect::ext_oneapi_is_component`.
struct composite_device {
  using return_type = sycl::device;
  template <class Device> static return_type get(const Device &) {
    sycl::detail::fail(errc::invalid, "get_info: the device is no part of another; see aspect::ext_oneapi_is_component");
  }
};

} // namespace info::device
} // namespace sycl::ext::oneapi::experimental
