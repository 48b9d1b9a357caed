//! The functions of bfloat16 for `vec` and swizzles of them, element by element; those of numbers and `marray` are beside the type.
//! Source: sycl_ext_oneapi_bfloat16_math_functions.
#pragma once
#include <cstdint>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/vec.hpp>
#include <type_traits>

namespace sycl::detail {

/// How many elements a vector or swizzle of bfloat16 has; 0 for all else.
template <class V> inline constexpr int bfloat16_elements = 0;
template <int N> inline constexpr int bfloat16_elements<vec<ext::oneapi::bfloat16, N>> = N;
template <class V, int... I>
inline constexpr int bfloat16_elements<swizzled<V, I...>> =
    std::is_same_v<typename swizzled<V, I...>::element_type, ext::oneapi::bfloat16> ? static_cast<int>(sizeof...(I)) : 0;

template <class R, int N, class F, class... V> vec<R, N> for_bfloat16_elements(F of, const V &...v) {
  using given = vec<ext::oneapi::bfloat16, N>;
  vec<R, N> out;
  for (int i = 0; i < N; ++i)
    out[i] = of(static_cast<given>(v)[i]...);
  return out;
}

} // namespace sycl::detail

namespace sycl::ext::oneapi {

/// -1 where an element is no number, else 0.
template <class V, int N = sycl::detail::bfloat16_elements<V>, std::enable_if_t<(N > 0), int> = 0> vec<std::int16_t, N> isnan(const V &a) {
  return sycl::detail::for_bfloat16_elements<std::int16_t, N>([](bfloat16 x) { return static_cast<std::int16_t>(isnan(x) ? -1 : 0); }, a);
}

#define __ASPEN_BFLOAT16_MATH(name)                                                                                                       \
  template <class V, int N = sycl::detail::bfloat16_elements<V>, std::enable_if_t<(N > 0), int> = 0> vec<bfloat16, N> name(const V &a) {               \
    return sycl::detail::for_bfloat16_elements<bfloat16, N>([](bfloat16 x) { return name(x); }, a);                                                       \
  }
__ASPEN_BFLOAT16_MATH(fabs)
__ASPEN_BFLOAT16_MATH(ceil)
__ASPEN_BFLOAT16_MATH(floor)
__ASPEN_BFLOAT16_MATH(cos)
__ASPEN_BFLOAT16_MATH(sin)
__ASPEN_BFLOAT16_MATH(exp)
__ASPEN_BFLOAT16_MATH(exp2)
__ASPEN_BFLOAT16_MATH(exp10)
__ASPEN_BFLOAT16_MATH(log)
__ASPEN_BFLOAT16_MATH(log2)
__ASPEN_BFLOAT16_MATH(log10)
__ASPEN_BFLOAT16_MATH(rint)
__ASPEN_BFLOAT16_MATH(rsqrt)
__ASPEN_BFLOAT16_MATH(sqrt)
__ASPEN_BFLOAT16_MATH(tanh)
__ASPEN_BFLOAT16_MATH(trunc)
#undef __ASPEN_BFLOAT16_MATH
#define __ASPEN_BFLOAT16_MATH(name)                                                                                                       \
  template <class V, class W, int N = sycl::detail::bfloat16_elements<V>,                                                                  \
            std::enable_if_t<(N > 0) && sycl::detail::bfloat16_elements<W> == N, int> = 0>                                                 \
  vec<bfloat16, N> name(const V &a, const W &b) {                                                                                          \
    return sycl::detail::for_bfloat16_elements<bfloat16, N>([](bfloat16 x, bfloat16 y) { return name(x, y); }, a, b);                                     \
  }
__ASPEN_BFLOAT16_MATH(fmin)
__ASPEN_BFLOAT16_MATH(fmax)
#undef __ASPEN_BFLOAT16_MATH
template <class V, class W, class X, int N = sycl::detail::bfloat16_elements<V>,
          std::enable_if_t<(N > 0) && sycl::detail::bfloat16_elements<W> == N && sycl::detail::bfloat16_elements<X> == N, int> = 0>
vec<bfloat16, N> fma(const V &a, const W &b, const X &c) {
  return sycl::detail::for_bfloat16_elements<bfloat16, N>([](bfloat16 x, bfloat16 y, bfloat16 z) { return fma(x, y, z); }, a, b, c);
}

#define __ASPEN_USE(name) using oneapi::name;
namespace experimental {
__ASPEN_BFLOAT16_FUNCTIONS(__ASPEN_USE)
} // namespace experimental
#undef __ASPEN_USE
} // namespace sycl::ext::oneapi
