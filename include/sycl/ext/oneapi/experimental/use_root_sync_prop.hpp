//! DPC++'s header of `use_root_sync`. Source: sycl_ext_oneapi_root_group.
#pragma once
#include <sycl/ext/oneapi/experimental/root_group.hpp>
