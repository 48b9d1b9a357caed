//! Names of scalar types: `sycl::byte` of SYCL 1.2.1 and `sycl::opencl::cl_*`. Source: SYCL 2020 §4.14.1, §C.7.
#pragma once
#include <sycl/half.hpp>

namespace sycl {

using byte [[deprecated("use std::byte or std::uint8_t")]] = std::uint8_t;

// OpenCL C's short names, which SYCL 1.2.1 implementations and DPC++ have as well. Those that glibc has too are the same types.
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using schar = signed char;
using longlong = long long;
using ulonglong = unsigned long long;

namespace opencl {
using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_half = half;
using cl_float = float;
using cl_double = double;
} // namespace opencl
/// SYCL 1.2.1's place for them.
using namespace opencl;

} // namespace sycl
