//! Common functions that integers have, too, integer functions, and functions of bits. Each of the arguments has its own template argument, as
//! the specification wants it, but one type. Source: SYCL 2020 §4.17.6, §4.17.7, §4.17.9.
//!
//! Included by <sycl/math.hpp>.
#pragma once

namespace sycl {

namespace detail {
template <class T> inline constexpr bool is_generic_scalar = std::is_arithmetic_v<T> || is_half<T>;
template <class T, class... Rest> inline constexpr bool are_same = (std::is_same_v<T, Rest> && ...);
template <class T, class... Rest> using if_scalars = std::enable_if_t<is_generic_scalar<T> && are_same<T, Rest...>, T>;
/// Of the type that a program names, and numbers of others: `min<size_t>(count, 1024)`.
template <class T, class... Of>
using if_converted = std::enable_if_t<std::is_arithmetic_v<T> && (std::is_arithmetic_v<Of> && ...) && !are_same<T, Of...>, T>;
template <class T, class R = T> using if_integer = std::enable_if_t<std::is_integral_v<T>, R>;
template <class T, class... Rest> using if_integers = std::enable_if_t<std::is_integral_v<T> && are_same<T, Rest...>, T>;
} // namespace detail

template <class A, class B> constexpr detail::if_scalars<A, B> min(A a, B b) { return b < a ? b : a; }
template <class A, class B> constexpr detail::if_scalars<A, B> max(A a, B b) { return a < b ? b : a; }
template <class A, class B, class C> constexpr detail::if_scalars<A, B, C> clamp(A a, B low, C high) {
  return a < low ? low : high < a ? high : a;
}
template <class T, class A, class B> constexpr detail::if_converted<T, A, B> min(A a, B b) { return sycl::min(T(a), T(b)); }
template <class T, class A, class B> constexpr detail::if_converted<T, A, B> max(A a, B b) { return sycl::max(T(a), T(b)); }
template <class T, class A, class B, class C> constexpr detail::if_converted<T, A, B, C> clamp(A a, B low, C high) {
  return sycl::clamp(T(a), T(low), T(high));
}
template <class T> constexpr detail::if_scalars<T> abs(T a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else if constexpr (std::is_integral_v<T>) // the least number stays what it is
    return a < 0 ? static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a)) : a;
  else
    return a < T(0) ? static_cast<T>(-a) : a == T(0) ? T(0) : a;
}
template <class T> constexpr detail::if_scalars<T> select(T a, detail::given_t<T> b, bool c) { return c ? b : a; }

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
using wider_of = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<typename bits_of_size<sizeof(T)>::wider>,
                                    typename bits_of_size<sizeof(T)>::wider>;
} // namespace detail

namespace detail {
/// The quiet NaN with these bits, of the floating-point type as wide as they are.
template <class T> constexpr auto nan_of(T code) {
  using type = bits_of_size<sizeof(T)>;
  // The lowest bit of `quiet` says that it is; the code lies below.
  constexpr auto below = static_cast<T>((type::quiet & -type::quiet) - 1);
  return sycl::bit_cast<typename type::number>(static_cast<typename type::type>(type::quiet | (code & below)));
}
} // namespace detail
template <int = 0> float nan(std::uint32_t code) { return detail::nan_of(code); }
template <int = 0> double nan(std::uint64_t code) { return detail::nan_of(code); }
template <int = 0> half nan(std::uint16_t code) { return detail::nan_of(code); }
/// The 64-bit integer that std::uint64_t is not.
template <class T> std::enable_if_t<std::is_same_v<T, unsigned long long> && !std::is_same_v<T, std::uint64_t>, double> nan(T code) {
  return detail::nan_of(static_cast<std::uint64_t>(code));
}
/// Bits of `b` where `c` has them, else of `a`.
template <class A, class B, class C> inline detail::if_scalars<A, B, C> bitselect(A a, B b, C c) {
  using T = detail::bits<A>;
  const T chosen = sycl::bit_cast<T>(c);
  return sycl::bit_cast<A>(static_cast<T>((sycl::bit_cast<T>(a) & static_cast<T>(~chosen)) | (sycl::bit_cast<T>(b) & chosen)));
}

