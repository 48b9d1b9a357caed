//! Mathematical functions on vectors, swizzles and marray, beside numbers, with second results, and unqualified ones beside the C library's.
//! Exit status 0: all right.
#include "check.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>

static_assert(std::is_same_v<decltype(sycl::sin(sycl::float4())), sycl::float4>);
static_assert(std::is_same_v<decltype(sycl::sin(std::declval<sycl::float4 &>().swizzle<0, 1>())), sycl::float2>);
static_assert(std::is_same_v<decltype(sycl::sin(sycl::marray<double, 3>())), sycl::marray<double, 3>>);
static_assert(std::is_same_v<decltype(sycl::isnan(sycl::double2())), sycl::vec<std::int64_t, 2>>);
static_assert(std::is_same_v<decltype(sycl::isnan(sycl::half2())), sycl::vec<std::int16_t, 2>>);
static_assert(std::is_same_v<decltype(sycl::isnan(sycl::marray<float, 2>())), sycl::marray<bool, 2>>);
static_assert(std::is_same_v<decltype(sycl::abs_diff(sycl::int2(), sycl::int2())), sycl::int2>);
static_assert(std::is_same_v<decltype(sycl::upsample(sycl::vec<std::int8_t, 2>(), sycl::vec<std::uint8_t, 2>())), sycl::vec<std::int16_t, 2>>);
static_assert(std::is_same_v<decltype(sycl::nan(1u)), float> && std::is_same_v<decltype(sycl::nan(std::uint64_t(1))), double>);
static_assert(std::is_same_v<decltype(sycl::length(sycl::half3())), sycl::half> && std::is_same_v<decltype(sycl::dot(1.0f, 2.0f)), float>);

// What has one element is a number beside what has more, wherever it stands; other sizes do not go together, and that may be asked.
using one_element = sycl::vec<float, 1>;
template <class... A> auto maximum_of(const A &...a) -> decltype(sycl::fmax(a...));
template <class... A> auto clamped(const A &...a) -> decltype(sycl::clamp(a...));
template <class... A> auto is_greater(const A &...a) -> decltype(sycl::isgreater(a...));
static_assert(std::is_same_v<decltype(maximum_of(sycl::float4(), one_element())), sycl::float4>);
static_assert(std::is_same_v<decltype(maximum_of(sycl::marray<float, 3>(), sycl::marray<float, 1>())), sycl::marray<float, 3>>);
static_assert(std::is_same_v<decltype(sycl::step(one_element(), sycl::float4())), sycl::float4>);
static_assert(std::is_same_v<decltype(maximum_of(one_element(), one_element())), one_element>);
static_assert(std::is_same_v<decltype(is_greater(sycl::float2(), one_element())), sycl::int2>);
template <class A, class B, class = void> constexpr bool go_together = false;
template <class A, class B>
constexpr bool go_together<A, B, std::void_t<decltype(maximum_of(A(), B())), decltype(is_greater(A(), B())), decltype(clamped(A(), B(), B()))>> = true;
static_assert(go_together<sycl::float4, sycl::float4> && go_together<sycl::float4, float> && go_together<sycl::float4, one_element>);
static_assert(!go_together<sycl::float4, sycl::float3> && !go_together<sycl::float2, sycl::float4>);

constexpr int results = 40;

