//! `sycl::ext::oneapi::bfloat16`: the upper half of a float. Every device has it, since arithmetic goes through float, which rounds back to
//! the nearest, ties to even. Source: sycl_ext_oneapi_bfloat16, sycl_ext_oneapi_bfloat16_math_functions.
#pragma once
#include <sycl/detail/conversion.hpp>
#include <sycl/math.hpp>
#include <sycl/marray.hpp>

#define SYCL_EXT_ONEAPI_BFLOAT16 1
#define SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS 1

namespace sycl::detail {
class statement; // what `out << x` of a kernel's stream is
}

namespace sycl::ext::oneapi {

namespace detail {
/// What may stand beside a bfloat16.
template <class T> using number = 
    std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half> || (std::is_enum_v<T> && std::is_convertible_v<T, float>), int>;
} // namespace detail

class bfloat16 {
public:
  bfloat16() = default;
  constexpr bfloat16(const bfloat16 &) = default;
  constexpr bfloat16 &operator=(const bfloat16 &) = default;
  constexpr bfloat16(float value) : bits_(rounded(value)) {}
  constexpr bfloat16(const half &value) : bfloat16(static_cast<float>(value)) {}
  constexpr bfloat16 &operator=(float value) { return *this = bfloat16(value); }
  constexpr bfloat16 &operator=(const half &value) { return *this = bfloat16(value); }
  constexpr operator float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16); }
  constexpr operator half() const { return half(static_cast<float>(*this)); }
  explicit constexpr operator bool() const { return (bits_ & 0x7fffu) != 0; }

  /// To and from streams of characters, and to a kernel's sycl::stream, as a float. In the midst of a kernel's statement its own operator
  /// comes here, with the stream.
  template <class Stream, class To = std::decay_t<Stream>,
            std::enable_if_t<std::is_class_v<To> && !std::is_same_v<To, sycl::detail::statement>, int> = 0>
  friend auto operator<<(Stream &&to, const bfloat16 &value) -> decltype(to << 1.0f) {
    return to << static_cast<float>(value);
  }
  template <class Stream, class = decltype(std::declval<Stream &>() >> std::declval<float &>()), class = typename Stream::char_type>
  friend Stream &operator>>(Stream &from, bfloat16 &to) {
    float value = 0;
    from >> value;
    to = value;
    return from;
  }

  friend constexpr bfloat16 operator-(const bfloat16 &a) { return make(static_cast<std::uint16_t>(a.bits_ ^ 0x8000u)); }
#define __ASPEN_BFLOAT16_ARITHMETIC(op)                                                                                                   \
  friend constexpr bfloat16 operator op(const bfloat16 &a, const bfloat16 &b) {                                                            \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                                                                       \
  }                                                                                                                                        \
  template <class T, detail::number<T> = 0>                                                                                               \
  friend constexpr bfloat16 operator op(const bfloat16 &a, const T &b) {                                                                   \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                                                                       \
  }                                                                                                                                        \
  template <class T, detail::number<T> = 0>                                                                                               \
  friend constexpr bfloat16 operator op(const T &a, const bfloat16 &b) {                                                                   \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                                                                       \
  }                                                                                                                                        \
  template <class T, std::enable_if_t<std::is_convertible_v<T, float>, int> = 0>                                                          \
  friend constexpr bfloat16 &operator op##=(bfloat16 &a, const T &b) {                                                                     \
    return a = bfloat16(static_cast<float>(a) op static_cast<float>(b));                                                                   \
  }
  __ASPEN_BFLOAT16_ARITHMETIC(+)
  __ASPEN_BFLOAT16_ARITHMETIC(-)
  __ASPEN_BFLOAT16_ARITHMETIC(*)
  __ASPEN_BFLOAT16_ARITHMETIC(/)
#undef __ASPEN_BFLOAT16_ARITHMETIC
  friend constexpr bfloat16 &operator++(bfloat16 &a) { return a += 1.0f; }
  friend constexpr bfloat16 &operator--(bfloat16 &a) { return a -= 1.0f; }
  friend constexpr bfloat16 operator++(bfloat16 &a, int) {
    const bfloat16 old(a);
    ++a;
    return old;
  }
  friend constexpr bfloat16 operator--(bfloat16 &a, int) {
    const bfloat16 old(a);
    --a;
    return old;
  }

