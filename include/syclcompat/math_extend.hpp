//! Operations on integers of 32 bits, and on halves or bytes of such, that are computed with more bits: each with and without saturation to
//! the result's type, with a second operation, or added up. Source: SYCLcompat's README, "Math Functions"; PTX ISA, "Video Instructions".
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace syclcompat {

namespace detail {

struct extended_add {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct extended_sub {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a - b; }
};
struct extended_absdiff {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? b - a : a - b; }
};
struct extended_min {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? a : b; }
};
struct extended_max {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? b : a; }
};
/// What lies between is rounded away from 0.
struct extended_avrg {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return (a + b + (a + b >= 0)) >> 1; }
};

template <class T> inline constexpr bool is_32_bits = std::is_integral_v<T> && sizeof(T) == 4;

/// As `To`: the nearest value, or the low bits.
template <class To, bool Saturates> constexpr To narrowed(std::int64_t value) {
  if constexpr (Saturates) {
    constexpr std::int64_t low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(value < low ? low : value > high ? high : value);
  } else {
    return static_cast<To>(value);
  }
}
template <class R, bool Saturates, class A, class B, class F> constexpr R extended(A a, B b, F operation) {
  static_assert(is_32_bits<R> && is_32_bits<A> && is_32_bits<B>, "extend_…: of integers of 32 bits");
  return narrowed<R, Saturates>(operation(a, b));
}

/// A type of so many bits that has a sign if T has one.
template <class T, int Bits> using part =
    std::conditional_t<Bits == 16, std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>>;
template <int Bits, class T> constexpr std::int64_t part_at(T value, int shift) {
  return static_cast<part<T, Bits>>(static_cast<std::uint32_t>(value) >> shift);
}
/// The parts of the result stand where those of the operands did.
template <int Bits, class R, bool Saturates, class A, class B, class F> constexpr R extended_parts(A a, B b, F operation) {
  static_assert(is_32_bits<R> && is_32_bits<A> && is_32_bits<B>, "extend_v…: of integers of 32 bits");
  std::uint32_t out = 0;
  for (int shift = 0; shift < 32; shift += Bits) {
    const auto one = narrowed<part<R, Bits>, Saturates>(operation(part_at<Bits>(a, shift), part_at<Bits>(b, shift)));
    out |= static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<decltype(one + 0)>>(one) & ((1u << Bits) - 1)) << shift;
  }
  return static_cast<R>(out);
}
/// The sum of all parts of the result, which nothing narrows, and `c`.
template <int Bits, class R, class A, class B, class F> constexpr R extended_sum(A a, B b, R c, F operation) {
  static_assert(is_32_bits<R> && is_32_bits<A> && is_32_bits<B>, "extend_v…: of integers of 32 bits");
  std::int64_t sum = c;
  for (int shift = 0; shift < 32; shift += Bits)
    sum += std::int64_t(operation(part_at<Bits>(a, shift), part_at<Bits>(b, shift)));
  return static_cast<R>(sum);
}

} // namespace detail

#define __ASPEN_EXTEND(name)                                                                                                              \
  template <class R, class A, class B> constexpr R extend_##name(A a, B b) {                                                              \
    return detail::extended<R, false>(a, b, detail::extended_##name());                                                                   \
  }                                                                                                                                       \
  template <class R, class A, class B, class C, class F> constexpr R extend_##name(A a, B b, C c, F second) {                              \
    return static_cast<R>(second(extend_##name<R>(a, b), static_cast<R>(c)));                                                              \
  }                                                                                                                                        \
  template <class R, class A, class B> constexpr R extend_##name##_sat(A a, B b) {                                                         \
    return detail::extended<R, true>(a, b, detail::extended_##name());                                                                     \
  }                                                                                                                                        \
  template <class R, class A, class B, class C, class F> constexpr R extend_##name##_sat(A a, B b, C c, F second) {                        \
    return static_cast<R>(second(extend_##name##_sat<R>(a, b), static_cast<R>(c)));                                                        \
  }
#define __ASPEN_EXTEND_PARTS(name, count)                                                                                                 \
  template <class R, class A, class B> constexpr R extend_v##name##count(A a, B b, R) {                                                    \
    return detail::extended_parts<32 / count, R, false>(a, b, detail::extended_##name());                                                  \
  }                                                                                                                                        \
  template <class R, class A, class B> constexpr R extend_v##name##count##_sat(A a, B b, R) {                                              \
    return detail::extended_parts<32 / count, R, true>(a, b, detail::extended_##name());                                                   \
  }                                                                                                                                        \
  template <class R, class A, class B> constexpr R extend_v##name##count##_add(A a, B b, R c) {                                            \
    return detail::extended_sum<32 / count>(a, b, c, detail::extended_##name());                                                           \
  }
#define __ASPEN_COMPARE_PARTS(count)                                                                                                      \
  template <class A, class B, class F> constexpr unsigned extend_vcompare##count(A a, B b, F compare) {                                    \
    return detail::extended_parts<32 / count, unsigned, false>(a, b, compare);                                                             \
  }                                                                                                                                        \
  template <class A, class B, class F> constexpr unsigned extend_vcompare##count##_add(A a, B b, unsigned c, F compare) {                  \
    return detail::extended_sum<32 / count>(a, b, c, compare);                                                                             \
  }

