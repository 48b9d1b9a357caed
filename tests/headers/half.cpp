//! half: a 16-bit number that mixes with all others.
#include <sycl/half.hpp>

using sycl::half;
static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivially_copyable_v<half>);
static_assert(std::is_same_v<half, sycl::detail::half_impl::half>);
static_assert(std::is_convertible_v<float, half> && std::is_convertible_v<int, half> && std::is_convertible_v<half, float>);
static_assert(std::is_same_v<decltype(half() + half()), half> && std::is_same_v<decltype(half() * 1.0f), float>);
static_assert(std::is_same_v<decltype(half() + 1), half> && std::is_same_v<decltype(1.0 / half()), double>);
static_assert(half(1.5f) + half(2.0f) == half(3.5f) && half(3.0f) > 2 && 2 < half(3.0f) && half(0.1f) != 0.1f && -half(1.0f) == -1);
static_assert(half(2049.0f) == half(2048.0f), "11 bits");
static_assert(std::numeric_limits<half>::is_specialized && std::numeric_limits<half>::digits == 11);
static_assert(std::numeric_limits<half>::max() == 65504.0f && std::numeric_limits<half>::epsilon() == 0.0009765625f);

SYCL_EXTERNAL half computes(half a, float b) {
  a += half(b);
  a *= 2;
  ++a;
  return a / half(3) - b;
}
