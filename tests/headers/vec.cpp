//! vec and marray: sizes, construction, elements, operators.
#define SYCL_SIMPLE_SWIZZLES
#include <sycl/functional.hpp>
#include <sycl/marray.hpp>
#include <sycl/vec.hpp>

using namespace sycl;
static_assert(sizeof(float3) == 16 && alignof(float4) == 16 && sizeof(half2) == 4 && sizeof(marray<float, 3>) == 12);
static_assert(std::is_trivially_copyable_v<int4> && std::is_trivially_copyable_v<mint4>);
static_assert(int4(1, 2, 3, 4).w() == 4 && int4(7).z() == 7 && int4(int2(1, 2), int2(3, 4))[2] == 3 && float3::size() == 3);
static_assert((int2(1, 2) + int2(3, 4)).y() == 6 && (2 * int2(1, 2)).y() == 4 && (-int2(1, 2)).x() == -1 && (~int2(0, 1)).x() == -1);
static_assert((int2(1, 5) < int2(2, 3)).x() == -1 && (int2(1, 5) < int2(2, 3)).y() == 0);
static_assert(int4(1, 2, 3, 4).wzyx().x() == 4 && int4(1, 2, 3, 4).lo().y() == 2 && int4(1, 2, 3, 4).odd().x() == 2);
static_assert(float2(1.5f, 2.5f).convert<int>().y() == 2);
static_assert((mint3(1, 2, 3) * 2 + mint3(1))[2] == 7 && (mint2(1, 2) < mint2(2, 2))[0] && marray(1, 2).size() == 2);

static_assert(std::is_same_v<decltype(vec(1, 2)), int2> && std::is_same_v<decltype(vec(int2(1, 2))), int2> && vec(7)[0] == 7);
static_assert(int4(1, 2, 3, 4).swizzle<elem::w, elem::s1>().y() == 2 && int4(1, 2, 3, 4).abgr().x() == 4);
static_assert(int4(1, 2, 3, 4).wzy().yx().x() == 3 && int4(1, 2, 3, 4).wzyx().hi().y() == 1 && int4(1, 2, 3, 4).xyz().get_size() == 16);
static_assert((-int4(1, 2, 3, 4).lo()).y() == -2 && (~int2(0, 1).yx()).y() == -1 && (!int2(0, 1).yx()).y() == -1);
// To the nearest by default, ties to even ones, as SYCL 2020 §4.14.2.3 says of floating-point elements; bool is no number to round to.
static_assert(float2(1.5f, -3.8f).convert<int>().x() == 2 && float2(1.5f, -3.8f).convert<int>().y() == -4 && vec<double, 1>(-2.5).convert<long>().x() == -2);
static_assert((float2(1.5f, -1.5f).convert<int, rounding_mode::rtz>().y() == -1) && (float2(1.5f, -1.5f).convert<int, rounding_mode::rtp>().x() == 2) &&
              (float2(1.5f, -1.5f).convert<int, rounding_mode::rtn>().y() == -2) && float2(0.25f, 0.0f).convert<bool>().x());
static_assert(float4(1.5f).lo().convert<int>().x() == 2 && std::is_same_v<decltype(float2().xy().as<int2>()), int2>);
// One element alone, of another type.
static_assert(vec<float, 1>(vec<double, 1>(2.5))[0] == 2.5f && static_cast<float>(vec<half, 1>(half(1.5f))) == 1.5f &&
              static_cast<int>(double4(1, 2, 3, 4).swizzle<2>()) == 3 && vec<float, 1>{double4(1, 2, 3, 4).swizzle<2>()}[0] == 3 &&
              !std::is_convertible_v<vec<double, 1>, vec<float, 1>> && std::is_convertible_v<vec<float, 1>, double>);
static_assert(marray<int, 4>(1, mint2(2, 3), 4)[2] == 3 && (~mint2(0, 1))[1] == -2 && !std::is_constructible_v<mint3, int, int>);

static_assert(minimum<>()(int2(1, 5), int2(3, 4)).y() == 4 && maximum<mint2>()(mint2(1, 5), mint2(3, 4))[0] == 3);
static_assert(std::is_same_v<decltype(minimum<>()(1, 2.5)), double> && maximum<>()(2, 7) == 7 && minimum<float>()(2, 1) == 1);

