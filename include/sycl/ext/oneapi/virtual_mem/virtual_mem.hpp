//! Ranges of addresses: they are reserved, memory is mapped there, and its use is allowed or forbidden. Every function throws
//! errc::feature_not_supported where a device lacks the aspect, and errc::invalid for what are no pages or no such range, where the extension
//! says nothing. Source: sycl_ext_oneapi_virtual_mem.
#pragma once
#include <sycl/ext/oneapi/virtual_mem/physical_mem.hpp>

namespace sycl {

namespace detail {
inline virtual_ranges &ranges_in(const context &in) {
  must_have_virtual_memory(in);
  return virtual_ranges::get();
}
} // namespace detail

namespace ext::oneapi::experimental {

enum class granularity_mode : int { minimum, recommended };

/// Of memory.
inline size_t get_mem_granularity(const device &on, const context &, granularity_mode = granularity_mode::recommended) {
  sycl::detail::must_have_virtual_memory(on);
  return sycl::detail::pages::size;
}
/// Of ranges.
inline size_t get_mem_granularity(const context &in, granularity_mode = granularity_mode::recommended) {
  sycl::detail::must_have_virtual_memory(in);
  return sycl::detail::pages::size;
}
// The first version's.
inline size_t get_mem_granularity(const queue &of, granularity_mode mode = granularity_mode::recommended) {
  return experimental::get_mem_granularity(of.get_device(), of.get_context(), mode);
}
inline size_t get_mem_granularity(const physical_mem &of, granularity_mode mode = granularity_mode::recommended) {
  return experimental::get_mem_granularity(of.get_device(), of.get_context(), mode);
}

/// At `start` if that is free, and elsewhere if it is not. Throws errc::memory_allocation where there is no room.
inline std::uintptr_t reserve_virtual_mem(std::uintptr_t start, size_t bytes, const context &in) {
  return sycl::detail::ranges_in(in).reserve(start, bytes, in);
}
inline std::uintptr_t reserve_virtual_mem(size_t bytes, const context &in) { return experimental::reserve_virtual_mem(0, bytes, in); }
/// A whole range in which nothing is mapped.
inline void free_virtual_mem(std::uintptr_t start, size_t bytes, const context &in) { sycl::detail::ranges_in(in).free(start, bytes, in); }

/// Of what is mapped there, or of some pages of it.
inline void set_access_mode(const void *at, size_t bytes, address_access_mode mode, const context &in) {
  sycl::detail::ranges_in(in).set_mode(reinterpret_cast<std::uintptr_t>(at), bytes, mode, in);
}
/// What all of the range may be used for.
inline address_access_mode get_access_mode(const void *at, size_t bytes, const context &in) {
  return sycl::detail::ranges_in(in).mode(reinterpret_cast<std::uintptr_t>(at), bytes, in);
}
/// What one call of physical_mem::map has mapped.
inline void unmap(const void *at, size_t bytes, const context &in) {
  sycl::detail::ranges_in(in).unmap(reinterpret_cast<std::uintptr_t>(at), bytes, in);
}

} // namespace ext::oneapi::experimental
} // namespace sycl
