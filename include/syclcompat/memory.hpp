//! Memory: allocation, copies, filling, what is known of a pointer. Everything is USM; queues without order may do commands in any.
//! Source: SYCLcompat's README, "Memory Operations".
#pragma once
#include <cstdint>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>
#include <syclcompat/defs.hpp>
#include <syclcompat/device.hpp>
#include <syclcompat/local_mem.hpp>
#include <syclcompat/traits.hpp>
#include <vector>

namespace syclcompat {

using byte_t = std::uint8_t;

/// Rows of a box in memory: `x` bytes each, `y` of them in a slice, `pitch` bytes from one to the next.
class pitched_data {
public:
  pitched_data() = default;
  pitched_data(void *data, size_t pitch, size_t x, size_t y) : data_(data), pitch_(pitch), x_(x), y_(y) {}
  void *get_data_ptr() const { return data_; }
  size_t get_pitch() const { return pitch_; }
  size_t get_x() const { return x_; }
  size_t get_y() const { return y_; }
  void set_data_ptr(void *data) { data_ = data; }
  void set_pitch(size_t pitch) { pitch_ = pitch; }
  void set_x(size_t x) { x_ = x; }
  void set_y(size_t y) { y_ = y; }

private:
  void *data_ = nullptr;
  size_t pitch_ = 0, x_ = 0, y_ = 0;
};

namespace detail {

/// Rows begin at multiples of so many bytes.
inline constexpr size_t pitch_step = 32;
inline size_t pitch_of(size_t x) { return (x + pitch_step - 1) / pitch_step * pitch_step; }

enum memcpy_direction { host_to_host, host_to_device, device_to_host, device_to_device, automatic };

/// One event for several commands.
inline sycl::event all_of(const std::vector<sycl::event> &events, sycl::queue &queue) {
  return events.size() == 1 ? events[0] : queue.ext_oneapi_submit_barrier(events);
}
/// Where the box begins whose corner is at (bytes, rows, slices).
inline char *corner(const pitched_data &box, const sycl::id<3> &at) {
  return static_cast<char *>(box.get_data_ptr()) + (at[2] * box.get_y() + at[1]) * box.get_pitch() + at[0];
}
inline bool is_empty(const sycl::range<3> &size) { return size[0] == 0 || size[1] == 0 || size[2] == 0; }

inline sycl::event copy_box(const pitched_data &to, const sycl::id<3> &to_at, const pitched_data &from, const sycl::id<3> &from_at,
                            const sycl::range<3> &size, sycl::queue &queue) {
  if (is_empty(size))
    return sycl::event();
  const auto slices = [&](size_t slice, size_t rows) {
    const sycl::id<3> on(0, 0, slice);
    return queue.ext_oneapi_memcpy2d(corner(to, to_at + on), to.get_pitch(), corner(from, from_at + on), from.get_pitch(), size[0], rows);
  };
  if (size[2] == 1 || (size[1] == to.get_y() && size[1] == from.get_y()))
    return slices(0, size[1] * size[2]); // slices follow each other
  std::vector<sycl::event> events;
  for (size_t slice = 0; slice < size[2]; ++slice)
    events.push_back(slices(slice, size[1]));
  return all_of(events, queue);
}

template <class T> sycl::event fill_rows(void *at, size_t pitch, T value, size_t x, size_t y, sycl::queue &queue) {
  std::vector<sycl::event> events;
  for (size_t row = 0; row < y; ++row)
    events.push_back(queue.fill(static_cast<char *>(at) + row * pitch, value, x));
  return events.empty() ? sycl::event() : all_of(events, queue);
}
template <class T> sycl::event fill_box(const pitched_data &box, T value, const sycl::range<3> &size, sycl::queue &queue) {
  if (is_empty(size))
    return sycl::event();
  if (size[1] == box.get_y())
    return fill_rows(box.get_data_ptr(), box.get_pitch(), value, size[0], size[1] * size[2], queue);
  std::vector<sycl::event> events;
  for (size_t slice = 0; slice < size[2]; ++slice)
    events.push_back(fill_rows(corner(box, sycl::id<3>(0, 0, slice)), box.get_pitch(), value, size[0], size[1], queue));
  return all_of(events, queue);
}

} // namespace detail

// Numbers of elements with a type, of bytes without. Null where there is no memory, as in SYCL.
#define __ASPEN_ALLOCATE(name, function)                                                                                                  \
  template <class T> inline T *name(size_t count, sycl::queue queue = get_default_queue()) {                                              \
    return sycl::function<T>(count, queue);                                                                                               \
  }                                                                                                                                       \
  inline void *name(size_t bytes, sycl::queue queue = get_default_queue()) { return sycl::function(bytes, queue); }
/// Memory of the device.
__ASPEN_ALLOCATE(malloc, malloc_device)
/// Memory of the host that the device reaches.
__ASPEN_ALLOCATE(malloc_host, malloc_host)
/// Memory of both.
__ASPEN_ALLOCATE(malloc_shared, malloc_shared)
#undef __ASPEN_ALLOCATE

/// `y` rows of `x` bytes on the device; the distance between rows comes back.
inline void *malloc(size_t &pitch, size_t x, size_t y, sycl::queue queue = get_default_queue()) {
  pitch = detail::pitch_of(x);
  return sycl::malloc_device(pitch * y, queue);
}
/// The same for bytes, rows and slices.
inline pitched_data malloc(sycl::range<3> size, sycl::queue queue = get_default_queue()) {
  const size_t pitch = detail::pitch_of(size[0]);
  return pitched_data(sycl::malloc_device(pitch * size[1] * size[2], queue), pitch, size[0], size[1]);
}

/// Frees what a command that has been submitted may still use: that is for the caller to know.
inline void free(void *memory, sycl::queue queue = get_default_queue()) { sycl::free(memory, queue); }
/// Waits for the queue first.
inline void wait_and_free(void *memory, sycl::queue queue = get_default_queue()) {
  queue.wait();
  sycl::free(memory, queue);
}
/// Frees after the events. The current device waits for that at its end.
inline sycl::event enqueue_free(const std::vector<void *> &memory, const std::vector<sycl::event> &events,
    sycl::queue queue = get_default_queue()) {
  const sycl::event out = queue.submit([&](sycl::handler &command) {
    command.depends_on(events);
    command.host_task([memory, context = queue.get_context()] {
      for (void *one : memory)
        sycl::free(one, context);
    });
  });
  get_current_device().add_event(out);
  return out;
}

/// Between any two places of device and host.
inline sycl::event memcpy_async(void *to, const void *from, size_t bytes, sycl::queue queue = get_default_queue()) {
  return queue.memcpy(to, from, bytes);
}
template <class T>
inline sycl::event memcpy_async(type_identity_t<T> *to, const type_identity_t<T> *from, size_t count,
    sycl::queue queue = get_default_queue()) {
  return queue.memcpy(to, from, count * sizeof(T));
}
/// `y` rows of `x` bytes.
inline sycl::event memcpy_async(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t x, size_t y,
                                sycl::queue queue = get_default_queue()) {
  return queue.ext_oneapi_memcpy2d(to, to_pitch, from, from_pitch, x, y);
}
/// A box of bytes, rows and slices, from one place in a larger one to another.
inline sycl::event memcpy_async(pitched_data to, sycl::id<3> to_at, pitched_data from, sycl::id<3> from_at, sycl::range<3> size,
                                sycl::queue queue = get_default_queue()) {
  return detail::copy_box(to, to_at, from, from_at, size, queue);
}
inline void memcpy(void *to, const void *from, size_t bytes, sycl::queue queue = get_default_queue()) {
  memcpy_async(to, from, bytes, queue).wait();
}
template <class T>
inline void memcpy(type_identity_t<T> *to, const type_identity_t<T> *from, size_t count, sycl::queue queue = get_default_queue()) {
  memcpy_async<T>(to, from, count, queue).wait();
}
inline void memcpy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t x, size_t y,
    sycl::queue queue = get_default_queue()) {
  memcpy_async(to, to_pitch, from, from_pitch, x, y, queue).wait();
}
inline void memcpy(pitched_data to, sycl::id<3> to_at, pitched_data from, sycl::id<3> from_at, sycl::range<3> size,
                   sycl::queue queue = get_default_queue()) {
  memcpy_async(to, to_at, from, from_at, size, queue).wait();
}

