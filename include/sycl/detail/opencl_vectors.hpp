//! SYCL 1.2.1's names of vectors of OpenCL's types: `cl_int4`, and DPC++'s of `longlong2` and its like. Source: SYCL 1.2.1 §4.10.2.
#pragma once
#include <sycl/scalar_types.hpp>
#include <sycl/vec.hpp>

namespace sycl {

#define __ASPEN_OPENCL_VECTORS(name)                                                                                                      \
  using name##2 = vec<name, 2>;                                                                                                            \
  using name##3 = vec<name, 3>;                                                                                                            \
  using name##4 = vec<name, 4>;                                                                                                            \
  using name##8 = vec<name, 8>;                                                                                                            \
  using name##16 = vec<name, 16>;
__ASPEN_OPENCL_VECTORS(cl_char)
__ASPEN_OPENCL_VECTORS(cl_uchar)
__ASPEN_OPENCL_VECTORS(cl_short)
__ASPEN_OPENCL_VECTORS(cl_ushort)
__ASPEN_OPENCL_VECTORS(cl_int)
__ASPEN_OPENCL_VECTORS(cl_uint)
__ASPEN_OPENCL_VECTORS(cl_long)
__ASPEN_OPENCL_VECTORS(cl_ulong)
__ASPEN_OPENCL_VECTORS(cl_half)
__ASPEN_OPENCL_VECTORS(cl_float)
__ASPEN_OPENCL_VECTORS(cl_double)
__ASPEN_OPENCL_VECTORS(schar)
__ASPEN_OPENCL_VECTORS(longlong)
__ASPEN_OPENCL_VECTORS(ulonglong)
#undef __ASPEN_OPENCL_VECTORS

} // namespace sycl
