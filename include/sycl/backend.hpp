//! `sycl::backend`. Source: SYCL 2020 §4.1.
#pragma once
#include <aspen/aspen.h>
#include <iosfwd>

namespace sycl {

enum class backend : int { native_cpu = ASPEN_BACKEND_NATIVE_CPU, opencl = ASPEN_BACKEND_OPENCL, cuda = ASPEN_BACKEND_CUDA };

/// As `ASPEN_DEVICE_SELECTOR` spells it.
template <class Traits> std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &to, backend which) {
  return to << (which == backend::native_cpu ? "native_cpu" : which == backend::opencl ? "opencl" : "cuda");
}

} // namespace sycl
