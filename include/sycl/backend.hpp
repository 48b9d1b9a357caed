//! `sycl::backend`. Source: SYCL 2020 §4.1.
#pragma once
#include <aspen/aspen.h>

namespace sycl {

enum class backend : int { native_cpu = ASPEN_BACKEND_NATIVE_CPU, opencl = ASPEN_BACKEND_OPENCL, cuda = ASPEN_BACKEND_CUDA };

} // namespace sycl
