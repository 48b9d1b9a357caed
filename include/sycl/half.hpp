//! `sycl::half`: 16-bit floating point around _Float16, which needs aspect fp16 on a device. Works on the host too.
//! Source: SYCL 2020 §4.14.4; S0 "Changes to DPC++ headers" for the decoration.
#pragma once
#include <limits>
#include <string>
#include <sycl/aspects.hpp>
#include <type_traits>
#include <utility>

namespace sycl {

namespace detail::half_impl {

class half;
template <class T> inline constexpr bool is_other_number = std::is_arithmetic_v<T>;
/// half with a floating number gives that type, with an integer gives half.
template <class T> using common_t = std::conditional_t<std::is_floating_point_v<T>, T, half>;

class [[__sycl_detail__::__uses_aspects__(aspect::fp16)]] half {
public:
  half() = default;
  constexpr half(const half &) = default;
  constexpr half &operator=(const half &) = default;
  constexpr half(float value) : value_(static_cast<_Float16>(value)) {}
  constexpr operator float() const { return static_cast<float>(value_); }

  constexpr half &operator+=(const half &b) { return value_ = static_cast<_Float16>(value_ + b.value_), *this; }
  constexpr half &operator-=(const half &b) { return value_ = static_cast<_Float16>(value_ - b.value_), *this; }
  constexpr half &operator*=(const half &b) { return value_ = static_cast<_Float16>(value_ * b.value_), *this; }
  constexpr half &operator/=(const half &b) { return value_ = static_cast<_Float16>(value_ / b.value_), *this; }
  constexpr half &operator++() { return *this += make(static_cast<_Float16>(1)); }
  constexpr half operator++(int) {
    half old(*this);
    ++*this;
    return old;
  }
  constexpr half &operator--() { return *this -= make(static_cast<_Float16>(1)); }
  constexpr half operator--(int) {
    half old(*this);
    --*this;
    return old;
  }
  friend constexpr half operator+(const half &a) { return a; }
  friend constexpr half operator-(const half &a) { return make(static_cast<_Float16>(-a.value_)); }

#define __ASPEN_HALF_ARITHMETIC(op)                                                                                                       \
  friend constexpr half operator op(const half & a, const half & b) { return make(static_cast<_Float16>(a.value_ op b.value_)); }          \
  template <class T> friend constexpr std::enable_if_t<is_other_number<T>, common_t<T>> operator op(const half &a, T b) {                  \
    if constexpr (std::is_floating_point_v<T>)                                                                                             \
      return static_cast<T>(static_cast<T>(a.value_) op b);                                                                                \
    else                                                                                                                                   \
      return a op half(static_cast<float>(b));                                                                                             \
  }                                                                                                                                        \
  template <class T> friend constexpr std::enable_if_t<is_other_number<T>, common_t<T>> operator op(T a, const half & b) {                 \
    if constexpr (std::is_floating_point_v<T>)                                                                                             \
      return static_cast<T>(a op static_cast<T>(b.value_));                                                                                \
    else                                                                                                                                   \
      return half(static_cast<float>(a)) op b;                                                                                             \
  }
  __ASPEN_HALF_ARITHMETIC(+)
  __ASPEN_HALF_ARITHMETIC(-)
  __ASPEN_HALF_ARITHMETIC(*)
  __ASPEN_HALF_ARITHMETIC(/)
#undef __ASPEN_HALF_ARITHMETIC

#define __ASPEN_HALF_COMPARISON(op)                                                                                                       \
  friend constexpr bool operator op(const half & a, const half & b) { return a.value_ op b.value_; }                                       \
  template <class T> friend constexpr std::enable_if_t<is_other_number<T>, bool> operator op(const half &a, T b) {                         \
    return static_cast<compared_t<T>>(a.value_) op static_cast<compared_t<T>>(b);                                                          \
  }                                                                                                                                        \
  template <class T> friend constexpr std::enable_if_t<is_other_number<T>, bool> operator op(T a, const half & b) {                        \
    return static_cast<compared_t<T>>(a) op static_cast<compared_t<T>>(b.value_);                                                          \
  }
  template <class T> using compared_t = std::conditional_t<std::is_floating_point_v<T>, T, float>;
  __ASPEN_HALF_COMPARISON(==)
  __ASPEN_HALF_COMPARISON(!=)
  __ASPEN_HALF_COMPARISON(<)
  __ASPEN_HALF_COMPARISON(>)
  __ASPEN_HALF_COMPARISON(<=)
  __ASPEN_HALF_COMPARISON(>=)
#undef __ASPEN_HALF_COMPARISON

  /// From a stream of characters; to one it goes as a float. Source: SYCL 2020 §4.14.4, as float.
  template <class Stream, class = decltype(std::declval<Stream &>() >> std::declval<float &>()), class = typename Stream::char_type>
  friend Stream &operator>>(Stream &from, half &to) {
    float value = 0;
    from >> value;
    to = value;
    return from;
  }

  /// For the library: the built-in number inside, without a rounding.
  constexpr _Float16 native_() const { return value_; }
  static constexpr half make(_Float16 value) {
    half out{};
    out.value_ = value;
    return out;
  }

private:
  _Float16 value_;
};

} // namespace detail::half_impl

using half [[__sycl_detail__::__uses_aspects__(aspect::fp16)]] = detail::half_impl::half;

namespace detail {
template <class T> inline constexpr bool is_half = std::is_same_v<std::remove_cv_t<T>, half_impl::half>;
/// A number of one of SYCL's three floating-point types.
template <class T> inline constexpr bool is_genfloat = std::is_floating_point_v<T> || is_half<T>;
} // namespace detail

} // namespace sycl

/// What every floating-point type has is float's.
template <> class std::numeric_limits<sycl::detail::half_impl::half> : public std::numeric_limits<float> {
  using half = sycl::detail::half_impl::half;

public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr half min() noexcept { return half::make(6.103515625e-5f16); }
  static constexpr half max() noexcept { return half::make(65504.0f16); }
  static constexpr half lowest() noexcept { return half::make(-65504.0f16); }
  static constexpr half epsilon() noexcept { return half::make(9.765625e-4f16); }
  static constexpr half round_error() noexcept { return half::make(0.5f16); }
  static constexpr half infinity() noexcept { return half::make(__builtin_huge_valf16()); }
  static constexpr half quiet_NaN() noexcept { return half::make(__builtin_nanf16("")); }
  static constexpr half signaling_NaN() noexcept { return half::make(__builtin_nansf16("")); }
  static constexpr half denorm_min() noexcept { return half::make(5.9604644775390625e-8f16); }
};
template <> struct std::hash<sycl::detail::half_impl::half> {
  std::size_t operator()(sycl::detail::half_impl::half value) const noexcept {
    return value == 0.0f ? 0 : static_cast<std::size_t>(__builtin_bit_cast(unsigned short, value));
  }
};
