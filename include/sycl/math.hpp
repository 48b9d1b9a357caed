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
  template <int = 0> half name(half a) { __ASPEN_MATH_HALF_1(name) }
#define __ASPEN_MATH_2(name, f, d)                                                                                                        \
  template <int = 0> float name(float a, float b) { __ASPEN_MATH_BODY_F(name, f, d, a, b) }                                                \
  template <int = 0> double name(double a, double b) { __ASPEN_MATH_BODY_D(name, f, d, a, b) }                                             \
  template <int = 0> half name(half a, half b) { __ASPEN_MATH_HALF_2(name) }
#define __ASPEN_MATH_3(name, f, d)                                                                                                        \
  template <int = 0> float name(float a, float b, float c) { __ASPEN_MATH_BODY_F(name, f, d, a, b, c) }                                    \
  template <int = 0> double name(double a, double b, double c) { __ASPEN_MATH_BODY_D(name, f, d, a, b, c) }                                \
  template <int = 0> half name(half a, half b, half c) { __ASPEN_MATH_HALF_3(name) }

namespace detail {
// What libm lacks, for the passes without OpenCL's instructions.
#if !defined(__ASPEN_SPIRV__)
inline constexpr float pi_f = 3.14159265358979323846f;
template <class T> inline constexpr T pi_of = T(3.14159265358979323846L);
template <> inline constexpr float pi_of<float> = pi_f;
#if defined(__ASPEN_PTX__) // within 2 ulp, as libdevice has it
inline float rsqrt_(float a) { return __nvvm_rsqrt_approx_f(a); }
inline double rsqrt_(double a) { return __nvvm_rsqrt_approx_d(a); }
#else
inline float rsqrt_(float a) { return 1.f / __builtin_sqrtf(a); }
inline double rsqrt_(double a) { return 1. / __builtin_sqrt(a); }
#endif
#define __ASPEN_DETAIL_MATH(T, s)                                                                                                         \
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
  template <int = 0> T ldexp(T a, int n) { return __spirv_ocl_ldexp(a, n); }                                                               \
  template <int = 0> T pown(T a, int n) { return __spirv_ocl_pown(a, n); }                                                                 \
  template <int = 0> T rootn(T a, int n) { return __spirv_ocl_rootn(a, n); }                                                               \
  template <int = 0> int ilogb(T a) { return __spirv_ocl_ilogb(a); }                                                                       \
  template <int = 0> T frexp(T a, int *exponent) { return __spirv_ocl_frexp(a, exponent); }                                                \
  template <int = 0> T modf(T a, T *whole) { return __spirv_ocl_modf(a, whole); }                                                          \
  template <int = 0> T sincos(T a, T *cosine) { return __spirv_ocl_sincos(a, cosine); }
#else
#define __ASPEN_MATH_MIXED(T, s)                                                                                                          \
  template <int = 0> T ldexp(T a, int n) { return __builtin_ldexp##s(a, n); }                                                              \
  template <int = 0> T pown(T a, int n) { return __builtin_pow##s(a, static_cast<T>(n)); }                                                 \
  template <int = 0> T rootn(T a, int n) {                                                                                                 \
    const T root = __builtin_pow##s(__builtin_fabs##s(a), T(1) / static_cast<T>(n));                                                       \
    return a < T(0) ? n & 1 ? -root : __builtin_nan##s("") : root;                                                                         \
  }                                                                                                                                        \
  template <int = 0> int ilogb(T a) { return __builtin_ilogb##s(a); }                                                                      \
  template <int = 0> T frexp(T a, int *exponent) { return __builtin_frexp##s(a, exponent); }                                               \
  template <int = 0> T modf(T a, T *whole) { return __builtin_modf##s(a, whole); }                                                         \
  template <int = 0> T sincos(T a, T *cosine) {                                                                                            \
    *cosine = __builtin_cos##s(a);                                                                                                         \
    return __builtin_sin##s(a);                                                                                                            \
  }
#endif
#define __ASPEN_MATH_PORTABLE(T, s)                                                                                                       \
  template <int = 0> T remquo(T a, T b, int *quotient) {                                                                                   \
    const T rest = sycl::remainder(a, b);                                                                                                  \
    const int low = static_cast<int>(sycl::rint((sycl::fmod(sycl::fabs(a), 8 * sycl::fabs(b)) - (a < 0 ? -rest : rest)) / sycl::fabs(b))); \
    *quotient = (a < 0) == (b < 0) ? low & 7 : -(low & 7);                                                                                 \
    return rest;                                                                                                                           \
  }                                                                                                                                        \
  template <int = 0> T lgamma_r(T a, int *sign) {                                                                                          \
    *sign = a < 0 && sycl::fmod(sycl::floor(a), T(2)) != 0 ? -1 : 1;                                                                       \
    return sycl::lgamma(a);                                                                                                                \
  }                                                                                                                                        \
  template <int = 0> T powr(T a, T b) { return sycl::pow(a, b); }                                                                          \
  template <int = 0> T fract(T a, T *whole) {                                                                                              \
    *whole = sycl::floor(a);                                                                                                               \
    return a - *whole;                                                                                                                     \
  }                                                                                                                                        \
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
__ASPEN_MATH_MIXED(float, f)
__ASPEN_MATH_MIXED(double, )
__ASPEN_MATH_PORTABLE(float, f)
__ASPEN_MATH_PORTABLE(double, )
#undef __ASPEN_MATH_MIXED
#undef __ASPEN_MATH_PORTABLE
// Of half by float, which holds all of its values.
#define __ASPEN_HALF_INT(name)                                                                                                            \
  inline half name(half a, int n) { return half(sycl::name(static_cast<float>(a), n)); }
__ASPEN_HALF_INT(ldexp)
__ASPEN_HALF_INT(pown)
__ASPEN_HALF_INT(rootn)
#undef __ASPEN_HALF_INT
#define __ASPEN_HALF_POINTER(name)                                                                                                        \
  inline half name(half a, half *second) {                                                                                                 \
    float wide = 0;                                                                                                                        \
    const half out(sycl::name(static_cast<float>(a), &wide));                                                                              \
    *second = half(wide);                                                                                                                  \
    return out;                                                                                                                            \
  }
__ASPEN_HALF_POINTER(fract)
__ASPEN_HALF_POINTER(modf)
__ASPEN_HALF_POINTER(sincos)
#undef __ASPEN_HALF_POINTER
inline half frexp(half a, int *exponent) { return half(sycl::frexp(static_cast<float>(a), exponent)); }
inline int ilogb(half a) { return sycl::ilogb(static_cast<float>(a)); }
inline half powr(half a, half b) { return pow(a, b); }
#define __ASPEN_HALF_TEST(name)                                                                                                           \
  inline bool name(half a) { return sycl::name(static_cast<float>(a)); }
__ASPEN_HALF_TEST(isnan)
__ASPEN_HALF_TEST(isinf)
__ASPEN_HALF_TEST(isfinite)
__ASPEN_HALF_TEST(signbit)
#undef __ASPEN_HALF_TEST
inline bool isnormal(half a) {
  const float size = sycl::fabs(static_cast<float>(a));
  return size >= 0x1p-14f && size < __builtin_inff();
}
#define __ASPEN_HALF_COMPARED(name)                                                                                                       \
  inline bool name(half a, half b) { return sycl::name(static_cast<float>(a), static_cast<float>(b)); }
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

namespace detail {
template <size_t Size> struct bits_of_size;
template <> struct bits_of_size<1> {
  using type = std::uint8_t;
  using wider = std::uint16_t;
};
template <> struct bits_of_size<2> {
  using type = std::uint16_t;
  using wider = std::uint32_t;
  using number = half;
  static constexpr type quiet = 0x7E00;
};
template <> struct bits_of_size<4> {
  using type = std::uint32_t;
  using wider = std::uint64_t;
  using number = float;
  static constexpr type quiet = 0x7FC00000;
};
template <> struct bits_of_size<8> {
  using type = std::uint64_t;
  using number = double;
  static constexpr type quiet = 0x7FF8000000000000;
};
template <class T> using bits = typename bits_of_size<sizeof(T)>::type;
template <class T>
using wider_of = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<typename bits_of_size<sizeof(T)>::wider>, typename bits_of_size<sizeof(T)>::wider>;
} // namespace detail

/// The quiet NaN with these bits, of the floating-point type as wide as they are.
template <class T> inline detail::if_scalar<T, typename detail::bits_of_size<sizeof(T)>::number> nan(T code) {
  static_assert(std::is_unsigned_v<T>, "the code of a NaN is an unsigned integer of 2, 4 or 8 bytes");
  using type = detail::bits_of_size<sizeof(T)>;
  // The lowest bit of `quiet` says that it is; the code lies below.
  constexpr auto below = static_cast<typename type::type>((type::quiet & -type::quiet) - 1);
  return sycl::bit_cast<typename type::number>(static_cast<typename type::type>(type::quiet | (code & below)));
}
/// Bits of `b` where `c` has them, else of `a`.
template <class T> inline detail::if_scalar<T> bitselect(T a, T b, T c) {
  using B = detail::bits<T>;
  const B chosen = sycl::bit_cast<B>(c);
  return sycl::bit_cast<T>(static_cast<B>((sycl::bit_cast<B>(a) & static_cast<B>(~chosen)) | (sycl::bit_cast<B>(b) & chosen)));
}

template <class T> constexpr typename detail::if_integer<T, std::make_unsigned<T>>::type abs_diff(T a, T b) {
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
/// The product and the sum without a limit, cut to what `T` holds.
template <class T> constexpr detail::if_integer<T> mad_sat(T a, T b, T c) {
  using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  const W exact = static_cast<W>(a) * static_cast<W>(b) + static_cast<W>(c);
  constexpr W low = static_cast<W>(std::is_signed_v<T> ? T(1) << (8 * sizeof(T) - 1) : 0);
  constexpr W high = static_cast<W>(static_cast<T>(~static_cast<T>(low)));
  return static_cast<T>(exact < low ? low : exact > high ? high : exact);
}
/// `high` above `low`, in an integer of twice the width.
template <class T, class U> constexpr detail::if_integer<T, detail::wider_of<T>> upsample(T high, U low) {
  static_assert(sizeof(T) == sizeof(U) && std::is_unsigned_v<U>, "the lower half is unsigned and as wide as the upper one");
  return static_cast<detail::wider_of<T>>(static_cast<std::make_unsigned_t<detail::wider_of<T>>>(static_cast<std::make_unsigned_t<T>>(high)) << (8 * sizeof(T)) | low);
}
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

} // namespace sycl
