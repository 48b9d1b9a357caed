//! sycl::ext::intel::math: arithmetic and conversions in each way of rounding, against the processor's own; whole numbers; half and bfloat16.
//! Exit status 0: all right.
#include "check.hpp"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <sycl/sycl.hpp>
#include <sycl/ext/intel/math.hpp>
#include <vector>

namespace math = sycl::ext::intel::math;

/// Small, large, subnormal, and such that sums cancel.
template <class T> static std::vector<T> numbers() {
  using limits = std::numeric_limits<T>;
  std::vector<T> out{T(0), -T(0), T(1), T(-1), T(3), limits::max(), limits::lowest(), limits::min(), limits::denorm_min(), -limits::denorm_min(), limits::infinity(),
                     T(1) / 3, limits::epsilon(), T(65504), T(65519.5), T(0x1p-24), T(2147483647.0), T(-2147483648.0), T(0x1p63), T(-0x1p63)};
  std::uint64_t state = 1;
  for (int i = 0; i < 30; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    out.push_back(std::ldexp(T(std::int64_t(state) >> 20), i % 3 == 0 ? -40 : i % 3 == 1 ? 0 : limits::min_exponent - 40));
  }
  return out;
}

template <class T> static bool same(T a, T b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0; }
constexpr int modes[] = {FE_DOWNWARD, FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};

/// What the processor makes of it. The operands and the result are volatile, so that it is computed in between.
template <class T, class F> static T processor(int mode, T a, T b, T c, F f) {
  std::fesetround(mode);
  volatile T x = a, y = b, z = c, out = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return out;
}

