//! Arithmetic of `sycl::ext::intel::math` that rounds down (`_rd`), to the nearest (`_rn`), up (`_ru`) or towards zero (`_rz`). No device
//! changes how it rounds, so each function takes the nearest result, finds on which side of it the exact one lies, by what `fma` leaves of the
//! operation, and goes one number further where the mode asks for it. Right where the device's own operation is correctly rounded and keeps
//! subnormal numbers. Source: DPC++'s <sycl/ext/intel/math.hpp>, whose functions are those of CUDA's Math API, "Single Precision Intrinsics" and
//! "Double Precision Intrinsics"; Boldo and Muller, "Exact and Approximated Error of the FMA".
#pragma once
#include <sycl/math.hpp>

namespace sycl {

namespace detail::rounding {

enum class mode { down, nearest, up, zero };

template <class T> struct format;
template <> struct format<float> {
  using bits = std::uint32_t;
  static constexpr float scale = 0x1p64f, small = 0x1p-50f, large = 0x1p100f; // beyond them what operations leave may not be there
};
template <> struct format<double> {
  using bits = std::uint64_t;
  static constexpr double scale = 0x1p128, small = 0x1p-800, large = 0x1p900;
};

template <class T> constexpr bool is_finite(T x) { return x - x == T(0); }
template <class T> constexpr bool is_negative(T x) { return (__builtin_bit_cast(typename format<T>::bits, x) >> (sizeof(T) * 8 - 1)) != 0; }
template <class T> constexpr T magnitude(T x) { return is_negative(x) ? -x : x; }
template <class T> constexpr int sign(T x) { return (x > T(0)) - (x < T(0)); }

/// The neighbour further from zero, or nearer to it; infinity is next to the largest.
template <class T> constexpr T beside(T x, bool further) {
  using bits = typename format<T>::bits;
  const bits raw = __builtin_bit_cast(bits, x);
  return __builtin_bit_cast(T, static_cast<bits>(further ? raw + 1 : raw - 1));
}
template <class T> constexpr T above(T x) {
  if (x == T(0))
    return __builtin_bit_cast(T, typename format<T>::bits(1));
  return beside(x, !is_negative(x));
}
template <class T> constexpr T below(T x) { return -above(-x); }

/// `nearest` is what the exact value rounds to, which lies above it (`side` > 0), below it, or is it.
template <mode M, class T> constexpr T directed(T nearest, int side) {
  if constexpr (M == mode::down)
    return side < 0 ? below(nearest) : nearest;
  else if constexpr (M == mode::up)
    return side > 0 ? above(nearest) : nearest;
  else if constexpr (M == mode::zero)
    return side != 0 && nearest != T(0) && (side < 0) == !is_negative(nearest) ? beside(nearest, false) : nearest;
  else
    return nearest;
}

/// The side of the exact `a * b + c` as seen from `n`, what they round to. All are finite but perhaps `n`.
template <class T> T scaled(T x, T by, bool scales) { return scales ? x * by : x; }
template <class T> int side_of_fma(T a, T b, T c, T n) {
  if (!is_finite(n))
    return is_negative(n) ? 1 : -1;
  const int of_product = a == T(0) || b == T(0) ? 0 : is_negative(a) == is_negative(b) ? 1 : -1;
  if (magnitude(a * b) < format<T>::small && magnitude(c) >= T(1)) // n is c
    return of_product;
  constexpr T scale = format<T>::scale;
  // Numbers that are too small or too large for what is left of them are moved, all by the same power of two.
  const bool is_small = magnitude(a * b) < format<T>::small && magnitude(c) < format<T>::small;
  const bool is_large = !is_finite(a * b) || magnitude(c) > format<T>::large;
  const T by = is_small ? scale : is_large ? T(1) / scale : T(1);
  const bool moves_a = is_small == (magnitude(a) < magnitude(b));
  a = scaled(a, by, moves_a), b = scaled(b, by, !moves_a), c *= by, n *= by;
  const T p = a * b, left_of_p = sycl::fma(a, b, -p);
  if (p == T(0) && left_of_p == T(0) && a != T(0) && b != T(0)) // even so too small
    return n == c ? of_product : 0;
  // p + c = s + left_of_s exactly, and so on, until the sum has its sign in the first part.
  const T s = p + c, from_c = s - p, left_of_s = (p - (s - from_c)) + (c - from_c);
  const T d = s - n, e = d + left_of_s, from_left = e - d, left_of_e = (d - (e - from_left)) + (left_of_s - from_left);
  const T f = e + left_of_p, from_p = f - e, left_of_f = (e - (f - from_p)) + (left_of_p - from_p);
  return sign(f + (left_of_e + left_of_f));
}

template <mode M, class T> T fma(T a, T b, T c) {
  const T n = sycl::fma(a, b, c);
  if (M == mode::nearest || !is_finite(a) || !is_finite(b) || !is_finite(c))
    return n;
  if (M == mode::down && n == T(0) && side_of_fma(a, b, c, n) == 0) // sums of opposites
    return (is_negative(a) != is_negative(b)) != is_negative(c) ? -T(0) : n;
  return directed<M>(n, side_of_fma(a, b, c, n));
}

template <mode M, class T> T add(T a, T b) {
  const T s = a + b;
  if (M == mode::nearest || !is_finite(a) || !is_finite(b))
    return s;
  if (!is_finite(s))
    return directed<M>(s, is_negative(s) ? 1 : -1);
  if (s == T(0)) // sums that are zero are exact
    return M == mode::down && is_negative(a) != is_negative(b) ? -T(0) : s;
  // What is left of the smaller of two is known exactly.
  const bool swaps = magnitude(a) < magnitude(b);
  const T large = swaps ? b : a, small = swaps ? a : b;
  return directed<M>(s, sign(small - (s - large)));
}

template <mode M, class T> T multiply(T a, T b) {
  const T n = a * b;
  if (M == mode::nearest || !is_finite(a) || !is_finite(b) || a == T(0) || b == T(0))
    return n;
  if (n == T(0))
    return directed<M>(n, is_negative(n) ? -1 : 1);
  return directed<M>(n, side_of_fma(a, b, T(0), n));
}

template <mode M, class T> T divide(T a, T b) {
  const T n = a / b;
  if (M == mode::nearest || !is_finite(a) || !is_finite(b) || a == T(0) || b == T(0))
    return n;
  if (n == T(0))
    return directed<M>(n, is_negative(n) ? -1 : 1);
  if (!is_finite(n))
    return directed<M>(n, is_negative(n) ? 1 : -1);
  // What a - n * b leaves, which has the sign of the difference times b.
  constexpr T scale = format<T>::scale;
  const bool is_small = magnitude(a) < format<T>::small, is_large = magnitude(a) > format<T>::large;
  const T by = is_small ? scale : is_large ? T(1) / scale : T(1);
  const bool moves_n = is_small == (magnitude(n) < magnitude(b));
  const T left = sycl::fma(-scaled(n, by, moves_n), scaled(b, by, !moves_n), a * by);
  return directed<M>(n, is_negative(b) ? -sign(left) : sign(left));
}

/// To nearest; `sycl::sqrt` need not be.
template <class T> T nearest_root(T a) { return sycl::sqrt(a); }
#if defined(__ASPEN_PTX__)
inline float nearest_root(float a) { return __nvvm_sqrt_rn_f(a); }
#endif

template <mode M, class T> T square_root(T a) {
  const T n = nearest_root(a);
  if (M == mode::nearest || !is_finite(a) || !(a > T(0)))
    return n;
  constexpr T scale = format<T>::scale;
  const bool is_small = a < format<T>::small;
  const T root = is_small ? n * scale : n;
  return directed<M>(n, sign(sycl::fma(-root, root, is_small ? a * scale * scale : a)));
}

} // namespace detail::rounding

namespace ext::intel::math {

#define __ASPEN_ROUNDED(letters, T, prefix, fma_name)                                                                                     \
  inline T prefix##add_##letters(T a, T b) { return sycl::detail::rounding::add<__ASPEN_MODE_##letters>(a, b); }                           \
  inline T prefix##sub_##letters(T a, T b) { return sycl::detail::rounding::add<__ASPEN_MODE_##letters>(a, -b); }                          \
  inline T prefix##mul_##letters(T a, T b) { return sycl::detail::rounding::multiply<__ASPEN_MODE_##letters>(a, b); }                      \
  inline T prefix##div_##letters(T a, T b) { return sycl::detail::rounding::divide<__ASPEN_MODE_##letters>(a, b); }                        \
  inline T prefix##rcp_##letters(T a) { return sycl::detail::rounding::divide<__ASPEN_MODE_##letters>(T(1), a); }                          \
  inline T prefix##sqrt_##letters(T a) { return sycl::detail::rounding::square_root<__ASPEN_MODE_##letters>(a); }                          \
  inline T fma_name##_##letters(T a, T b, T c) { return sycl::detail::rounding::fma<__ASPEN_MODE_##letters>(a, b, c); }
#define __ASPEN_MODE_rd sycl::detail::rounding::mode::down
#define __ASPEN_MODE_rn sycl::detail::rounding::mode::nearest
#define __ASPEN_MODE_ru sycl::detail::rounding::mode::up
#define __ASPEN_MODE_rz sycl::detail::rounding::mode::zero
#define __ASPEN_EACH_MODE(each, ...) each(rd, __VA_ARGS__) each(rn, __VA_ARGS__) each(ru, __VA_ARGS__) each(rz, __VA_ARGS__)
__ASPEN_EACH_MODE(__ASPEN_ROUNDED, float, f, fmaf)
__ASPEN_EACH_MODE(__ASPEN_ROUNDED, double, d, fma)
#undef __ASPEN_ROUNDED

} // namespace ext::intel::math

} // namespace sycl
