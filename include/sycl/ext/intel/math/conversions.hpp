//! Conversions of `sycl::ext::intel::math` between numbers, each rounding as its name says, and between numbers and their bits. A number that the
//! whole numbers do not hold becomes the nearest that they hold, and one that is none becomes 0. Source: DPC++'s <sycl/ext/intel/math.hpp>, whose
//! functions are those of CUDA's Math API, "Type Casting Intrinsics", "Half Precision Conversion and Data Movement".
#pragma once
#include <limits>
#include <sycl/bit_cast.hpp>
#include <sycl/ext/intel/math/rounding.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>

namespace sycl {

namespace detail::rounding {

template <mode M, class I, class T> I to_whole(T x) {
  if (x != x)
    return 0;
  const T rounded = M == mode::down ? sycl::floor(x) : M == mode::up ? sycl::ceil(x) : M == mode::zero ? sycl::trunc(x) : sycl::rint(x);
  using limits = std::numeric_limits<I>;
  constexpr T beyond = T(std::uint64_t(1) << (limits::digits - 1)) * 2, least = T(limits::min());
  return rounded >= beyond ? limits::max() : rounded <= least ? limits::min() : static_cast<I>(rounded);
}

/// The side of `exact` as seen from `n`, the number that it rounds to.
template <class I, class T, std::enable_if_t<std::is_integral_v<I>, int> = 0> int side_of(I exact, T n) {
  constexpr T beyond = T(std::uint64_t(1) << (std::numeric_limits<I>::digits - 1)) * 2;
  if (n >= beyond)
    return -1;
  const I back = static_cast<I>(n);
  return (exact > back) - (exact < back);
}
inline int side_of(double exact, float n) {
  return !is_finite(exact) ? 0 : !is_finite(n) ? (is_negative(n) ? 1 : -1) : sign(exact - static_cast<double>(n));
}
template <mode M, class T, class From> T to_number(From exact) {
  const T n = static_cast<T>(exact);
  return M == mode::nearest ? n : directed<M>(n, rounding::side_of(exact, n));
}
/// A float that rounds to fewer bits as `exact` does: where it is not exact, its last bit is set.
template <class From> float to_odd(From exact) {
  const float n = static_cast<float>(exact);
  const int side = rounding::side_of(exact, n);
  return side == 0 ? n : __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, directed<mode::zero>(n, side)) | 1u);
}
inline float to_odd(float exact) { return exact; }

/// To half or bfloat16.
template <mode M, class To, class From> To to_short(From exact) {
  const float x = rounding::to_odd(exact);
  const To nearest(x);
  if (M == mode::nearest || !is_finite(x))
    return nearest;
  const float back = static_cast<float>(nearest);
  const int side = !is_finite(back) ? (is_negative(back) ? 1 : -1) : sign(x - back);
  const std::uint16_t bits = __builtin_bit_cast(std::uint16_t, nearest);
  const bool negative = (bits & 0x8000u) != 0, is_zero = (bits & 0x7fffu) == 0;
  const bool moves = M == mode::down ? side < 0 : M == mode::up ? side > 0 : !is_zero && side != 0 && (side < 0) != negative;
  if (!moves)
    return nearest;
  const int raw = is_zero ? (side > 0 ? 1 : 0x8001) : (side > 0) != negative ? bits + 1 : bits - 1;
  return __builtin_bit_cast(To, static_cast<std::uint16_t>(raw));
}

} // namespace detail::rounding

