//! The name by which sycl_ext_oneapi_kernel_properties promises its properties.
#pragma once
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
