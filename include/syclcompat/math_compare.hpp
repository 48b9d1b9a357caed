//! Comparisons of floating-point numbers that may be none, of pairs of them too. Source: SYCLcompat's README, "Math Functions".
#pragma once
#include <functional>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/vec.hpp>
#include <type_traits>

/// Beside a bfloat16 numbers are computed as one, as its operators do. Source: SYCLcompat's headers, which programs ask for the type of a
/// result.
template <> struct std::common_type<sycl::ext::oneapi::bfloat16, sycl::ext::oneapi::bfloat16> {
  using type = sycl::ext::oneapi::bfloat16;
};
template <class T> struct std::common_type<sycl::ext::oneapi::bfloat16, T> {
  using type = sycl::ext::oneapi::bfloat16;
};
template <class T> struct std::common_type<T, sycl::ext::oneapi::bfloat16> {
  using type = sycl::ext::oneapi::bfloat16;
};

namespace syclcompat {

namespace detail {

template <class T> inline constexpr bool is_vector = false;
template <class T, int N> inline constexpr bool is_vector<sycl::vec<T, N>> = true;
template <class T, size_t N> inline constexpr bool is_vector<sycl::marray<T, N>> = true;
template <class T> struct element {};
template <class T, int N> struct element<sycl::vec<T, N>> {
  using type = T;
};
template <class T, size_t N> struct element<sycl::marray<T, N>> {
  using type = T;
};
template <class T> using element_of = typename element<T>::type;

template <class T> inline constexpr bool is_small_float = std::is_same_v<T, sycl::half> || std::is_same_v<T, sycl::ext::oneapi::bfloat16>;
template <class T> inline constexpr bool is_float = std::is_floating_point_v<T> || is_small_float<T>;

/// The type of a computation with two numbers of the same kind.
template <class A, class B, class = void> struct common_of {};
template <class A, class B>
struct common_of<A, B, std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>> : std::common_type<A, B> {};
template <class A, class B>
struct common_of<A, B, std::enable_if_t<std::is_floating_point_v<A> && std::is_floating_point_v<B>>> : std::common_type<A, B> {};
template <class A> struct common_of<A, A, std::enable_if_t<is_small_float<A>>> {
  using type = A;
};
template <class A, class B> struct common_of<A, B, std::enable_if_t<is_small_float<A> && std::is_floating_point_v<B>>> {
  using type = std::conditional_t<std::is_same_v<A, sycl::half>, B, A>; // a bfloat16 as `common_type` has it
};
template <class A, class B> struct common_of<A, B, std::enable_if_t<std::is_floating_point_v<A> && is_small_float<B>>> : common_of<B, A> {};
template <class A, class B> using common_number = typename common_of<A, B>::type;

template <class T> inline bool is_nan(const T &a) {
  if constexpr (is_float<T>)
    return a != a;
  else
    return false;
}
template <class T> inline T relu(const T &a) { return a < T(0) ? T(0) : a; }

template <class T, class F> inline bool ordered(const T &a, const T &b, F compare) { return !is_nan(a) && !is_nan(b) && compare(a, b); }
template <class T, class F> inline bool unordered(const T &a, const T &b, F compare) { return is_nan(a) || is_nan(b) || compare(a, b); }

} // namespace detail

// An ordered comparison is false where one of the numbers is none, an unordered one is true. Of pairs: 1 or 0 in each element; whether all
// hold; 0xffff and 0 in the low half, from the first elements, and in the high half.
#define __ASPEN_COMPARE(prefix, kind)                                                                                                     \
  template <class T, class F>                                                                                                              \
  inline std::enable_if_t<!detail::is_vector<T> && std::is_same_v<std::invoke_result_t<F, T, T>, bool>, bool> prefix(                      \
      const T a, const T b, const F compare) {                                                                                             \
    return detail::kind(a, b, compare);                                                                                                    \
  }                                                                                                                                        \
  template <class T, class F> inline std::enable_if_t<T::size() == 2, T> prefix(const T a, const T b, const F compare) {                   \
    using E = detail::element_of<T>;                                                                                                       \
    T out;                                                                                                                                 \
    for (int i = 0; i < 2; ++i)                                                                                                            \
      out[i] = detail::kind(E(a[i]), E(b[i]), compare) ? E(1.0f) : E(0.0f);                                                                \
    return out;                                                                                                                            \
  }                                                                                                                                        \
  template <class T, class F> inline std::enable_if_t<T::size() == 2, bool> prefix##_both(const T a, const T b, const F compare) {         \
    using E = detail::element_of<T>;                                                                                                       \
    return detail::kind(E(a[0]), E(b[0]), compare) && detail::kind(E(a[1]), E(b[1]), compare);                                             \
  }                                                                                                                                        \
  template <class T, class F> inline std::enable_if_t<T::size() == 2, unsigned> prefix##_mask(const T a, const T b, const F compare) {     \
    using E = detail::element_of<T>;                                                                                                       \
    return (detail::kind(E(a[0]), E(b[0]), compare) ? 0xffffu : 0u) | (detail::kind(E(a[1]), E(b[1]), compare) ? 0xffff0000u : 0u);        \
  }
__ASPEN_COMPARE(compare, ordered)
__ASPEN_COMPARE(unordered_compare, unordered)
#undef __ASPEN_COMPARE

} // namespace syclcompat
