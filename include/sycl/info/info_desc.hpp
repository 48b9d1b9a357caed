//! DPC++'s header of the descriptors of `get_info`. Source: SYCL 2020 §4.6.
#pragma once
#include <sycl/device_info.hpp>
#include <sycl/kernel.hpp>
#include <sycl/queue.hpp>