constexpr int stepped() {
  int4 v(1, 2, 3, 4);
  int3 w(1, 2, 3);
  mint2 m(1, 2);
  ++v.xy();
  const int2 old = v.zw()--;
  v.xyzw() <<= 1;
  w.xyz().hi() = int2(8, 9);
  w.xyz().hi().x() += 1;
  return v.x() * 1000 + old.y() * 100 + v.w() * 10 + w.z() + (m++)[1] * 10000 + (m--)[0] * 100000 + m[1] * 1000000;
}
static_assert(stepped() == 2000000 + 200000 + 20000 + 4 * 1000 + 4 * 100 + 6 * 10 + 9);
constexpr int written() {
  int4 v(1, 2, 3, 4);
  v.xy() = v.yx();
  v.z() += 10;
  v.swizzle<3>() = 9;
  return v.x() * 1000 + v.y() * 100 + v.z() + v.w();
}
static_assert(written() == 2 * 1000 + 1 * 100 + 13 + 9);
constexpr int from_lists() {
  int4 v(1, 2, 3, 4);
  v += {1, 1, 1, 1};
  v *= {1, 2, 3, 4};
  v.xy() -= {1, 0};
  return v.x() + v.y() * 10 + v.w() * 100;
}
static_assert(from_lists() == 1 + 6 * 10 + 20 * 100);
constexpr int halves() {
  int4 v(1, 2, 3, 4);
  v.lo() = int2(5, 6);
  v.odd() += 10;
  const int4 fixed = v;
  return v.x() * 1000 + v.y() * 100 + v.hi().y() + fixed.even().y() + fixed.hi()[1];
}
static_assert(halves() == 5 * 1000 + 16 * 100 + 14 + 3 + 14);
// Bytes have the operators of bits and no others; ~ is there for bool, too. Source: SYCL 2020 §4.14.2.4, §4.14.3.
constexpr bool bits() {
  using bytes = vec<std::byte, 2>;
  bytes a(std::byte{0x0f}, std::byte{0x33});
  a = ~a & bytes(std::byte{0xff}, std::byte{0xf0});
  a.x() |= std::byte{1};
  const vec<std::byte, 2> swapped = ~a.swizzle<1, 0>();
  const marray<bool, 2> one = ~marray<bool, 2>(true, false);
  vec<std::byte, 4> shifted{std::byte{4}};
  shifted <<= 1;
  shifted.lo() >>= 2;
  if ((shifted << 3)[3] != std::byte{64} || (shifted.lo() << 1u)[1] != std::byte{4} || (shifted.hi() >> 1)[0] != std::byte{4})
    return false;
  return a.x() == std::byte{0xf1} && a.y() == std::byte{0xc0} && swapped.x() == std::byte{0x3f} && (!a).x() == 0 && one[0] && one[1];
}
static_assert(bits());
// Of arrays without elements there may be any number. Source: SYCL 2020 §4.14.3.
constexpr bool empty_arrays() {
  const marray<int, 0> none;
  const marray<int, 1> first{none, 1}, last{2, none};
  const marray<int, 3> all{first, none, last, 3};
  return none.size() == 0 && first[0] == 1 && all[0] == 1 && all[1] == 2 && all[2] == 3;
}
static_assert(empty_arrays() && !std::is_constructible_v<marray<int, 1>, marray<int, 0>, marray<int, 0>>);
static_assert(!std::is_constructible_v<marray<int, 1>, int, const char *>);
// A vec of one element is as good as it. Source: SYCL 2020 §4.14.2.1, `operator DataT()`.
constexpr bool single() {
  const vec<int, 1> a(3), b(3);
  const vec<signed char, 1> c(-1);
  const bool same = a == b, set = static_cast<bool>(c), of_parts = int4(1, 2, 2, 4).swizzle<1>() == int4(1, 2, 2, 4).swizzle<2>();
  const double wide = a;
  return same && set && of_parts && wide == 3.0 && c * 2 == -2 && (a + b).x() == 6;
}
static_assert(single());
// Whether there is an operator can be asked.
template <class A, class B, class = void> constexpr bool add = false;
template <class A, class B> constexpr bool add<A, B, std::void_t<decltype(std::declval<A>() + std::declval<B>())>> = true;
static_assert(add<int4, int4> && add<int4, int> && add<int2, decltype(std::declval<int4 &>().xy())> && add<mint2, mint2>);
#ifndef __SYCL_DEVICE_ONLY__ // where they convert to clang's vectors, which convert to each other
static_assert(!add<int4, float4> && !add<int4, int3> && !add<int4, mint4> && !add<float2, decltype(std::declval<int4 &>().xy())> && !add<mint2, mint3>);
#endif
// Elements have the operators of their kind. Source: SYCL 2020 §4.14.2.1 (revision 11).
#define ASKED(name, expression)                                                                                                            \
  template <class T, class = void> constexpr bool name = false;                                                                            \
  template <class T> constexpr bool name<T, std::void_t<decltype(expression)>> = true;
