//! Unified shared memory. Source: SYCL 2020 §4.8.
#pragma once
#include <sycl/queue.hpp>

namespace sycl {

namespace usm {
enum class alloc : int { host = ASPEN_USM_HOST, device = ASPEN_USM_DEVICE, shared = ASPEN_USM_SHARED, unknown = ASPEN_USM_UNKNOWN };
} // namespace usm

namespace detail {
inline void *allocate_usm(const device &on, usm::alloc kind, size_t bytes, size_t alignment) {
  void *memory = nullptr;
  if (kind == usm::alloc::unknown) // no device lacks it, and none has it
    return nullptr;
  check(aspen_usm_alloc(on.aspen_handle(), static_cast<aspen_usm_kind_t>(kind), bytes, alignment, &memory));
  return memory;
}
/// So many elements.
template <class T> T *allocate_array(const device &on, usm::alloc kind, size_t count, size_t alignment) {
  return static_cast<T *>(allocate_usm(on, kind, saturated_product(count, sizeof(T)), alignment));
}
/// The device, if memory of the context can be there. Source: SYCL 2020 §4.8.3.2.
inline const device &of(const context &in, const device &on) {
  if (!is_in(in, on))
    fail(errc::invalid, "unified shared memory: the device is not one of the context's");
  return on;
}
/// Host memory is of no device.
inline const device &of(const context &in, const device &on, usm::alloc kind) {
  return kind == usm::alloc::host ? *in.aspen_state().devices.data() : of(in, on);
}
template <class T> constexpr size_t usm_alignment = alignof(T) > alignof(std::max_align_t) ? alignof(T) : 0;
/// The greater of the alignment that is asked for and that of the type. What is no power of two stays, so that nothing is allocated.
/// Source: SYCL 2020 §4.8.3.
template <class T> constexpr size_t aligned_for(size_t asked) {
  if (asked == 0)
    return usm_alignment<T>;
  return asked < alignof(T) && (asked & (asked - 1)) == 0 ? alignof(T) : asked;
}
} // namespace detail

/// Every allocation in the forms (…, device, context) and (…, queue); untyped, typed, aligned. Null when there is no memory; throws
/// feature_not_supported when the device lacks that kind.
#define __ASPEN_USM_KIND(kind)                                                                                                             \
  inline void *malloc_##kind(size_t bytes, const device &d, const context &c, const property_list & = {}) {                                \
    return detail::allocate_usm(detail::of(c, d), usm::alloc::kind, bytes, 0);                                                             \
  }                                                                                                                                        \
  inline void *malloc_##kind(size_t bytes, const queue &q, const property_list & = {}) {                                                   \
    return detail::allocate_usm(q.get_device(), usm::alloc::kind, bytes, 0);                                                               \
  }                                                                                                                                        \
  template <class T> T *malloc_##kind(size_t count, const device &d, const context &c, const property_list & = {}) {                       \
    return detail::allocate_array<T>(detail::of(c, d), usm::alloc::kind, count, detail::usm_alignment<T>);                                 \
  }                                                                                                                                        \
  template <class T> T *malloc_##kind(size_t count, const queue &q, const property_list & = {}) {                                          \
    return detail::allocate_array<T>(q.get_device(), usm::alloc::kind, count, detail::usm_alignment<T>);                                   \
  }                                                                                                                                        \
  inline void *aligned_alloc_##kind(size_t alignment, size_t bytes, const device &d, const context &c, const property_list & = {}) {       \
    return detail::allocate_usm(detail::of(c, d), usm::alloc::kind, bytes, alignment);                                                     \
  }                                                                                                                                        \
  inline void *aligned_alloc_##kind(size_t alignment, size_t bytes, const queue &q, const property_list & = {}) {                          \
    return detail::allocate_usm(q.get_device(), usm::alloc::kind, bytes, alignment);                                                       \
  }                                                                                                                                        \
  template <class T> T *aligned_alloc_##kind(size_t alignment, size_t count, const device &d, const context &c, const property_list & = {}) { \
    return detail::allocate_array<T>(detail::of(c, d), usm::alloc::kind, count, detail::aligned_for<T>(alignment));                        \
  }                                                                                                                                        \
  template <class T> T *aligned_alloc_##kind(size_t alignment, size_t count, const queue &q, const property_list & = {}) {                 \
    return detail::allocate_array<T>(q.get_device(), usm::alloc::kind, count, detail::aligned_for<T>(alignment));                          \
  }
__ASPEN_USM_KIND(device)
__ASPEN_USM_KIND(shared)
__ASPEN_USM_KIND(host)
#undef __ASPEN_USM_KIND

