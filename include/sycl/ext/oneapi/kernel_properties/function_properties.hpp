//! DPC++'s header of 2026 of the properties that stand at functions that are kernels.
#pragma once
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
