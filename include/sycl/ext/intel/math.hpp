//! `sycl::ext::intel::math`, which programs that were written for CUDA call in the place of its mathematical functions: conversions and arithmetic
//! that round as they are told, whole numbers, half and bfloat16, and what stands here. What SYCL has by another name stays SYCL's. Not here:
//! functions of bytes and halves of words (`vadd2`, …), and those that are not elementary (`erfinv`, `j0`, …). Source: DPC++'s
//! <sycl/ext/intel/math.hpp>, whose functions are those of CUDA's Math API.
#pragma once
#include <sycl/ext/intel/math/conversions.hpp>
#include <sycl/ext/intel/math/integers.hpp>
#include <sycl/ext/intel/math/rounding.hpp>
#include <sycl/ext/intel/math/short_numbers.hpp>
#undef __ASPEN_EACH_MODE
#undef __ASPEN_MODE_rd
#undef __ASPEN_MODE_rn
#undef __ASPEN_MODE_ru
#undef __ASPEN_MODE_rz

namespace sycl::ext::intel::math {

/// Between 0 and 1; 0 if it is no number.
inline float saturate(float x) { return sycl::detail::rounding::saturated(x); }
inline float inv(float x) { return 1.0f / x; }
inline double inv(double x) { return 1.0 / x; }
inline half inv(half x) { return half(1.0f) / x; }
inline half2 inv(const half2 &x) { return {math::inv(half(x[0])), math::inv(half(x[1]))}; }
/// The upper half of the bits of 1 / x; the others are 0.
inline double rcp64h(double x) { return sycl::bit_cast<double>(sycl::bit_cast<std::uint64_t>(1.0 / x) & 0xffffffff00000000u); }

#define __ASPEN_SAME(name)                                                                                                                \
  inline float name(float x) { return sycl::name(x); }                                                                                     \
  inline double name(double x) { return sycl::name(x); }                                                                                   \
  inline half name(half x) { return sycl::name(x); }                                                                                       \
  inline half2 name(const half2 &x) { return sycl::name(x); }
__ASPEN_SAME(ceil)
__ASPEN_SAME(floor)
__ASPEN_SAME(rint)
__ASPEN_SAME(sqrt)
__ASPEN_SAME(rsqrt)
__ASPEN_SAME(trunc)
#undef __ASPEN_SAME
inline float fabs(float x) { return sycl::fabs(x); }
inline double fabs(double x) { return sycl::fabs(x); }
inline float copysign(float x, float y) { return sycl::copysign(x, y); }
inline double copysign(double x, double y) { return sycl::copysign(x, y); }
inline half copysign(half x, half y) { return sycl::copysign(x, y); }
inline float fma(float a, float b, float c) { return sycl::fma(a, b, c); }
inline double fma(double a, double b, double c) { return sycl::fma(a, b, c); }
inline float fmax(float a, float b) { return sycl::fmax(a, b); }
inline double fmax(double a, double b) { return sycl::fmax(a, b); }
inline float fmin(float a, float b) { return sycl::fmin(a, b); }
inline double fmin(double a, double b) { return sycl::fmin(a, b); }
/// The normal distribution's.
inline float cdfnorm(float x) { return 0.5f * sycl::erfc(x * -0.70710678118654752f); }
inline double cdfnorm(double x) { return 0.5 * sycl::erfc(x * -0.70710678118654752440); }

} // namespace sycl::ext::intel::math
