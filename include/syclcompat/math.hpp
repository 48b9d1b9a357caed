//! Mathematical functions: numbers here, the families in the headers that this one includes. Source: SYCLcompat's README, "Math Functions".
#pragma once
#include <cstdint>
#include <sycl/bit_cast.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/dot_product.hpp>
#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/math.hpp>
#include <sycl/vec.hpp>
#include <sycl/vec_math.hpp>
#include <syclcompat/math_compare.hpp>
#include <syclcompat/math_complex.hpp>
#include <syclcompat/math_extend.hpp>
#include <syclcompat/math_vectorized.hpp>
#include <type_traits>

namespace syclcompat {

/// The high word of `high:low` after a shift to the left by `shift & 31`, by `shift` but at most 32; the low word after one to the right.
constexpr unsigned funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((std::uint64_t(high) << 32 | low) << (shift & 31)) >> 32);
}
constexpr unsigned funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : funnelshift_l(low, high, shift);
}
constexpr unsigned funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> (shift & 31));
}
constexpr unsigned funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : funnelshift_r(low, high, shift);
}

/// Of a vector of any length.
template <class T> inline T length(const T *a, const int count) {
  T sum = 0;
  for (int i = 0; i < count; ++i)
    sum += a[i] * a[i];
  return count == 1 ? sycl::fabs(a[0]) : sycl::sqrt(sum);
}
inline float fast_length(const float *a, int count) {
  switch (count) {
  case 1:
    return sycl::fast_length(a[0]);
  case 2:
    return sycl::fast_length(sycl::float2(a[0], a[1]));
  case 3:
    return sycl::fast_length(sycl::float3(a[0], a[1], a[2]));
  case 4:
    return sycl::fast_length(sycl::float4(a[0], a[1], a[2], a[3]));
  default:
    return syclcompat::length(a, count);
  }
}

/// Numbers, or vectors element by element.
template <class T> inline T clamp(T value, T low, T high) {
  if constexpr (detail::is_vector<T>) {
    for (size_t i = 0; i < T::size(); ++i)
      value[i] = syclcompat::clamp<detail::element_of<T>>(value[i], low[i], high[i]);
    return value;
  } else {
    return value < low ? low : high < value ? high : value;
  }
}

/// 1 where an element is no number, else 0.
template <class T> inline std::enable_if_t<T::size() == 2, T> isnan(const T a) {
  using E = detail::element_of<T>;
  T out;
  for (int i = 0; i < 2; ++i)
    out[i] = detail::is_nan(static_cast<E>(a[i])) ? E(1.0f) : E(0.0f);
  return out;
}
template <class T> inline std::enable_if_t<std::is_floating_point_v<T> || std::is_same_v<sycl::half, T>, T> cbrt(T value) {
  return sycl::cbrt(value);
}

