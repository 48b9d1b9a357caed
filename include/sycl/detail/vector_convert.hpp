//! DPC++'s header of `vec::convert`, which its tests include.
#pragma once
#include <sycl/vec.hpp>
