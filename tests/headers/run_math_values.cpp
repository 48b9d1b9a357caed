//! Mathematical functions at special values, on a device and the host, and vectors of them beside their elements.
//! Values: SYCL 2020 §4.17.5 to §4.17.9, OpenCL C 3.0 §7.5.1. Exit status 0: all right.
#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>

using sycl::half;
constexpr float inf = INFINITY, none = NAN;

/// Numbers that the compiler does not know: `one` is 1.
struct unknown {
  float one;
  float f(double x) const { return static_cast<float>(x) * one; }
  int i(int x) const { return x * static_cast<int>(one); }
  template <class T> T n(T x) const { return static_cast<T>(x * static_cast<T>(one)); }
};

// What a call gives. -0 is not 0 here, and all that is no number is alike.
#define MATH(X)                                                                                                                           \
  X(0, sinpi(u.f(1)))                                                                                                                      \
  X(-0.0, sinpi(u.f(-1)))                                                                                                                  \
  X(-0.0, sinpi(u.f(-0.0)))                                                                                                                \
  X(0, sinpi(u.f(3)))                                                                                                                      \
  X(1, sinpi(u.f(0.5)))                                                                                                                    \
  X(-1, sinpi(u.f(-2.5)))                                                                                                                  \
  X(0, sinpi(u.f(1e30)))                                                                                                                   \
  X(none, sinpi(u.f(inf)))                                                                                                                 \
  X(0, cospi(u.f(0.5)))                                                                                                                    \
  X(0, cospi(u.f(-1.5)))                                                                                                                   \
  X(-1, cospi(u.f(3)))                                                                                                                     \
  X(1, cospi(u.f(1e30)))                                                                                                                   \
  X(-1, cospi(u.f(16777215)))                                                                                                              \
  X(inf, tanpi(u.f(0.5)))                                                                                                                  \
  X(-inf, tanpi(u.f(1.5)))                                                                                                                 \
  X(0, tanpi(u.f(2)))                                                                                                                      \
  X(-0.0, tanpi(u.f(-0.0)))                                                                                                                \
  X(none, powr(u.f(-2), u.f(2)))                                                                                                           \
  X(8, powr(u.f(2), u.f(3)))                                                                                                               \
  X(0, powr(u.f(-0.0), u.f(3)))                                                                                                            \
  X(inf, powr(u.f(0), u.f(-3)))                                                                                                            \
  X(none, powr(u.f(0), u.f(0)))                                                                                                            \
  X(none, powr(u.f(inf), u.f(0)))                                                                                                          \
  X(none, powr(u.f(1), u.f(inf)))                                                                                                          \
  X(1, powr(u.f(1), u.f(7)))                                                                                                               \
  X(none, powr(u.f(3), u.f(none)))                                                                                                         \
  X(-1, pown(u.f(-1), u.i(16777217)))                                                                                                      \
  X(1, pown(u.f(-1), u.i(16777218)))                                                                                                       \
  X(-1, pown(u.f(-1), u.i(-2147483647)))                                                                                                   \
  X(-8, pown(u.f(-2), u.i(3)))                                                                                                             \
  X(-inf, pown(u.f(-0.0), u.i(-3)))                                                                                                        \
  X(1, pown(u.f(none), u.i(0)))                                                                                                            \
  X(-0.0, rootn(u.f(-0.0), u.i(3)))                                                                                                        \
  X(-inf, rootn(u.f(-0.0), u.i(-3)))                                                                                                       \
  X(0, rootn(u.f(-0.0), u.i(2)))                                                                                                           \
  X(-2, rootn(u.f(-8), u.i(3)))                                                                                                            \
  X(none, rootn(u.f(-8), u.i(2)))                                                                                                          \
  X(none, rootn(u.f(3), u.i(0)))                                                                                                           \
  X(0x1.fffffep-1, fract(u.f(-1e-30), &whole))                                                                                             \
  X(-0.0, fract(u.f(-0.0), &whole))                                                                                                        \
  X(2.75, fract(u.f(2.75), &whole) + whole)                                                                                                \
  X(0, fract(u.f(inf), &whole))                                                                                                            \
  X(-20.75, modf(u.f(-2.75), &whole) + 10 * whole)                                                                                         \
  X(4.75, frexp(u.f(12), &number) + number)                                                                                                \
  X(-22, remquo(u.f(300), u.f(-2), &number) + number)                                                                                      \
  X(-1, lgamma_r(u.f(-0.5), &number) * 0 + number)                                                                                         \
  X(1, lgamma_r(u.f(-1.5), &number) * 0 + number)                                                                                          \
  X(1, sincos(u.f(0), &whole) + whole)                                                                                                     \
  X(-3, maxmag(u.f(-3), u.f(2)))                                                                                                           \
  X(2, minmag(u.f(-3), u.f(2)))                                                                                                            \
  X(0, fdim(u.f(1), u.f(3)))                                                                                                               \
  X(1, isnan(sycl::nan(static_cast<unsigned>(u.i(5)))))                                                                                    \
  X(3, ilogb(u.f(10)))                                                                                                                     \
  X(12, ldexp(u.f(0.75), u.i(4)))
