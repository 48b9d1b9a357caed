//! Any bitwise function of three operands. Source: sycl_ext_oneapi_ternary_bitwise.
#pragma once
#include <cstdint>
#include <sycl/marray.hpp>
#include <sycl/vec.hpp>
#include <type_traits>

#define SYCL_EXT_ONEAPI_TERNARY_BITWISE 1

namespace sycl {

namespace detail {
template <class T> inline constexpr bool is_whole_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;
/// A whole number, or a vector or array of them.
template <class T> inline constexpr bool is_geninteger = is_whole_number<T>;
template <class T, int N> inline constexpr bool is_geninteger<vec<T, N>> = is_whole_number<T>;
template <class T, size_t N> inline constexpr bool is_geninteger<marray<T, N>> = is_whole_number<T>;
} // namespace detail

namespace ext::oneapi::experimental {
/// In each bit the one of `LUTIndex` whose number the operands' bits make, that of `a` the lowest.
template <std::uint8_t LUTIndex, class T, std::enable_if_t<sycl::detail::is_geninteger<T>, int> = 0>
constexpr T ternary_bitwise(T a, T b, T c) {
  T out = T(0);
  for (int i = 0; i < 8; ++i)
    if (LUTIndex >> i & 1)
      out = static_cast<T>(out | ((i & 1 ? a : static_cast<T>(~a)) & (i & 2 ? b : static_cast<T>(~b)) & (i & 4 ? c : static_cast<T>(~c))));
  return out;
}
} // namespace ext::oneapi::experimental
} // namespace sycl
