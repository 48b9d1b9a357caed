//! Objects of a backend's own interface that SYCL's objects keep. Source: SYCL 2020 §C.3 "Destruction of interop constructed objects".
#pragma once
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

/// A handle with a reference of its own, given back with the last copy.
struct native_object : counted {
  /// Takes over a reference.
  native_object(const aspen_device_t *of, aspen_native_t kind, std::uintptr_t taken) : device(of), what(kind), handle(taken) {}
  ~native_object() { aspen_native_release(device, what, handle); }

  const aspen_device_t *device; // whose backend's interface it belongs to
  aspen_native_t what;
  std::uintptr_t handle;
};

/// A handle of the program's, of which a reference is taken.
inline shared<native_object> keep_native(const aspen_device_t *of, aspen_native_t what, std::uintptr_t handle) {
  check(aspen_native_retain(of, what, handle));
  return shared<native_object>(new native_object(of, what, handle));
}

/// Several of one kind, which copies share.
struct native_objects : counted {
  list<shared<native_object>> all;
};

} // namespace sycl::detail