template <class T> inline sycl::event fill_async(void *to, const T &pattern, size_t count, sycl::queue queue = get_default_queue()) {
  return queue.fill(to, pattern, count);
}
template <class T> inline void fill(void *to, const T &pattern, size_t count, sycl::queue queue = get_default_queue()) {
  fill_async(to, pattern, count, queue).wait();
}

// One row, rows, or a box, of numbers of 8, 16 or 32 bits; sizes count numbers, pitches bytes.
#define __ASPEN_MEMSET(name, type, given)                                                                                                 \
  inline sycl::event name##_async(void *to, given value, size_t size, sycl::queue queue = get_default_queue()) {                           \
    return queue.fill(to, static_cast<type>(value), size);                                                                                 \
  }                                                                                                                                        \
  inline sycl::event name##_async(void *to, size_t pitch, given value, size_t x, size_t y, sycl::queue queue = get_default_queue()) {      \
    return detail::fill_rows(to, pitch, static_cast<type>(value), x, y, queue);                                                            \
  }                                                                                                                                        \
  inline sycl::event name##_async(pitched_data to, given value, sycl::range<3> size, sycl::queue queue = get_default_queue()) {            \
    return detail::fill_box(to, static_cast<type>(value), size, queue);                                                                    \
  }                                                                                                                                        \
  inline void name(void *to, given value, size_t size, sycl::queue queue = get_default_queue()) {                                         \
    name##_async(to, value, size, queue).wait();                                                                                          \
  }                                                                                                                                       \
  inline void name(void *to, size_t pitch, given value, size_t x, size_t y, sycl::queue queue = get_default_queue()) {                     \
    name##_async(to, pitch, value, x, y, queue).wait();                                                                                    \
  }                                                                                                                                        \
  inline void name(pitched_data to, given value, sycl::range<3> size, sycl::queue queue = get_default_queue()) {                           \
    name##_async(to, value, size, queue).wait();                                                                                           \
  }
