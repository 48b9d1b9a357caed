//! Commands on rows of memory, which handlers have. Source: sycl_ext_oneapi_memcpy2d.
#pragma once
#include <cstddef>
#include <sycl/exception.hpp>
#include <sycl/range.hpp>

namespace sycl::detail {

/// The bytes of so many elements; a product that is too large would be a copy of fewer.
inline size_t copied_bytes(size_t count, size_t element) {
  const size_t bytes = saturated_product(count, element);
  if (bytes == ~size_t(0))
    fail(errc::invalid, "a copy of more bytes than there are addresses");
  return bytes;
}

/// Rows are `to_pitch` and `from_pitch` bytes apart; in the typed forms elements.
template <class Handler> class row_copies {
public:
  void ext_oneapi_memcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height) {
    if (to_pitch == width && from_pitch == width)
      return self().memcpy(to, from, copied_bytes(width, height));
    each_row(to_pitch < width || from_pitch < width, height, [&](size_t row) {
      self().memcpy(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width);
    });
  }
  template <class T> void ext_oneapi_copy2d(const T *from, size_t from_pitch, T *to, size_t to_pitch, size_t width, size_t height) {
    const auto bytes = [](size_t count) { return copied_bytes(count, sizeof(T)); };
    ext_oneapi_memcpy2d(to, bytes(to_pitch), from, bytes(from_pitch), bytes(width), height);
  }
  void ext_oneapi_memset2d(void *to, size_t pitch, int value, size_t width, size_t height) {
    each_row(pitch < width, height, [&](size_t row) { self().memset(static_cast<char *>(to) + row * pitch, value, width); });
  }
  template <class T> void ext_oneapi_fill2d(void *to, size_t pitch, const T &pattern, size_t width, size_t height) {
    each_row(pitch < width, height, [&](size_t row) { self().fill(static_cast<T *>(to) + row * pitch, pattern, width); });
  }

private:
  Handler &self() { return static_cast<Handler &>(*this); }
  /// One part of the command a row.
  template <class Each> void each_row(bool overlap, size_t height, Each each) {
    if (overlap)
      fail(errc::invalid, "rows of memory are wider than they are apart");
    self().nothing();
    for (size_t row = 0; row < height; ++row) {
      self().go_on();
      each(row);
    }
  }
};

} // namespace sycl::detail
