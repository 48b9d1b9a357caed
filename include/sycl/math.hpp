//! Mathematical built-in functions for float, double and half. Source: SYCL 2020 §4.17.5 to §4.17.7.
//!
//! On SPIR-V they are OpenCL's instructions, elsewhere the compiler's built-ins (libm, vectorised where a vector library is linked). A half is
//! computed in float and rounded once, except on SPIR-V. Nothing here touches double unless the caller does.
#pragma once
#include <sycl/bit_cast.hpp>
#include <sycl/half.hpp>
#include <type_traits>

#if defined(__ASPEN_SPIRV__)
// Plain overloads: the code generator finds these by their mangled names.
#define __ASPEN_OCL_1(name)                                                                                                               \
  extern float __spirv_ocl_##name(float);                                                                                                  \
  extern double __spirv_ocl_##name(double);                                                                                                \
  extern _Float16 __spirv_ocl_##name(_Float16);
#define __ASPEN_OCL_2(name)                                                                                                               \
  extern float __spirv_ocl_##name(float, float);                                                                                           \
  extern double __spirv_ocl_##name(double, double);                                                                                        \
  extern _Float16 __spirv_ocl_##name(_Float16, _Float16);
#define __ASPEN_OCL_3(name)                                                                                                               \
  extern float __spirv_ocl_##name(float, float, float);                                                                                    \
  extern double __spirv_ocl_##name(double, double, double);                                                                                \
  extern _Float16 __spirv_ocl_##name(_Float16, _Float16, _Float16);
#define __ASPEN_OCL_INT(name)                                                                                                             \
  extern float __spirv_ocl_##name(float, int);                                                                                             \
  extern double __spirv_ocl_##name(double, int);                                                                                           \
  extern _Float16 __spirv_ocl_##name(_Float16, int);
#define __ASPEN_OCL_TO_INT(name)                                                                                                          \
  extern int __spirv_ocl_##name(float);                                                                                                    \
  extern int __spirv_ocl_##name(double);                                                                                                   \
  extern int __spirv_ocl_##name(_Float16);
#define __ASPEN_OCL_POINTER(name, P)                                                                                                      \
  extern float __spirv_ocl_##name(float, P *);                                                                                             \
  extern double __spirv_ocl_##name(double, P *);
__ASPEN_OCL_INT(ldexp)
__ASPEN_OCL_INT(pown)
__ASPEN_OCL_INT(rootn)
__ASPEN_OCL_TO_INT(ilogb)
__ASPEN_OCL_POINTER(frexp, int)
extern long __spirv_ocl_s_mul_hi(long, long);
extern unsigned long __spirv_ocl_u_mul_hi(unsigned long, unsigned long);
extern float __spirv_ocl_modf(float, float *);
extern double __spirv_ocl_modf(double, double *);
extern float __spirv_ocl_sincos(float, float *);
extern double __spirv_ocl_sincos(double, double *);
#else
#define __ASPEN_OCL_1(name)
#define __ASPEN_OCL_2(name)
#define __ASPEN_OCL_3(name)
#endif

