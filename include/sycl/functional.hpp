//! Function objects for group algorithms and reductions. Source: SYCL 2020 §4.17.2.
#pragma once
#include <sycl/half.hpp>
#include <type_traits>
#include <utility>

namespace std {
template <class> class complex;
}

namespace sycl {

template <class T, int N> class vec;
template <class T, size_t N> class marray;

namespace detail {
/// `other` where that is `Before` `value`, else `value`: of numbers as a whole, of vectors element by element.
template <class Before, class T, class U> constexpr auto first_of(const T &value, const U &other, Before before) {
  if constexpr (std::is_convertible_v<decltype(before(other, value)), bool>) {
    return before(other, value) ? other : value;
  } else {
    T out(value);
    for (int i = 0; i < static_cast<int>(T::size()); ++i)
      if (before(other[i], value[i]))
        out[i] = other[i];
    return out;
  }
}
template <class T, class U> constexpr auto lesser(const T &a, const U &b) {
  return first_of(a, b, [](const auto &x, const auto &y) { return x < y; });
}
template <class T, class U> constexpr auto greater(const T &a, const U &b) {
  return first_of(a, b, [](const auto &x, const auto &y) { return y < x; });
}
} // namespace detail

#define __ASPEN_FUNCTION_OBJECT(name, expression)                                                                                         \
  template <class T = void> struct name {                                                                                                  \
    constexpr T operator()(const T &a, const T &b) const { return static_cast<T>(expression); }                                            \
  };                                                                                                                                       \
  template <> struct name<void> {                                                                                                          \
    template <class T, class U> constexpr auto operator()(const T &a, const U &b) const { return expression; }                             \
    using is_transparent = int;                                                                                                            \
  };
__ASPEN_FUNCTION_OBJECT(plus, a + b)
__ASPEN_FUNCTION_OBJECT(multiplies, a *b)
__ASPEN_FUNCTION_OBJECT(bit_and, a &b)
__ASPEN_FUNCTION_OBJECT(bit_or, a | b)
__ASPEN_FUNCTION_OBJECT(bit_xor, a ^ b)
__ASPEN_FUNCTION_OBJECT(logical_and, a &&b)
__ASPEN_FUNCTION_OBJECT(logical_or, a || b)
__ASPEN_FUNCTION_OBJECT(minimum, detail::lesser(a, b))
__ASPEN_FUNCTION_OBJECT(maximum, detail::greater(a, b))
#undef __ASPEN_FUNCTION_OBJECT

namespace detail {

/// Which of SYCL's operations `Op` is.
enum class operation { plus, multiplies, bit_and, bit_or, bit_xor, logical_and, logical_or, minimum, maximum, other };
template <class Op> inline constexpr operation operation_of = operation::other;
template <class T> inline constexpr operation operation_of<plus<T>> = operation::plus;
template <class T> inline constexpr operation operation_of<multiplies<T>> = operation::multiplies;
template <class T> inline constexpr operation operation_of<bit_and<T>> = operation::bit_and;
template <class T> inline constexpr operation operation_of<bit_or<T>> = operation::bit_or;
template <class T> inline constexpr operation operation_of<bit_xor<T>> = operation::bit_xor;
template <class T> inline constexpr operation operation_of<logical_and<T>> = operation::logical_and;
template <class T> inline constexpr operation operation_of<logical_or<T>> = operation::logical_or;
template <class T> inline constexpr operation operation_of<minimum<T>> = operation::minimum;
template <class T> inline constexpr operation operation_of<maximum<T>> = operation::maximum;

/// A type group algorithms and reductions know identities of.
template <class T> inline constexpr bool is_number = std::is_arithmetic_v<T> || is_half<T>;

template <class T, operation Op> constexpr bool identity_is_known() {
  if constexpr (!is_number<T>)
    return false;
  else if constexpr (Op == operation::bit_and || Op == operation::bit_or || Op == operation::bit_xor)
    return std::is_integral_v<T>;
  else
    return Op != operation::other;
}

/// Whether an identity may be infinite: not where the program says that no number is (-ffast-math), which makes the compiler's answers to such
/// a one anything.
template <class T> inline constexpr bool may_be_infinite = std::numeric_limits<T>::has_infinity && !__FINITE_MATH_ONLY__;

/// The value that changes nothing.
template <class T, operation Op> constexpr T identity_value() {
  if constexpr (Op == operation::multiplies || Op == operation::logical_and)
    return T(1);
  else if constexpr (Op == operation::bit_and)
    return static_cast<T>(~T(0));
  else if constexpr (Op == operation::minimum)
    return may_be_infinite<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  else if constexpr (Op == operation::maximum)
    return may_be_infinite<T> ? static_cast<T>(-std::numeric_limits<T>::infinity()) : std::numeric_limits<T>::lowest();
  else
    return T(0);
}

/// By which number an identity goes: vectors and arrays have it in each element, complex numbers have those of sum and product.
template <class T> struct identity_of {
  using element = T;
  static constexpr bool has(operation) { return true; }
};
template <class T> struct complex_identity {
  using element = T;
  static constexpr bool has(operation what) { return what == operation::plus || what == operation::multiplies; }
};
template <class T> struct identity_of<std::complex<T>> : complex_identity<T> {};
template <class T> struct elements_identity {
  using element = T;
  static constexpr bool has(operation what) { return what != operation::logical_and && what != operation::logical_or; }
};
template <class T, int N> struct identity_of<vec<T, N>> : elements_identity<T> {};
template <class T, size_t N> struct identity_of<marray<T, N>> : elements_identity<T> {};

} // namespace detail

/// Beside what SYCL's table lists, also of complex numbers, of vec and of marray, as with DPC++.
template <class Op, class T>
struct has_known_identity : std::bool_constant<detail::identity_of<std::remove_cv_t<T>>::has(detail::operation_of<Op>) &&
                                               detail::identity_is_known<typename detail::identity_of<std::remove_cv_t<T>>::element,
                                                                         detail::operation_of<Op>>()> {};
template <class Op, class T> inline constexpr bool has_known_identity_v = has_known_identity<Op, T>::value;
template <class Op, class T> struct known_identity {
  static_assert(has_known_identity_v<Op, T>, "no identity is known for this operation on this type");
  static constexpr T value =
      std::remove_cv_t<T>(detail::identity_value<typename detail::identity_of<std::remove_cv_t<T>>::element, detail::operation_of<Op>>());
};
template <class Op, class T> inline constexpr T known_identity_v = known_identity<Op, T>::value;

} // namespace sycl
