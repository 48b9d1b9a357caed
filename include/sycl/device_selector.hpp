//! DPC++'s header of device selectors. Source: SYCL 2020 §4.6.1.1.
#pragma once
#include <sycl/device.hpp>