/// Of two integers or two floating-point numbers; of the wider type, as C++ adds them.
template <class A, class B> inline detail::common_number<A, B> min(A a, B b) {
  using T = detail::common_number<A, B>;
  if constexpr (std::is_integral_v<T>)
    return T(b) < T(a) ? T(b) : T(a);
  else
    return detail::is_nan(T(a)) || T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B> inline detail::common_number<A, B> max(A a, B b) {
  using T = detail::common_number<A, B>;
  if constexpr (std::is_integral_v<T>)
    return T(a) < T(b) ? T(b) : T(a);
  else
    return detail::is_nan(T(a)) || T(a) < T(b) ? T(b) : T(a);
}
inline sycl::half min(sycl::half a, sycl::half b) { return syclcompat::min<sycl::half, sycl::half>(a, b); }
inline sycl::half max(sycl::half a, sycl::half b) { return syclcompat::max<sycl::half, sycl::half>(a, b); }

/// Not a number if one of them is none.
#define __ASPEN_WITH_NAN(name, function)                                                                                                  \
  template <class A, class B> inline detail::common_number<A, B> name(const A a, const B b) {                                              \
    using T = detail::common_number<A, B>;                                                                                                 \
    return detail::is_nan(T(a)) ? T(a) : detail::is_nan(T(b)) ? T(b) : T(syclcompat::function(a, b));                                      \
  }                                                                                                                                        \
  template <class A, class B> inline sycl::vec<detail::common_number<A, B>, 2> name(const sycl::vec<A, 2> a, const sycl::vec<B, 2> b) {    \
    return {syclcompat::name(A(a[0]), B(b[0])), syclcompat::name(A(a[1]), B(b[1]))};                                                       \
  }                                                                                                                                        \
  template <class A, class B>                                                                                                              \
  inline sycl::marray<detail::common_number<A, B>, 2> name(const sycl::marray<A, 2> a, const sycl::marray<B, 2> b) {                       \
    return {syclcompat::name(a[0], b[0]), syclcompat::name(a[1], b[1])};                                                                   \
  }
__ASPEN_WITH_NAN(fmax_nan, max)
__ASPEN_WITH_NAN(fmin_nan, min)
#undef __ASPEN_WITH_NAN

inline float pow(const float a, const int b) { return sycl::pown(a, b); }
inline double pow(const double a, const int b) { return sycl::pown(a, b); }
template <class A, class B> inline std::enable_if_t<std::is_floating_point_v<A>, A> pow(const A a, const B b) {
  return sycl::pow(a, static_cast<A>(b));
}
/// Of integers and half it is computed in double.
template <class A, class B> inline std::enable_if_t<!std::is_floating_point_v<A>, double> pow(const A a, const B b) {
  return sycl::pow(static_cast<double>(a), static_cast<double>(b));
}

/// What is less than 0 becomes 0.
template <class T> inline std::enable_if_t<!detail::is_vector<T>, T> relu(const T a) { return detail::relu(a); }
template <class T> inline sycl::vec<T, 2> relu(const sycl::vec<T, 2> a) { return {detail::relu(T(a[0])), detail::relu(T(a[1]))}; }
template <class T> inline sycl::marray<T, 2> relu(const sycl::marray<T, 2> a) { return {detail::relu(a[0]), detail::relu(a[1])}; }

/// The type in which dot products of such numbers are summed up.
template <class A, class B>
using dot_product_acc_t = std::conditional_t<std::is_unsigned_v<A> && std::is_unsigned_v<B>, std::uint32_t, std::int32_t>;

namespace detail {
template <class T, class Part>
using part_of = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Part>, std::make_unsigned_t<Part>>;
template <class A, class B> inline dot_product_acc_t<A, B> dp2a(A a, B b, dot_product_acc_t<A, B> c, int first) {
  static_assert(sizeof(A) == 4 && sizeof(B) == 4, "dot products take integers of 32 bits");
  std::uint32_t sum = std::uint32_t(c);
  for (int i = 0; i < 2; ++i) {
    const std::int32_t x = static_cast<part_of<A, std::int16_t>>(std::uint32_t(a) >> (16 * i));
    const std::int32_t y = static_cast<part_of<B, std::int8_t>>(std::uint32_t(b) >> (8 * (first + i)));
    sum += std::uint32_t(x) * std::uint32_t(y);
  }
  return dot_product_acc_t<A, B>(sum);
}
} // namespace detail

/// The two halves of `a` with the lower or the upper two bytes of `b`, and `c`.
template <class A, class B> inline dot_product_acc_t<A, B> dp2a_lo(A a, B b, dot_product_acc_t<A, B> c) { return detail::dp2a(a, b, c, 0); }
template <class A, class B> inline dot_product_acc_t<A, B> dp2a_hi(A a, B b, dot_product_acc_t<A, B> c) { return detail::dp2a(a, b, c, 2); }
/// Four bytes with four bytes, and `c`.
template <class A, class B> inline dot_product_acc_t<A, B> dp4a(A a, B b, dot_product_acc_t<A, B> c) {
  static_assert(sizeof(A) == 4 && sizeof(B) == 4, "dot products take integers of 32 bits");
  std::uint32_t sum = std::uint32_t(c);
  for (int shift = 0; shift < 32; shift += 8) {
    const std::int32_t x = static_cast<detail::part_of<A, std::int8_t>>(std::uint32_t(a) >> shift);
    const std::int32_t y = static_cast<detail::part_of<B, std::int8_t>>(std::uint32_t(b) >> shift);
    sum += std::uint32_t(x) * std::uint32_t(y);
  }
  return dot_product_acc_t<A, B>(sum);
}

namespace detail {
/// `count` bits of `source` from `start` on, with their sign if T has one; of the bits only where both are within T.
template <class T> inline T bfe(const T source, const std::uint32_t start, const std::uint32_t count) {
  const std::uint32_t bits = 8 * sizeof(T);
  if (count == 0)
    return 0;
  return T(std::make_unsigned_t<T>(source) << (bits - start - count)) >> (bits - count);
}
/// `y` with the low bits of `x` at `start`.
template <class T> inline T bfi(const T x, const T y, const std::uint32_t start, const std::uint32_t count) {
  const std::uint32_t bits = 8 * sizeof(T);
  const T ones = count >= bits ? T(~T(0)) : T((T(1) << count) - 1);
  const T mask = T(ones << start);
  return T((y & T(~mask)) | (T(x << start) & mask));
}
} // namespace detail

/// Positions and numbers of bits count modulo 256. What lies above the number is filled with the sign, or 0.
template <class T> inline T bfe_safe(const T source, const std::uint32_t bit_start, const std::uint32_t num_bits) {
  static_assert(std::is_integral_v<T>, "bfe_safe: of integers");
  const std::uint32_t bits = 8 * sizeof(T), start = bit_start & 0xff;
  const std::uint32_t wanted = num_bits & 0xff;
  if (wanted == 0)
    return 0;
  if (start >= bits) // the sign alone
    return std::is_signed_v<T> && source < 0 ? T(-1) : T(0);
  return detail::bfe(source, start, wanted < bits - start ? wanted : bits - start);
}
/// Bits that do not fit are not inserted.
template <class T> inline T bfi_safe(const T x, const T y, const std::uint32_t bit_start, const std::uint32_t num_bits) {
  static_assert(std::is_unsigned_v<T>, "bfi_safe: of unsigned integers");
  const std::uint32_t bits = 8 * sizeof(T), start = bit_start & 0xff;
  const std::uint32_t wanted = num_bits & 0xff;
  return start >= bits || wanted == 0 ? y : detail::bfi(x, y, start, wanted < bits - start ? wanted : bits - start);
}

} // namespace syclcompat
