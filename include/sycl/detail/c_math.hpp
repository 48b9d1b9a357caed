//! Functions of <cmath> that clang does not turn into instructions of SPIR-V: there they are OpenCL's functions of the same name.
//!
//! Weak and of C linkage, so that `std::erf` finds them in whatever order headers are included; only those that kernels call are emitted.
#pragma once
#include <sycl/math.hpp>

#if defined(__ASPEN_SPIRV__)
#define __ASPEN_C_MATH_1(name)                                                                                                            \
  extern "C" __attribute__((weak)) float name##f(float a) noexcept { return __spirv_ocl_##name(a); }                                       \
  extern "C" __attribute__((weak)) double name(double a) noexcept { return __spirv_ocl_##name(a); }
#define __ASPEN_C_MATH_2(name)                                                                                                            \
  extern "C" __attribute__((weak)) float name##f(float a, float b) noexcept { return __spirv_ocl_##name(a, b); }                           \
  extern "C" __attribute__((weak)) double name(double a, double b) noexcept { return __spirv_ocl_##name(a, b); }
__ASPEN_C_MATH_1(acosh)
__ASPEN_C_MATH_1(asinh)
__ASPEN_C_MATH_1(atanh)
__ASPEN_C_MATH_1(cbrt)
__ASPEN_C_MATH_1(erf)
__ASPEN_C_MATH_1(erfc)
__ASPEN_C_MATH_1(expm1)
__ASPEN_C_MATH_1(lgamma)
__ASPEN_C_MATH_1(log1p)
__ASPEN_C_MATH_1(logb)
__ASPEN_C_MATH_1(tgamma)
__ASPEN_C_MATH_2(fdim)
__ASPEN_C_MATH_2(hypot)
__ASPEN_C_MATH_2(nextafter)
__ASPEN_C_MATH_2(remainder)
extern "C" __attribute__((weak)) int ilogbf(float a) noexcept { return __spirv_ocl_ilogb(a); }
extern "C" __attribute__((weak)) int ilogb(double a) noexcept { return __spirv_ocl_ilogb(a); }
#define __ASPEN_C_MATH_MORE(T, suffix)                                                                                                    \
  extern "C" __attribute__((weak)) T scalbn##suffix(T a, int n) noexcept { return sycl::ldexp(a, n); }                                     \
  extern "C" __attribute__((weak)) T remquo##suffix(T a, T b, int *q) noexcept { return sycl::detail::remquo_(a, b, q); }
__ASPEN_C_MATH_MORE(float, f)
__ASPEN_C_MATH_MORE(double, )
#undef __ASPEN_C_MATH_MORE
#undef __ASPEN_C_MATH_1
#undef __ASPEN_C_MATH_2
#endif

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
// The GPUs' libraries have all of <cmath> but these.
#define __ASPEN_C_MATH_EVERYWHERE(T, suffix)                                                                                              \
  extern "C" __attribute__((weak)) T scalbln##suffix(T a, long n) noexcept {                                                               \
    return sycl::ldexp(a, static_cast<int>(n < -5000 ? -5000 : n > 5000 ? 5000 : n));                                                      \
  }                                                                                                                                        \
  extern "C" __attribute__((weak)) T nan##suffix(const char *) noexcept { return static_cast<T>(__builtin_nanf("")); }
__ASPEN_C_MATH_EVERYWHERE(float, f)
__ASPEN_C_MATH_EVERYWHERE(double, )
#undef __ASPEN_C_MATH_EVERYWHERE
#endif
