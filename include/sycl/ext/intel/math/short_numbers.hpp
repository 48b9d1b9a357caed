//! Arithmetic and comparisons of half, half2 and bfloat16 of `sycl::ext::intel::math`. A comparison of numbers of which one is none is false, and
//! true if its name ends with `u`. Source: DPC++'s <sycl/ext/intel/math.hpp>, whose functions are those of CUDA's Math API, "Half Precision
//! Intrinsics" and "Bfloat16 Precision Intrinsics".
#pragma once
#include <sycl/aliases.hpp>
#include <sycl/ext/intel/math/conversions.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/vec_math.hpp>

namespace sycl {

namespace detail::rounding {
inline half fused(half a, half b, half c) { return sycl::fma(a, b, c); }
inline ext::oneapi::bfloat16 fused(ext::oneapi::bfloat16 a, ext::oneapi::bfloat16 b, ext::oneapi::bfloat16 c) {
  return ext::oneapi::experimental::fma(a, b, c);
}
template <class T> bool is_nan(T x) { return x != x; }
/// Between 0 and 1; 0 if it is no number.
template <class T> T saturated(T x) { return x > T(0.0f) ? (x < T(1.0f) ? x : T(1.0f)) : T(0.0f); }
template <class T> T without_sign(T x) { return __builtin_bit_cast(T, static_cast<std::uint16_t>(__builtin_bit_cast(std::uint16_t, x) & 0x7fffu)); }
template <class T> T with_other_sign(T x) { return __builtin_bit_cast(T, static_cast<std::uint16_t>(__builtin_bit_cast(std::uint16_t, x) ^ 0x8000u)); }
/// The greater, or less; where one is no number, the other, or with `Keeps` that one. -0 is less than 0.
template <bool Greater, bool Keeps, class T> T chosen(T a, T b) {
  if (is_nan(a))
    return Keeps ? a : b;
  if (is_nan(b))
    return Keeps ? b : a;
  if (a == b)
    return (__builtin_bit_cast(std::uint16_t, a) >> 15 != 0) == Greater ? b : a;
  return (a > b) == Greater ? a : b;
}
} // namespace detail::rounding

namespace ext::intel::math {

// One of each for the type of numbers `T`.
#define __ASPEN_COMPARISONS(each)                                                                                                         \
  each(eq, a == b) each(ne, a < b || a > b) each(ge, a >= b) each(gt, a > b) each(le, a <= b) each(lt, a < b)
#define __ASPEN_OF_SHORT(T)                                                                                                               \
  inline T hadd(T a, T b) { return a + b; }                                                                                                \
  inline T hsub(T a, T b) { return a - b; }                                                                                                \
  inline T hmul(T a, T b) { return a * b; }                                                                                                \
  inline T hdiv(T a, T b) { return a / b; }                                                                                                \
  inline T hfma(T a, T b, T c) { return sycl::detail::rounding::fused(a, b, c); }                                                          \
  inline T hadd_sat(T a, T b) { return sycl::detail::rounding::saturated(math::hadd(a, b)); }                                              \
  inline T hsub_sat(T a, T b) { return sycl::detail::rounding::saturated(math::hsub(a, b)); }                                              \
  inline T hmul_sat(T a, T b) { return sycl::detail::rounding::saturated(math::hmul(a, b)); }                                              \
  inline T hfma_sat(T a, T b, T c) { return sycl::detail::rounding::saturated(math::hfma(a, b, c)); }                                      \
  inline T hfma_relu(T a, T b, T c) {                                                                                                      \
    const T x = math::hfma(a, b, c);                                                                                                       \
    return x < T(0.0f) ? T(0.0f) : x;                                                                                                      \
  }                                                                                                                                        \
  inline T hneg(T a) { return sycl::detail::rounding::with_other_sign(a); }                                                                \
  inline T habs(T a) { return sycl::detail::rounding::without_sign(a); }                                                                   \
  inline bool hisnan(T a) { return a != a; }                                                                                               \
  inline bool hisinf(T a) { return !(a != a) && (a - a) != (a - a); }                                                                      \
  inline T hmax(T a, T b) { return sycl::detail::rounding::chosen<true, false>(a, b); }                                                    \
  inline T hmin(T a, T b) { return sycl::detail::rounding::chosen<false, false>(a, b); }                                                   \
  inline T hmax_nan(T a, T b) { return sycl::detail::rounding::chosen<true, true>(a, b); }                                                 \
  inline T hmin_nan(T a, T b) { return sycl::detail::rounding::chosen<false, true>(a, b); }
__ASPEN_OF_SHORT(half)
__ASPEN_OF_SHORT(bfloat16)
#undef __ASPEN_OF_SHORT
#define __ASPEN_COMPARISON(name, ...)                                                                                                     \
  inline bool h##name(half a, half b) { return __VA_ARGS__; }                                                                              \
  inline bool h##name##u(half a, half b) { return a != a || b != b || (__VA_ARGS__); }                                                     \
  inline bool h##name(bfloat16 a, bfloat16 b) { return __VA_ARGS__; }                                                                      \
  inline bool h##name##u(bfloat16 a, bfloat16 b) { return a != a || b != b || (__VA_ARGS__); }                                             \
  /* Of pairs: 1 or 0 for each, or whether both. */                                                                                        \
  inline half2 h##name##2(const half2 &a, const half2 &b) {                                                                                \
    return {half(math::h##name(a[0], b[0]) ? 1.0f : 0.0f), half(math::h##name(a[1], b[1]) ? 1.0f : 0.0f)};                                 \
  }                                                                                                                                        \
  inline half2 h##name##u2(const half2 &a, const half2 &b) {                                                                               \
    return {half(math::h##name##u(a[0], b[0]) ? 1.0f : 0.0f), half(math::h##name##u(a[1], b[1]) ? 1.0f : 0.0f)};                           \
  }                                                                                                                                        \
  inline bool hb##name##2(const half2 &a, const half2 &b) { return math::h##name(a[0], b[0]) && math::h##name(a[1], b[1]); }               \
  inline bool hb##name##u2(const half2 &a, const half2 &b) { return math::h##name##u(a[0], b[0]) && math::h##name##u(a[1], b[1]); }
__ASPEN_COMPARISONS(__ASPEN_COMPARISON)
#undef __ASPEN_COMPARISON
#undef __ASPEN_COMPARISONS

// Of pairs, number by number.
#define __ASPEN_PAIR1(name, one)                                                                                                          \
  inline half2 name(const half2 &a) { return {math::one(half(a[0])), math::one(half(a[1]))}; }
#define __ASPEN_PAIR2(name, one)                                                                                                          \
  inline half2 name(const half2 &a, const half2 &b) { return {math::one(half(a[0]), half(b[0])), math::one(half(a[1]), half(b[1]))}; }
#define __ASPEN_PAIR3(name, one)                                                                                                          \
  inline half2 name(const half2 &a, const half2 &b, const half2 &c) {                                                                      \
    return {math::one(half(a[0]), half(b[0]), half(c[0])), math::one(half(a[1]), half(b[1]), half(c[1]))};                                 \
  }
__ASPEN_PAIR2(hadd2, hadd)
__ASPEN_PAIR2(hadd2_sat, hadd_sat)
__ASPEN_PAIR2(hsub2, hsub)
__ASPEN_PAIR2(hsub2_sat, hsub_sat)
__ASPEN_PAIR2(hmul2, hmul)
__ASPEN_PAIR2(hmul2_sat, hmul_sat)
__ASPEN_PAIR2(h2div, hdiv)
__ASPEN_PAIR2(hmax2, hmax)
__ASPEN_PAIR2(hmin2, hmin)
__ASPEN_PAIR2(hmax2_nan, hmax_nan)
__ASPEN_PAIR2(hmin2_nan, hmin_nan)
__ASPEN_PAIR3(hfma2, hfma)
__ASPEN_PAIR3(hfma2_sat, hfma_sat)
__ASPEN_PAIR3(hfma2_relu, hfma_relu)
__ASPEN_PAIR1(hneg2, hneg)
__ASPEN_PAIR1(habs2, habs)
#undef __ASPEN_PAIR1
#undef __ASPEN_PAIR2
#undef __ASPEN_PAIR3
inline half2 hisnan2(const half2 &a) { return {half(a[0] != a[0] ? 1.0f : 0.0f), half(a[1] != a[1] ? 1.0f : 0.0f)}; }
/// Of complex numbers: `a * b + c`.
inline half2 hcmadd(const half2 &a, const half2 &b, const half2 &c) {
  const half real = math::hfma(half(a[0]), half(b[0]), half(c[0])), imaginary = math::hfma(half(a[0]), half(b[1]), half(c[1]));
  return {math::hfma(math::hneg(half(a[1])), half(b[1]), real), math::hfma(half(a[1]), half(b[0]), imaginary)};
}

} // namespace ext::intel::math

} // namespace sycl
