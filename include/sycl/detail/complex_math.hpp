//! Functions of complex numbers, by SYCL's functions of real ones, so that every device has them. Special values are those of C, Annex G.
//!
//! Branch cuts, and how to come near them, after W. Kahan, "Branch Cuts for Complex Elementary Functions, or Much Ado About Nothing's Sign
//! Bit" (1987). Source: ISO C 23 §7.3 and Annex G, which ISO C++ §29.4 refers to.
#pragma once
#include <limits>
#include <sycl/math.hpp>

namespace sycl::detail::cx {

/// A complex number of float or double, which has no operators of its own.
template <class T> struct number {
  T re, im;
};

template <class T> inline constexpr T pi = static_cast<T>(3.14159265358979323846264338327950288L);
template <class T> inline constexpr T ln2 = static_cast<T>(0.693147180559945309417232121458176568L);
template <class T> inline constexpr T infinity = __builtin_huge_valf();
/// Beyond it squares overflow.
template <class T> inline constexpr T large = sizeof(T) == 4 ? static_cast<T>(1e18) : static_cast<T>(1e150);

/// Sums of two that are beyond it overflow.
template <class T> inline constexpr T large_sum = std::numeric_limits<T>::max() / 2;

template <class T> bool is_nan(T x) { return x != x; }
template <class T> bool is_infinite(T x) { return sycl::fabs(x) == infinity<T>; }
template <class T> bool is_finite(T x) { return x - x == 0; }
template <class T> T one_or_zero(T x) { return sycl::copysign(is_infinite(x) ? T(1) : T(0), x); }
template <class T> T zero_if_nan(T x) { return is_nan(x) ? sycl::copysign(T(0), x) : x; }

template <class T> number<T> times_i(number<T> z) { return {-z.im, z.re}; }
template <class T> number<T> over_i(number<T> z) { return {z.im, -z.re}; }

template <class T> number<T> multiply(number<T> a, number<T> b) {
  const number<T> out = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  if (!is_nan(out.re) || !is_nan(out.im))
    return out;
  // What became of infinities.
  const bool a_far = is_infinite(a.re) || is_infinite(a.im), b_far = is_infinite(b.re) || is_infinite(b.im);
  const bool overflowed = is_infinite(a.re * b.re) || is_infinite(a.im * b.im) || is_infinite(a.re * b.im) || is_infinite(a.im * b.re);
  if (!a_far && !b_far && !overflowed)
    return out;
  if (a_far)
    a = {one_or_zero(a.re), one_or_zero(a.im)};
  if (b_far)
    b = {one_or_zero(b.re), one_or_zero(b.im)};
  a = {zero_if_nan(a.re), zero_if_nan(a.im)};
  b = {zero_if_nan(b.re), zero_if_nan(b.im)};
  return {infinity<T> * (a.re * b.re - a.im * b.im), infinity<T> * (a.re * b.im + a.im * b.re)};
}

template <class T> number<T> divide(number<T> a, number<T> b) {
  // By the larger part (Smith, "Algorithm 116", 1962), chosen before anything is divided, so that all go one way. Sums of what is near the
  // greatest number are made of quarters, ratios of what is near the least of multiples.
  constexpr T least = std::numeric_limits<T>::min(), enough = 2 / std::numeric_limits<T>::epsilon(), more = enough * enough;
  const bool across = !(sycl::fabs(b.re) >= sycl::fabs(b.im));
  const T size_a = sycl::fmax(sycl::fabs(a.re), sycl::fabs(a.im)), size_b = sycl::fabs(across ? b.im : b.re);
  const T of_a = size_a >= large_sum<T> ? T(0.25) : size_a <= least * enough ? more : T(1);
  const T of_b = size_b >= large_sum<T> ? T(0.25) : size_b <= least * enough ? more : T(1);
  const T by = (across ? b.im : b.re) * of_b, other = (across ? b.re : b.im) * of_b, ratio = other / by, down = by + other * ratio;
  const T first = (across ? a.im : a.re) * of_a, second = (across ? a.re : a.im) * of_a;
  const T im = across ? first * ratio - second : second - first * ratio, up = of_b / of_a;
  number<T> out = {(first + second * ratio) / down * up, im / down * up};
  if (!is_nan(out.re) || !is_nan(out.im))
    return out;
  if (b.re == 0 && b.im == 0 && (!is_nan(a.re) || !is_nan(a.im)))
    return {sycl::copysign(infinity<T>, b.re) * a.re, sycl::copysign(infinity<T>, b.re) * a.im};
  if ((is_infinite(a.re) || is_infinite(a.im)) && is_finite(b.re) && is_finite(b.im)) {
    a = {one_or_zero(a.re), one_or_zero(a.im)};
    return {infinity<T> * (a.re * b.re + a.im * b.im), infinity<T> * (a.im * b.re - a.re * b.im)};
  }
  if ((is_infinite(b.re) || is_infinite(b.im)) && is_finite(a.re) && is_finite(a.im)) {
    a = {a.re / 2, a.im / 2};
    b = {one_or_zero(b.re), one_or_zero(b.im)};
    return {T(0) * (a.re * b.re + a.im * b.im), T(0) * (a.im * b.re - a.re * b.im)};
  }
  return out;
}

template <class T> T magnitude(number<T> z) {
  return is_infinite(z.re) || is_infinite(z.im) ? infinity<T> : sycl::hypot(z.re, z.im);
}
template <class T> T phase(number<T> z) { return sycl::atan2(z.im, z.re); }

template <class T> number<T> project(number<T> z) {
  return is_infinite(z.re) || is_infinite(z.im) ? number<T>{infinity<T>, sycl::copysign(T(0), z.im)} : z;
}

template <class T> number<T> polar(T length, T angle) {
  if (angle == 0)
    return {length, length * angle};
  return {length * sycl::cos(angle), length * sycl::sin(angle)};
}

template <class T> number<T> exponential(number<T> z) {
  if (z.im == 0)
    return {sycl::exp(z.re), z.im};
  if (is_infinite(z.re) && !is_finite(z.im))
    return z.re < 0 ? number<T>{0, sycl::copysign(T(0), z.im)} : number<T>{z.re, z.im - z.im};
  // In two steps, where the first alone would overflow.
  const T half = sycl::exp(z.re / 2);
  return sycl::fabs(z.re) < 80 ? polar(sycl::exp(z.re), z.im) : number<T>{half * sycl::cos(z.im) * half, half * sycl::sin(z.im) * half};
}

template <class T> number<T> logarithm(number<T> z) {
  const T x = sycl::fabs(z.re), y = sycl::fabs(z.im), larger = sycl::fmax(x, y), smaller = sycl::fmin(x, y);
  if (x < 2 && y < 2 && larger > T(0.5)) // near 1, where the logarithm of the magnitude has no digits left
    return {sycl::log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2, phase(z)};
  return {sycl::log(magnitude(z)), phase(z)};
}

template <class T> number<T> square_root(number<T> z) {
  if (is_infinite(z.im))
    return {infinity<T>, z.im};
  if (is_nan(z.re))
    return {z.re, z.re};
  if (is_infinite(z.re))
    return z.re > 0 ? number<T>{z.re, is_nan(z.im) ? z.im : sycl::copysign(T(0), z.im)}
                    : number<T>{is_nan(z.im) ? z.im : T(0), sycl::copysign(infinity<T>, z.im)};
  if (z.re == 0 && z.im == 0)
    return {0, z.im};
  T scale = 1;
  const T size = sycl::fmax(sycl::fabs(z.re), sycl::fabs(z.im));
  if (size > large<T>) {
    z = {z.re / 16, z.im / 16};
    scale = 4;
  } else if (size < 1 / large<T>) {
    constexpr T up = sizeof(T) == 4 ? static_cast<T>(0x1p60) : static_cast<T>(0x1p600);
    constexpr T down = sizeof(T) == 4 ? static_cast<T>(0x1p-30) : static_cast<T>(0x1p-300);
    z = {z.re * up, z.im * up};
    scale = down;
  }
  const T root = sycl::sqrt((sycl::fabs(z.re) + sycl::hypot(z.re, z.im)) / 2);
  if (z.re >= 0)
    return {scale * root, scale * (z.im / (2 * root))};
  return {scale * (sycl::fabs(z.im) / (2 * root)), scale * sycl::copysign(root, z.im)};
}

template <class T> number<T> hyperbolic_sine(number<T> z) {
  if (z.im == 0)
    return {sycl::sinh(z.re), z.im};
  if (!is_finite(z.im) && (z.re == 0 || is_infinite(z.re)))
    return {z.re, z.im - z.im};
  if (sycl::fabs(z.re) < 80)
    return {sycl::sinh(z.re) * sycl::cos(z.im), sycl::cosh(z.re) * sycl::sin(z.im)};
  const T half = sycl::exp(sycl::fabs(z.re) / 2); // cosh and sinh are half of its square
  return {half / 2 * sycl::copysign(T(1), z.re) * sycl::cos(z.im) * half, half / 2 * sycl::sin(z.im) * half};
}

template <class T> number<T> hyperbolic_cosine(number<T> z) {
  if (z.im == 0)
    return {sycl::cosh(z.re), sycl::copysign(T(0), z.re) * z.im};
  if (!is_finite(z.im) && (z.re == 0 || is_infinite(z.re)))
    return z.re == 0 ? number<T>{z.im - z.im, z.re} : number<T>{infinity<T>, z.im - z.im};
  if (sycl::fabs(z.re) < 80)
    return {sycl::cosh(z.re) * sycl::cos(z.im), sycl::sinh(z.re) * sycl::sin(z.im)};
  const T half = sycl::exp(sycl::fabs(z.re) / 2);
  return {half / 2 * sycl::cos(z.im) * half, half / 2 * sycl::copysign(T(1), z.re) * sycl::sin(z.im) * half};
}

template <class T> number<T> hyperbolic_tangent(number<T> z) {
  if (z.im == 0)
    return {sycl::tanh(z.re), z.im};
  if (sycl::fabs(z.re) > 25) { // as far as a double has digits
    if (is_infinite(z.re) && !is_finite(z.im))
      return {sycl::copysign(T(1), z.re), sycl::copysign(T(0), z.im)};
    if (is_finite(z.im))
      return {sycl::copysign(T(1), z.re), 4 * sycl::sin(z.im) * sycl::cos(z.im) * sycl::exp(-2 * sycl::fabs(z.re))};
  }
  if (!is_finite(z.im))
    return {z.re == 0 ? z.re : z.im - z.im, z.im - z.im};
  const T t = sycl::tan(z.im), beta = 1 + t * t, s = sycl::sinh(z.re), rho = sycl::sqrt(1 + s * s), down = 1 + beta * s * s;
  return {beta * rho * s / down, t / down};
}

template <class T> bool is_far(number<T> z) { return !(sycl::fabs(z.re) < large<T> && sycl::fabs(z.im) < large<T>); }
/// The logarithm of twice the magnitude of what is far.
template <class T> T far_logarithm(number<T> z) {
  return is_infinite(z.re) || is_infinite(z.im) ? infinity<T> : sycl::log(sycl::hypot(z.re / 4, z.im / 4)) + 3 * ln2<T>;
}

template <class T> number<T> arc_cosine(number<T> z) {
  if (is_far(z) && !(z.im == 0 && is_nan(z.re)) && !(z.re == 0 && is_nan(z.im)))
    return {sycl::atan2(sycl::fabs(z.im), z.re), -sycl::copysign(far_logarithm(z), z.im)};
  if (z.re == 0 && is_nan(z.im))
    return {pi<T> / 2, z.im};
  const number<T> below = square_root<T>({1 - z.re, -z.im}), above = square_root<T>({1 + z.re, z.im});
  return {2 * sycl::atan2(below.re, above.re), sycl::asinh(above.re * below.im - above.im * below.re)};
}

template <class T> number<T> inverse_hyperbolic_sine(number<T> z) {
  if (is_far(z)) {
    if (z.im == 0 && is_nan(z.re))
      return z;
    return {sycl::copysign(far_logarithm(z), z.re), is_nan(z.im) ? z.im : sycl::copysign(sycl::atan2(sycl::fabs(z.im), sycl::fabs(z.re)), z.im)};
  }
  // i times the arc sine of z / i, whose real part is z.im.
  const number<T> below = square_root<T>({1 - z.im, z.re}), above = square_root<T>({1 + z.im, -z.re});
  return {sycl::asinh(above.re * below.im - above.im * below.re), sycl::atan2(z.im, above.re * below.re - above.im * below.im)};
}

template <class T> number<T> arc_sine(number<T> z) { return over_i(inverse_hyperbolic_sine(times_i(z))); }

template <class T> number<T> inverse_hyperbolic_cosine(number<T> z) {
  if (is_far(z))
    return {far_logarithm(z), z.re == 0 && is_nan(z.im) ? pi<T> / 2 : phase(z)};
  const number<T> below = square_root<T>({z.re - 1, z.im}), above = square_root<T>({z.re + 1, z.im});
  return {sycl::asinh(below.re * above.re + below.im * above.im), 2 * sycl::atan2(below.im, above.re)};
}

template <class T> number<T> inverse_hyperbolic_tangent(number<T> z) {
  if (is_far(z)) {
    if (is_nan(z.re) && !is_infinite(z.im))
      return {z.re, z.re};
    if (is_nan(z.im) && !is_infinite(z.re))
      return {z.re == 0 ? z.re : z.im, z.im};
    const T size = magnitude(z);
    return {is_infinite(size) ? sycl::copysign(T(0), z.re) : z.re / size / size, is_nan(z.im) ? z.im : sycl::copysign(pi<T> / 2, z.im)};
  }
  const T x = sycl::fabs(z.re), re = sycl::log1p(4 * x / ((1 - x) * (1 - x) + z.im * z.im)) / 4;
  return {sycl::copysign(re, z.re), z.im == 0 && x <= 1 ? z.im : sycl::atan2(2 * z.im, (1 - x) * (1 + x) - z.im * z.im) / 2};
}

template <class T> number<T> arc_tangent(number<T> z) { return over_i(inverse_hyperbolic_tangent(times_i(z))); }
template <class T> number<T> sine(number<T> z) { return over_i(hyperbolic_sine(times_i(z))); }
template <class T> number<T> cosine(number<T> z) { return hyperbolic_cosine(times_i(z)); }
template <class T> number<T> tangent(number<T> z) { return over_i(hyperbolic_tangent(times_i(z))); }

template <class T> number<T> power(number<T> base, number<T> exponent) {
  if (base.re == 0 && base.im == 0 && exponent.re > 0)
    return {0, 0};
  if (exponent.re == 0 && exponent.im == 0)
    return {1, 0};
  return exponential(multiply(exponent, logarithm(base)));
}

} // namespace sycl::detail::cx
