//! Mathematical built-in functions for float, double and half. Source: SYCL 2020 §4.17.5 to §4.17.7.
//!
//! On SPIR-V they are OpenCL's instructions, elsewhere the compiler's built-ins (libm, vectorised where a vector library is linked). A half is
//! computed in float and rounded once, except on SPIR-V. Nothing here touches double unless the caller does.
#pragma once
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
  inline float name(float a) { __ASPEN_MATH_BODY_F(name, f, d, a) }                                                                        \
  inline double name(double a) { __ASPEN_MATH_BODY_D(name, f, d, a) }                                                                      \
  inline half name(half a) { __ASPEN_MATH_HALF_1(name) }
#define __ASPEN_MATH_2(name, f, d)                                                                                                        \
  inline float name(float a, float b) { __ASPEN_MATH_BODY_F(name, f, d, a, b) }                                                            \
  inline double name(double a, double b) { __ASPEN_MATH_BODY_D(name, f, d, a, b) }                                                         \
  inline half name(half a, half b) { __ASPEN_MATH_HALF_2(name) }
#define __ASPEN_MATH_3(name, f, d)                                                                                                        \
  inline float name(float a, float b, float c) { __ASPEN_MATH_BODY_F(name, f, d, a, b, c) }                                                \
  inline double name(double a, double b, double c) { __ASPEN_MATH_BODY_D(name, f, d, a, b, c) }                                            \
  inline half name(half a, half b, half c) { __ASPEN_MATH_HALF_3(name) }