#define COMMON(X)                                                                                                                         \
  X(-1, sign(u.f(-3)))                                                                                                                     \
  X(-0.0, sign(u.f(-0.0)))                                                                                                                 \
  X(0, sign(u.f(none)))                                                                                                                    \
  X(1, step(u.f(2), u.f(2)))                                                                                                               \
  X(0.5, smoothstep(u.f(0), u.f(2), u.f(1)))                                                                                               \
  X(2.5, mix(u.f(2), u.f(4), u.f(0.25)))                                                                                                   \
  X(2, clamp(u.f(5), u.f(0), u.f(2)))                                                                                                      \
  X(0, degrees(u.f(0)))                                                                                                                    \
  X(0, step(sycl::float2(1, 3), u.f(2))[1])                                                                                                \
  X(1, step(u.f(2), sycl::float2(1, 3))[1])                                                                                                \
  X(1, smoothstep(u.f(0), u.f(2), sycl::float2(1, 3))[1])                                                                                  \
  X(3, mix(sycl::float2(0, 1), sycl::float2(4, 5), u.f(0.5))[1])                                                                           \
  X(2, max((sycl::marray<float, 3>(1, 2, 3)), u.f(2))[0])
#define INTEGER(X)                                                                                                                        \
  X(7, abs(u.i(-7)))                                                                                                                       \
  X(10, abs_diff(u.i(-7), u.i(3)))                                                                                                         \
  X(247, abs_diff(u.n<unsigned char>(3), u.n<unsigned char>(250)))                                                                         \
  X(127, add_sat(u.n<signed char>(100), u.n<signed char>(100)))                                                                            \
  X(0, sub_sat(u.n<unsigned>(1), u.n<unsigned>(2)))                                                                                        \
  X(-4, hadd(u.i(-3), u.i(-4)))                                                                                                            \
  X(-3, rhadd(u.i(-3), u.i(-4)))                                                                                                           \
  X(15, clz(u.n<short>(1)))                                                                                                                \
  X(8, ctz(u.n<signed char>(0)))                                                                                                           \
  X(8, popcount(u.n<signed char>(-1)))                                                                                                     \
  X(5, mad_hi(u.i(1 << 30), u.i(8), u.i(3)))                                                                                               \
  X(-1, mul_hi(u.n<long>(-1), u.n<long>(5)))                                                                                               \
  X(-128, mad_sat(u.n<signed char>(-100), u.n<signed char>(2), u.n<signed char>(1)))                                                       \
  X(1, mad_sat(u.n<long>(1L << 62), u.n<long>(-2), u.n<long>(-1)) == INT64_MIN)                                                            \
  X(1, mad_sat(u.n<long>(1L << 62), u.n<long>(2), u.n<long>(-1)) == INT64_MAX)                                                             \
  X(1, mad_sat(u.n<long>(1L << 62), u.n<long>(2), u.n<long>(5)) == INT64_MAX)                                                              \
  X(5, mad_sat(u.n<long>(-3), u.n<long>(5), u.n<long>(20)))                                                                                \
  X(1, mad_sat(~u.n(0ul), u.n(1ul), u.n(1ul)) == ~0ul)                                                                                     \
  X(16, mad_sat(u.n(3ul), u.n(5ul), u.n(1ul)))                                                                                             \
  X(5, rotate(u.n<short>(0x4001), u.n<short>(2)))                                                                                          \
  X(-254, upsample(u.n<signed char>(-1), u.n<unsigned char>(2)))                                                                           \
  X(-15, mul24(u.i(-3), u.i(5)))                                                                                                           \
  X(-14, mad24(u.i(-3), u.i(5), u.i(1)))                                                                                                   \
  X(15, bitselect(u.n(0xF0u), u.n(0x0Fu), u.n(0xFFu)))                                                                                     \
  X(4, max<int, int>(u.i(3), u.i(4)))                                                                                                      \
  X(3, clamp<sycl::int2>(sycl::int2(u.i(5), 1), 2, 3)[0])
