//! DPC++'s header of `global_ptr` and its like. Source: SYCL 2020 §4.7.7.2.
#pragma once
#include <sycl/multi_ptr.hpp>
#include <sycl/ext/intel/usm_pointers.hpp>
