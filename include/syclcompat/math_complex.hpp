//! Complex numbers as vectors of two: the real part first. Source: SYCLcompat's README, "Math Functions".
#pragma once
#include <sycl/marray.hpp>
#include <sycl/math.hpp>
#include <sycl/vec.hpp>

namespace syclcompat {

template <class T> inline sycl::vec<T, 2> cmul(sycl::vec<T, 2> x, sycl::vec<T, 2> y) {
  return {T(x[0] * y[0] - x[1] * y[1]), T(x[0] * y[1] + x[1] * y[0])};
}
/// The quotient, without an overflow that it does not have itself.
template <class T> inline sycl::vec<T, 2> cdiv(sycl::vec<T, 2> x, sycl::vec<T, 2> y) {
  const T a = x[0], b = x[1], c = y[0], d = y[1];
  if (sycl::fabs(c) >= sycl::fabs(d)) {
    const T ratio = d / c, by = c + d * ratio;
    return {T((a + b * ratio) / by), T((b - a * ratio) / by)};
  }
  const T ratio = c / d, by = c * ratio + d;
  return {T((a * ratio + b) / by), T((b * ratio - a) / by)};
}
template <class T> inline T cabs(sycl::vec<T, 2> x) { return sycl::hypot(T(x[0]), T(x[1])); }
template <class T> inline sycl::vec<T, 2> conj(sycl::vec<T, 2> x) { return {T(x[0]), T(-x[1])}; }

/// `a * b + c`.
template <class T> inline sycl::vec<T, 2> cmul_add(const sycl::vec<T, 2> a, const sycl::vec<T, 2> b, const sycl::vec<T, 2> c) {
  return {T(a[0] * b[0] - a[1] * b[1] + c[0]), T(a[0] * b[1] + a[1] * b[0] + c[1])};
}
template <class T> inline sycl::marray<T, 2> cmul_add(const sycl::marray<T, 2> a, const sycl::marray<T, 2> b, const sycl::marray<T, 2> c) {
  return {T(a[0] * b[0] - a[1] * b[1] + c[0]), T(a[0] * b[1] + a[1] * b[0] + c[1])};
}

} // namespace syclcompat
