//! Interoperability with CUDA's driver interface, with its own header where it is installed. Source: SYCL 2020 §4.3.
#pragma once
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#include <sycl/sycl.hpp>
#include <sycl/detail/native.hpp> // lean programs have no other part that brings it
