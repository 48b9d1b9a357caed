//! `sycl::ext::oneapi::sub_group`. Source: sycl_ext_oneapi_sub_group.
#pragma once
#include <sycl/ext/oneapi/functional.hpp>
