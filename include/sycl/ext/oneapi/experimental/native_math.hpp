//! `native::tanh`, and `native::exp2` of half: the functions as exact as ever, since no device here has others.
//! Source: sycl_ext_oneapi_native_math.
#pragma once
#include <sycl/marray.hpp>
#include <sycl/math.hpp>
#include <sycl/vec_math.hpp>

#define SYCL_EXT_ONEAPI_NATIVE_MATH 1

namespace sycl::detail {
/// What float and half, and vectors, swizzles and arrays of them, have as elements.
template <class T> struct native_element { using type = T; };
template <class T, int N> struct native_element<vec<T, N>> { using type = T; };
template <class V, int... I> struct native_element<swizzled<V, I...>> { using type = typename swizzled<V, I...>::element_type; };
template <class T, size_t N> struct native_element<marray<T, N>> { using type = T; };
template <class T, class... Of> using if_element = std::enable_if_t<(std::is_same_v<typename native_element<T>::type, Of> || ...), int>;
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental::native {

template <class T, sycl::detail::if_element<T, float, half> = 0> auto tanh(const T &x) { return sycl::tanh(x); }
template <class T, sycl::detail::if_element<T, half> = 0> auto exp2(const T &x) { return sycl::exp2(x); }

} // namespace sycl::ext::oneapi::experimental::native
