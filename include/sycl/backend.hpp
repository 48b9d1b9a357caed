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
  ext_oneapi_hip = ASPEN_BACKEND_HIP,
  /// DPC++'s names; those of backends that are not here never equal a device's. Source: sycl_ext_oneapi_backend_level_zero.
  ext_oneapi_native_cpu = native_cpu,
  ext_oneapi_cuda = cuda,
  ext_oneapi_level_zero = -1,
  /// Its first names, which AdaptiveCpp has too.
  level_zero = ext_oneapi_level_zero,
  hip = ext_oneapi_hip,
};

namespace detail {
/// As `ASPEN_DEVICE_SELECTOR` spells it.
inline const char *name_of(backend which) {
  switch (which) {
  case backend::native_cpu:
    return "native_cpu";
  case backend::opencl:
    return "opencl";
  case backend::cuda:
    return "cuda";
  case backend::ext_oneapi_hip:
    return "hip";
  default:
    return "level_zero";
  }
}
} // namespace detail

/// As `ASPEN_DEVICE_SELECTOR` spells it.
template <class Traits> std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &to, backend which) {
  return to << detail::name_of(which);
}

} // namespace sycl
