//! DPC++'s header of `is_property`. Source: SYCL 2020 §4.5.4.
#pragma once
#include <sycl/property_list.hpp>
