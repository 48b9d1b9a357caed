//! DPC++'s header of the descriptors of `kernel::get_info`. Source: SYCL 2020 §4.6.
#pragma once
#include <sycl/kernel.hpp>
