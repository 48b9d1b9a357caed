//! A device that each thread has, for code that is ported from where there is one. Source: sycl_ext_oneapi_current_device.
#pragma once
#include <optional>
#include <sycl/device.hpp>

#define SYCL_EXT_ONEAPI_CURRENT_DEVICE 1

namespace sycl {

namespace detail {
/// Of the calling thread; empty until it is asked for or set.
inline std::optional<device> &current_device() {
  static thread_local std::optional<device> own;
  return own;
}
} // namespace detail

namespace ext::oneapi::experimental::this_thread {

/// What this thread has set last, else the default selector's. Throws as `device` does.
inline device get_current_device() {
  std::optional<device> &own = sycl::detail::current_device();
  if (!own)
    own.emplace(default_selector_v);
  return *own;
}
inline void set_current_device(const device &one) { sycl::detail::current_device() = one; }

} // namespace ext::oneapi::experimental::this_thread
} // namespace sycl
