//! DPC++'s header of the properties of reductions. Source: SYCL 2020 §4.9.2.2.
#pragma once
#include <sycl/reduction.hpp>
