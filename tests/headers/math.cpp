//! Mathematical functions: types of results, values of the constant ones.
#include <sycl/math.hpp>

static_assert(std::is_same_v<decltype(sycl::sqrt(1.0f)), float> && std::is_same_v<decltype(sycl::sqrt(1.0)), double>);
static_assert(std::is_same_v<decltype(sycl::sqrt(sycl::half(1.0f))), sycl::half>);
static_assert(sycl::min(1, 2) == 1 && sycl::max(1.0f, 2.0f) == 2.0f && sycl::clamp(5, 1, 3) == 3 && sycl::abs(-3) == 3);
static_assert(sycl::abs_diff(-2, 3) == 5 && sycl::rotate(0x80000001u, 1u) == 3u && sycl::popcount(7) == 3 && sycl::clz(short(1)) == 15);
static_assert(sycl::ctz(8) == 3 && sycl::hadd(3u, 4u) == 3u && sycl::rhadd(3u, 4u) == 4u && sycl::mul24(3, 4) == 12);

SYCL_EXTERNAL float floats(float a, float b, float c) {
  int n = 0;
  float whole = 0;
  return sycl::sin(a) + sycl::pow(a, b) + sycl::fma(a, b, c) + sycl::rsqrt(a) + sycl::exp10(a) + sycl::sinpi(a) + sycl::mix(a, b, c) +
         sycl::smoothstep(a, b, c) + sycl::ldexp(a, 2) + sycl::pown(a, 2) + sycl::rootn(a, 3) + sycl::frexp(a, &n) + sycl::modf(a, &whole) +
         sycl::fract(a, &whole) + sycl::native::cos(a) + sycl::half_precision::exp(a) + static_cast<float>(sycl::isnan(a)) +
         static_cast<float>(sycl::mul_hi(3L, 4L));
}
SYCL_EXTERNAL sycl::half halves(sycl::half a, sycl::half b) { return sycl::fmax(sycl::exp(a), sycl::max(a, b)); }