/// Checks `device` against `host`, for each mode a function.
template <class T, class Host, class... Device> static void arithmetic(sycl::queue &q, const char *what, Host host, Device... device) {
  const std::vector<T> all = numbers<T>();
  const size_t n = all.size(), count = n * n;
  T *const in = sycl::malloc_shared<T>(n, q), *const out = sycl::malloc_shared<T>(4 * count, q);
  std::copy(all.begin(), all.end(), in);
  size_t place = 0;
  ((q.parallel_for(sycl::range<1>(count),
                   [=](sycl::id<1> i) {
                     const T a = in[i / n], b = in[i % n];
                     out[place * count + i] = device(a, b, i % 3 == 0 ? -(a * b) : in[(i / 3) % n]);
                   }).wait(),
    ++place),
   ...);
  int wrong = 0;
  for (size_t m = 0; m < 4; ++m)
    for (size_t i = 0; i < count; ++i) {
      const T a = all[i / n], b = all[i % n], c = i % 3 == 0 ? -(a * b) : all[(i / 3) % n];
      wrong += !same(out[m * count + i], processor(modes[m], a, b, c, host));
    }
  if (wrong)
    std::printf("%s of %zu bytes: %d wrong\n", what, sizeof(T), wrong);
  CHECK(wrong == 0);
  sycl::free(in, q);
  sycl::free(out, q);
}
#define OPERATION(T, expression, name, arguments)                                                                                          \
  arithmetic<T>(                                                                                                                           \
      q, #name, [](T a, T b, T c) { return (void)b, (void)c, expression; }, [](T a, T b, T c) { return (void)b, (void)c, math::name##_rd arguments; },                \
      [](T a, T b, T c) { return (void)b, (void)c, math::name##_rn arguments; }, [](T a, T b, T c) { return (void)b, (void)c, math::name##_ru arguments; },           \
      [](T a, T b, T c) { return (void)b, (void)c, math::name##_rz arguments; })

static void roundings(sycl::queue &q) {
  OPERATION(float, a + b, fadd, (a, b));
  OPERATION(float, a - b, fsub, (a, b));
  OPERATION(float, a * b, fmul, (a, b));
  OPERATION(float, a / b, fdiv, (a, b));
  OPERATION(float, 1 / a, frcp, (a));
  OPERATION(float, std::sqrt(a), fsqrt, (a));
  OPERATION(float, std::fma(a, b, c), fmaf, (a, b, c));
  if (!q.get_device().has(sycl::aspect::fp64))
    return;
  OPERATION(double, a + b, dadd, (a, b));
  OPERATION(double, a - b, dsub, (a, b));
  OPERATION(double, a * b, dmul, (a, b));
  OPERATION(double, a / b, ddiv, (a, b));
  OPERATION(double, 1 / a, drcp, (a));
  OPERATION(double, std::sqrt(a), dsqrt, (a));
  OPERATION(double, std::fma(a, b, c), fma, (a, b, c));
  OPERATION(double, static_cast<float>(a), double2float, (a));
}

/// Conversions that have one argument, on the host, which runs the same code as the devices.
static void conversions() {
  CHECK(math::float2int_rd(-1.5f) == -2 && math::float2int_ru(-1.5f) == -1 && math::float2int_rz(-1.5f) == -1 && math::float2int_rn(2.5f) == 2);
  CHECK(math::float2int_rn(3e9f) == 2147483647 && math::float2uint_rz(-3.0f) == 0 && math::float2ll_rd(-1e30f) == std::numeric_limits<long long>::min());
  CHECK(math::float2int_rn(std::nanf("")) == 0 && math::float2ull_rn(0x1p64f) == ~0ull && math::float2uint_rn(0x1p31f) == 0x80000000u);
  CHECK(math::double2ll_rn(9007199254740993.0) == 9007199254740992 && math::double2int_ru(0.1) == 1);
  const int odd = (1 << 24) + 1;
  CHECK(math::int2float_rd(odd) == 0x1p24f && math::int2float_ru(odd) == 0x1p24f + 2 && math::int2float_rz(-odd) == -0x1p24f && math::int2float_rn(odd) == 0x1p24f);
  CHECK(math::ull2float_rz(~0ull) == 0x1.fffffep63f && math::ull2float_ru(~0ull) == 0x1p64f && math::ll2double_rd((1ll << 53) + 1) == 0x1p53);
  CHECK(math::ll2float_ru(std::numeric_limits<long long>::max()) == 0x1p63f && math::ll2float_rd(std::numeric_limits<long long>::max()) == 0x1.fffffep62f);
  // 1 + 2^-11 lies in the middle of two halves; a double a little beyond it must not become that first.
  CHECK(math::float2half_rn(1 + 0x1p-11f) == sycl::half(1.0f) && math::double2half(1 + 0x1p-11 + 0x1p-50) == sycl::half(1 + 0x1p-10f));
  CHECK(math::float2half_rd(1.0001f) == sycl::half(1.0f) && math::float2half_ru(1.0001f) == sycl::half(1 + 0x1p-10f) && math::float2half_rz(-1.0001f) == sycl::half(-1.0f));
  CHECK(math::half_as_ushort(math::float2half_rz(1e6f)) == 0x7bff && math::half_as_ushort(math::float2half_ru(1e6f)) == 0x7c00);
  CHECK(math::half_as_ushort(math::float2half_ru(1e-30f)) == 1 && math::half_as_ushort(math::float2half_rd(-1e-30f)) == 0x8001);
  CHECK(math::half_as_ushort(math::ll2half_rd(1ll << 40)) == 0x7bff && math::int2half_rd(2049) == sycl::half(2048.0f) && math::int2half_ru(2049) == sycl::half(2050.0f));
  CHECK(math::half2int_rd(sycl::half(-1.5f)) == -2 && math::half2ushort_rn(sycl::half(65504.0f)) == 65504 && math::half2short_rz(sycl::half(65504.0f)) == 32767);
  CHECK(math::bfloat16_as_ushort(math::float2bfloat16_ru(1.001f)) == 0x3f81 && math::bfloat16_as_ushort(math::float2bfloat16_rd(1.001f)) == 0x3f80);
  CHECK(math::bfloat16_as_ushort(math::ull2bfloat16_rz(~0ull)) == 0x5f7f && math::bfloat162int_ru(math::ushort_as_bfloat16(0x3f81)) == 2);
  CHECK(math::bfloat16_as_ushort(math::float2bfloat16(1.005f)) == 0x3f81 && math::bfloat162float(math::short_as_bfloat16(0x4000)) == 2.0f);
  CHECK(math::float_as_uint(1.0f) == 0x3f800000u && math::int_as_float(0x40000000) == 2.0f && math::double_as_longlong(1.0) == 0x3ff0000000000000);
  CHECK(math::hiloint2double(0x3ff80000, 0) == 1.5 && math::double2hiint(1.5) == 0x3ff80000 && math::double2loint(0x1.00000ffffffffp0) == -1);
  CHECK(math::double_as_longlong(math::rcp64h(3.0)) == 0x3fd5555500000000);
}

static void whole_numbers() {
  CHECK(math::brev(1u) == 0x80000000u && math::brevll(2ull) == 0x4000000000000000ull && math::byte_perm(0x01020304, 0x05060708, 0x7531) == 0x05070103u);
  CHECK(math::clz(1) == 31 && math::clzll(-1) == 0 && math::ffs(8) == 4 && math::ffs(0) == 0 && math::ffsll(1ll << 40) == 41 && math::popc(0xf0f0u) == 8 && math::popcll(~0ull) == 64);
  CHECK(math::hadd(-3, -4) == -4 && math::rhadd(-3, -4) == -3 && math::uhadd(~0u, ~0u - 1) == ~0u - 1 && math::urhadd(1u, 2u) == 2);
  CHECK(math::mul24(0x800001, 2) == -16777214 && math::umul24(0xff000003u, 5u) == 15 && math::mulhi(-1, 1) == -1 && math::umulhi(~0u, 2u) == 1);
  CHECK(math::mul64hi(-1, 1) == -1 && math::umul64hi(~0ull, 2) == 1 && math::sad(-3, 4, 10u) == 17 && math::usad(4u, 1u, 10u) == 13);
  CHECK(math::max(-1, 2) == 2 && math::min(-1, 2) == -1 && math::umax(~0u, 1u) == ~0u && math::umin(~0u, 1u) == 1 && math::llmax(-1, 1ll << 40) == 1ll << 40 &&
        math::llmin(-1, 1) == -1 && math::ullmax(~0ull, 1) == ~0ull && math::ullmin(~0ull, 1) == 1);
}

template <class T> static void short_numbers() {
  const T nan(std::nanf("")), one(1.0f), two(2.0f), infinite(std::numeric_limits<float>::infinity());
  CHECK(math::hadd(one, two) == T(3.0f) && math::hsub(one, two) == T(-1.0f) && math::hmul(two, two) == T(4.0f) && math::hdiv(one, two) == T(0.5f));
  CHECK(math::hadd_sat(one, two) == one && math::hsub_sat(one, two) == T(0.0f) && math::hmul_sat(nan, two) == T(0.0f) && math::hfma_sat(one, T(0.25f), T(0.5f)) == T(0.75f));
  CHECK(math::hfma(two, two, one) == T(5.0f) && math::hfma_relu(two, T(-2.0f), one) == T(0.0f) && math::hneg(one) == T(-1.0f) && math::habs(T(-2.0f)) == two);
  CHECK(math::hisnan(nan) && !math::hisnan(infinite) && math::hisinf(infinite) && !math::hisinf(nan) && !math::hisinf(one));
  CHECK(math::heq(one, one) && !math::heq(nan, nan) && math::hequ(nan, nan) && !math::hne(nan, one) && math::hneu(nan, one) && math::hne(one, two));
  CHECK(math::hlt(one, two) && math::hleu(nan, one) && math::hge(two, two) && !math::hgt(one, nan) && math::hgtu(two, one));
  CHECK(math::hmax(nan, one) == one && math::hisnan(math::hmax_nan(nan, one)) && math::hmin(one, two) == one && math::hisnan(math::hmin_nan(one, nan)));
}

static void pairs(sycl::queue &q) {
  if (!q.get_device().has(sycl::aspect::fp16))
    return;
  bool *const right = sycl::malloc_shared<bool>(1, q);
  q.single_task([=] {
     const sycl::half nan(std::numeric_limits<float>::quiet_NaN());
     const sycl::half2 a(1.0f, 2.0f), b(2.0f, 2.0f), c(nan, 2.0f);
     const auto is = [](const sycl::half2 &x, float first, float second) { return x[0] == sycl::half(first) && x[1] == sycl::half(second); };
     *right = is(math::hadd2(a, b), 3, 4) && is(math::h2div(a, b), 0.5f, 1) && is(math::hfma2(a, b, b), 4, 6) && is(math::hneg2(a), -1, -2) &&
              is(math::heq2(a, b), 0, 1) && is(math::hequ2(a, c), 1, 1) && math::hble2(a, b) && !math::hblt2(a, b) && math::hbgeu2(c, b) &&
              is(math::hcmadd(a, b, sycl::half2(0.0f, 1.0f)), -2, 7) && is(math::hmax2(c, b), 2, 2) && is(math::hisnan2(c), 1, 0) &&
              is(math::inv(b), 0.5f, 0.5f);
   }).wait();
  CHECK(*right);
  sycl::free(right, q);
}

int main() {
  sycl::queue q;
  roundings(q);
  conversions();
  whole_numbers();
  short_numbers<sycl::half>();
  short_numbers<math::bfloat16>();
  pairs(q);
  CHECK(math::saturate(2.0f) == 1.0f && math::saturate(std::nanf("")) == 0.0f && math::inv(4.0f) == 0.25f && std::fabs(math::cdfnorm(0.0) - 0.5) < 1e-15);
  return failures != 0;
}
