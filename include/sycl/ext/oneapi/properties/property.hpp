//! DPC++'s header of the keys of properties. Source: sycl_ext_oneapi_properties.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