/// The same for a device and the host.
static void compute(float *r) {
  float *const begin = r;
  sycl::float4 v{1, -2, 3.5f, 4};
  const sycl::float4 w{0.5f, 2, -3, 1};
  *r++ = sycl::fdim(v, w)[3];
  *r++ = sycl::fmax(v, 2)[0], *r++ = sycl::max(v.swizzle<1, 0>(), w.swizzle<1, 1>())[1];
  *r++ = sycl::pown(v, 3)[1], *r++ = sycl::ldexp(v, sycl::int4{1, 2, 3, 4})[3], *r++ = sycl::clamp(v, -1.0f, 1.0f)[2];
  *r++ = sycl::native::sqrt(v * v)[1], *r++ = sycl::native::divide(v, w)[0], *r++ = sycl::half_precision::exp2(w)[1];
  sycl::float4 whole, cosine;
  sycl::int4 exponent;
  *r++ = sycl::modf(v, &whole)[2], *r++ = whole[2], *r++ = sycl::fract(v, &whole)[1], *r++ = whole[1];
  *r++ = sycl::frexp(v, &exponent)[3], *r++ = static_cast<float>(exponent[3]);
  *r++ = sycl::sincos(v * 0.0f, &cosine)[0], *r++ = cosine[1];
  float one;
  *r++ = sycl::modf(2.25f, sycl::address_space_cast<sycl::access::address_space::private_space, sycl::access::decorated::no>(&one)), *r++ = one;
  int quotient;
  *r++ = sycl::remquo(29.0f, -3.0f, &quotient), *r++ = static_cast<float>(quotient);
  *r++ = static_cast<float>(sycl::isgreater(v, w)[0]), *r++ = static_cast<float>(sycl::isless(sycl::marray<float, 2>(1, 2), 2.0f)[1]);
  *r++ = sycl::any(sycl::isgreater(v, w)), *r++ = sycl::all(sycl::isgreater(v, w));
  *r++ = sycl::select(v, w, sycl::isgreater(v, w))[0], *r++ = sycl::select(v, w, sycl::isgreater(v, w))[1];
  *r++ = sycl::dot(v, w), *r++ = sycl::length(v.swizzle<0, 1>()), *r++ = sycl::cross(v, w)[2], *r++ = sycl::cross(v, w)[3];
  *r++ = sycl::normalize(sycl::float2(3, 4))[1], *r++ = sycl::fast_distance(3.0f, -1.0f);
  *r++ = static_cast<float>(sycl::mad_sat(sycl::int2(1 << 30, -5), 4, 1)[0]), *r++ = static_cast<float>(sycl::mad_sat(~0ul, ~0ul, 1ul));
  *r++ = static_cast<float>(sycl::mul_hi(sycl::uint2(~0u, 1), ~0u)[0]), *r++ = static_cast<float>(sycl::upsample(std::uint8_t(3), std::uint8_t(7)));
  *r++ = static_cast<float>(sycl::bitselect(0xF0F0u, 0xFFFFu, 0x0FFFu)), *r++ = sycl::isnan(sycl::nan(5u));
  if (r - begin != results - 1)
    *begin = -1000;
  {
    // The C library's are there, too.
    using namespace sycl;
    const double d = 2;
    const float f = 4;
    *r = static_cast<float>(sqrt(d * d) + sqrt(f) + fabs(-d) + floor(2.5) + pow(d, 2.0) + exp(0.0) + isnan(d));
  }
}

/// Whole numbers of numbers that they do not hold: the nearest, 0 of what is no number, and each element for itself. `one` is 1.
template <class T> static bool converted(T one) {
  using sycl::rounding_mode;
  const sycl::vec<T, 4> v(one * T(-3), T(INFINITY) * one, one * T(NAN), one * T(2.5));
  const sycl::vec<T, 4> wide(one * T(-60000), one * T(60000), -T(INFINITY) * one, one * T(-0.5));
  const auto same = [](const auto &a, auto... e) { return sycl::all((a == std::decay_t<decltype(a)>(e...)) != 0) != 0; };
  return same(v.template convert<int, rounding_mode::rtz>(), -3, INT32_MAX, 0, 2) && same(v.template convert<unsigned>(), 0, UINT32_MAX, 0, 2) &&
         same(v.template convert<std::int64_t, rounding_mode::rtp>(), -3, INT64_MAX, 0, 3) &&
         same(v.template convert<std::uint64_t, rounding_mode::rtn>(), 0, UINT64_MAX, 0, 2) &&
         same(wide.template convert<std::int16_t>(), INT16_MIN, INT16_MAX, INT16_MIN, 0) &&
         same(wide.template convert<std::uint8_t, rounding_mode::rtz>(), 0, UINT8_MAX, 0, 0) &&
         same(wide.template convert<int>(), -60000, 60000, INT32_MIN, 0);
}