/// Of the type of its arguments, so what a signed one cannot hold comes out negative.
template <class A, class B> constexpr detail::if_integers<A, B> abs_diff(A a, B b) {
  using U = std::make_unsigned_t<A>;
  return static_cast<A>(a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b));
}
template <class A, class B> constexpr detail::if_integers<A, B> add_sat(A a, B b) { return __builtin_elementwise_add_sat(a, b); }
template <class A, class B> constexpr detail::if_integers<A, B> sub_sat(A a, B b) { return __builtin_elementwise_sub_sat(a, b); }
/// The average without overflow, rounded down (hadd) or up (rhadd).
template <class A, class B> constexpr detail::if_integers<A, B> hadd(A a, B b) { return static_cast<A>((a >> 1) + (b >> 1) + (a & b & 1)); }
template <class A, class B> constexpr detail::if_integers<A, B> rhadd(A a, B b) { return static_cast<A>((a >> 1) + (b >> 1) + ((a | b) & 1)); }
template <class A, class B> constexpr detail::if_integers<A, B> mul_hi(A a, B b) {
  if constexpr (sizeof(A) < 8) {
    using W = std::conditional_t<std::is_signed_v<A>, long long, unsigned long long>;
    return static_cast<A>((static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(A)));
#if defined(__ASPEN_SPIRV__)
    // Spelled out, the optimiser would make it a 128-bit multiplication, which SPIR-V lacks.
  } else if constexpr (std::is_signed_v<A>) {
    return static_cast<A>(__spirv_ocl_s_mul_hi(static_cast<long>(a), static_cast<long>(b)));
  } else {
    return static_cast<A>(__spirv_ocl_u_mul_hi(static_cast<unsigned long>(a), static_cast<unsigned long>(b)));
  }
#else
  } else {
    using W = std::conditional_t<std::is_signed_v<A>, __int128, unsigned __int128>;
    return static_cast<A>((static_cast<W>(a) * static_cast<W>(b)) >> 64);
  }
#endif
}
template <class A, class B, class C> constexpr detail::if_integers<A, B, C> mad_hi(A a, B b, C c) { return static_cast<A>(mul_hi(a, b) + c); }
/// The product and the sum without a limit, cut to what the type holds.
template <class A, class B, class C> constexpr detail::if_integers<A, B, C> mad_sat(A a, B b, C c) {
  if constexpr (sizeof(A) < 8) {
    using W = std::conditional_t<std::is_signed_v<A>, long long, unsigned long long>;
    const W exact = static_cast<W>(a) * static_cast<W>(b) + static_cast<W>(c);
    constexpr W low = std::is_signed_v<A> ? static_cast<W>(~0ull << (8 * sizeof(A) - 1)) : 0;
    constexpr W high = static_cast<W>(~0ull >> (64 - 8 * sizeof(A) + std::is_signed_v<A>));
    return static_cast<A>(exact < low ? low : exact > high ? high : exact);
  } else {
    // By two words, since SPIR-V has no wider integers.
    using U = std::make_unsigned_t<A>;
    const U low = static_cast<U>(a) * static_cast<U>(b), sum = low + static_cast<U>(c);
    const U carried = static_cast<U>(sycl::mul_hi(a, b)) + (sum < low) - (c < 0);
    if constexpr (std::is_signed_v<A>) {
      if (carried == static_cast<U>(static_cast<A>(sum) >> 63))
        return static_cast<A>(sum);
      constexpr A most = static_cast<A>(~U(0) >> 1);
      return static_cast<A>(carried) < 0 ? static_cast<A>(-most - 1) : most;
    } else {
      return carried ? static_cast<A>(~U(0)) : sum;
    }
  }
}
/// `high` above `low`, in an integer of twice the width.
template <class T, class U> constexpr detail::if_integer<T, detail::wider_of<T>> upsample(T high, U low) {
  static_assert(sizeof(T) == sizeof(U) && std::is_unsigned_v<U>, "the lower half is unsigned and as wide as the upper one");
  using R = detail::wider_of<T>;
  return static_cast<R>(static_cast<std::make_unsigned_t<R>>(static_cast<std::make_unsigned_t<T>>(high)) << (8 * sizeof(T)) | low);
}
template <class A, class B> constexpr detail::if_integers<A, B> mul24(A a, B b) { return static_cast<A>(a * b); }
template <class A, class B, class C> constexpr detail::if_integers<A, B, C> mad24(A a, B b, C c) { return static_cast<A>(a * b + c); }
template <class A, class B> constexpr detail::if_integers<A, B> rotate(A a, B by) {
  using U = std::make_unsigned_t<A>;
  constexpr unsigned bits = 8 * sizeof(A);
  const unsigned n = static_cast<unsigned>(by) % bits;
  const U x = static_cast<U>(a);
  return static_cast<A>(n ? static_cast<U>(static_cast<U>(x << n) | static_cast<U>(x >> (bits - n))) : x);
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

} // namespace sycl
