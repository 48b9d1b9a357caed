//! Interoperability with OpenCL, with OpenCL's own header where it is installed. Source: SYCL 2020 §4.3, §C.
#pragma once
#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
#include <sycl/sycl.hpp>
#include <sycl/detail/native.hpp> // lean programs have no other part that brings it