namespace sycl {

// A function of N numbers of one type: what to call for float and double, and half by way of float.
#if defined(__ASPEN_SPIRV__)
#define __ASPEN_MATH_BODY_F(name, f, d, ...) return __spirv_ocl_##name(__VA_ARGS__);
#define __ASPEN_MATH_BODY_D(name, f, d, ...) return __spirv_ocl_##name(__VA_ARGS__);
#define __ASPEN_MATH_HALF_1(name) return half::make(__spirv_ocl_##name(a.native_()));
#define __ASPEN_MATH_HALF_2(name) return half::make(__spirv_ocl_##name(a.native_(), b.native_()));
#define __ASPEN_MATH_HALF_3(name) return half::make(__spirv_ocl_##name(a.native_(), b.native_(), c.native_()));
#else
#define __ASPEN_MATH_BODY_F(name, f, d, ...) return f(__VA_ARGS__);
#define __ASPEN_MATH_BODY_D(name, f, d, ...) return d(__VA_ARGS__);
#define __ASPEN_MATH_HALF_1(name) return half(sycl::name(static_cast<float>(a)));
#define __ASPEN_MATH_HALF_2(name) return half(sycl::name(static_cast<float>(a), static_cast<float>(b)));
#define __ASPEN_MATH_HALF_3(name) return half(sycl::name(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
#endif

#define __ASPEN_MATH_1(name, f, d)                                                                                                        \
  template <int = 0> float name(float a) { __ASPEN_MATH_BODY_F(name, f, d, a) }                                                            \
  template <int = 0> double name(double a) { __ASPEN_MATH_BODY_D(name, f, d, a) }                                                          \
  template <int = 0> half name(half a) { __ASPEN_MATH_HALF_1(name) }                                                                       \
  template <class A> detail::if_genfloat<A> name(detail::given_t<A> a) { return sycl::name(a); }
#define __ASPEN_MATH_2(name, f, d)                                                                                                        \
  template <int = 0> float name(float a, float b) { __ASPEN_MATH_BODY_F(name, f, d, a, b) }                                                \
  template <int = 0> double name(double a, double b) { __ASPEN_MATH_BODY_D(name, f, d, a, b) }                                             \
  template <int = 0> half name(half a, half b) { __ASPEN_MATH_HALF_2(name) }                                                               \
  template <class A, class B = A> detail::if_genfloat<A, B> name(detail::given_t<A> a, detail::given_t<B> b) { return sycl::name(a, b); }
#define __ASPEN_MATH_3(name, f, d)                                                                                                        \
  template <int = 0> float name(float a, float b, float c) { __ASPEN_MATH_BODY_F(name, f, d, a, b, c) }                                    \
  template <int = 0> double name(double a, double b, double c) { __ASPEN_MATH_BODY_D(name, f, d, a, b, c) }                                \
  template <int = 0> half name(half a, half b, half c) { __ASPEN_MATH_HALF_3(name) }                                                       \
  template <class A, class B = A, class C = B>                                                                                             \
  detail::if_genfloat<A, B, C> name(detail::given_t<A> a, detail::given_t<B> b, detail::given_t<C> c) {                                    \
    return sycl::name(a, b, c);                                                                                                            \
  }

namespace detail {
/// `T` in a place that says nothing about it: of functions that are called with their template arguments.
template <class T> struct given {
  using type = T;
};
template <class T> using given_t = typename given<T>::type;
template <class T, class... Rest> using if_genfloat = std::enable_if_t<is_genfloat<T> && (std::is_same_v<T, Rest> && ...), T>;
} // namespace detail

} // namespace sycl

// First SPIR-V's declarations, outside of the namespace, then the functions themselves.
#define __ASPEN_MATH_LIST_1(X, Y)                                                                                                         \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(fabs)         \
  X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)    \
  Y(rsqrt) Y(sinpi) Y(cospi) Y(tanpi) Y(asinpi) Y(acospi) Y(atanpi) Y(exp10) Y(degrees) Y(radians) Y(sign)
#define __ASPEN_MATH_LIST_2(X, Y)                                                                                                         \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) Y(atan2pi) Y(maxmag) Y(minmag) Y(powr)    \
  Y(step)
#define __ASPEN_MATH_LIST_3(X, Y) X(fma) Y(mad) Y(mix) Y(smoothstep)
__ASPEN_MATH_LIST_1(__ASPEN_OCL_1, __ASPEN_OCL_1)
__ASPEN_MATH_LIST_2(__ASPEN_OCL_2, __ASPEN_OCL_2)
__ASPEN_MATH_LIST_3(__ASPEN_OCL_3, __ASPEN_OCL_3)
#define __ASPEN_NATIVE_LIST_1(X) X(cos) X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(recip) X(rsqrt) X(sin) X(sqrt) X(tan)
#define __ASPEN_NATIVE_LIST_2(X) X(divide) X(powr)
#if defined(__ASPEN_SPIRV__)
#define __ASPEN_DECLARE_1(name)                                                                                                           \
  extern float __spirv_ocl_native_##name(float);                                                                                           \
  extern float __spirv_ocl_half_##name(float);
