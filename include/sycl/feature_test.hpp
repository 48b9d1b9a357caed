//! DPC++'s header of the macros that tell which extensions there are.
#pragma once
#include <sycl/khr/split_headers/version.hpp>
