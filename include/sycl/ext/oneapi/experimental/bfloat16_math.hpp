//! DPC++'s header of bfloat16's functions. Source: sycl_ext_oneapi_bfloat16_math_functions.
#pragma once
#include <sycl/ext/oneapi/bfloat16.hpp>
