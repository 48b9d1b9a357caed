//! `sycl::backend`. Source: SYCL 2020 §4.1.
#pragma once
#include <aspen/aspen.h>
#include <iosfwd>

// Backends that a program may meet. Source: SYCL 2020 §4.1.
#define SYCL_BACKEND_NATIVE_CPU 1
#define SYCL_BACKEND_OPENCL 1
#define SYCL_BACKEND_CUDA 1

namespace sycl {

enum class backend : int {
  native_cpu = ASPEN_BACKEND_NATIVE_CPU,
  opencl = ASPEN_BACKEND_OPENCL,
  cuda = ASPEN_BACKEND_CUDA,
  /// DPC++'s names; those of backends that are not here never equal a device's. Source: sycl_ext_oneapi_backend_level_zero.
  ext_oneapi_native_cpu = native_cpu,
  ext_oneapi_cuda = cuda,
  ext_oneapi_level_zero = -1,
  ext_oneapi_hip = -2,
  /// Its first names, which AdaptiveCpp has too.
  level_zero = ext_oneapi_level_zero,
  hip = ext_oneapi_hip,
};

/// As `ASPEN_DEVICE_SELECTOR` spells it.
template <class Traits> std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &to, backend which) {
  return to << (which == backend::native_cpu ? "native_cpu" : which == backend::opencl ? "opencl" : "cuda");
}

} // namespace sycl
