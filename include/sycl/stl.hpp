//! DPC++'s header of what programs use of the standard library.
#pragma once
#include <sycl/detail/standard_library.hpp>
