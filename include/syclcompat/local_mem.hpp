//! `local_mem<T>()`: memory of the work-group that each call has for itself. Source: SYCLcompat's README, "Local Memory".
#pragma once
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <type_traits>

namespace syclcompat {

namespace detail {
#if __cplusplus < 202002L
namespace {
/// Calls are told apart by counting those of a type as the compiler comes to them: whoever takes a number defines `taken` for it, and the
/// next one sees that. A macro with __COUNTER__ would not do: programs name parameters `local_mem`. Units count for themselves.
template <class T, int N> struct call_number {
  friend constexpr auto taken(call_number<T, N>);
};
template <class T, int N> struct take_number {
  friend constexpr auto taken(call_number<T, N>) { return N; }
};
template <class T, int N, class = decltype(taken(call_number<T, N>{}))> constexpr int is_taken(int) { return 1; }
template <class T, int N> constexpr int is_taken(...) { return 0; }
} // namespace
#define __ASPEN_FOUR(T, N)                                                                                                                \
  detail::is_taken<T, N>(0) + detail::is_taken<T, N + 1>(0) + detail::is_taken<T, N + 2>(0) + detail::is_taken<T, N + 3>(0)
#define __ASPEN_SIXTEEN(T, N) __ASPEN_FOUR(T, N) + __ASPEN_FOUR(T, N + 4) + __ASPEN_FOUR(T, N + 8) + __ASPEN_FOUR(T, N + 12)
inline constexpr int most_calls = 64;
#endif
} // namespace detail

/// For all of a work-group the same memory, whose content is not defined; its first element's address for an array. What comes to the same
/// call again gets the same memory; instances of a template have their own. Before C++20 a file has at most 64 calls with the same type.
#if __cplusplus >= 202002L
template <class T, class Site = decltype([] {})> __ASPEN_OF_EACH_CALLER auto *local_mem() {
#else
// The sum is written out here because it has to be done again for each call.
template <class T,
          int N = __ASPEN_SIXTEEN(T, 0) + __ASPEN_SIXTEEN(T, 16) + __ASPEN_SIXTEEN(T, 32) + __ASPEN_SIXTEEN(T, 48),
          class = std::enable_if_t<sizeof(detail::take_number<T, N>) != 0>>
__ASPEN_OF_EACH_CALLER auto *local_mem() {
  static_assert(N < detail::most_calls, "local_mem: before C++20 a file has at most 64 calls with the same type");
  using Site = detail::call_number<T, N>;
#undef __ASPEN_SIXTEEN
#undef __ASPEN_FOUR
#endif
  static_assert(std::is_trivially_destructible_v<T>, "local_mem: nothing ends the object");
  if constexpr (std::is_array_v<T>)
    return *sycl::detail::memory_of_call<T, Site>();
  else
    return sycl::detail::memory_of_call<T, Site>();
}

} // namespace syclcompat
