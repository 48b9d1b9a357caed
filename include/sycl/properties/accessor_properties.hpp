//! DPC++'s header of the properties of accessors. Source: SYCL 2020 §4.7.6.4.
#pragma once
#include <sycl/accessor.hpp>
