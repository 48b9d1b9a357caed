//! DPC++'s header of mathematical functions. Source: SYCL 2020 §4.17.5.
#pragma once
#include <sycl/math.hpp>
#include <sycl/vec_math.hpp>