#define GEOMETRIC(X)                                                                                                                      \
  X(12, dot(u.f(3), u.f(4)))                                                                                                               \
  X(32, dot(sycl::float3(1, 2, u.f(3)), sycl::float3(4, 5, 6)))                                                                            \
  X(3, length(u.f(-3)))                                                                                                                    \
  X(5, length(sycl::marray<float, 2>(3, u.f(4))))                                                                                          \
  X(5, distance(sycl::float2(1, u.f(1)), sycl::float2(4, 5)))                                                                              \
  X(-1, normalize(u.f(-3)))                                                                                                                \
  X(0, normalize(sycl::float2(0, u.f(0)))[1])                                                                                              \
  X(1, cross(sycl::float4(1, 0, 0, 9), sycl::float4(0, u.f(1), 0, 9))[2])                                                                  \
  X(0, cross(sycl::float4(1, 0, 0, 9), sycl::float4(0, u.f(1), 0, 9))[3])                                                                  \
  X(5, fast_length(sycl::float2(3, u.f(4))))                                                                                               \
  X(4, fast_distance(u.f(3), u.f(-1)))                                                                                                     \
  X(1, fast_normalize(sycl::float4(0, 0, u.f(2), 0))[2])
#define RELATIONAL(X)                                                                                                                     \
  X(0, isnormal(u.f(0)))                                                                                                                   \
  X(1, signbit(u.f(-0.0)))                                                                                                                 \
  X(0, islessgreater(u.f(none), u.f(1)))                                                                                                   \
  X(1, isnotequal(u.f(none), u.f(none)))                                                                                                   \
  X(-1, isunordered(sycl::float2(none, 1), sycl::float2(1, u.f(1)))[0])                                                                    \
  X(0, isunordered(sycl::float2(none, 1), sycl::float2(1, u.f(1)))[1])                                                                     \
  X(1, isgreaterequal(sycl::marray<float, 2>(3, 1), u.f(2))[0])                                                                            \
  X(1, any(sycl::int2(1, u.i(-1))))                                                                                                        \
  X(0, all(sycl::int2(1, u.i(-1))))                                                                                                        \
  X(0, any(u.i(1)))                                                                                                                        \
  X(1, all(u.n<short>(-5)))                                                                                                                \
  X(1, any(sycl::marray<bool, 2>(false, true)))                                                                                            \
  X(2, select(u.f(1), u.f(2), u.i(1) == 1))                                                                                                \
  X(3, select(sycl::float2(1, 2), sycl::float2(3, 4), sycl::int2(u.i(-1), 1))[0])                                                          \
  X(2, select(sycl::float2(1, 2), sycl::float2(3, 4), sycl::int2(u.i(-1), 1))[1])                                                          \
  X(4, select(sycl::marray<int, 2>(1, 2), sycl::marray<int, 2>(3, 4), sycl::marray<bool, 2>(false, true))[1])