#define __ASPEN_BFLOAT16_COMPARISON(op)                                                                                                   \
  friend constexpr bool operator op(const bfloat16 &a, const bfloat16 &b) { return static_cast<float>(a) op static_cast<float>(b); }       \
  template <class T, detail::number<T> = 0>                                                                                               \
  friend constexpr bool operator op(const bfloat16 &a, const T &b) {                                                                       \
    return static_cast<float>(a) op static_cast<float>(b);                                                                                 \
  }                                                                                                                                        \
  template <class T, detail::number<T> = 0>                                                                                               \
  friend constexpr bool operator op(const T &a, const bfloat16 &b) {                                                                       \
    return static_cast<float>(a) op static_cast<float>(b);                                                                                 \
  }
  __ASPEN_BFLOAT16_COMPARISON(==)
  __ASPEN_BFLOAT16_COMPARISON(!=)
  __ASPEN_BFLOAT16_COMPARISON(<)
  __ASPEN_BFLOAT16_COMPARISON(>)
  __ASPEN_BFLOAT16_COMPARISON(<=)
  __ASPEN_BFLOAT16_COMPARISON(>=)
#undef __ASPEN_BFLOAT16_COMPARISON

  /// For the library: from its bits.
  static constexpr bfloat16 make(std::uint16_t bits) {
    bfloat16 out(0.0f);
    out.bits_ = bits;
    return out;
  }
  constexpr std::uint16_t bits_of() const { return bits_; }

private:
  static constexpr std::uint16_t rounded(float value) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    if (value != value)
      return static_cast<std::uint16_t>(bits >> 16 | 0x40u); // stays one, though its upper half might be none
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  std::uint16_t bits_;
};

// Through float, and for arrays element by element.
#define __ASPEN_BFLOAT16_MATH(name, result)                                                                                               \
  inline result name(bfloat16 a) { return static_cast<result>(sycl::name(static_cast<float>(a))); }                                        \
  template <size_t N> marray<result, N> name(const marray<bfloat16, N> &a) {                                                               \
    marray<result, N> out;                                                                                                                 \
    for (size_t i = 0; i < N; ++i)                                                                                                         \
      out[i] = oneapi::name(a[i]);                                                                                                         \
    return out;                                                                                                                            \
  }
__ASPEN_BFLOAT16_MATH(isnan, bool)
__ASPEN_BFLOAT16_MATH(fabs, bfloat16)
__ASPEN_BFLOAT16_MATH(ceil, bfloat16)
__ASPEN_BFLOAT16_MATH(floor, bfloat16)
__ASPEN_BFLOAT16_MATH(cos, bfloat16)
__ASPEN_BFLOAT16_MATH(sin, bfloat16)
__ASPEN_BFLOAT16_MATH(exp, bfloat16)
__ASPEN_BFLOAT16_MATH(exp2, bfloat16)
__ASPEN_BFLOAT16_MATH(exp10, bfloat16)
__ASPEN_BFLOAT16_MATH(log, bfloat16)
__ASPEN_BFLOAT16_MATH(log2, bfloat16)
__ASPEN_BFLOAT16_MATH(log10, bfloat16)
__ASPEN_BFLOAT16_MATH(rint, bfloat16)
__ASPEN_BFLOAT16_MATH(rsqrt, bfloat16)
__ASPEN_BFLOAT16_MATH(sqrt, bfloat16)
__ASPEN_BFLOAT16_MATH(tanh, bfloat16)
__ASPEN_BFLOAT16_MATH(trunc, bfloat16)
#undef __ASPEN_BFLOAT16_MATH
#define __ASPEN_BFLOAT16_MATH(name)                                                                                                       \
  inline bfloat16 name(bfloat16 a, bfloat16 b) { return bfloat16(sycl::name(static_cast<float>(a), static_cast<float>(b))); }              \
  template <size_t N> marray<bfloat16, N> name(const marray<bfloat16, N> &a, const marray<bfloat16, N> &b) {                               \
    marray<bfloat16, N> out;                                                                                                               \
    for (size_t i = 0; i < N; ++i)                                                                                                         \
      out[i] = oneapi::name(a[i], b[i]);                                                                                                   \
    return out;                                                                                                                            \
  }
