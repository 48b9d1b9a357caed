//! `dot_acc`: the dot product of four bytes and four bytes, and a sum. Source: sycl_ext_oneapi_dot_accumulate.
#pragma once
#include <cstdint>
#include <type_traits>

#define SYCL_EXT_ONEAPI_DOT_ACCUMULATE 1

#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__) && __SYCL_CUDA_ARCH__ >= 610
#define __ASPEN_DOT_INSTRUCTION 1
namespace sycl::detail {
/// Four products and their sum by one instruction.
template <bool SignedA, bool SignedB> inline std::int32_t dot_by_instruction(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  std::int32_t sum;
  if constexpr (SignedA && SignedB)
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  else if constexpr (SignedA)
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  else if constexpr (SignedB)
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  else
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}
} // namespace sycl::detail
#endif

namespace sycl::ext::oneapi {

/// `a` and `b` hold four signed or unsigned bytes each, as their types are.
template <class A, class B, class C>
constexpr std::enable_if_t<sizeof(A) == 4 && sizeof(B) == 4 && std::is_integral_v<A> && std::is_integral_v<B>, std::int32_t> dot_acc(A a, B b, C c) {
  std::int32_t sum = static_cast<std::int32_t>(c);
#if defined(__ASPEN_DOT_INSTRUCTION)
  if (!__builtin_is_constant_evaluated())
    return sycl::detail::dot_by_instruction<std::is_signed_v<A>, std::is_signed_v<B>>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), sum);
#endif
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
#if defined(__ASPEN_DOT_INSTRUCTION)
  if constexpr (sizeof(V) == 4 && sizeof(W) == 4)
    return sycl::detail::dot_by_instruction<std::is_signed_v<typename V::element_type>, std::is_signed_v<typename W::element_type>>(
        __builtin_bit_cast(std::uint32_t, a), __builtin_bit_cast(std::uint32_t, b), sum);
#endif
  for (int i = 0; i < 4; ++i)
    sum += std::int32_t(a[i]) * std::int32_t(b[i]);
  return sum;
}

} // namespace sycl::ext::oneapi

#undef __ASPEN_DOT_INSTRUCTION
