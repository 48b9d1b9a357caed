//! DPC++'s header of fragment. Source: sycl_ext_oneapi_non_uniform_groups.
#pragma once
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>
