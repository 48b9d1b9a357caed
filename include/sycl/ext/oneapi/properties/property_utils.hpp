//! DPC++'s header of what property lists are made with. Source: sycl_ext_oneapi_properties.
#pragma once
#include <sycl/ext/oneapi/properties/properties.hpp>
