//! DPC++'s header of `get_pointer_type` and `get_pointer_device`. Source: SYCL 2020 §4.8.6.
#pragma once
#include <sycl/usm.hpp>
