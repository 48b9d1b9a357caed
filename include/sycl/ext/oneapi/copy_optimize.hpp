//! Hints that memory of the host will be copied to devices, or no more: nothing depends on them. Source: sycl_ext_oneapi_copy_optimize.
#pragma once
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_COPY_OPTIMIZE 1

namespace sycl::ext::oneapi::experimental {
inline void prepare_for_device_copy(const void *, size_t, const context &) {}
inline void prepare_for_device_copy(const void *, size_t, const queue &) {}
inline void release_from_device_copy(const void *, const context &) {}
inline void release_from_device_copy(const void *, const queue &) {}
} // namespace sycl::ext::oneapi::experimental
