//! DPC++'s header of the descriptors of `device::get_info`. Source: SYCL 2020 §4.6.
#pragma once
#include <sycl/device_info.hpp>
