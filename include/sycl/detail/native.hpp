//! Interoperability with backends: `backend_traits`, `get_native`, `make_platform`, `make_device`. The headers of OpenCL and CUDA are not
//! needed: what their handles point to is only declared, under the names by which those headers know it, so the types are the same.
//! Source: SYCL 2020 §4.5.1, §C.2; for CUDA, DPC++'s backend.
#pragma once
#include <sycl/absent.hpp>
#include <sycl/queue.hpp>

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct CUctx_st;
struct CUstream_st;

namespace sycl {

namespace detail {

/// The type of an object's handle in a backend, and which handle of the device it is.
template <backend Backend, class Object> struct native_handle {
  static_assert(never<Object>, "Aspen has no native handle of such an object in this backend: OpenCL has those of platform, device, context "
                               "and queue, CUDA the same without platform, and interop_handle has those of accessors");
};
template <class T, aspen_native_t What> struct native_handle_of {
  using type = T;
  static constexpr aspen_native_t what = What;
};
template <> struct native_handle<backend::opencl, platform> : native_handle_of<_cl_platform_id *, ASPEN_NATIVE_PLATFORM> {};
template <> struct native_handle<backend::opencl, device> : native_handle_of<_cl_device_id *, ASPEN_NATIVE_DEVICE> {};
template <> struct native_handle<backend::opencl, context> : native_handle_of<_cl_context *, ASPEN_NATIVE_CONTEXT> {};
template <> struct native_handle<backend::opencl, queue> : native_handle_of<_cl_command_queue *, ASPEN_NATIVE_QUEUE> {};
template <> struct native_handle<backend::cuda, device> : native_handle_of<int, ASPEN_NATIVE_DEVICE> {};
template <> struct native_handle<backend::cuda, context> : native_handle_of<CUctx_st *, ASPEN_NATIVE_CONTEXT> {};
template <> struct native_handle<backend::cuda, queue> : native_handle_of<CUstream_st *, ASPEN_NATIVE_QUEUE> {};

/// Programs name each backend that they know. Aspen has no devices of these, so whoever asks gets `errc::backend_mismatch`.
template <class Object> struct native_handle<backend::ext_oneapi_level_zero, Object> : native_handle_of<void *, ASPEN_NATIVE_DEVICE> {};
template <class Object> struct native_handle<backend::ext_oneapi_hip, Object> : native_handle_of<void *, ASPEN_NATIVE_DEVICE> {};

/// Memory of a buffer: objects of OpenCL; elsewhere the address.
template <backend Backend, class T> struct native_memory {
  using type = std::remove_const_t<T> *;
};
template <class T> struct native_memory<backend::opencl, T> {
  using type = std::vector<_cl_mem *>;
};
template <backend Backend, class T, int D, class A> struct native_handle<Backend, buffer<T, D, A>> : native_memory<Backend, T> {};
template <class T, int D, class A>
struct native_handle<backend::ext_oneapi_level_zero, buffer<T, D, A>> : native_memory<backend::ext_oneapi_level_zero, T> {};
template <class T, int D, class A> struct native_handle<backend::ext_oneapi_hip, buffer<T, D, A>> : native_memory<backend::ext_oneapi_hip, T> {};

[[noreturn]] inline void wrong_backend() {
  fail(errc::backend_mismatch, "a native handle: the object belongs to another backend than the one that is asked for; see get_backend");
}

template <backend Backend, class Object> typename native_handle<Backend, Object>::type native_of(const device &of, bool retain) {
  using handle = native_handle<Backend, Object>;
  std::uintptr_t out = 0;
  check(aspen_device_native(of.aspen_handle(), handle::what, retain, &out));
  if constexpr (std::is_pointer_v<typename handle::type>)
    return reinterpret_cast<typename handle::type>(out);
  else
    return static_cast<typename handle::type>(out);
}

inline const device &device_of(const device &d) { return d; }
inline device device_of(const queue &q) { return q.get_device(); }
inline device device_of(const context &c) { return *c.aspen_state().devices.begin(); }
inline device device_of(const platform &p) {
  size_t count = 0;
  return device(aspen_platform_devices(p.aspen_handle(), &count)[0]);
}

/// The platform or device that has that handle.
template <backend Backend, class Object> Object found_by(typename native_handle<Backend, Object>::type handle) {
  for (const platform &p : platform::get_platforms())
    if (p.get_backend() == Backend)
      for (const device &d : p.get_devices())
        if (native_of<Backend, Object>(d, false) == handle) {
          if constexpr (std::is_same_v<Object, platform>)
            return p;
          else
            return d;
        }
  fail(errc::invalid, "make_platform, make_device: no platform that ASPEN_DEVICE_SELECTOR admits has that handle");
}

} // namespace detail

template <backend Backend> class backend_traits {
public:
  template <class Object> using input_type = typename detail::native_handle<Backend, Object>::type;
  template <class Object> using return_type = input_type<Object>;
};
template <backend Backend, class Object> using backend_input_t = typename backend_traits<Backend>::template input_type<Object>;
template <backend Backend, class Object> using backend_return_t = typename backend_traits<Backend>::template return_type<Object>;

/// The object's handle. One of OpenCL has a reference for the caller, who releases it; those of CUDA stay the runtime's.
template <backend Backend, class Object> backend_return_t<Backend, Object> get_native(const Object &of) {
  if (of.get_backend() != Backend)
    detail::wrong_backend();
  return detail::native_of<Backend, Object>(detail::device_of(of), true);
}

template <backend Backend> platform make_platform(const backend_input_t<Backend, platform> &handle) {
  return detail::found_by<Backend, platform>(handle);
}
template <backend Backend> device make_device(const backend_input_t<Backend, device> &handle) {
  return detail::found_by<Backend, device>(handle);
}

template <backend Backend> backend_return_t<Backend, queue> interop_handle::get_native_queue() const {
  return own<Backend, queue>();
}
template <backend Backend> backend_return_t<Backend, device> interop_handle::get_native_device() const {
  return own<Backend, device>();
}
template <backend Backend> backend_return_t<Backend, context> interop_handle::get_native_context() const {
  return own<Backend, context>();
}
template <backend Backend, class Object> backend_return_t<Backend, Object> interop_handle::own() const {
  if (get_backend() != Backend)
    detail::wrong_backend();
  return detail::native_of<Backend, Object>(device(device_), false);
}
template <backend Backend, class T, int D, access_mode M, access::placeholder H>
typename detail::native_memory<Backend, T>::type interop_handle::get_native_mem(const accessor<T, D, M, target::device, H> &of) const {
  if (get_backend() != Backend)
    detail::wrong_backend();
  aspen_buffer_t *const memory = of.aspen_buffer()->handle;
  if constexpr (Backend == backend::opencl) {
    std::uintptr_t out = 0;
    detail::check(aspen_buffer_native(memory, device_, &out));
    return {reinterpret_cast<_cl_mem *>(out)};
  } else {
    void *out = nullptr;
    detail::check(aspen_buffer_address(memory, device_, &out));
    return static_cast<std::remove_const_t<T> *>(out);
  }
}

} // namespace sycl
