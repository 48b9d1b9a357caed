//! DPC++'s header of `property_value`. Source: sycl_ext_oneapi_properties.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
