//! Runs SYCLcompat's mathematics in a kernel and compares with what its document and PTX's say, or with a plain computation.
//! Exit status 0: all right.
#include "check.hpp"

#include <complex>
#include <cstdio>
#include <limits>
#include <syclcompat.hpp>
#include <sycl/sycl.hpp>

namespace {

namespace sc = syclcompat;
using s32 = std::int32_t;
using u32 = std::uint32_t;

/// The line of the last check that failed.
struct checks {
  int *line;
  void operator()(bool holds, int at = __builtin_LINE()) const {
    if (!holds)
      *line = at;
  }
};
using sycl::ext::oneapi::bfloat16;
template <class A, class B> constexpr bool in_bfloat16 = std::is_same_v<std::common_type_t<A, B>, bfloat16>;
static_assert(in_bfloat16<bfloat16, bfloat16> && in_bfloat16<bfloat16, float> && in_bfloat16<int, bfloat16> && in_bfloat16<double, bfloat16>);

constexpr s32 most = std::numeric_limits<s32>::max(), least = std::numeric_limits<s32>::min();
constexpr u32 all_ones = ~0u;

void whole(checks check) {
  check(sc::extend_add<s32>(3, -4) == -1 && sc::extend_add_sat<s32>(most, 1) == most && sc::extend_add_sat<s32>(all_ones, least) == most);
  check(sc::extend_add_sat<u32>(all_ones, 7u) == all_ones && sc::extend_add<u32>(all_ones, 7u) == 6 && sc::extend_add_sat<u32>(-3, 2) == 0);
  check(sc::extend_add_sat<s32>(5, -20, 6, sycl::plus<>()) == -9 && sc::extend_add<s32>(5, 6, 4, sycl::minimum<>()) == 4);
  check(sc::extend_sub_sat<s32>(9, least) == most && sc::extend_sub_sat<u32>(3u, 4u) == 0 && sc::extend_sub<u32>(3u, 4u) == all_ones);
  check(sc::extend_absdiff<u32>(least, most) == all_ones && sc::extend_absdiff_sat<s32>(least, most) == most);
  check(sc::extend_min_sat<s32>(all_ones, 2) == 2 && sc::extend_min_sat<u32>(9, -1) == 0 && sc::extend_max_sat<s32>(all_ones, 1) == most);
  check(sc::extend_compare(-1, 1u, std::less<>()) == 1 && sc::extend_compare(all_ones, -1, std::equal_to<>()) == 0);
  check(sc::extend_shl_clamp<s32>(1, 40) == 0 && sc::extend_shl_wrap<s32>(1, 33) == 2 && sc::extend_shl_clamp_sat<s32>(3, 31) == most);
  check(sc::extend_shr_clamp<s32>(-8, 40) == -1 && sc::extend_shr_wrap<u32>(0x80u, 36) == 8);
}

/// Each family against the same operation on the parts one by one.
template <int Count, class R, class A, class B, class Got, class F> bool agrees(A a, B b, bool saturates, Got got, F operation) {
  constexpr int bits = 32 / Count;
  const auto part = [](auto x, int i) {
    const u32 low = (u32(x) >> (i * bits)) & ((1u << bits) - 1);
    return std::is_signed_v<decltype(x)> && (low >> (bits - 1)) ? int(low) - (1 << bits) : int(low);
  };
  const int low = std::is_signed_v<R> ? -(1 << (bits - 1)) : 0, high = std::is_signed_v<R> ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  u32 expected = 0;
  for (int i = 0; i < Count; ++i) {
    int one = operation(part(a, i), part(b, i));
    if (saturates)
      one = one < low ? low : one > high ? high : one;
    expected |= (u32(one) & ((1u << bits) - 1)) << (i * bits);
  }
  return u32(got) == expected;
}
template <class R, class A, class B> void in_parts(checks check, A a, B b) {
  const auto add = [](int x, int y) { return x + y; };
  const auto sub = [](int x, int y) { return x - y; };
  const auto absdiff = [](int x, int y) { return x < y ? y - x : x - y; };
  const auto min = [](int x, int y) { return x < y ? x : y; };
  const auto max = [](int x, int y) { return x < y ? y : x; };
  const auto avrg = [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; };
#define FAMILY(name)                                                                                                                      \
  check(agrees<2, R>(a, b, false, sc::extend_v##name##2 < R > (a, b, R(5)), name));                                                        \
  check(agrees<2, R>(a, b, true, sc::extend_v##name##2_sat<R>(a, b, R(5)), name));                                                         \
  check(agrees<4, R>(a, b, false, sc::extend_v##name##4 < R > (a, b, R(5)), name));                                                        \
  check(agrees<4, R>(a, b, true, sc::extend_v##name##4_sat<R>(a, b, R(5)), name));
  FAMILY(add)
  FAMILY(sub)
  FAMILY(absdiff)
  FAMILY(min)
  FAMILY(max)
  FAMILY(avrg)
#undef FAMILY
}
void parts(checks check) {
  const u32 samples[] = {0, 0x7fff8000, 0x01ff80fe, all_ones, 0x7f80ff01, 0x00010203};
  for (const u32 a : samples)
    for (const u32 b : samples) {
      in_parts<s32>(check, s32(a), s32(b));
      in_parts<u32>(check, a, b);
      in_parts<s32>(check, a, s32(b));
      in_parts<u32>(check, s32(a), b);
    }
  check(sc::extend_vadd2_add<s32>(0x0001ffff, 0x0002fffe, 10) == 10); // 3 - 3
  check(sc::extend_vadd2_add<u32>(0x0001ffffu, 0x0002fffeu, 10u) == 10 + 3 + 0x1fffd);
  check(sc::extend_vsub4_add<s32>(0x01020304, 0x04030201, -1) == -1 && sc::extend_vabsdiff4_add<s32>(0x01020304, 0x04030201, 0) == 8);
  check(sc::extend_vmin4_add<u32>(0x01020304, 0x04030201, 0u) == 6 && sc::extend_vmax2_add<s32>(0x00010002, 0x00020001, 1) == 5);
  check(sc::extend_vavrg2_add<s32>(0x00010002, 0x00020002, 1) == 5);
  check(sc::extend_vcompare2(0x0001ffff, 0x00020000, std::less<>()) == 0x00010001);
  check(sc::extend_vcompare2(0x0001ffffu, 0x00020000u, std::less<>()) == 0x00010000);
  check(sc::extend_vcompare4(0x01020304, 0x01030304, std::equal_to<>()) == 0x01000101);
  check(sc::extend_vcompare4_add(0x01020304, 0x01030304, 10, std::not_equal_to<>()) == 11);
}

void vectors(checks check) {
  check(sc::vectorized_binary<sycl::short2>(0x00010005, 0x00040002, sc::abs_diff()) == 0x00030003);
  check(sc::vectorized_binary<sycl::short2>(0x7fff8000, 0x0001ffff, sc::add_sat()) == 0x7fff8000);
  check(sc::vectorized_binary<sycl::short2>(0x7fff8000, 0x0001ffff, sc::add_sat(), true) == 0x7fff0000);
  check(sc::vectorized_binary<sycl::uchar4>(0x01020304, 0x02010403, sc::sub_sat()) == 0x00010001);
  check(sc::vectorized_binary<sycl::uchar4>(0x01020304, 0x02020405, sc::rhadd()) == 0x02020405);
  check(sc::vectorized_binary<sycl::uchar4>(0x01020304, 0x02020405, sc::hadd()) == 0x01020304);
  check(sc::vectorized_binary<sycl::ushort2>(0x00018000, 0x00020001, sc::maximum()) == 0x00028000);
  check(sc::vectorized_binary<sycl::short2>(0x00018000, 0x00020001, sc::minimum()) == 0x00018000);
  check(sc::vectorized_binary<sycl::ushort2>(0x00018000, 0x00020001, std::plus<>()) == 0x00038001);
  check(sc::vectorized_binary<sycl::ushort2>(0x00010002, 0x00010003, std::equal_to<>()) == 0xffff0000);
  check(sc::vectorized_binary<sycl::ushort2>(0x00010002, 0x00010003, std::equal_to<unsigned short>()) == 0x00010000);
  check(sc::vectorized_unary<sycl::char4>(0xff02fe03, sc::abs()) == 0x01020203);
  check(sc::vectorized_ternary<sycl::short2>(0x00010002, 0xfff00002, 3, std::plus<>(), sc::maximum()) == 0x00000004);
  check(sc::vectorized_sum_abs_diff<sycl::short2>(0x80007fff, 0x7fff8000) == 2 * 65535);
  check(sc::vectorized_max<sycl::char4>(0x01ff0304u, 0x04030281u) == 0x04030304);
  check(sc::vectorized_min<sycl::char4>(0x01ff0304u, 0x04030281u) == 0x01ff0281);
  check(sc::vectorized_isgreater<sycl::ushort2, unsigned>(0x80000001, 0x00010001) == 0xffff0000);
  bool high = true, low = false;
  check(sc::vectorized_with_pred<short>(0x00010005, 0x00040002, sc::maximum(), &high, &low) == 0x00040005 && !high && low);
}

template <class T> void floats(checks check) {
  const T nan = std::numeric_limits<float>::quiet_NaN(), one = T(1), two = T(2);
  using pair = sycl::vec<T, 2>;
  const pair numbers(one, two), half_nan(one, nan);
  check(sc::compare(one, one, std::equal_to<>()) && !sc::compare(one, nan, std::not_equal_to<>()));
  check(!sc::compare(nan, nan, std::equal_to<>()));
  check(sc::unordered_compare(nan, one, std::equal_to<>()) && !sc::unordered_compare(one, one, std::not_equal_to<>()));
  check(T(sc::compare(numbers, half_nan, std::equal_to<>())[0]) == one && T(sc::compare(numbers, half_nan, std::equal_to<>())[1]) == T(0));
  check(T(sc::unordered_compare(numbers, half_nan, std::not_equal_to<>())[1]) == one);
  check(sc::compare_both(numbers, numbers, std::equal_to<>()) && !sc::compare_both(numbers, half_nan, std::equal_to<>()));
  check(sc::unordered_compare_both(numbers, half_nan, std::equal_to<>()));
  check(sc::compare_mask(numbers, half_nan, std::equal_to<>()) == 0xffff);
  check(sc::unordered_compare_mask(numbers, half_nan, std::less<>()) == 0xffff0000);
  check(T(sc::isnan(half_nan)[0]) == T(0) && T(sc::isnan(half_nan)[1]) == one);
  check(sc::max(one, two) == two && sc::min(one, two) == one && sc::max(nan, two) == two && sc::min(one, nan) == one);
  check(sc::fmax_nan(one, two) == two && sc::fmin_nan(one, two) == one);
  const T none = sc::fmax_nan(one, nan);
  check(none != none && T(sc::fmin_nan(numbers, numbers)[1]) == two);
  check(sc::relu(T(-3)) == T(0) && sc::relu(two) == two && T(sc::relu(pair(T(-1), two))[0]) == T(0));
  check(sc::relu(sycl::marray<T, 2>(two, T(-1)))[1] == T(0));
  check(sc::clamp(T(3), one, two) == two && sc::clamp(T(0), one, two) == one);
  check(sc::cbrt(T(27)) > T(2.99f) && sc::cbrt(T(27)) < T(3.01f));
}
void numbers(checks check) {
  check(sc::max(1, 5l) == 5 && sc::min(2.5f, 1.25) == 1.25 && sc::max(3u, 2u) == 3);
  const bfloat16 three = 3.0f;
  check(std::is_same_v<decltype(sc::max(three, 4.5f)), bfloat16> && sc::max(three, 4.5f) == 4.5f && sc::min(2.5, three) == 2.5f);
  const sycl::vec<bfloat16, 2> least_of = sc::fmin_nan(sycl::vec<bfloat16, 2>(three, 1.0f), sycl::double2(2, 7));
  check(least_of[0] == 2.0f && least_of[1] == 1.0f);
  check(sc::pow(2.0f, 5) == 32 && sc::pow(2.0f, 3.0) > 7.99f && sc::clamp(sycl::int2(1, 9), sycl::int2(2, 2), sycl::int2(5, 5))[1] == 5);
  const float legs[] = {2, 3, 6, 0, 0};
  check(sc::length(legs, 3) == 7 && sc::length(legs, 5) == 7 && sc::fast_length(legs, 3) > 6.9f && sc::fast_length(legs, 5) < 7.1f);
  check(sc::funnelshift_l(0x80000000, 1, 1) == 3 && sc::funnelshift_l(5, 7, 32) == 7 && sc::funnelshift_lc(5, 7, 40) == 5);
  check(sc::funnelshift_r(2, 1, 1) == 0x80000001 && sc::funnelshift_r(5, 7, 32) == 5 && sc::funnelshift_rc(5, 7, 33) == 7);
  check(sc::dp4a(0x01ff0302, 0x02010101, 100) == 106 && sc::dp4a(0x01ff0302u, 0x02010101u, 100u) == 100 + 2 + 255 + 3 + 2);
  check(sc::dp2a_lo(0xffff0002, 0x04030201, 10u) == 10 + 2 + 2 * 0xffff && sc::dp2a_hi(s32(0xffff0002), 0x04030201, 10) == 10 + 6 - 4);
  check(sc::bfe_safe<u32>(0xabcd, 4, 8) == 0xbc && sc::bfe_safe<s32>(0xf0, 4, 4) == -1 && sc::bfe_safe<s32>(-5, 40, 3) == -1);
  check(sc::bfe_safe<u32>(all_ones, 30, 200) == 3 && sc::bfe_safe<std::int64_t>(-1, 0, 0) == 0);
  check(sc::bfi_safe<u32>(0xf, 0, 4, 4) == 0xf0 && sc::bfi_safe<u32>(0, all_ones, 28, 99) == 0x0fffffff);
  check(sc::bfi_safe<std::uint64_t>(1, 2, 64, 1) == 2);
  const sycl::float2 a(1, 2), b(3, -4);
  check(sc::cmul(a, b)[0] == 11 && sc::cmul(a, b)[1] == 2 && sc::conj(a)[1] == -2 && sc::cabs(b) == 5);
  check(sc::cmul_add(a, b, sycl::float2(1, 1))[0] == 12 && sc::cmul_add(sycl::marray<float, 2>(1, 2), {3, -4}, {1, 1})[1] == 3);
  const sycl::float2 quotient = sc::cdiv(sycl::float2(11, 2), b);
  check(quotient[0] > 0.999f && quotient[0] < 1.001f && quotient[1] > 1.999f && quotient[1] < 2.001f);
  const sycl::float2 large = sc::cdiv(sycl::float2(1e30f, 1e30f), sycl::float2(1e30f, 1e30f));
  check(large[0] == 1 && large[1] == 0);
}

} // namespace

int main() {
  sycl::queue q = sc::get_default_queue();
  int *const lines = sc::malloc_shared<int>(6);
  for (int i = 0; i < 6; ++i)
    lines[i] = 0;
  q.single_task([=] {
    whole({lines});
    parts({lines + 1});
    vectors({lines + 2});
    floats<float>({lines + 3});
    numbers({lines + 4});
  });
  if (q.get_device().has(sycl::aspect::fp16))
    q.single_task([=] { floats<sycl::half>({lines + 5}); });
  q.wait();
  for (int i = 0; i < 6; ++i)
    if (lines[i]) {
      std::printf("line %d\n", lines[i]);
      ++failures;
    }
  sc::free(lines);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
