//! DPC++'s header of `vec` and `half`.
#pragma once
#include <sycl/half.hpp>
#include <sycl/vec.hpp>
