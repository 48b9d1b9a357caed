//! OpenCL's own names of scalars and handles in the global namespace, which the headers of DPC++ bring and programs take from there.
//! They are the same types as in `<CL/cl.h>`, which may be included beside. Without `cl_half`: `sycl::cl_half` is a number, OpenCL's its bits.
#pragma once
#include <sycl/detail/native.hpp>

#include <cstdint>

using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_float = float;
using cl_double = double;
using cl_bool = cl_uint;

using cl_platform_id = _cl_platform_id *;
using cl_device_id = _cl_device_id *;
using cl_context = _cl_context *;
using cl_command_queue = _cl_command_queue *;
using cl_event = _cl_event *;
using cl_mem = _cl_mem *;
using cl_program = _cl_program *;
using cl_kernel = _cl_kernel *;
