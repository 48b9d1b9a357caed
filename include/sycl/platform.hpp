//! `sycl::platform`; lives beside device, as each returns the other.
#pragma once
#include <sycl/device.hpp>
