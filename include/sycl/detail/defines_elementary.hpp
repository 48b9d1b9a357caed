//! DPC++'s header of macros for functions, which Ginkgo and CUTLASS' port include by name.
#pragma once
#include <sycl/detail/config.hpp>

#define __SYCL_ALWAYS_INLINE __attribute__((always_inline))
#define __SYCL_DEPRECATED(message) [[deprecated(message)]]
#define __SYCL2020_DEPRECATED(message) __SYCL_DEPRECATED(message)
