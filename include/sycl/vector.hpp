//! DPC++'s header of `vec`. Source: SYCL 2020 §4.14.2.
#pragma once
#include <sycl/vec.hpp>
