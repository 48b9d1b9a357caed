//! `sycl::ext::oneapi::atomic_ref`. Source: sycl_ext_oneapi_extended_atomics.
#pragma once
#include <sycl/ext/oneapi/functional.hpp>