// `extend_add(a, b)`, `extend_add(a, b, c, second)`: second(a + b, c). The result and the operands may be signed or not.
__ASPEN_EXTEND(add)
__ASPEN_EXTEND(sub)
__ASPEN_EXTEND(absdiff)
__ASPEN_EXTEND(min)
__ASPEN_EXTEND(max)
// `extend_vadd2(a, b, c)` does not use `c`, as in PTX; `extend_vadd2_add` adds both results to it.
__ASPEN_EXTEND_PARTS(add, 2)
__ASPEN_EXTEND_PARTS(sub, 2)
__ASPEN_EXTEND_PARTS(absdiff, 2)
__ASPEN_EXTEND_PARTS(min, 2)
__ASPEN_EXTEND_PARTS(max, 2)
__ASPEN_EXTEND_PARTS(avrg, 2)
__ASPEN_EXTEND_PARTS(add, 4)
__ASPEN_EXTEND_PARTS(sub, 4)
__ASPEN_EXTEND_PARTS(absdiff, 4)
__ASPEN_EXTEND_PARTS(min, 4)
__ASPEN_EXTEND_PARTS(max, 4)
__ASPEN_EXTEND_PARTS(avrg, 4)
// Comparisons give 1 and 0 in each part.
__ASPEN_COMPARE_PARTS(2)
__ASPEN_COMPARE_PARTS(4)
#undef __ASPEN_COMPARE_PARTS
#undef __ASPEN_EXTEND_PARTS
#undef __ASPEN_EXTEND

// Comparisons of whole integers, and what a second operation makes of that: `extend_compare(a, b, std::less<>())`.
template <class A, class B, class F> constexpr int extend_compare(A a, B b, F compare) {
  static_assert(detail::is_32_bits<A> && detail::is_32_bits<B>, "extend_compare: of integers of 32 bits");
  return compare(std::int64_t(a), std::int64_t(b));
}
template <class R, class A, class B, class F, class G> constexpr R extend_compare(A a, B b, R c, F compare, G second) {
  return static_cast<R>(second(static_cast<R>(extend_compare(a, b, compare)), c));
}

namespace detail {
/// Shifts by at most 32; the amount is `b`, or its low five bits.
template <class R, bool Saturates, bool Left, bool Clamps, class A> constexpr R extended_shift(A a, std::uint32_t b) {
  static_assert(is_32_bits<R> && is_32_bits<A>, "extend_sh…: of integers of 32 bits");
  const std::uint32_t by = Clamps ? (b > 32 ? 32 : b) : b & 31;
  const std::int64_t value = a;
  return narrowed<R, Saturates>(Left ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << by) : value >> by);
}
} // namespace detail
#define __ASPEN_SHIFT(name, left, clamps, suffix, saturates)                                                                              \
  template <class R, class A> constexpr R extend_##name##suffix(A a, std::uint32_t b) {                                                    \
    return detail::extended_shift<R, saturates, left, clamps>(a, b);                                                                       \
  }                                                                                                                                        \
  template <class R, class A, class F> constexpr R extend_##name##suffix(A a, std::uint32_t b, std::uint32_t c, F second) {                \
    return static_cast<R>(second(extend_##name##suffix<R>(a, b), static_cast<R>(c)));                                                      \
  }
__ASPEN_SHIFT(shl_clamp, true, true, , false)
__ASPEN_SHIFT(shl_clamp, true, true, _sat, true)
__ASPEN_SHIFT(shl_wrap, true, false, , false)
__ASPEN_SHIFT(shl_wrap, true, false, _sat, true)
__ASPEN_SHIFT(shr_clamp, false, true, , false)
__ASPEN_SHIFT(shr_clamp, false, true, _sat, true)
__ASPEN_SHIFT(shr_wrap, false, false, , false)
__ASPEN_SHIFT(shr_wrap, false, false, _sat, true)
#undef __ASPEN_SHIFT

} // namespace syclcompat
