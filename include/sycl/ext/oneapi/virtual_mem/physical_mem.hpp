//! `physical_mem`: memory of a device that is mapped to addresses. Source: sycl_ext_oneapi_virtual_mem.
#pragma once
#include <functional>
#include <sycl/detail/virtual_ranges.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_VIRTUAL_MEM 1

namespace sycl {

namespace detail {
inline void must_have_virtual_memory(const device &which) {
  if (!which.has(aspect::ext_oneapi_virtual_mem))
    fail(errc::feature_not_supported, "virtual memory: the device lacks aspect::ext_oneapi_virtual_mem");
}
inline void must_have_virtual_memory(const context &in) {
  for (const device &one : in.aspen_state().devices)
    must_have_virtual_memory(one);
}
} // namespace detail

namespace ext::oneapi::experimental {

/// Copies are the same memory. It is zero at first, and what is mapped stays there when the last copy is gone.
class physical_mem {
public:
  /// Throws errc::feature_not_supported where the device lacks the aspect, errc::invalid for a device that is none of the context's and for
  /// sizes that are no multiples of get_mem_granularity, errc::memory_allocation for more than the device has.
  physical_mem(const device &on, const context &in, size_t bytes) {
    sycl::detail::must_have_virtual_memory(on);
    if (!sycl::detail::is_in(in, on))
      sycl::detail::fail(errc::invalid, "physical_mem: the device is not one of the context's");
    sycl::detail::virtual_ranges::must_be_pages(bytes);
    memory_ = sycl::detail::shared<sycl::detail::physical_memory>(new sycl::detail::physical_memory(in, on, bytes));
  }
  physical_mem(const queue &q, size_t bytes) : physical_mem(q.get_device(), q.get_context(), bytes) {}

  /// At the reserved address `at`, which is returned. The same memory may be mapped several times, which the extension does not promise.
  /// Throws errc::invalid for what is no part of a reserved range, has memory already, or goes beyond this one's.
  void *map(std::uintptr_t at, size_t bytes, address_access_mode mode, size_t offset = 0) const {
    sycl::detail::virtual_ranges::get().map(at, bytes, mode, *memory_, offset);
    return reinterpret_cast<void *>(at);
  }
  /// The extension's first version: nobody may use it before set_access_mode.
  void *map(std::uintptr_t at, size_t bytes, size_t offset = 0) const { return map(at, bytes, address_access_mode::none, offset); }

  context get_context() const { return memory_->context; }
  device get_device() const { return memory_->device; }
  size_t size() const noexcept { return memory_->size; }

  friend bool operator==(const physical_mem &a, const physical_mem &b) { return a.memory_ == b.memory_; }
  friend bool operator!=(const physical_mem &a, const physical_mem &b) { return a.memory_ != b.memory_; }

  /// For the library.
  const void *aspen_memory() const noexcept { return memory_.get(); }

private:
  sycl::detail::shared<sycl::detail::physical_memory> memory_;
};

} // namespace ext::oneapi::experimental
} // namespace sycl

template <> struct std::hash<sycl::ext::oneapi::experimental::physical_mem> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::physical_mem &memory) const noexcept {
    return reinterpret_cast<std::size_t>(memory.aspen_memory());
  }
};
