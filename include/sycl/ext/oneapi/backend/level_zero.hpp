//! The types of handles of Level Zero, with its own header where it is installed. Aspen has no devices of this backend, so no function gives or takes
//! one: all throw `errc::backend_mismatch` or find nothing. Programs that do so only where `get_backend()` says Level Zero compile, and run on
//! what there is. Source: sycl_ext_oneapi_backend_level_zero.
#pragma once
#if __has_include(<level_zero/ze_api.h>)
#include <level_zero/ze_api.h>
#endif
#include <sycl/detail/native.hpp>
#include <sycl/sycl.hpp>
#include <variant>

struct _ze_driver_handle_t;
struct _ze_device_handle_t;
struct _ze_context_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_command_list_handle_t;
struct _ze_event_handle_t;
struct _ze_module_handle_t;
struct _ze_kernel_handle_t;

namespace sycl {

namespace ext::oneapi::level_zero {
/// Who destroys a handle that an object is made of.
enum class ownership { transfer, keep };
} // namespace ext::oneapi::level_zero

namespace detail {

/// What make_* takes.
template <class Handle> struct level_zero_input {
  Handle NativeHandle;
  ext::oneapi::level_zero::ownership Ownership = ext::oneapi::level_zero::ownership::transfer;
};
struct level_zero_context {
  _ze_context_handle_t *NativeHandle;
  std::vector<device> DeviceList;
  ext::oneapi::level_zero::ownership Ownership = ext::oneapi::level_zero::ownership::transfer;
};
using level_zero_queue_handle = std::variant<_ze_command_queue_handle_t *, _ze_command_list_handle_t *>;
struct level_zero_queue {
  level_zero_queue_handle NativeHandle;
  device Device;
  ext::oneapi::level_zero::ownership Ownership = ext::oneapi::level_zero::ownership::transfer;
  property_list Properties = {};
};
struct level_zero_kernel {
  kernel_bundle<bundle_state::executable> KernelBundle;
  _ze_kernel_handle_t *NativeHandle;
  ext::oneapi::level_zero::ownership Ownership = ext::oneapi::level_zero::ownership::transfer;
};
#define __ASPEN_LEVEL_ZERO(object, ...) template <> struct native_handle<backend::ext_oneapi_level_zero, object> : native_types<__VA_ARGS__> {};
__ASPEN_LEVEL_ZERO(platform, _ze_driver_handle_t *)
__ASPEN_LEVEL_ZERO(device, _ze_device_handle_t *)
__ASPEN_LEVEL_ZERO(context, level_zero_context, _ze_context_handle_t *)
__ASPEN_LEVEL_ZERO(queue, level_zero_queue, level_zero_queue_handle)
__ASPEN_LEVEL_ZERO(event, level_zero_input<_ze_event_handle_t *>, _ze_event_handle_t *)
__ASPEN_LEVEL_ZERO(kernel, level_zero_kernel, _ze_kernel_handle_t *)
#undef __ASPEN_LEVEL_ZERO
template <bundle_state S>
struct native_handle<backend::ext_oneapi_level_zero, kernel_bundle<S>> : native_types<level_zero_input<_ze_module_handle_t *>, std::vector<_ze_module_handle_t *>> {};
template <class T, int D, class A>
struct native_handle<backend::ext_oneapi_level_zero, buffer<T, D, A>> : native_types<level_zero_input<void *>, void *> {};

} // namespace detail
} // namespace sycl