#define QUICK(X)                                                                                                                          \
  X(2, native::sqrt(u.f(4)))                                                                                                               \
  X(0.25, native::recip(sycl::float2(u.f(4), 1))[0])                                                                                       \
  X(2, half_precision::sqrt(sycl::marray<float, 2>(u.f(4), 1))[0])                                                                         \
  X(2, half_precision::divide(u.f(4), u.f(2)))                                                                                             \
  X(1, half_precision::cos(u.f(0)))

#define ALL(X) MATH(X) COMMON(X) INTEGER(X) GEOMETRIC(X) RELATIONAL(X) QUICK(X)
#define HALF(X)                                                                                                                           \
  X(1.0009765625, nextafter(half(u.f(1)), half(2.0f)))                                                                                     \
  X(0.99951171875, nextafter(half(u.f(1)), half(0.0f)))                                                                                    \
  X(-0.99951171875, nextafter(half(u.f(-1)), half(0.0f)))                                                                                  \
  X(2, nextafter(half(u.f(2)), half(2.0f)))                                                                                                \
  X(inf, nextafter(half(u.f(65504)), half(inf)))                                                                                           \
  X(none, nextafter(half(u.f(none)), half(1.0f)))                                                                                          \
  X(1, isnormal(half(u.f(0x1p-14))))                                                                                                       \
  X(0, isnormal(half(u.f(0x1p-15))))                                                                                                       \
  X(0, isnormal(half(u.f(inf))))                                                                                                           \
  X(0x1.ffcp-1, fract(half(u.f(-1e-4)), &small))                                                                                           \
  X(-2, rootn(half(u.f(-8)), u.i(3)))                                                                                                      \
  X(4.75, frexp(half(u.f(12)), &number) + half(static_cast<float>(number)))                                                                \
  X(-11, remquo(half(u.f(29)), half(-3.0f), &number) + half(static_cast<float>(number)))                                                   \
  X(-1, lgamma_r(half(u.f(-0.5)), &number) * half(0.0f) + half(static_cast<float>(number)))                                                \
  X(1.0009765625, fma(half(u.f(3)), half(u.f(0.33349609375)), half(u.f(0x1p-24))))                                                         \
  X(0.0888671875, smoothstep(half(u.f(0.3991507449)), half(u.f(0.7130365772)), half(u.f(0.4567896435))))                                   \
  X(0, sinpi(half(u.f(3))))                                                                                                                \
  X(3, abs_diff(sycl::marray<int, 2>(1, 2), sycl::marray<int, 2>(3, 5))[1])                                                                \
  X(5, length(sycl::half2(3, half(u.f(4)))))                                                                                               \
  X(1, isnan(sycl::nan(static_cast<std::uint16_t>(u.i(5)))))

#define NAMED(value, ...) {#__VA_ARGS__, value},
struct expectation {
  const char *call;
  double value;
};
constexpr expectation of_all[] = {ALL(NAMED)}, of_half[] = {HALF(NAMED)};
constexpr int all_count = std::size(of_all), half_count = std::size(of_half);

#define STORED(value, ...) *r++ = static_cast<float>(sycl::__VA_ARGS__);
static void compute(unknown u, float *r) {
  int number = 0;
  float whole = 0;
  ALL(STORED)
}
static void compute_half(unknown u, float *r) {
  int number = 0;
  half small = 0.0f;
  HALF(STORED)
}

static int failures = 0;
static bool alike(float a, double b) {
  return std::isnan(b) ? std::isnan(a) : static_cast<double>(a) == b && std::signbit(a) == std::signbit(b);
}
template <int N> void compare(const char *where, const expectation (&expected)[N], const float *results) {
  for (int i = 0; i < N; ++i)
    if (!alike(results[i], expected[i].value)) {
      std::printf("%s: %s is %a, not %a\n", where, expected[i].call, static_cast<double>(results[i]), expected[i].value);
      ++failures;
    }
}
using computing = void(unknown, float *);
template <int N> void check(sycl::queue &q, bool device_can, const expectation (&expected)[N], computing *on_host, float *shared) {
  on_host({shared[N]}, shared);
  compare("host", expected, shared);
  if (device_can) {
    q.single_task([=] {
      if constexpr (N == all_count)
        compute({shared[N]}, shared);
      else
        compute_half({shared[N]}, shared);
    }).wait();
    compare("device", expected, shared);
  }
}