ASKED(arithmetic, std::declval<T>() * std::declval<T>() / 2 + -std::declval<T>())
ASKED(whole, std::declval<T>() % std::declval<T>() << 2)
ASKED(bitwise, ~(std::declval<T>() & std::declval<T>()))
ASKED(logical, !(std::declval<T>() || std::declval<T>()))
ASKED(ordered, std::declval<T>() < std::declval<T>())
ASKED(counted, --(++std::declval<T>()))
ASKED(multiplied, std::declval<T>() *= std::declval<T>())
ASKED(reduced, std::declval<T>() %= std::declval<T>())
ASKED(masked, std::declval<T>() &= std::declval<T>())
#undef ASKED
/// A digit for each of the questions, of a vector and of a swizzle.
template <class T> constexpr int operators_of =
    (arithmetic<T> ? 1 : 0) + (whole<T> ? 2 : 0) + (bitwise<T> ? 4 : 0) + (logical<T> ? 8 : 0) + (ordered<T> ? 16 : 0) + (counted<T> ? 32 : 0) +
    (multiplied<T> ? 64 : 0) + (reduced<T> ? 128 : 0) + (masked<T> ? 256 : 0);
template <class T> constexpr int operators = operators_of<vec<T, 4> &> == operators_of<decltype(std::declval<vec<T, 4> &>().wzyx())>
                                                 ? operators_of<vec<T, 4> &> : -1;
static_assert(operators<int> == 511 && operators<bool> == 511 - 32 && operators<float> == 1 + 8 + 16 + 32 + 64 && operators<half> == operators<float>);
static_assert(operators<std::byte> == 4 + 16 + 256);
static_assert(operators_of<mint4 &> == 511 && operators_of<marray<float, 3> &> == operators<float> && operators_of<marray<half, 2> &> == operators<float>);
// One element of a vector is a number to whatever takes one.
constexpr bool one_of_many() {
  const float2 two(1.5f, 2.5f);
  const double wide = two.swizzle<0>();
  float2 both(0);
  both = two.swizzle<1>();
  const float of_double = double2(3, 4).lo();
  // Beside more elements, too, on either side.
  float4 many(1, 2, 3, 4);
  const vec<float, 1> ten(10.0f);
  const auto sum = many + ten, difference = ten - many;
  const auto less = many < many.swizzle<1>();
  many *= ten;
  many.lo() -= many.swizzle<0>();
  many.hi() = vec<int, 1>(7);
  const bool beside = sum[3] == 14 && difference[3] == 6 && less[0] == -1 && less[3] == 0 && many[0] == 0 && many[1] == 10 && many[3] == 7;
  return beside && wide == 1.5 && both[0] == 2.5f && both[1] == 2.5f && of_double == 3.0f && (two.swizzle<0>() ? true : false);
}
static_assert(one_of_many() && add<float4, vec<int, 1>> && add<vec<float, 1>, int2>);
// Elements take what their vector takes: braces, and a vector's one element for all of another. Source: SYCL 2020 §4.14.2.
constexpr bool assigned() {
  int4 v{0};
  v.swizzle<3, 0>() = {1, 2};
  v.swizzle<1>() = {3};
  int2 w(v.swizzle<3>());
  v.hi() += {w.lo()[0], 5};
  const int4 all{v.swizzle<1>()};
  return v[0] == 2 && v[1] == 3 && v[2] == 1 && v[3] == 6 && w[1] == 1 && all[3] == 3 && static_cast<float4>(float2(7, 8).hi())[2] == 8.0f;
}
static_assert(assigned());
// Also where both elements are of classes, as a half is. Source: SYCL 2020 §4.14.2, "operator DataT()" and "vec &operator=(const DataT &rhs)".
constexpr bool of_halves() {
  float4 f(1, 2, 3, 4);
  half4 h(5, 6, 7, 8);
  const vec<half, 1> one(f.swizzle<1>());
  const half2 two(f.swizzle<2>());
  const vec<float, 1> back(h.swizzle<3>());
  vec<half, 1> set{one};
  set = f.swizzle<3>();
  h = f.swizzle<0>();
  f = one;
  return one[0] == 2 && two[1] == 3 && back[0] == 8 && set[0] == 4 && h[3] == 1 && f[3] == 2;
}
static_assert(of_halves() && !std::is_constructible_v<half4, decltype(std::declval<float4 &>().lo())>);
static_assert(!std::is_convertible_v<decltype(std::declval<float4 &>().swizzle<0>()), half4>);
static_assert(!std::is_constructible_v<float4, float2> && !std::is_convertible_v<vec<float, 1>, float4>);
#if defined(__SYCL_DEVICE_ONLY__)
// Device code alone may name clang's vectors.
SYCL_EXTERNAL float4 native(float4 v, vec<std::uint8_t, 3> w) {
  float4::vector_t n = v;
  n = n * 2.0f + n;
  const vec<std::uint8_t, 3>::vector_t m = w;
  static_assert(std::is_same_v<decltype(n[0] + 0), float> && sizeof(n) == 16);
  return float4(n) + vec<std::uint8_t, 3>(m).x();
}
#endif
SYCL_EXTERNAL float memory(float *p, float4 v) {
  v.load(1, p);
  v.store(0, p);
  return v.as<int4>().x() > 0 ? v.hi().x() : 0.0f;
}