__ASPEN_MEMSET(memset, unsigned char, int)
__ASPEN_MEMSET(memset_d16, std::uint16_t, unsigned short)
__ASPEN_MEMSET(memset_d32, std::uint32_t, unsigned)
#undef __ASPEN_MEMSET

namespace experimental {

using syclcompat::detail::memcpy_direction;
class image_mem_wrapper;
class image_matrix;

/// A copy of a box, as CUDA's structures describe it.
struct memcpy_parameter {
  struct data_wrapper {
    pitched_data pitched{};
    sycl::id<3> pos{};
    image_mem_wrapper *image_bindless{nullptr};
    image_matrix *image{nullptr};
  };
  data_wrapper from{};
  data_wrapper to{};
  sycl::range<3> size{0, 0, 0};
  memcpy_direction direction{memcpy_direction::automatic};
};

/// errc::feature_not_supported for images, which Aspen has no such classes of.
inline sycl::event memcpy_async(const memcpy_parameter &what, sycl::queue queue = get_default_queue()) {
  if (what.from.image || what.to.image || what.from.image_bindless || what.to.image_bindless)
    syclcompat::detail::throw_unsupported("memcpy: copies from and to images are not offered");
  return syclcompat::detail::copy_box(what.to.pitched, what.to.pos, what.from.pitched, what.from.pos, what.size, queue);
}
inline void memcpy(const memcpy_parameter &what, sycl::queue queue = get_default_queue()) {
  experimental::memcpy_async(what, queue).wait();
}

} // namespace experimental

/// What is known of a pointer.
class pointer_attributes {
public:
  void init(const void *pointer, sycl::queue queue = get_default_queue()) {
    *this = pointer_attributes();
    if (!pointer)
      return;
    const sycl::context context = queue.get_context();
    type_ = sycl::get_pointer_type(pointer, context);
    if (type_ == sycl::usm::alloc::unknown)
      return;
    device_pointer_ = pointer;
    host_pointer_ = type_ == sycl::usm::alloc::device ? nullptr : pointer;
    device_ = syclcompat::get_device_id(sycl::get_pointer_device(pointer, context));
  }
  sycl::usm::alloc get_memory_type() const { return type_; }
  /// Null for memory that is not USM.
  const void *get_device_pointer() const { return device_pointer_; }
  const void *get_host_pointer() const { return host_pointer_; }
  bool is_memory_shared() const { return type_ == sycl::usm::alloc::shared; }
  unsigned get_device_id() const { return device_; }

private:
  sycl::usm::alloc type_ = sycl::usm::alloc::unknown;
  const void *device_pointer_ = nullptr, *host_pointer_ = nullptr;
  unsigned device_ = 0;
};

#if defined(__ASPEN_PTX__)
/// The address in a work-group's memory, for PTX that takes one.
inline std::uint32_t nvvm_get_smem_pointer(void *memory) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>((__attribute__((opencl_local)) char *)memory));
}
inline size_t cvta_generic_to_shared(void *memory) { return nvvm_get_smem_pointer(memory); }
#else
/// The address in a work-group's memory, for PTX that takes one; elsewhere, as such memory has none of its own, the pointer's (low) bits.
inline std::uint32_t nvvm_get_smem_pointer(void *memory) { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(memory)); }
inline size_t cvta_generic_to_shared(void *memory) { return reinterpret_cast<std::uintptr_t>(memory); }
#endif

} // namespace syclcompat

#include <syclcompat/device_memory.hpp>