namespace ext::intel::math {

using bfloat16 = sycl::ext::oneapi::bfloat16;

#define __ASPEN_TO_WHOLE(letters, name, From, Wide, to, I)                                                                                \
  inline I name##2##to##_##letters(From x) { return sycl::detail::rounding::to_whole<__ASPEN_MODE_##letters, I>(static_cast<Wide>(x)); }
#define __ASPEN_FROM_WHOLE(letters, from, I, name, T)                                                                                     \
  inline T from##2##name##_##letters(I x) { return sycl::detail::rounding::to_number<__ASPEN_MODE_##letters, T>(x); }
#define __ASPEN_SHORT_FROM(letters, from, From, name, T)                                                                                  \
  inline T from##2##name##_##letters(From x) { return sycl::detail::rounding::to_short<__ASPEN_MODE_##letters, T>(x); }

#define __ASPEN_WHOLES(name, From, Wide)                                                                                                  \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, From, Wide, int, int)                                                                          \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, From, Wide, uint, unsigned)                                                                    \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, From, Wide, ll, long long)                                                                     \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, From, Wide, ull, unsigned long long)
__ASPEN_WHOLES(float, float, float)
__ASPEN_WHOLES(double, double, double)
__ASPEN_WHOLES(half, half, float)
__ASPEN_WHOLES(bfloat16, bfloat16, float)
#undef __ASPEN_WHOLES
#define __ASPEN_NUMBERS(name, T)                                                                                                          \
  __ASPEN_EACH_MODE(__ASPEN_FROM_WHOLE, int, int, name, T)                                                                                 \
  __ASPEN_EACH_MODE(__ASPEN_FROM_WHOLE, uint, unsigned, name, T)                                                                           \
  __ASPEN_EACH_MODE(__ASPEN_FROM_WHOLE, ll, long long, name, T)                                                                            \
  __ASPEN_EACH_MODE(__ASPEN_FROM_WHOLE, ull, unsigned long long, name, T)
__ASPEN_NUMBERS(float, float)
__ASPEN_NUMBERS(double, double)
#undef __ASPEN_NUMBERS
#define __ASPEN_SHORTS(name, T)                                                                                                           \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, float, float, name, T)                                                                             \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, int, int, name, T)                                                                                 \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, uint, unsigned, name, T)                                                                           \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, ll, long long, name, T)                                                                            \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, ull, unsigned long long, name, T)                                                                  \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, short, short, name, T)                                                                             \
  __ASPEN_EACH_MODE(__ASPEN_SHORT_FROM, ushort, unsigned short, name, T)                                                                   \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, T, float, short, short)                                                                        \
  __ASPEN_EACH_MODE(__ASPEN_TO_WHOLE, name, T, float, ushort, unsigned short)                                                              \
  inline float name##2##float(T x) { return static_cast<float>(x); }                                                                       \
  inline T double2##name(double x) { return sycl::detail::rounding::to_short<sycl::detail::rounding::mode::nearest, T>(x); }               \
  inline short name##_as_short(T x) { return sycl::bit_cast<short>(x); }                                                                   \
  inline unsigned short name##_as_ushort(T x) { return sycl::bit_cast<unsigned short>(x); }                                                \
  inline T short_as_##name(short x) { return sycl::bit_cast<T>(x); }                                                                       \
  inline T ushort_as_##name(unsigned short x) { return sycl::bit_cast<T>(x); }
__ASPEN_SHORTS(half, half)
__ASPEN_SHORTS(bfloat16, bfloat16)
#undef __ASPEN_SHORTS
#undef __ASPEN_SHORT_FROM
#undef __ASPEN_FROM_WHOLE
#undef __ASPEN_TO_WHOLE
inline bfloat16 float2bfloat16(float x) { return bfloat16(x); }

#define __ASPEN_FLOAT_FROM(letters, unused)                                                                                               \
  inline float double2float_##letters(double x) { return sycl::detail::rounding::to_number<__ASPEN_MODE_##letters, float>(x); }
__ASPEN_EACH_MODE(__ASPEN_FLOAT_FROM, )
#undef __ASPEN_FLOAT_FROM

inline int float_as_int(float x) { return sycl::bit_cast<int>(x); }
inline unsigned float_as_uint(float x) { return sycl::bit_cast<unsigned>(x); }
inline float int_as_float(int x) { return sycl::bit_cast<float>(x); }
inline float uint_as_float(unsigned x) { return sycl::bit_cast<float>(x); }
inline long long double_as_longlong(double x) { return sycl::bit_cast<long long>(x); }
inline double longlong_as_double(long long x) { return sycl::bit_cast<double>(x); }
inline int double2hiint(double x) { return static_cast<int>(sycl::bit_cast<std::uint64_t>(x) >> 32); }
inline int double2loint(double x) { return static_cast<int>(static_cast<unsigned>(sycl::bit_cast<std::uint64_t>(x))); }
inline double hiloint2double(int high, int low) {
  return sycl::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));
}

} // namespace ext::intel::math

} // namespace sycl