namespace detail {
// What libm lacks, for the passes without OpenCL's instructions.
#if !defined(__ASPEN_SPIRV__)
inline constexpr float pi_f = 3.14159265358979323846f;
template <class T> inline constexpr T pi_of = T(3.14159265358979323846L);
template <> inline constexpr float pi_of<float> = pi_f;
#define __ASPEN_DETAIL_MATH(T, s)                                                                                                         \
  inline T rsqrt_(T a) { return T(1) / __builtin_sqrt##s(a); }                                                                             \
  inline T recip_(T a) { return T(1) / a; }                                                                                                \
  inline T sinpi_(T a) { return __builtin_sin##s(__builtin_fmod##s(a, T(2)) * pi_of<T>); }                                                 \
  inline T cospi_(T a) { return __builtin_cos##s(__builtin_fmod##s(a, T(2)) * pi_of<T>); }                                                 \
  inline T tanpi_(T a) { return __builtin_tan##s(__builtin_fmod##s(a, T(1)) * pi_of<T>); }                                                 \
  inline T asinpi_(T a) { return __builtin_asin##s(a) / pi_of<T>; }                                                                        \
  inline T acospi_(T a) { return __builtin_acos##s(a) / pi_of<T>; }                                                                        \
  inline T atanpi_(T a) { return __builtin_atan##s(a) / pi_of<T>; }                                                                        \
  inline T atan2pi_(T a, T b) { return __builtin_atan2##s(a, b) / pi_of<T>; }                                                              \
  inline T exp10_(T a) { return __builtin_pow##s(T(10), a); }                                                                              \
  inline T maxmag_(T a, T b) {                                                                                                             \
    const T x = __builtin_fabs##s(a), y = __builtin_fabs##s(b);                                                                            \
    return x > y ? a : y > x ? b : __builtin_fmax##s(a, b);                                                                                \
  }                                                                                                                                        \
  inline T minmag_(T a, T b) {                                                                                                             \
    const T x = __builtin_fabs##s(a), y = __builtin_fabs##s(b);                                                                            \
    return x < y ? a : y < x ? b : __builtin_fmin##s(a, b);                                                                                \
  }                                                                                                                                        \
  inline T mad_(T a, T b, T c) { return a * b + c; }                                                                                       \
  inline T degrees_(T a) { return a * (T(180) / pi_of<T>); }                                                                               \
  inline T radians_(T a) { return a * (pi_of<T> / T(180)); }                                                                               \
  inline T sign_(T a) { return a > T(0) ? T(1) : a < T(0) ? T(-1) : a == a ? a : T(0); }                                                   \
  inline T step_(T edge, T a) { return a < edge ? T(0) : T(1); }                                                                           \
  inline T mix_(T a, T b, T c) { return a + (b - a) * c; }                                                                                 \
  inline T smoothstep_(T low, T high, T a) {                                                                                               \
    T t = (a - low) / (high - low);                                                                                                        \
    t = t < T(0) ? T(0) : t > T(1) ? T(1) : t;                                                                                             \
    return t * t * (T(3) - T(2) * t);                                                                                                      \
  }
__ASPEN_DETAIL_MATH(float, f)
__ASPEN_DETAIL_MATH(double, )
#undef __ASPEN_DETAIL_MATH
#endif
} // namespace detail

} // namespace sycl

// First SPIR-V's declarations, outside of the namespace, then the functions themselves.
#define __ASPEN_MATH_LIST_1(X, Y)                                                                                                         \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(fabs)         \
  X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)    \
  Y(rsqrt) Y(sinpi) Y(cospi) Y(tanpi) Y(asinpi) Y(acospi) Y(atanpi) Y(exp10) Y(degrees) Y(radians) Y(sign)
#define __ASPEN_MATH_LIST_2(X, Y)                                                                                                         \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) Y(atan2pi) Y(maxmag) Y(minmag) Y(step)
#define __ASPEN_MATH_LIST_3(X, Y) X(fma) Y(mad) Y(mix) Y(smoothstep)
__ASPEN_MATH_LIST_1(__ASPEN_OCL_1, __ASPEN_OCL_1)
__ASPEN_MATH_LIST_2(__ASPEN_OCL_2, __ASPEN_OCL_2)
__ASPEN_MATH_LIST_3(__ASPEN_OCL_3, __ASPEN_OCL_3)
#if defined(__ASPEN_SPIRV__)
extern float __spirv_ocl_native_recip(float);
#define __ASPEN_NATIVE_DECLARE(name) extern float __spirv_ocl_native_##name(float);
#else
#define __ASPEN_NATIVE_DECLARE(name)
#endif
#define __ASPEN_NATIVE_LIST(X) X(cos) X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(rsqrt) X(sin) X(sqrt) X(tan)
__ASPEN_NATIVE_LIST(__ASPEN_NATIVE_DECLARE)
#undef __ASPEN_NATIVE_DECLARE

namespace sycl {

#define __ASPEN_BUILTIN_1(name) __ASPEN_MATH_1(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_BUILTIN_2(name) __ASPEN_MATH_2(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_BUILTIN_3(name) __ASPEN_MATH_3(name, __builtin_##name##f, __builtin_##name)
#define __ASPEN_OWN_1(name) __ASPEN_MATH_1(name, detail::name##_, detail::name##_)
#define __ASPEN_OWN_2(name) __ASPEN_MATH_2(name, detail::name##_, detail::name##_)
#define __ASPEN_OWN_3(name) __ASPEN_MATH_3(name, detail::name##_, detail::name##_)
__ASPEN_MATH_LIST_1(__ASPEN_BUILTIN_1, __ASPEN_OWN_1)
__ASPEN_MATH_LIST_2(__ASPEN_BUILTIN_2, __ASPEN_OWN_2)
__ASPEN_MATH_LIST_3(__ASPEN_BUILTIN_3, __ASPEN_OWN_3)
#undef __ASPEN_BUILTIN_1
#undef __ASPEN_BUILTIN_2
#undef __ASPEN_BUILTIN_3
#undef __ASPEN_OWN_1
#undef __ASPEN_OWN_2
#undef __ASPEN_OWN_3
#undef __ASPEN_MATH_1
#undef __ASPEN_MATH_2
#undef __ASPEN_MATH_3
#undef __ASPEN_MATH_LIST_1
#undef __ASPEN_MATH_LIST_2
#undef __ASPEN_MATH_LIST_3
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
#define __ASPEN_MATH_MIXED(T, s)                                                                                                          \
  inline T ldexp(T a, int n) { return __spirv_ocl_ldexp(a, n); }                                                                           \
  inline T pown(T a, int n) { return __spirv_ocl_pown(a, n); }                                                                             \
  inline T rootn(T a, int n) { return __spirv_ocl_rootn(a, n); }                                                                           \
  inline int ilogb(T a) { return __spirv_ocl_ilogb(a); }                                                                                   \
  inline T frexp(T a, int *exponent) { return __spirv_ocl_frexp(a, exponent); }                                                            \
  inline T modf(T a, T *whole) { return __spirv_ocl_modf(a, whole); }                                                                      \
  inline T sincos(T a, T *cosine) { return __spirv_ocl_sincos(a, cosine); }
#else
#define __ASPEN_MATH_MIXED(T, s)                                                                                                          \
  inline T ldexp(T a, int n) { return __builtin_ldexp##s(a, n); }                                                                          \
  inline T pown(T a, int n) { return __builtin_pow##s(a, static_cast<T>(n)); }                                                             \
  inline T rootn(T a, int n) {                                                                                                             \
    const T root = __builtin_pow##s(__builtin_fabs##s(a), T(1) / static_cast<T>(n));                                                       \
    return a < T(0) ? n & 1 ? -root : __builtin_nan##s("") : root;                                                                         \
  }                                                                                                                                        \
  inline int ilogb(T a) { return __builtin_ilogb##s(a); }                                                                                  \
  inline T frexp(T a, int *exponent) { return __builtin_frexp##s(a, exponent); }                                                           \
  inline T modf(T a, T *whole) { return __builtin_modf##s(a, whole); }                                                                     \
  inline T sincos(T a, T *cosine) {                                                                                                        \
    *cosine = __builtin_cos##s(a);                                                                                                         \
    return __builtin_sin##s(a);                                                                                                            \
  }
#endif
#define __ASPEN_MATH_PORTABLE(T, s)                                                                                                       \
  inline T powr(T a, T b) { return sycl::pow(a, b); }                                                                                      \
  inline T fract(T a, T *whole) {                                                                                                          \
    *whole = sycl::floor(a);                                                                                                               \
    return a - *whole;                                                                                                                     \
  }                                                                                                                                        \
  inline bool isnan(T a) { return __builtin_isnan(a); }                                                                                    \
  inline bool isinf(T a) { return __builtin_isinf(a); }                                                                                    \
  inline bool isfinite(T a) { return __builtin_isfinite(a); }                                                                              \
  inline bool isnormal(T a) { return __builtin_isnormal(a); }                                                                              \
  inline bool signbit(T a) { return __builtin_signbit(a); }                                                                                \
  inline bool isequal(T a, T b) { return a == b; }                                                                                         \
  inline bool isnotequal(T a, T b) { return a != b; }                                                                                      \
  inline bool isgreater(T a, T b) { return a > b; }                                                                                        \
  inline bool isless(T a, T b) { return a < b; }                                                                                           \
  inline bool isordered(T a, T b) { return a == a && b == b; }                                                                             \
  inline bool isunordered(T a, T b) { return !(a == a && b == b); }
__ASPEN_MATH_MIXED(float, f)
__ASPEN_MATH_MIXED(double, )
__ASPEN_MATH_PORTABLE(float, f)
__ASPEN_MATH_PORTABLE(double, )
#undef __ASPEN_MATH_MIXED
#undef __ASPEN_MATH_PORTABLE
inline half ldexp(half a, int n) { return half(ldexp(static_cast<float>(a), n)); }
inline half pown(half a, int n) { return half(pown(static_cast<float>(a), n)); }
inline half powr(half a, half b) { return pow(a, b); }
inline bool isnan(half a) { return isnan(static_cast<float>(a)); }
inline bool isinf(half a) { return isinf(static_cast<float>(a)); }
inline bool isfinite(half a) { return isfinite(static_cast<float>(a)); }
inline bool signbit(half a) { return signbit(static_cast<float>(a)); }

// --- common and integer functions ---

namespace detail {
template <class T> inline constexpr bool is_generic_scalar = std::is_arithmetic_v<T> || is_half<T>;
template <class T, class R = T> using if_scalar = std::enable_if_t<is_generic_scalar<T>, R>;
template <class T, class R = T> using if_integer = std::enable_if_t<std::is_integral_v<T>, R>;
} // namespace detail

template <class T> constexpr detail::if_scalar<T> min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr detail::if_scalar<T> max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr detail::if_scalar<T> clamp(T a, T low, T high) { return a < low ? low : high < a ? high : a; }
template <class T> constexpr detail::if_scalar<T> abs(T a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else
    return a < T(0) ? static_cast<T>(-a) : a == T(0) ? T(0) : a;
}
template <class T> constexpr detail::if_scalar<T> select(T a, T b, bool c) { return c ? b : a; }

template <class T> constexpr detail::if_integer<T, std::make_unsigned_t<T>> abs_diff(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return a < b ? static_cast<U>(static_cast<U>(b) - static_cast<U>(a)) : static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
}
template <class T> constexpr detail::if_integer<T> add_sat(T a, T b) { return __builtin_elementwise_add_sat(a, b); }
template <class T> constexpr detail::if_integer<T> sub_sat(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
/// The average without overflow, rounded down (hadd) or up (rhadd).
template <class T> constexpr detail::if_integer<T> hadd(T a, T b) { return static_cast<T>((a >> 1) + (b >> 1) + (a & b & 1)); }
template <class T> constexpr detail::if_integer<T> rhadd(T a, T b) { return static_cast<T>((a >> 1) + (b >> 1) + ((a | b) & 1)); }
template <class T> inline detail::if_integer<T> mul_hi(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    using W = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(T)));
#if defined(__ASPEN_SPIRV__)
    // Spelled out, the optimiser would make it a 128-bit multiplication, which SPIR-V lacks.
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(__spirv_ocl_s_mul_hi(static_cast<long>(a), static_cast<long>(b)));
  } else {
    return static_cast<T>(__spirv_ocl_u_mul_hi(static_cast<unsigned long>(a), static_cast<unsigned long>(b)));
  }
#else
  } else {
    using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> 64);
  }
#endif
}
template <class T> inline detail::if_integer<T> mad_hi(T a, T b, T c) { return static_cast<T>(mul_hi(a, b) + c); }
template <class T> constexpr detail::if_integer<T> mul24(T a, T b) { return static_cast<T>(a * b); }
template <class T> constexpr detail::if_integer<T> mad24(T a, T b, T c) { return static_cast<T>(a * b + c); }
template <class T> constexpr detail::if_integer<T> rotate(T a, T by) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned bits = 8 * sizeof(T);
  const unsigned n = static_cast<unsigned>(by) % bits;
  const U x = static_cast<U>(a);
  return static_cast<T>(n ? static_cast<U>(static_cast<U>(x << n) | static_cast<U>(x >> (bits - n))) : x);
}
template <class T> constexpr detail::if_integer<T> popcount(T a) {
  return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T> constexpr detail::if_integer<T> clz(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(a ? __builtin_clzll(static_cast<U>(a)) - (64 - 8 * static_cast<int>(sizeof(T))) : 8 * static_cast<int>(sizeof(T)));
}
template <class T> constexpr detail::if_integer<T> ctz(T a) {
  return static_cast<T>(a ? __builtin_ctzll(static_cast<std::make_unsigned_t<T>>(a)) : 8 * static_cast<int>(sizeof(T)));
}

/// Fast and less exact, float only.
namespace native {
#if defined(__ASPEN_SPIRV__)
#define __ASPEN_NATIVE(name)                                                                                                              \
  inline float name(float a) { return __spirv_ocl_native_##name(a); }
inline float recip(float a) { return __spirv_ocl_native_recip(a); }
#else
#define __ASPEN_NATIVE(name)                                                                                                              \
  inline float name(float a) { return sycl::name(a); }
inline float recip(float a) { return 1.0f / a; }
#endif
__ASPEN_NATIVE_LIST(__ASPEN_NATIVE)
#undef __ASPEN_NATIVE
inline float divide(float a, float b) { return a / b; }
inline float powr(float a, float b) { return sycl::powr(a, b); }
} // namespace native
namespace half_precision {
using namespace sycl::native;
} // namespace half_precision
#undef __ASPEN_NATIVE_LIST

} // namespace sycl
