//! What a `memory_pool` is told when it is made. Source: sycl_ext_oneapi_async_memory_alloc.
#pragma once
#include <cstddef>
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

namespace property::memory_pool {
/// In bytes: so much stays with the pool when nobody uses it.
struct initial_threshold {
  constexpr initial_threshold(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
/// In bytes: a pool does not grow beyond it.
struct maximum_size {
  constexpr maximum_size(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
/// Kernels do not write what they get of the pool; nothing is made of it.
struct read_only {};
/// Memory is zero when the pool first gives it.
struct zero_init {};
using initial_threshold_key = initial_threshold;
using maximum_size_key = maximum_size;
using read_only_key = read_only;
using zero_init_key = zero_init;
} // namespace property::memory_pool

// Where DPC++ has them.
using property::memory_pool::initial_threshold, property::memory_pool::maximum_size, property::memory_pool::zero_init;

template <> struct is_property_key<property::memory_pool::initial_threshold_key> : std::true_type {};
template <> struct is_property_key<property::memory_pool::maximum_size_key> : std::true_type {};
template <> struct is_property_key<property::memory_pool::read_only_key> : std::true_type {};
template <> struct is_property_key<property::memory_pool::zero_init_key> : std::true_type {};
// Without values, and properties all the same.
template <> struct is_property_value<property::memory_pool::read_only> : std::true_type {};
template <> struct is_property_value<property::memory_pool::zero_init> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental
