//! Mathematical functions on vec, element by element, and the geometric ones. Source: SYCL 2020 §4.17.5 to §4.17.8.
#pragma once
#include <sycl/math.hpp>
#include <sycl/vec.hpp>

namespace sycl {

#define __ASPEN_VEC_1(name)                                                                                                               \
  template <class T, int N> vec<T, N> name(const vec<T, N> &a) {                                                                           \
    return a.each([](const T &x) { return sycl::name(x); });                                                                               \
  }
#define __ASPEN_VEC_2(name)                                                                                                               \
  template <class T, int N> vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b) {                                                       \
    vec<T, N> out;                                                                                                                         \
    for (int i = 0; i < N; ++i)                                                                                                            \
      out[i] = sycl::name(a[i], b[i]);                                                                                                     \
    return out;                                                                                                                            \
  }
#define __ASPEN_VEC_3(name)                                                                                                               \
  template <class T, int N> vec<T, N> name(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) {                                   \
    vec<T, N> out;                                                                                                                         \
    for (int i = 0; i < N; ++i)                                                                                                            \
      out[i] = sycl::name(a[i], b[i], c[i]);                                                                                               \
    return out;                                                                                                                            \
  }
__ASPEN_VEC_1(abs)
__ASPEN_VEC_1(acos)
__ASPEN_VEC_1(asin)
__ASPEN_VEC_1(atan)
__ASPEN_VEC_1(cbrt)
__ASPEN_VEC_1(ceil)
__ASPEN_VEC_1(cos)
__ASPEN_VEC_1(cosh)
__ASPEN_VEC_1(degrees)
__ASPEN_VEC_1(erf)
__ASPEN_VEC_1(exp)
__ASPEN_VEC_1(exp2)
__ASPEN_VEC_1(exp10)
__ASPEN_VEC_1(fabs)
__ASPEN_VEC_1(floor)
__ASPEN_VEC_1(log)
__ASPEN_VEC_1(log2)
__ASPEN_VEC_1(log10)
__ASPEN_VEC_1(radians)
__ASPEN_VEC_1(rint)
__ASPEN_VEC_1(round)
__ASPEN_VEC_1(rsqrt)
__ASPEN_VEC_1(sign)
__ASPEN_VEC_1(sin)
__ASPEN_VEC_1(sinh)
__ASPEN_VEC_1(sqrt)
__ASPEN_VEC_1(tan)
__ASPEN_VEC_1(tanh)
__ASPEN_VEC_1(trunc)
__ASPEN_VEC_1(popcount)
__ASPEN_VEC_1(clz)
__ASPEN_VEC_1(ctz)
__ASPEN_VEC_2(atan2)
__ASPEN_VEC_2(copysign)
__ASPEN_VEC_2(fmax)
__ASPEN_VEC_2(fmin)
__ASPEN_VEC_2(fmod)
__ASPEN_VEC_2(hypot)
__ASPEN_VEC_2(max)
__ASPEN_VEC_2(min)
__ASPEN_VEC_2(pow)
__ASPEN_VEC_2(step)
__ASPEN_VEC_2(mul_hi)
__ASPEN_VEC_2(rotate)
__ASPEN_VEC_3(clamp)
__ASPEN_VEC_3(fma)
__ASPEN_VEC_3(mad)
__ASPEN_VEC_3(mix)
__ASPEN_VEC_3(smoothstep)
#undef __ASPEN_VEC_1
#undef __ASPEN_VEC_2
#undef __ASPEN_VEC_3
template <class T, int N> vec<T, N> min(const vec<T, N> &a, T b) { return min(a, vec<T, N>(b)); }
template <class T, int N> vec<T, N> max(const vec<T, N> &a, T b) { return max(a, vec<T, N>(b)); }
template <class T, int N> vec<T, N> clamp(const vec<T, N> &a, T low, T high) { return clamp(a, vec<T, N>(low), vec<T, N>(high)); }

template <class T, int N> T dot(const vec<T, N> &a, const vec<T, N> &b) {
  T sum = static_cast<T>(a[0] * b[0]);
  for (int i = 1; i < N; ++i)
    sum = static_cast<T>(sum + a[i] * b[i]);
  return sum;
}
template <class T, int N> T length(const vec<T, N> &a) { return sycl::sqrt(dot(a, a)); }
template <class T, int N> T distance(const vec<T, N> &a, const vec<T, N> &b) { return length(a - b); }
template <class T, int N> vec<T, N> normalize(const vec<T, N> &a) {
  const T size = length(a);
  return size == T(0) ? a : a / size;
}
template <class T> vec<T, 3> cross(const vec<T, 3> &a, const vec<T, 3> &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

} // namespace sycl
