//! Template arguments and types of results of mathematical functions: what may be called how. Source: SYCL 2020 §4.17.5 to §4.17.9.
#include <cmath>
#include <sycl/sycl.hpp>

using sycl::half;
template <class A, class B> inline constexpr bool same = std::is_same_v<A, B>;
template <class T> T &value(); // only named in what is not computed
template <class T> struct converts {
  operator T() const;
};
/// What a comparison of `V` gives.
template <class V> struct truth { using type = bool; };
template <class T, int N> struct truth<sycl::vec<T, N>> {
  using type = sycl::vec<std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>, N>;
};
template <class T, std::size_t N> struct truth<sycl::marray<T, N>> { using type = sycl::marray<bool, N>; };
/// `V` with elements of type `R`.
template <class V, class R> struct with { using type = R; };
template <class T, int N, class R> struct with<sycl::vec<T, N>, R> { using type = sycl::vec<R, N>; };
template <class T, std::size_t N, class R> struct with<sycl::marray<T, N>, R> { using type = sycl::marray<R, N>; };

#define GIVES(type, ...) static_assert(same<type, decltype(sycl::__VA_ARGS__)>)

/// For each floating-point type and shape.
template <class V, class T> void floats(V &v) {
  GIVES(V, sin(v));
  GIVES(V, sin<V>(v));
  GIVES(V, pow(v, v));
  GIVES(V, pow<V, V>(v, v));
  GIVES(V, fma<V, V, V>(v, v, v));
  GIVES(V, max<V, V>(v, v));
  GIVES(V, max<V>(v, value<T>()));
  GIVES(V, fmin<V>(v, value<T>()));
  GIVES(V, clamp<V, V, V>(v, v, v));
  GIVES(V, clamp<V>(v, value<T>(), value<T>()));
  GIVES(V, mix<V, V>(v, v, value<T>()));
  GIVES(V, step<V>(value<T>(), v));
  GIVES(V, step<V, V>(v, v));
  GIVES(V, smoothstep<V>(value<T>(), value<T>(), v));
  GIVES(V, degrees<V>(v));
  GIVES(V, bitselect<V, V, V>(v, v, v));
  GIVES(V, select(v, v, value<typename truth<V>::type>()));
  using I = typename with<V, int>::type;
  GIVES(I, ilogb(v));
  GIVES(V, ldexp(v, 2));
  GIVES(V, pown(v, value<I>()));
  GIVES(V, rootn(v, value<I>()));
  GIVES(V, modf(v, &v));
  GIVES(V, sincos(v, sycl::address_space_cast<sycl::access::address_space::private_space>(&v)));
  using P = sycl::multi_ptr<I, sycl::access::address_space::global_space, sycl::access::decorated::yes>;
  GIVES(V, frexp(v, value<P>()));
  GIVES(V, lgamma_r(v, &value<I>()));
  GIVES(V, remquo(v, v, value<P>()));
  using B = typename truth<V>::type;
  GIVES(B, isless(v, v));
  GIVES(B, islessgreater(v, v));
  GIVES(B, isnan(v));
  GIVES(B, signbit(v));
}
template <class T> void all_floats() {
  GIVES(T, sin(converts<T>()));
  GIVES(T, pow(converts<T>(), converts<T>()));
  GIVES(T, select<T>(value<T>(), value<T>(), true));
  T *p = nullptr;
  GIVES(T, sincos<T *>(value<T>(), p));
  GIVES(T, length(value<sycl::marray<T, 3>>()));
  GIVES(T, dot<T, T>(value<T>(), value<T>()));
  using S = decltype(value<sycl::vec<T, 4>>().template swizzle<2, 0>());
  using V = sycl::vec<T, 2>;
  GIVES(V, sin(value<S>()));
  GIVES(V, max(value<S>(), value<V>()));
  GIVES(V, max(value<V>(), value<S>()));
  GIVES(V, modf(value<S>(), &value<V>()));
  GIVES(V, normalize(value<S>()));
  floats<T, T>(value<T>());
  floats<sycl::vec<T, 1>, T>(value<sycl::vec<T, 1>>());
  floats<sycl::vec<T, 3>, T>(value<sycl::vec<T, 3>>());
  floats<sycl::vec<T, 16>, T>(value<sycl::vec<T, 16>>());
  floats<sycl::marray<T, 17>, T>(value<sycl::marray<T, 17>>());
}
template void all_floats<float>();
template void all_floats<double>();
template void all_floats<half>();

