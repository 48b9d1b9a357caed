//! `dot_acc`: the dot product of four bytes and four bytes, and a sum. Source: sycl_ext_oneapi_dot_accumulate.
#pragma once
#include <cstdint>
#include <type_traits>

#define SYCL_EXT_ONEAPI_DOT_ACCUMULATE 1

namespace sycl::ext::oneapi {

/// `a` and `b` hold four signed or unsigned bytes each, as their types are.
template <class A, class B, class C>
constexpr std::enable_if_t<sizeof(A) == 4 && sizeof(B) == 4 && std::is_integral_v<A> && std::is_integral_v<B>, std::int32_t> dot_acc(A a, B b, C c) {
  std::int32_t sum = static_cast<std::int32_t>(c);
  for (int shift = 0; shift < 32; shift += 8) {
    const std::int32_t x = static_cast<std::conditional_t<std::is_signed_v<A>, std::int8_t, std::uint8_t>>(a >> shift);
    const std::int32_t y = static_cast<std::conditional_t<std::is_signed_v<B>, std::int8_t, std::uint8_t>>(b >> shift);
    sum += x * y;
  }
  return sum;
}
/// The same of vectors of four bytes.
template <class V, class W, class C, std::enable_if_t<sizeof(typename V::element_type) == 1 && sizeof(typename W::element_type) == 1, int> = 0>
std::int32_t dot_acc(V a, W b, C c) {
  std::int32_t sum = static_cast<std::int32_t>(c);
  for (int i = 0; i < 4; ++i)
    sum += std::int32_t(a[i]) * std::int32_t(b[i]);
  return sum;
}

} // namespace sycl::ext::oneapi
