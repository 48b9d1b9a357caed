//! DPC++'s name for the header of `half`.
#pragma once
#include <sycl/half.hpp>
