//! `get_work_group_scratch_memory`: memory of the work-group whose size is a property of the launch, for functions that no accessor comes
//! to. It is a part of the launch's local memory, behind what accessors ask for. Source: sycl_ext_oneapi_work_group_scratch_memory;
//! docs/decisions/0046.
#pragma once
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/work_item.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#define SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY 1

namespace sycl {

namespace ext::oneapi::experimental {

/// So many bytes of scratch memory for each work-group of the launch.
struct work_group_scratch_size {
  constexpr work_group_scratch_size(size_t bytes) : value(bytes) {}
  size_t value;
};
using work_group_scratch_size_key = work_group_scratch_size;
template <> struct is_property_key<work_group_scratch_size_key> : std::true_type {};

/// Aligned for every type of SYCL. Null if the kernel was launched without work_group_scratch_size.
inline void *get_work_group_scratch_memory() { return sycl::detail::scratch_memory(); }

} // namespace ext::oneapi::experimental

namespace detail {
template <> struct kernel_attribute<ext::oneapi::experimental::work_group_scratch_size> : scratch_place {
  template <class Handler> void aspen_take(ext::oneapi::experimental::work_group_scratch_size given, Handler &command) {
    aspen_scratch = command.aspen_local_memory(given.value, 128, 128); // a double16 is as large
  }
};
template <> struct object_property<ext::oneapi::experimental::work_group_scratch_size> {
  static constexpr bool is_taken = true;
  template <class Handler> static void take(ext::oneapi::experimental::work_group_scratch_size given, Handler &command) {
    kernel_attribute<ext::oneapi::experimental::work_group_scratch_size> place;
    place.aspen_take(given, command);
    command.aspen_set_scratch(place);
  }
};
} // namespace detail

} // namespace sycl