template <class V, class T> void integers(V &v) {
  GIVES(V, abs<V>(v));
  GIVES(V, abs_diff<V, V>(v, v));
  GIVES(V, add_sat<V, V>(v, v));
  GIVES(V, sub_sat(v, v));
  GIVES(V, hadd<V, V>(v, v));
  GIVES(V, rhadd<V, V>(v, v));
  GIVES(V, min<V, V>(v, v));
  GIVES(V, min<V>(v, value<T>()));
  GIVES(V, clamp<V>(v, value<T>(), value<T>()));
  GIVES(V, clz<V>(v));
  GIVES(V, ctz(v));
  GIVES(V, popcount(v));
  GIVES(V, mul_hi<V, V>(v, v));
  GIVES(V, mad_hi<V, V, V>(v, v, v));
  GIVES(V, mad_sat<V, V, V>(v, v, v));
  GIVES(V, rotate<V, V>(v, v));
}
template <class T> void all_integers() {
  using S = std::make_signed_t<T>;
  using V = sycl::vec<S, 4>;
  using M = sycl::marray<S, 5>;
  GIVES(bool, any<S>(value<S>()));
  GIVES(int, any<V>(value<V>()));
  GIVES(int, all(value<V>().template swizzle<0, 1>()));
  GIVES(bool, all<M>(value<M>()));
  integers<T, T>(value<T>());
  integers<sycl::vec<T, 2>, T>(value<sycl::vec<T, 2>>());
  integers<sycl::vec<T, 16>, T>(value<sycl::vec<T, 16>>());
  integers<sycl::marray<T, 5>, T>(value<sycl::marray<T, 5>>());
}
template void all_integers<char>();
template void all_integers<signed char>();
template void all_integers<unsigned char>();
template void all_integers<short>();
template void all_integers<unsigned short>();
template void all_integers<int>();
template void all_integers<unsigned>();
template void all_integers<long>();
template void all_integers<unsigned long>();
template void all_integers<long long>();
template void all_integers<unsigned long long>();

// Of the type that is named, whatever the arguments are of.
GIVES(unsigned long, min<unsigned long>(1, 2u));
GIVES(unsigned long, max<unsigned long>(value<int>(), 1024));
GIVES(float, max<float>(1, 2.5));
GIVES(double, clamp<double>(3, 0, 2.5f));
static_assert(sycl::min<unsigned long>(7, 5l) == 5 && sycl::max<int>(7u, 5) == 7 && sycl::clamp<long>(9, 1u, short(4)) == 4);
GIVES(float, nan(converts<std::uint32_t>()));
GIVES(half, nan(std::uint16_t(1)));
GIVES(double, nan(1ull));
GIVES(sycl::double2, nan(value<sycl::vec<std::uint64_t, 2>>()));
GIVES(short, upsample(value<signed char>(), value<unsigned char>()));
GIVES(sycl::ulong2, upsample(value<sycl::uint2>(), value<sycl::uint2>()));
GIVES(sycl::int2, mad24(value<sycl::int2>(), value<sycl::int2>(), value<sycl::int2>()));
GIVES(bool, any(value<sycl::marray<bool, 3>>()));
GIVES(float, native::sin(1.0f));
GIVES(sycl::float3, native::powr(value<sycl::float3>(), value<sycl::float3>()));
GIVES(sycl::float3, half_precision::recip<sycl::float3>(value<sycl::float3>()));
using m5 = sycl::marray<float, 5>;
GIVES(m5, half_precision::divide(value<m5>(), value<m5>()));

namespace unqualified {
// Beside the C library's and the standard library's.
using namespace sycl;
double doubles(double x, float y, int n) {
  double whole = 0;
  float part = 0;
  int *const p = &n;
  y = sin(y) + max(y, 2.0f) + min(y, y) + pow(y, 2.0f) + fabs(y) + modf(y, &part) + frexp(y, p) + fma(y, y, y) + floor(y);
  x = sin(x) + max(x, 2.0) + pow(x, 2) + abs(n) + max(n, 3) + modf(x, &whole) + frexp(x, p) + remquo(x, x, p);
  x += nextafter(x, 1.0) + fmin(x, 1.0);
  return x + y + abs(x) + clamp(n, 1, 3) + isnan(x) + rint(x) + round(x) + hypot(x, x) + ldexp(x, n) + ldexp(y, n) + min(x, whole);
}
} // namespace unqualified
namespace with_std {
using namespace std;
using namespace sycl;
float floats(float x) { return max(x, 2.0f) + min(x, x); }
} // namespace with_std
