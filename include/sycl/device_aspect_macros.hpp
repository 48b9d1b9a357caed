//! DPC++'s header of the macros by which traits of aspects are made.
#pragma once
#include <sycl/device_traits.hpp>