// Of vectors, element by element the same as of their elements.
#define ONE(X)                                                                                                                            \
  X(acos) X(acosh) X(acospi) X(asin) X(asinh) X(asinpi) X(atan) X(atanh) X(atanpi) X(cbrt) X(ceil) X(cos) X(cosh) X(cospi) X(erf) X(erfc)  \
  X(exp) X(exp2) X(exp10) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log2) X(log10) X(log1p) X(logb) X(rint) X(round) X(rsqrt) X(sin)    \
  X(sinh) X(sinpi) X(sqrt) X(tan) X(tanh) X(tanpi) X(tgamma) X(trunc) X(degrees) X(radians) X(sign)
#define TWO(X)                                                                                                                            \
  X(atan2) X(atan2pi) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(maxmag) X(minmag) X(nextafter) X(pow) X(powr) X(remainder)    \
  X(min) X(max) X(step)
#define THREE(X) X(fma) X(mad) X(mix) X(smoothstep) X(clamp) X(bitselect)

template <class T> bool equal(T a, T b) { return sycl::isequal(a, b) || (sycl::isnan(a) && sycl::isnan(b)); }
template <class V, class F> bool by_element(F function, const V &a) {
  const V b = a * a, c = a + a;
  const auto out = function(a, b, c);
  bool same = std::is_same_v<decltype(out), const V>;
  for (std::size_t i = 0; i < V::size(); ++i)
    same &= equal(out[i], function(a[i], b[i], c[i]));
  return same;
}
template <class T, class F> void all_shapes(const char *name, F function) {
  sycl::vec<T, 4> v(T(0.25f), T(0.5f), T(0.75f), T(1.5f));
  const sycl::vec<T, 3> reversed = v.template swizzle<2, 1, 0>();
  const sycl::marray<T, 5> m(T(0.5f), T(1), T(2), T(3), T(4));
  const bool same = by_element(function, v) && by_element(function, sycl::vec<T, 1>(T(0.5f))) && by_element(function, reversed) &&
                    by_element(function, sycl::vec<T, 16>(v, v, v, v)) && by_element(function, m);
  const auto s = v.template swizzle<3, 1>();
  const sycl::vec<T, 2> w = s;
  const auto from_swizzle = function(s, s, w);
  static_assert(std::is_same_v<decltype(from_swizzle), const sycl::vec<T, 2>>);
  if (!same || !equal(from_swizzle[1], function(w[1], w[1], w[1]))) {
    std::printf("%s of vectors of %zu bytes\n", name, sizeof(T));
    ++failures;
  }
}
template <class T> void shapes() {
#define OF_ONE(name) all_shapes<T>(#name, [](const auto &a, const auto &, const auto &) { return sycl::name(a); });
#define OF_TWO(name) all_shapes<T>(#name, [](const auto &a, const auto &b, const auto &) { return sycl::name(a, b); });
#define OF_THREE(name) all_shapes<T>(#name, [](const auto &a, const auto &b, const auto &c) { return sycl::name(a, b, c); });
  ONE(OF_ONE)
  TWO(OF_TWO)
  THREE(OF_THREE)
}

int main() {
  sycl::queue q;
  float *shared = sycl::malloc_shared<float>(all_count + 1, q);
  shared[all_count] = shared[half_count] = 1;
  check(q, true, of_all, compute, shared);
  shared[half_count] = 1;
  check(q, q.get_device().has(sycl::aspect::fp16), of_half, compute_half, shared);
  shapes<float>();
  shapes<double>();
  shapes<half>();
  sycl::free(shared, q);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
