//! DPC++'s header of `raw_kernel_arg`.
#pragma once
#include <sycl/ext/oneapi/raw_kernel_arg.hpp>
