//! DPC++'s header of copies of rows, which are members of queue and handler. Source: sycl_ext_oneapi_memcpy2d.
#pragma once
#include <sycl/queue.hpp>
