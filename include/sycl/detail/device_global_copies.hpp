//! Copies to and from device globals, which handlers and queues have; the variables are in ext/oneapi/device_global/device_global.hpp, for
//! those who have some. Source: sycl_ext_oneapi_device_global, "Add new copy and memcpy members".
#pragma once
#include <aspen/aspen.h>
#include <sycl/event.hpp>
#include <sycl/exception.hpp>
#include <type_traits>
#include <vector>

namespace sycl::ext::oneapi::experimental {
template <class T, class Properties> class device_global;
} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class T, class P> using device_global = ext::oneapi::experimental::device_global<T, P>;

/// How many elements all dimensions of a type have together, and what they are.
template <class T> using device_global_element = std::remove_cv_t<std::remove_all_extents_t<T>>;
template <class T> inline constexpr size_t device_global_count = sizeof(T) / sizeof(device_global_element<T>);

/// Where a device has the bytes of a variable that a copy is for.
inline void *device_global_address(const aspen_device_t *device, const void *variable, size_t size, size_t bytes, size_t offset) {
  if (offset > size || bytes > size - offset)
    fail(errc::invalid, "a copy goes beyond the end of a device_global");
  void *address = nullptr;
  check(aspen_device_global_address(device, variable, &address));
  return static_cast<char *>(address) + offset;
}

/// Of a handler: a command group's one command.
template <class Handler> class device_global_copies {
public:
  template <class T, class P>
  void memcpy(device_global<T, P> &to, const void *from, size_t bytes = sizeof(T), size_t offset = 0) {
    static_assert(device_global<T, P>::aspen_allows(true), "the property host_access of this device_global rules out copies to it");
    self().memcpy(device_global_address(self().aspen_device().aspen_handle(), &to, sizeof(T), bytes, offset), from, bytes);
  }
  template <class T, class P>
  void memcpy(void *to, const device_global<T, P> &from, size_t bytes = sizeof(T), size_t offset = 0) {
    static_assert(device_global<T, P>::aspen_allows(false), "the property host_access of this device_global rules out copies from it");
    self().memcpy(to, device_global_address(self().aspen_device().aspen_handle(), &from, sizeof(T), bytes, offset), bytes);
  }
  template <class T, class P>
  void copy(const device_global_element<T> *from, device_global<T, P> &to, size_t count = device_global_count<T>, size_t start = 0) {
    memcpy(to, from, bytes_of<T>(count), bytes_of<T>(start));
  }
  template <class T, class P>
  void copy(const device_global<T, P> &from, device_global_element<T> *to, size_t count = device_global_count<T>, size_t start = 0) {
    memcpy(to, from, bytes_of<T>(count), bytes_of<T>(start));
  }

private:
  Handler &self() { return static_cast<Handler &>(*this); }
  /// More than fit is told as that.
  template <class T> static size_t bytes_of(size_t count) {
    return count > device_global_count<T> ? size_t(-1) : count * sizeof(device_global_element<T>);
  }
};

/// Of a queue: each alone, after one event, after several.
template <class Queue> class device_global_shortcuts {
public:
#define __ASPEN_COMMA ,
#define __ASPEN_SHORTCUT(NAME, TO, FROM, BYTES, WHOLE, OFFSET)                                                                            \
  template <class T, class P> event NAME(TO first, FROM second, size_t BYTES = WHOLE, size_t OFFSET = 0) {                                 \
    return self().command([&](auto &h) { h.NAME(first, second, BYTES, OFFSET); });                                                   \
  }                                                                                                                                        \
  template <class T, class P> event NAME(TO first, FROM second, size_t BYTES, size_t OFFSET, const event &after) {                         \
    return self().command([&](auto &h) { h.NAME(first, second, BYTES, OFFSET); }, after);                                            \
  }                                                                                                                                        \
  template <class T, class P> event NAME(TO first, FROM second, size_t BYTES, size_t OFFSET, const std::vector<event> &after) {            \
    return self().command([&](auto &h) { h.NAME(first, second, BYTES, OFFSET); }, after);                                            \
  }
  __ASPEN_SHORTCUT(memcpy, device_global<T __ASPEN_COMMA P> &, const void *, bytes, sizeof(T), offset)
  __ASPEN_SHORTCUT(memcpy, void *, const device_global<T __ASPEN_COMMA P> &, bytes, sizeof(T), offset)
  __ASPEN_SHORTCUT(copy, const device_global_element<T> *, device_global<T __ASPEN_COMMA P> &, count, device_global_count<T>, start)
  __ASPEN_SHORTCUT(copy, const device_global<T __ASPEN_COMMA P> &, device_global_element<T> *, count, device_global_count<T>, start)
#undef __ASPEN_SHORTCUT
#undef __ASPEN_COMMA

private:
  Queue &self() { return static_cast<Queue &>(*this); }
};

} // namespace sycl::detail
