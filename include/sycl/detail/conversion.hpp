//! Conversions of numbers with a direction. Source: SYCL 2020 §4.14.2.3 "Rounding modes".
#pragma once
#include <sycl/detail/swizzled.hpp>
#include <type_traits>

namespace sycl::detail {

/// Types of floating-point numbers that float has all of (bfloat16, which says so itself).
template <class T> inline constexpr bool is_part_of_float = false;

/// The nearest that `U`, an integer, can hold of a whole number; 0 of no number. By choice and not by branch, so that it stays a vector's.
template <class U, class T> constexpr U saturating(const T &given) {
  using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const wide value = static_cast<wide>(given);
  // Powers of two, which every floating-point type has exactly: one more than the greatest, and the least.
  constexpr U greatest = std::is_signed_v<U> ? static_cast<U>(~(std::make_unsigned_t<U>(1) << (sizeof(U) * 8 - 1))) : static_cast<U>(-1);
  constexpr U least = std::is_signed_v<U> ? static_cast<U>(-greatest - 1) : U(0);
  constexpr wide over = static_cast<wide>(greatest / 2 + 1) * 2;
  const bool fits = value < over && (std::is_signed_v<U> ? value >= -over : value > -1);
  return fits ? static_cast<U>(value) : value >= over ? greatest : value < 0 ? least : U(0);
}

/// A whole number, in the direction of `Mode`; `automatic` is to the nearest.
template <rounding_mode Mode, class T> constexpr T rounded(const T &value) {
  if (__builtin_is_constant_evaluated()) { // where the functions are not known
    const auto wide = static_cast<double>(value);
    const auto whole = static_cast<std::int64_t>(wide);
    const double rest = wide - static_cast<double>(whole), size = rest < 0 ? -rest : rest;
    const bool nearest = Mode == rounding_mode::automatic || Mode == rounding_mode::rte;
    const bool away = nearest ? size > 0.5 || (size == 0.5 && whole % 2 != 0) : Mode == rounding_mode::rtp ? rest > 0 : rest < 0;
    return static_cast<T>(static_cast<double>(whole + (away ? rest < 0 ? -1 : 1 : 0)));
  }
  if constexpr (std::is_same_v<T, double>) {
    return Mode == rounding_mode::rtp ? __builtin_ceil(value) : Mode == rounding_mode::rtn ? __builtin_floor(value) : __builtin_rint(value);
  } else {
    const float f = static_cast<float>(value);
    return static_cast<T>(Mode == rounding_mode::rtp ? __builtin_ceilf(f) : Mode == rounding_mode::rtn ? __builtin_floorf(f) : __builtin_rintf(f));
  }
}

/// The next floating-point number above, or below. Source: IEEE 754 §5.3.1 "nextUp".
template <class T> constexpr T next_number(const T &value, bool above) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const bits own = __builtin_bit_cast(bits, value), sign = static_cast<bits>(bits(1) << (sizeof(T) * 8 - 1));
  if ((own & static_cast<bits>(~sign)) == 0)
    return __builtin_bit_cast(T, static_cast<bits>(above ? 1 : sign | 1));
  return __builtin_bit_cast(T, static_cast<bits>(above == ((own & sign) == 0) ? own + 1 : own - 1));
}

/// How `near`, which is made of `value`, lies to it: above (1), below (-1), or there, as no number does.
template <class From, class To> constexpr int side_of(const To &near, const From &value) {
  using wide = std::conditional_t<std::is_same_v<To, double>, double, float>;
  if constexpr (std::is_integral_v<From>) {
    const wide rounded = static_cast<wide>(near);
    // Numbers that the integer does not hold are one more than its greatest, or infinite.
    constexpr wide over = static_cast<wide>(static_cast<From>(From(1) << (sizeof(From) * 8 - 2))) * (std::is_signed_v<From> ? 2 : 4);
    if (rounded >= over)
      return 1;
    if (rounded < -over) // of half
      return -1;
    const From back = static_cast<From>(rounded);
    return back > value ? 1 : back < value ? -1 : 0;
  } else {
    const double a = static_cast<double>(near), b = static_cast<double>(value);
    return a > b ? 1 : a < b ? -1 : 0;
  }
}

