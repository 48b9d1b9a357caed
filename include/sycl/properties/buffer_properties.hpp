//! DPC++'s header of the properties of buffers. Source: SYCL 2020 §4.7.2.2.
#pragma once
#include <sycl/buffer.hpp>