__ASPEN_BFLOAT16_MATH(fmin)
__ASPEN_BFLOAT16_MATH(fmax)
#undef __ASPEN_BFLOAT16_MATH
/// Rounds once: where float's result lies in the middle of two, what it has lost decides.
inline bfloat16 fma(bfloat16 a, bfloat16 b, bfloat16 c) {
  const float x = static_cast<float>(a), y = static_cast<float>(b), addend = static_cast<float>(c), sum = sycl::fma(x, y, addend);
  auto bits = sycl::bit_cast<std::uint32_t>(sum);
  if ((bits & 0xFFFF) == 0x8000 && (bits & 0x7F800000) != 0x7F800000) {
    // The product is exact: 16 bits; of large ones by a power of two, which they have not to spare.
    const float by = sycl::fabs(sum) >= 0x1p100f ? 0x1p-8f : 1.0f;
    const float product = (x * by) * y, whole = sum * by, part = whole - product, lost = (product - (whole - part)) + (addend * by - part);
    if (lost != 0)
      bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  }
  return bfloat16(sycl::bit_cast<float>(bits));
}
template <size_t N> marray<bfloat16, N> fma(const marray<bfloat16, N> &a, const marray<bfloat16, N> &b, const marray<bfloat16, N> &c) {
  marray<bfloat16, N> out;
  for (size_t i = 0; i < N; ++i)
    out[i] = oneapi::fma(a[i], b[i], c[i]);
  return out;
}

// Their names of before.
#define __ASPEN_BFLOAT16_FUNCTIONS(USE)                                                                                                   \
  USE(isnan) USE(fabs) USE(ceil) USE(floor) USE(cos) USE(sin) USE(exp) USE(exp2) USE(exp10) USE(log) USE(log2) USE(log10) USE(rint)         \
  USE(rsqrt) USE(sqrt) USE(tanh) USE(trunc) USE(fmin) USE(fmax) USE(fma)
#define __ASPEN_USE(name) using oneapi::name;
namespace experimental {
using oneapi::bfloat16;
__ASPEN_BFLOAT16_FUNCTIONS(__ASPEN_USE)
} // namespace experimental
#undef __ASPEN_USE
} // namespace sycl::ext::oneapi

namespace sycl::detail {
template <> inline constexpr bool is_part_of_float<ext::oneapi::bfloat16> = true;
}

/// The exponents, and what every floating-point type has, are float's.
template <> class std::numeric_limits<sycl::ext::oneapi::bfloat16> : public std::numeric_limits<float> {
  using bfloat16 = sycl::ext::oneapi::bfloat16;

public:
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr bfloat16 min() noexcept { return bfloat16::make(0x0080); }
  static constexpr bfloat16 max() noexcept { return bfloat16::make(0x7f7f); }
  static constexpr bfloat16 lowest() noexcept { return bfloat16::make(0xff7f); }
  static constexpr bfloat16 epsilon() noexcept { return bfloat16::make(0x3c00); }
  static constexpr bfloat16 round_error() noexcept { return bfloat16::make(0x3f00); }
  static constexpr bfloat16 infinity() noexcept { return bfloat16::make(0x7f80); }
  static constexpr bfloat16 quiet_NaN() noexcept { return bfloat16::make(0x7fc0); }
  static constexpr bfloat16 signaling_NaN() noexcept { return bfloat16::make(0x7fa0); }
  static constexpr bfloat16 denorm_min() noexcept { return bfloat16::make(0x0001); }
};
template <> struct std::hash<sycl::ext::oneapi::bfloat16> {
  std::size_t operator()(sycl::ext::oneapi::bfloat16 value) const noexcept { return value ? value.bits_of() : 0; }
};