#if defined(__ASPEN_PTX__)
#define __ASPEN_PTX_CONVERSION(To, From, name)                                                                                            \
  template <rounding_mode Mode> inline To convert_by_instruction(To *, const From &value) {                                                \
    return static_cast<To>(Mode == rounding_mode::rtz   ? __nvvm_##name##_rz(value)                                                        \
                           : Mode == rounding_mode::rtp ? __nvvm_##name##_rp(value)                                                        \
                           : Mode == rounding_mode::rtn ? __nvvm_##name##_rm(value)                                                        \
                                                        : __nvvm_##name##_rn(value));                                                      \
  }
#define __ASPEN_PTX_CONVERSIONS(Integer, name)                                                                                            \
  __ASPEN_PTX_CONVERSION(Integer, float, f2##name)                                                                                         \
  __ASPEN_PTX_CONVERSION(Integer, double, d2##name)                                                                                        \
  __ASPEN_PTX_CONVERSION(float, Integer, name##2f)
__ASPEN_PTX_CONVERSIONS(int, i)
__ASPEN_PTX_CONVERSIONS(unsigned, ui)
__ASPEN_PTX_CONVERSIONS(long, ll)
__ASPEN_PTX_CONVERSIONS(unsigned long, ull)
__ASPEN_PTX_CONVERSIONS(long long, ll)
__ASPEN_PTX_CONVERSIONS(unsigned long long, ull)
__ASPEN_PTX_CONVERSION(double, long, ll2d)
__ASPEN_PTX_CONVERSION(double, unsigned long, ull2d)
__ASPEN_PTX_CONVERSION(double, long long, ll2d)
__ASPEN_PTX_CONVERSION(double, unsigned long long, ull2d)
__ASPEN_PTX_CONVERSION(float, double, d2f)
#undef __ASPEN_PTX_CONVERSIONS
#undef __ASPEN_PTX_CONVERSION

template <class To, class From, class = void> inline constexpr bool has_instruction = false;
template <class To, class From>
inline constexpr bool has_instruction<To, From, std::void_t<decltype(convert_by_instruction<rounding_mode::rte>(static_cast<To *>(nullptr), std::declval<const From &>()))>> =
    !std::is_same_v<To, From> && std::is_same_v<decltype(convert_by_instruction<rounding_mode::rte>(static_cast<To *>(nullptr), std::declval<const From &>())), To>;
#endif

/// A float on the way to a half: one that is not exact ends in a bit that says so, so that the second rounding does not take it for half way.
/// Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd".
constexpr float to_odd(double value) {
  const float near = static_cast<float>(value);
  const double back = near;
  if (back == value || value != value)
    return near;
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, near);
  bits -= (value < 0 ? back < value : back > value) ? 1 : 0;
  return __builtin_bit_cast(float, bits | 1);
}

/// An element of `vec::convert`. What an integer cannot hold becomes the nearest that it can, and no number becomes 0: the specification leaves it
/// open, but C++ would leave all elements undefined.
template <class To, rounding_mode Mode, class From> constexpr To convert_element(const From &value) {
  if constexpr (is_part_of_float<From> && !std::is_same_v<To, From>)
    return convert_element<To, Mode>(static_cast<float>(value));
  constexpr bool to_integer = std::is_integral_v<To> && !std::is_same_v<To, bool> && is_genfloat<From>;
  // Also where the type has all numbers of the other: then nothing is on another side.
  constexpr bool directed = (is_genfloat<To> || is_part_of_float<To>) && !std::is_same_v<To, From> && !std::is_same_v<From, bool> && (std::is_integral_v<From> || is_genfloat<From>) &&
                            (Mode == rounding_mode::rtz || Mode == rounding_mode::rtp || Mode == rounding_mode::rtn);
#if defined(__ASPEN_PTX__)
  if constexpr ((to_integer || directed) && has_instruction<To, From>)
    if (!__builtin_is_constant_evaluated()) {
      const To number = convert_by_instruction<Mode>(static_cast<To *>(nullptr), value);
      if constexpr (to_integer && (sizeof(To) == 8 || std::is_same_v<From, double>)) // no number is not always 0
        return value == value ? number : To(0);
      else
        return number;
    }
#endif
  if constexpr (to_integer && Mode != rounding_mode::rtz) {
    return saturating<To>(rounded<Mode>(value));
  } else if constexpr (to_integer) {
    return saturating<To>(value);
  } else if constexpr (directed) {
    const To near = static_cast<To>(value);
    const int side = side_of(near, value);
    const bool down = side > 0 && (Mode == rounding_mode::rtn || (Mode == rounding_mode::rtz && value > From(0)));
    const bool up = side < 0 && (Mode == rounding_mode::rtp || (Mode == rounding_mode::rtz && value < From(0)));
    return down || up ? next_number(near, up) : near;
  } else if constexpr ((std::is_same_v<To, half> || is_part_of_float<To>) && std::is_same_v<From, double>) {
    return static_cast<To>(to_odd(value));
  } else {
    return static_cast<To>(value);
  }
}

} // namespace sycl::detail