#define __ASPEN_DECLARE_2(name)                                                                                                           \
  extern float __spirv_ocl_native_##name(float, float);                                                                                    \
  extern float __spirv_ocl_half_##name(float, float);
__ASPEN_NATIVE_LIST_1(__ASPEN_DECLARE_1)
__ASPEN_NATIVE_LIST_2(__ASPEN_DECLARE_2)
#undef __ASPEN_DECLARE_1
#undef __ASPEN_DECLARE_2
#endif

namespace sycl {

#define __ASPEN_BUILTIN_1(name) __ASPEN_MATH_1(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_BUILTIN_2(name) __ASPEN_MATH_2(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_BUILTIN_3(name) __ASPEN_MATH_3(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_OWN_1(name) __ASPEN_MATH_1(name, detail::name##_, detail::name##_)
#define __ASPEN_OWN_2(name) __ASPEN_MATH_2(name, detail::name##_, detail::name##_)
#define __ASPEN_OWN_3(name) __ASPEN_MATH_3(name, detail::name##_, detail::name##_)
#define __ASPEN_NEITHER(name)
__ASPEN_MATH_LIST_1(__ASPEN_BUILTIN_1, __ASPEN_NEITHER)
__ASPEN_MATH_LIST_2(__ASPEN_BUILTIN_2, __ASPEN_NEITHER)
__ASPEN_MATH_LIST_3(__ASPEN_BUILTIN_3, __ASPEN_NEITHER)
} // namespace sycl
#include <sycl/detail/own_math.hpp>
namespace sycl {
#if !defined(__ASPEN_SPIRV__)
// By way of float, the next number would be float's next one, and a sum would be rounded twice.
template <> inline half nextafter<0>(half a, half b) { return half::make(detail::next_towards(a.native_(), b.native_())); }
template <> inline half fma<0>(half a, half b, half c) { return detail::fma_of_half(a, b, c); }
#if !defined(__ASPEN_PTX__)
template <> inline double cbrt<0>(double a) { return detail::cbrt_of_double(a); }
#endif
#endif
__ASPEN_MATH_LIST_1(__ASPEN_NEITHER, __ASPEN_OWN_1)
__ASPEN_MATH_LIST_2(__ASPEN_NEITHER, __ASPEN_OWN_2)
__ASPEN_MATH_LIST_3(__ASPEN_NEITHER, __ASPEN_OWN_3)
#if !defined(__ASPEN_SPIRV__)
/// Its steps are defined in the type of its arguments. Source: SYCL 2020 §4.17.7.
template <> inline half smoothstep<0>(half low, half high, half a) { return detail::smoothstep_<half>(low, high, a); }
#endif
#undef __ASPEN_NEITHER
#undef __ASPEN_BUILTIN_1
#undef __ASPEN_BUILTIN_2
#undef __ASPEN_BUILTIN_3
#undef __ASPEN_OWN_1
#undef __ASPEN_OWN_2
#undef __ASPEN_OWN_3
#undef __ASPEN_MATH_1
#undef __ASPEN_MATH_2
#undef __ASPEN_MATH_3
#undef __ASPEN_MATH_BODY_F
#undef __ASPEN_MATH_BODY_D
#undef __ASPEN_MATH_HALF_1
#undef __ASPEN_MATH_HALF_2
#undef __ASPEN_MATH_HALF_3
#undef __ASPEN_OCL_1
#undef __ASPEN_OCL_2
#undef __ASPEN_OCL_3
#undef __ASPEN_OCL_INT
#undef __ASPEN_OCL_TO_INT
#undef __ASPEN_OCL_POINTER

// --- with an integer or a second result ---

#if defined(__ASPEN_SPIRV__)
#define __ASPEN_MATH_INT(T, s)                                                                                                            \
  template <int = 0> T ldexp(T a, int n) { return __spirv_ocl_ldexp(a, n); }                                                               \
  template <int = 0> T pown(T a, int n) { return __spirv_ocl_pown(a, n); }                                                                 \
  template <int = 0> T rootn(T a, int n) { return __spirv_ocl_rootn(a, n); }                                                               \
  template <int = 0> int ilogb(T a) { return __spirv_ocl_ilogb(a); }
#else
#define __ASPEN_MATH_INT(T, s)                                                                                                            \
  template <int = 0> T ldexp(T a, int n) { return __builtin_ldexp##s(a, n); }                                                              \
  template <int = 0> T pown(T a, int n) { return detail::pown_(a, n); }                                                                    \
  template <int = 0> T rootn(T a, int n) { return detail::rootn_(a, n); }                                                                  \
  template <int = 0> int ilogb(T a) { return __builtin_ilogb##s(a); }
#endif
__ASPEN_MATH_INT(float, f)
__ASPEN_MATH_INT(double, )
#undef __ASPEN_MATH_INT
// Of half by float, which holds all of its values.
template <int = 0> half ldexp(half a, int n) { return half(sycl::ldexp(static_cast<float>(a), n)); }
template <int = 0> half pown(half a, int n) { return half(sycl::pown(static_cast<float>(a), n)); }
template <int = 0> half rootn(half a, int n) { return half(sycl::rootn(static_cast<float>(a), n)); }
template <int = 0> int ilogb(half a) { return sycl::ilogb(static_cast<float>(a)); }

// Their template argument is the pointer's type. Source: SYCL 2020 §4.17.5.
#define __ASPEN_SECOND_RESULT_OF(name, T, second)                                                                                         \
  template <class P, class = detail::if_points_to<P, second>> T name(T a, P to) { return detail::name##_(a, &*to); }
#define __ASPEN_SECOND_RESULT(name)                                                                                                       \
  __ASPEN_SECOND_RESULT_OF(name, float, float)                                                                                             \
  __ASPEN_SECOND_RESULT_OF(name, double, double)                                                                                           \
  __ASPEN_SECOND_RESULT_OF(name, half, half)
#define __ASPEN_SECOND_INT(name)                                                                                                          \
  __ASPEN_SECOND_RESULT_OF(name, float, int)                                                                                               \
  __ASPEN_SECOND_RESULT_OF(name, double, int)                                                                                              \
  __ASPEN_SECOND_RESULT_OF(name, half, int)
__ASPEN_SECOND_RESULT(fract)
__ASPEN_SECOND_RESULT(modf)
__ASPEN_SECOND_RESULT(sincos)
__ASPEN_SECOND_INT(frexp)
__ASPEN_SECOND_INT(lgamma_r)
#undef __ASPEN_SECOND_INT
#undef __ASPEN_SECOND_RESULT
#undef __ASPEN_SECOND_RESULT_OF
#define __ASPEN_REMQUO(T)                                                                                                                 \
  template <class P, class = detail::if_points_to<P, int>> T remquo(T a, T b, P quotient) { return detail::remquo_(a, b, &*quotient); }
__ASPEN_REMQUO(float)
__ASPEN_REMQUO(double)
__ASPEN_REMQUO(half)
#undef __ASPEN_REMQUO

// --- relational functions ---

#define __ASPEN_RELATIONAL(T)                                                                                                             \
  template <int = 0> bool isnan(T a) { return __builtin_isnan(a); }                                                                        \
  template <int = 0> bool isinf(T a) { return __builtin_isinf(a); }                                                                        \
  template <int = 0> bool isfinite(T a) { return __builtin_isfinite(a); }                                                                  \
  template <int = 0> bool isnormal(T a) { return __builtin_isnormal(a); }                                                                  \
  template <int = 0> bool signbit(T a) { return __builtin_signbit(a); }                                                                    \
  template <int = 0> bool isequal(T a, T b) { return a == b; }                                                                             \
  template <int = 0> bool isnotequal(T a, T b) { return a != b; }                                                                          \
  template <int = 0> bool isgreater(T a, T b) { return a > b; }                                                                            \
  template <int = 0> bool isless(T a, T b) { return a < b; }                                                                               \
  template <int = 0> bool isgreaterequal(T a, T b) { return a >= b; }                                                                      \
  template <int = 0> bool islessequal(T a, T b) { return a <= b; }                                                                         \
  template <int = 0> bool islessgreater(T a, T b) { return a < b || a > b; }                                                               \
  template <int = 0> bool isordered(T a, T b) { return a == a && b == b; }                                                                 \
  template <int = 0> bool isunordered(T a, T b) { return !(a == a && b == b); }
__ASPEN_RELATIONAL(float)
__ASPEN_RELATIONAL(double)
#undef __ASPEN_RELATIONAL
#define __ASPEN_HALF_TEST(name)                                                                                                           \
  template <int = 0> bool name(half a) { return sycl::name(static_cast<float>(a)); }
__ASPEN_HALF_TEST(isnan)
__ASPEN_HALF_TEST(isinf)
__ASPEN_HALF_TEST(isfinite)
__ASPEN_HALF_TEST(signbit)
#undef __ASPEN_HALF_TEST
template <int = 0> bool isnormal(half a) {
  const float size = sycl::fabs(static_cast<float>(a));
  return size >= 0x1p-14f && size < __builtin_inff();
}
#define __ASPEN_HALF_COMPARED(name)                                                                                                       \
  template <int = 0> bool name(half a, half b) { return sycl::name(static_cast<float>(a), static_cast<float>(b)); }
__ASPEN_HALF_COMPARED(isequal)
__ASPEN_HALF_COMPARED(isnotequal)
__ASPEN_HALF_COMPARED(isgreater)
__ASPEN_HALF_COMPARED(isgreaterequal)
__ASPEN_HALF_COMPARED(isless)
__ASPEN_HALF_COMPARED(islessequal)
__ASPEN_HALF_COMPARED(islessgreater)
__ASPEN_HALF_COMPARED(isordered)
__ASPEN_HALF_COMPARED(isunordered)
#undef __ASPEN_HALF_COMPARED

} // namespace sycl
#include <sycl/detail/integer_math.hpp>
namespace sycl {

namespace detail::usual {
using namespace sycl;
inline float recip(float a) { return 1.0f / a; }
inline float divide(float a, float b) { return a / b; }
} // namespace detail::usual
#define __ASPEN_NATIVE_1(name)                                                                                                            \
  inline float name(float a) { return __ASPEN_NATIVE(name)(a); }
#define __ASPEN_NATIVE_2(name)                                                                                                            \
  inline float name(float a, float b) { return __ASPEN_NATIVE(name)(a, b); }
/// Fast and less exact, float only.
namespace native {
#if defined(__ASPEN_SPIRV__)
#define __ASPEN_NATIVE(name) __spirv_ocl_native_##name
#else
#define __ASPEN_NATIVE(name) detail::usual::name
#endif
__ASPEN_NATIVE_LIST_1(__ASPEN_NATIVE_1)
__ASPEN_NATIVE_LIST_2(__ASPEN_NATIVE_2)
#undef __ASPEN_NATIVE
} // namespace native
/// Right to 10 bits at least.
namespace half_precision {
#if defined(__ASPEN_SPIRV__)
#define __ASPEN_NATIVE(name) __spirv_ocl_half_##name
#else
#define __ASPEN_NATIVE(name) detail::usual::name
#endif
__ASPEN_NATIVE_LIST_1(__ASPEN_NATIVE_1)
__ASPEN_NATIVE_LIST_2(__ASPEN_NATIVE_2)
#undef __ASPEN_NATIVE
} // namespace half_precision
#undef __ASPEN_NATIVE_1
#undef __ASPEN_NATIVE_2

} // namespace sycl