// Host allocations belong to a context only.
inline void *malloc_host(size_t bytes, const context &c, const property_list & = {}) {
  return detail::allocate_usm(*c.aspen_state().devices.data(), usm::alloc::host, bytes, 0);
}
template <class T> T *malloc_host(size_t count, const context &c, const property_list & = {}) {
  return detail::allocate_array<T>(*c.aspen_state().devices.data(), usm::alloc::host, count, detail::usm_alignment<T>);
}
inline void *aligned_alloc_host(size_t alignment, size_t bytes, const context &c, const property_list & = {}) {
  return detail::allocate_usm(*c.aspen_state().devices.data(), usm::alloc::host, bytes, alignment);
}
template <class T> T *aligned_alloc_host(size_t alignment, size_t count, const context &c, const property_list & = {}) {
  const device &d = *c.aspen_state().devices.data();
  return detail::allocate_array<T>(d, usm::alloc::host, count, detail::aligned_for<T>(alignment));
}

// The kind as an argument.
inline void *malloc(size_t bytes, const device &d, const context &c, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_usm(detail::of(c, d, kind), kind, bytes, 0);
}
inline void *malloc(size_t bytes, const queue &q, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_usm(q.get_device(), kind, bytes, 0);
}
template <class T> T *malloc(size_t count, const device &d, const context &c, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_array<T>(detail::of(c, d, kind), kind, count, detail::usm_alignment<T>);
}
template <class T> T *malloc(size_t count, const queue &q, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_array<T>(q.get_device(), kind, count, detail::usm_alignment<T>);
}
inline void *aligned_alloc(size_t alignment, size_t bytes, const device &d, const context &c, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_usm(detail::of(c, d, kind), kind, bytes, alignment);
}
inline void *aligned_alloc(size_t alignment, size_t bytes, const queue &q, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_usm(q.get_device(), kind, bytes, alignment);
}
template <class T>
T *aligned_alloc(size_t alignment, size_t count, const device &d, const context &c, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_array<T>(detail::of(c, d, kind), kind, count, detail::aligned_for<T>(alignment));
}
template <class T> T *aligned_alloc(size_t alignment, size_t count, const queue &q, usm::alloc kind, const property_list & = {}) {
  return detail::allocate_array<T>(q.get_device(), kind, count, detail::aligned_for<T>(alignment));
}

inline void free(void *memory, const context &) { aspen_usm_free(memory); }
inline void free(void *memory, const queue &) { aspen_usm_free(memory); }

/// Which context memory was allocated in is not kept: it is of each that has its device.
inline usm::alloc get_pointer_type(const void *pointer, const context &c) {
  const aspen_device_t *on = nullptr;
  const auto kind = static_cast<usm::alloc>(aspen_usm_pointer_kind(pointer, &on));
  return on && !detail::is_in(c, device(on)) ? usm::alloc::unknown : kind;
}
inline device get_pointer_device(const void *pointer, const context &c) {
  const aspen_device_t *on = nullptr;
  const auto kind = aspen_usm_pointer_kind(pointer, &on);
  if (kind == ASPEN_USM_UNKNOWN || !on || !detail::is_in(c, device(on)))
    detail::fail(errc::invalid, "get_pointer_device: no unified shared memory of the context is at this address");
  return kind == ASPEN_USM_HOST ? *c.aspen_state().devices.data() : device(on);
}

/// An allocator for the standard containers, of host or shared memory.
template <class T, usm::alloc Kind, size_t Alignment = 0> class usm_allocator {
  static_assert(Kind == usm::alloc::host || Kind == usm::alloc::shared, "containers need memory that the host can touch");

public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U> struct rebind {
    using other = usm_allocator<U, Kind, Alignment>;
  };
  usm_allocator() = delete;
  usm_allocator(const context &c, const device &d, const property_list & = {}) : device_(checked(detail::of(c, d, Kind))) {}
  usm_allocator(const queue &q, const property_list & = {}) : device_(checked(q.get_device())) {}
  template <class U> usm_allocator(const usm_allocator<U, Kind, Alignment> &other) noexcept : device_(other.device_) {}
  T *allocate(size_t count) {
    T *const memory = detail::allocate_array<T>(device_, Kind, count, Alignment > alignof(T) ? Alignment : detail::usm_alignment<T>);
    if (!memory && count > 0) // containers may ask for nothing
      detail::fail(errc::memory_allocation, "usm_allocator: no memory");
    return memory;
  }
  void deallocate(T *memory, size_t) { aspen_usm_free(memory); }
  /// An allocator takes no property.
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { return property_list().template get_property<P>(); }
  /// For the library.
  const device &aspen_device() const { return device_; }

private:
  template <class, usm::alloc, size_t> friend class usm_allocator;
  /// Throws what an allocation would.
  static const device &checked(const device &on) { return detail::allocate_usm(on, Kind, 0, 0), on; }
  device device_;
};

template <class T, usm::alloc K, size_t A, class U, usm::alloc L, size_t B>
bool operator==(const usm_allocator<T, K, A> &a, const usm_allocator<U, L, B> &b) {
  return K == L && a.aspen_device() == b.aspen_device();
}
#if __cplusplus < 202002L
template <class T, usm::alloc K, size_t A, class U, usm::alloc L, size_t B>
bool operator!=(const usm_allocator<T, K, A> &a, const usm_allocator<U, L, B> &b) {
  return !(a == b);
}
#endif

} // namespace sycl
