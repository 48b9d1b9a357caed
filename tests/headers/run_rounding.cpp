// Conversions of vectors in each direction, on every device beside a check on the host: what a number became lies on the right side of it, and the next
// one on that side does not. Source: SYCL 2020 §4.14.2.3 "Rounding modes".
#include <sycl/sycl.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using sycl::rounding_mode;
template <class To, class From> class converts;

static int failures = 0;

// `long double` has all numbers of these types.
template <class To> long double next(To value, bool above) {
  if constexpr (std::is_same_v<To, sycl::half>) {
    const auto bits = sycl::bit_cast<std::uint16_t>(value);
    const bool positive = !(bits & 0x8000);
    if (!(bits & 0x7fff))
      return above ? 0x1p-24L : -0x1p-24L;
    return static_cast<float>(sycl::bit_cast<sycl::half>(static_cast<std::uint16_t>(above == positive ? bits + 1 : bits - 1)));
  } else {
    return std::nextafter(value, above ? std::numeric_limits<To>::infinity() : -std::numeric_limits<To>::infinity());
  }
}

template <class To, class From> bool is_right(From from, To to, rounding_mode mode) {
  const long double value = static_cast<long double>(from);
  const long double near = std::is_same_v<To, sycl::half> ? static_cast<long double>(static_cast<float>(to)) : static_cast<long double>(to);
  if (value != value)
    return near != near;
  if (mode == rounding_mode::rtz)
    mode = value < 0 ? rounding_mode::rtp : rounding_mode::rtn;
  if (mode == rounding_mode::rtp)
    return near >= value && (near == value || next(to, false) < value);
  if (mode == rounding_mode::rtn)
    return near <= value && (near == value || next(to, true) > value);
  const long double above = next(to, true), below = next(to, false), off = std::fabs(near - value);
  return near == value || std::isinf(near) || (off <= std::fabs(above - value) && off <= std::fabs(below - value));
}

template <class To, class From> void check(sycl::queue &q, const char *what, const std::vector<From> &values) {
  constexpr rounding_mode modes[] = {rounding_mode::rte, rounding_mode::rtz, rounding_mode::rtp, rounding_mode::rtn};
  const size_t count = values.size();
  std::vector<To> out(4 * count);
  {
    sycl::buffer<From> from(values.data(), count);
    sycl::buffer<To> to(out.data(), out.size());
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(from, h, sycl::read_only);
      sycl::accessor result(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for<converts<To, From>>(count, [=](sycl::id<1> i) {
        const sycl::vec<From, 2> v(in[i]);
        result[4 * i] = v.template convert<To, rounding_mode::rte>().y();
        result[4 * i + 1] = v.template convert<To, rounding_mode::rtz>().x();
        result[4 * i + 2] = v.template convert<To, rounding_mode::rtp>().y();
        result[4 * i + 3] = v.template convert<To, rounding_mode::rtn>().x();
      });
    });
  }
  int wrong = 0;
  for (size_t i = 0; i < out.size(); ++i)
    if (!is_right(values[i / 4], out[i], modes[i % 4]) && ++wrong <= 3)
      std::printf("%s: %.20Lg in direction %zu is %.20g\n", what, static_cast<long double>(values[i / 4]), i % 4, static_cast<double>(out[i]));
  failures += wrong;
}

template <class T> std::vector<T> integers(std::mt19937_64 &random) {
  using limits = std::numeric_limits<T>;
  std::vector<T> out = {T(0), T(1), T(-1), limits::max(), limits::min(), T(limits::max() - 1), T(16777217), T(2049), T(65519), T(65520), T(65505)};
  for (int i = 0; i < 2000; ++i)
    out.push_back(static_cast<T>(random() >> (i % (sizeof(T) * 8))));
  return out;
}

template <class T> std::vector<T> numbers(std::mt19937_64 &random) {
  using limits = std::numeric_limits<T>;
  std::vector<T> out = {T(0.1), T(-0.1), T(1e30), T(-1e30), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::max(), limits::lowest()};
  for (int i = 0; i < 2000; ++i)
    out.push_back(std::ldexp(static_cast<T>(static_cast<std::int64_t>(random())), i % 90 - 105));
  return out;
}

static_assert(sycl::vec<int, 2>(16777217, -16777217).convert<float, rounding_mode::rtp>().x() == 16777218.0f &&
              sycl::vec<int, 2>(16777217, -16777217).convert<float, rounding_mode::rtp>().y() == -16777216.0f &&
              sycl::vec<unsigned long, 1>(~0ul).convert<float, rounding_mode::rtz>()[0] == 18446742974197923840.0f &&
              sycl::vec<float, 1>(0.1f).convert<double, rounding_mode::rtp>()[0] == static_cast<double>(0.1f));

int main() {
  sycl::queue q;
  // Just above half way between two halves, which a float in between is not.
  const sycl::vec<double, 2> near_half_way(1 + 0x1p-11 + 0x1p-30, -(1 + 0x1p-11 + 0x1p-40));
  const auto halves = near_half_way.convert<sycl::half>();
  if (halves.x() != sycl::half(1 + 0x1p-10f) || halves.y() != sycl::half(-(1 + 0x1p-10f))) {
    std::puts("doubles are rounded to halves twice");
    return 1;
  }
  const sycl::device device = q.get_device();
  std::mt19937_64 random(7);
  check<float, std::int32_t>(q, "int to float", integers<std::int32_t>(random));
  check<float, std::uint32_t>(q, "unsigned to float", integers<std::uint32_t>(random));
  check<float, std::int64_t>(q, "long to float", integers<std::int64_t>(random));
  check<float, std::uint64_t>(q, "unsigned long to float", integers<std::uint64_t>(random));
  check<float, long long>(q, "long long to float", integers<long long>(random));
  check<float, std::int16_t>(q, "short to float", integers<std::int16_t>(random));
  if (device.has(sycl::aspect::fp64)) {
    check<float, double>(q, "double to float", numbers<double>(random));
    check<double, float>(q, "float to double", numbers<float>(random));
    check<double, std::int64_t>(q, "long to double", integers<std::int64_t>(random));
    check<double, std::uint64_t>(q, "unsigned long to double", integers<std::uint64_t>(random));
    check<double, std::int32_t>(q, "int to double", integers<std::int32_t>(random));
  }
  if (device.has(sycl::aspect::fp16)) {
    check<sycl::half, float>(q, "float to half", numbers<float>(random));
    check<sycl::half, std::int32_t>(q, "int to half", integers<std::int32_t>(random));
    check<sycl::half, std::uint16_t>(q, "unsigned short to half", integers<std::uint16_t>(random));
    if (device.has(sycl::aspect::fp64))
      check<sycl::half, double>(q, "double to half", numbers<double>(random));
  }
  std::printf(failures ? "%d wrong\n" : "ok\n", failures);
  return failures != 0;
}
