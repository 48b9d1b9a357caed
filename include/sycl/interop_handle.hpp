//! `sycl::interop_handle`. Source: SYCL 2020 §4.10.2.
#pragma once
#include <sycl/backend.hpp>
#include <sycl/exception.hpp>

namespace sycl {

namespace detail {
/// Whether a program may name the backend here: its handles are pointers to memory, or no device is of it and so none is asked for.
constexpr bool has_plain_handles(backend which) {
  return which == backend::native_cpu || which == backend::ext_oneapi_level_zero || which == backend::ext_oneapi_hip;
}
} // namespace detail

/// What a host task may ask for. Programs ask `get_backend` first and name each backend that they know: naming those that Aspen has no
/// devices of must compile, and throws what SYCL says. On the embedded CPU device the native handle of memory is its address.
class interop_handle {
public:
  backend get_backend() const noexcept { return backend_; }
  explicit interop_handle(backend which) : backend_(which) {}

  template <backend Backend, class Accessor> void *get_native_mem(const Accessor &of) const {
    ask<Backend>();
    if constexpr (Backend == backend::native_cpu)
      return const_cast<void *>(static_cast<const void *>(&*of.get_pointer()));
    else
      return nullptr;
  }
#define __ASPEN_NATIVE(what)                                                                                                              \
  template <backend Backend> void *what() const {                                                                                          \
    static_assert(Backend != backend::native_cpu, "the embedded CPU device has no native handles but those of memory");                    \
    ask<Backend>();                                                                                                                        \
    return nullptr;                                                                                                                        \
  }
  __ASPEN_NATIVE(get_native_queue)
  __ASPEN_NATIVE(get_native_device)
  __ASPEN_NATIVE(get_native_context)
#undef __ASPEN_NATIVE

private:
  template <backend Asked> void ask() const {
    static_assert(detail::has_plain_handles(Asked), "Aspen has no interoperability with OpenCL and CUDA: an object has no native handle that "
                                                    "programs could use");
    if (Asked != backend_)
      detail::fail(errc::backend_mismatch, "interop_handle: the host task's queue is of another backend; ask get_backend()");
  }
  backend backend_;
};

} // namespace sycl
