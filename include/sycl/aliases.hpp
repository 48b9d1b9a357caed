//! DPC++'s header of the names of vectors (`float4`). Source: SYCL 2020 §4.14.2.1.
#pragma once
#include <sycl/vec.hpp>