int main() {
  sycl::queue q;
  float *device = sycl::malloc_shared<float>(results, q), host[results];
  q.single_task([=] { compute(device); }).wait();
  compute(host);
  const float expected[results] = {
      3,  2,  2, -8, 64, 1,    2,  2,   4,           0.5f, 3, 0,    -2, 0.5f,          3,                       0,             1,   0.25f, 2, -1,
      -10, -1, 0, 1,  0,  0.5f, -2, -10, 2.23606798f, 3,    0, 0.8f, 4,  2147483648.0f, 18446744073709551615.0f, 4294967294.0f, 775, 65535, 1, 13,
  };
  for (int i = 0; i < results; ++i)
    if (device[i] != host[i] || host[i] != expected[i]) {
      std::printf("%d: %g on the device, %g on the host, %g expected\n", i, device[i], host[i], expected[i]);
      ++failures;
    }
  bool *right = sycl::malloc_shared<bool>(3, q);
  q.single_task([=] {
    const float one = device[23]; // unknown to the compiler
    right[0] = converted(one), right[1] = converted<double>(one), right[2] = converted<sycl::half>(one);
  }).wait();
  const volatile float one = 1;
  const float unknown = one;
  CHECK(device[23] == 1 && right[0] && right[1] && right[2]);
  CHECK(converted(unknown));
  CHECK(converted<double>(unknown));
  CHECK(converted<sycl::half>(unknown));
  // Native functions of an extension.
  q.single_task([=] {
    namespace native = sycl::ext::oneapi::experimental::native;
    sycl::float2 two(0.5f, 1);
    device[0] = native::tanh(0.5f);
    device[1] = native::tanh(two)[0];
    device[2] = native::tanh(two.swizzle<1, 0>())[1];
    device[3] = native::tanh(sycl::marray<sycl::half, 3>(sycl::half(0.5f)))[2];
    device[4] = native::exp2(sycl::half(3)) + native::exp2(sycl::half2(1, 2))[1];
  }).wait();
  static_assert(SYCL_EXT_ONEAPI_NATIVE_MATH >= 1 && std::is_same_v<decltype(sycl::ext::oneapi::experimental::native::exp2(sycl::half())), sycl::half>);
  CHECK(device[0] > 0.46f && device[0] < 0.4625f && device[1] == device[0] && device[2] == device[0]);
  CHECK(std::fabs(device[3] - device[0]) < 0.001f && device[4] == 12);
  // A closure is laid out the same for all passes, whatever vectors it has.
  const sycl::vec<int, 1> first(1);
  const sycl::float2 second(1, 2);
  const sycl::vec<double, 3> third(3);
  const std::pair<sycl::half4, sycl::vec<std::int8_t, 16>> others{sycl::half4(4), sycl::vec<std::int8_t, 16>(5)};
  q.single_task([=] { device[0] = first[0] + second[1] + static_cast<float>(third[2]) + others.first[3] + others.second[15]; }).wait();
  CHECK(device[0] == 15);
  CHECK(sycl::isinf(sycl::half(INFINITY)) && !sycl::isnormal(sycl::half(0x1p-15f)) && sycl::isnormal(sycl::half(0x1p-14f)));
  CHECK(sycl::fmax(sycl::float4(1, 2, 3, 4), one_element(2.5f))[1] == 2.5f && sycl::ldexp(sycl::float2(1, 2), sycl::vec<int, 1>(3))[1] == 16);
  CHECK(sycl::mix(sycl::float4(1), sycl::float4(3), sycl::float4(0.5f).swizzle<2>())[3] == 2);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
