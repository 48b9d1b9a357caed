//! DPC++'s header of the properties of USM allocations.
#pragma once
#include <sycl/property_list.hpp>
