//! `sycl::bit_cast`: the bytes of one type as another. Source: SYCL 2020 "bit_cast".
#pragma once
#include <type_traits>

namespace sycl {

template <class To, class From> constexpr To bit_cast(const From &from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "sycl::bit_cast needs types of the same size");
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>, "sycl::bit_cast needs trivially copyable types");
  return __builtin_bit_cast(To, from);
}

} // namespace sycl
