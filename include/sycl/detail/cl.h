//! OpenCL's own headers where they are found, as DPC++'s header of this name brings them: libraries include it (blaspp).
#pragma once
#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#if __has_include(<CL/cl_ext.h>)
#include <CL/cl_ext.h>
#endif
#endif
