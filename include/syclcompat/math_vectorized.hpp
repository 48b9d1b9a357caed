//! Integers of 32 or 64 bits as vectors of shorter numbers. Source: SYCLcompat's README, "Math Functions".
#pragma once
#include <cstdint>
#include <sycl/bit_cast.hpp>
#include <sycl/math.hpp>
#include <sycl/vec.hpp>
#include <sycl/vec_math.hpp>
#include <syclcompat/math_compare.hpp>
#include <type_traits>

namespace syclcompat {

/// Functions of numbers and vectors as objects.
#define __ASPEN_OBJECT(name, function)                                                                                                    \
  struct name {                                                                                                                            \
    template <class T> auto operator()(const T x, const T y) const { return sycl::function(x, y); }                                        \
  };
__ASPEN_OBJECT(abs_diff, abs_diff)
__ASPEN_OBJECT(add_sat, add_sat)
__ASPEN_OBJECT(sub_sat, sub_sat)
__ASPEN_OBJECT(rhadd, rhadd)
__ASPEN_OBJECT(hadd, hadd)
__ASPEN_OBJECT(maximum, max)
__ASPEN_OBJECT(minimum, min)
#undef __ASPEN_OBJECT
struct abs {
  template <class T> auto operator()(const T x) const { return sycl::abs(x); }
};

namespace detail {

template <class To, class From> inline To as(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "the vector is as large as the integer");
  return sycl::bit_cast<To>(from);
}
/// Applies an operation on vectors as it is (so comparisons give -1 and 0), and one of numbers to each element (so they give 1 and 0).
template <class Vec, class F> inline Vec each(const Vec &a, const Vec &b, F operation) {
  if constexpr (std::is_invocable_v<const F &, Vec, Vec>) {
    return as<Vec>(operation(a, b));
  } else {
    using E = element_of<Vec>;
    Vec out;
    for (size_t i = 0; i < Vec::size(); ++i)
      out[i] = static_cast<E>(operation(static_cast<E>(a[i]), static_cast<E>(b[i])));
    return out;
  }
}
template <class Vec> inline Vec relu_of(Vec a, bool wanted) {
  for (size_t i = 0; wanted && i < Vec::size(); ++i)
    a[i] = relu(static_cast<element_of<Vec>>(a[i]));
  return a;
}

} // namespace detail

/// An operation on `a` and `b` as such vectors; with `need_relu` what is less than 0 becomes 0.
template <class Vec, class F> inline unsigned vectorized_binary(unsigned a, unsigned b, const F operation, bool need_relu = false) {
  return detail::as<unsigned>(detail::relu_of(detail::each(detail::as<Vec>(a), detail::as<Vec>(b), operation), need_relu));
}
template <class Vec, class F> inline unsigned vectorized_unary(unsigned a, const F operation) {
  return detail::as<unsigned>(operation(detail::as<Vec>(a)));
}
/// The first operation on `a` and `b`, the second on what comes of it and `c`.
template <class Vec, class F, class G>
inline unsigned vectorized_ternary(unsigned a, unsigned b, unsigned c, const F first, const G second, bool need_relu = false) {
  const Vec between = detail::each(detail::as<Vec>(a), detail::as<Vec>(b), first);
  return detail::as<unsigned>(detail::relu_of(detail::each(between, detail::as<Vec>(c), second), need_relu));
}
/// An operation on halves of such a type that chooses one of two numbers, and whether it chose that of `a` in the high and in the low half.
template <class T, class F> inline unsigned vectorized_with_pred(unsigned a, unsigned b, const F operation, bool *pred_hi, bool *pred_lo) {
  using Vec = sycl::vec<T, 2>;
  static_assert(sizeof(Vec) == sizeof(unsigned), "vectorized_with_pred: of halves");
  const Vec x = detail::as<Vec>(a);
  const Vec out = detail::each(x, detail::as<Vec>(b), operation);
  *pred_lo = T(out[0]) == T(x[0]);
  *pred_hi = T(out[1]) == T(x[1]);
  return detail::as<unsigned>(out);
}

template <class Vec, class T> inline T vectorized_max(T a, T b) {
  return detail::as<T>(detail::each(detail::as<Vec>(a), detail::as<Vec>(b), maximum()));
}
template <class Vec, class T> inline T vectorized_min(T a, T b) {
  return detail::as<T>(detail::each(detail::as<Vec>(a), detail::as<Vec>(b), minimum()));
}
/// All bits of an element are set where that of `a` is greater.
template <class Vec, class T> inline T vectorized_isgreater(T a, T b) { return detail::as<T>(detail::as<Vec>(a) > detail::as<Vec>(b)); }

/// The sum of the absolute differences, without overflow.
template <class Vec> inline unsigned vectorized_sum_abs_diff(unsigned a, unsigned b) {
  const Vec x = detail::as<Vec>(a), y = detail::as<Vec>(b);
  unsigned sum = 0;
  for (size_t i = 0; i < Vec::size(); ++i) {
    const std::int64_t difference = std::int64_t(x[i]) - std::int64_t(y[i]);
    sum += unsigned(difference < 0 ? -difference : difference);
  }
  return sum;
}

} // namespace syclcompat
