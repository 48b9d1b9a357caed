//! DPC++'s header of tangle. Source: sycl_ext_oneapi_tangle.
#pragma once
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>
