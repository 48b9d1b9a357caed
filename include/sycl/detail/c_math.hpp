//! Functions of <cmath> that clang does not turn into instructions of SPIR-V: there they are OpenCL's functions of the same name.
//!
//! Weak and of C linkage, so that `std::erf` finds them in whatever order headers are included; only those that kernels call are emitted.
//! What they are called in C++ is no name of C's library, which only their label has: a program that defines an `erf` of its own, as it can
//! with a C library where nothing else uses that one, is not told that there are two, and its kernels call the program's.
#pragma once
#include <sycl/math.hpp>

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
#define __ASPEN_C_MATH(T, name, ...)                                                                                                      \
  extern "C" T __aspen_c_##name(__VA_ARGS__) noexcept __asm__(#name);                                                                     \
  extern "C" __attribute__((weak)) T __aspen_c_##name(__VA_ARGS__) noexcept
#endif

#if defined(__ASPEN_SPIRV__)
#define __ASPEN_C_MATH_1(name)                                                                                                            \
  __ASPEN_C_MATH(float, name##f, float a) { return __spirv_ocl_##name(a); }                                                               \
  __ASPEN_C_MATH(double, name, double a) { return __spirv_ocl_##name(a); }
#define __ASPEN_C_MATH_2(name)                                                                                                            \
  __ASPEN_C_MATH(float, name##f, float a, float b) { return __spirv_ocl_##name(a, b); }                                                   \
  __ASPEN_C_MATH(double, name, double a, double b) { return __spirv_ocl_##name(a, b); }
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
__ASPEN_C_MATH(int, ilogbf, float a) { return __spirv_ocl_ilogb(a); }
__ASPEN_C_MATH(int, ilogb, double a) { return __spirv_ocl_ilogb(a); }
#define __ASPEN_C_MATH_MORE(T, suffix)                                                                                                    \
  __ASPEN_C_MATH(T, scalbn##suffix, T a, int n) { return sycl::ldexp(a, n); }                                                             \
  __ASPEN_C_MATH(T, remquo##suffix, T a, T b, int *q) { return sycl::detail::remquo_(a, b, q); }
__ASPEN_C_MATH_MORE(float, f)
__ASPEN_C_MATH_MORE(double, )
#undef __ASPEN_C_MATH_MORE
#undef __ASPEN_C_MATH_1
#undef __ASPEN_C_MATH_2
#endif

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
// The GPUs' libraries have all of <cmath> but these.
#define __ASPEN_C_MATH_EVERYWHERE(T, suffix)                                                                                              \
  __ASPEN_C_MATH(T, scalbln##suffix, T a, long n) {                                                                                       \
    return sycl::ldexp(a, static_cast<int>(n < -5000 ? -5000 : n > 5000 ? 5000 : n));                                                     \
  }                                                                                                                                       \
  __ASPEN_C_MATH(T, nan##suffix, const char *) { return static_cast<T>(__builtin_nanf("")); }
__ASPEN_C_MATH_EVERYWHERE(float, f)
__ASPEN_C_MATH_EVERYWHERE(double, )
#undef __ASPEN_C_MATH_EVERYWHERE
#undef __ASPEN_C_MATH
#endif
