//! DPC++'s header of printf in kernels. Source: sycl_ext_oneapi_printf's examples.
#pragma once
#include <sycl/printf.hpp>
#include <sycl/sycl.hpp>
