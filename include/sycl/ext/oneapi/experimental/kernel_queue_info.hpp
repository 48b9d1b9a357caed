//! DPC++'s header of info::kernel_queue_specific. Source: sycl_ext_oneapi_launch_queries.
#pragma once
#include <sycl/ext/oneapi/experimental/root_group.hpp>
