//! DPC++'s header of the properties of annotated_ptr. Source: sycl_ext_oneapi_annotated_ptr.
#pragma once
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>
