//! `sycl::ext::oneapi::experimental::complex`: complex numbers of half, float and double for every device, and functions of them and of
//! marrays of them. Halves go through float. Source: sycl_ext_oneapi_complex.
#pragma once
#include <complex>
#include <istream>
#include <ostream>
#include <sycl/detail/complex_math.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/functional.hpp>
#include <sycl/marray.hpp>
#include <sycl/stream.hpp>

#ifndef SYCL_EXT_ONEAPI_COMPLEX // programs that are written for DPC++ define it before
#define SYCL_EXT_ONEAPI_COMPLEX 1
#endif

namespace sycl::ext::oneapi::experimental {

template <class T, class = void> class complex;
template <class T> inline constexpr bool is_gencomplex_v = false;
template <class T> inline constexpr bool is_gencomplex_v<complex<T>> = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;
template <class T> struct is_gencomplex : std::bool_constant<is_gencomplex_v<T>> {};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {
// What arrays of complex numbers do not have. Source: sycl_ext_oneapi_complex, "Marray Complex Class Specialization".
template <class T> inline constexpr bool has_bits<ext::oneapi::experimental::complex<T>> = false;
template <class T> inline constexpr bool has_order<ext::oneapi::experimental::complex<T>> = false;
/// Of sums and products, for scans and reductions that are given none. Source: sycl_ext_oneapi_complex_algorithms.
template <class T> struct identity_of<ext::oneapi::experimental::complex<T>> : complex_identity<T> {};
} // namespace sycl::detail

namespace sycl::detail::cx {
template <class T> inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;
/// In what functions of a T compute.
template <class T> using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <class T> using complex_of = ext::oneapi::experimental::complex<T>;
template <class T> number<wide<T>> widened(const complex_of<T> &z) { return {static_cast<wide<T>>(z.real()), static_cast<wide<T>>(z.imag())}; }
template <class T> complex_of<T> narrowed(number<wide<T>> z) { return complex_of<T>(static_cast<T>(z.re), static_cast<T>(z.im)); }
/// The wider of two real types.
template <class A, class B>
using promoted = std::conditional_t<std::is_same_v<A, double> || std::is_same_v<B, double>, double,
                                    std::conditional_t<std::is_same_v<A, float> || std::is_same_v<B, float>, float, half>>;
/// What one number of a power may be beside a complex one, and how it is computed: a whole number as what the complex one is of, so that nobody needs doubles for it.
template <class A> inline constexpr bool is_number = is_real<A> || std::is_integral_v<A>;
template <class A, class Of> using number_of = std::conditional_t<std::is_integral_v<A>, Of, A>;
/// A function of each element.
template <class R, size_t N, class F> marray<R, N> each(F function) {
  marray<R, N> out;
  for (size_t i = 0; i < N; ++i)
    out[i] = function(i);
  return out;
}
} // namespace sycl::detail::cx

namespace sycl::ext::oneapi::experimental {

template <class T> class complex<T, std::enable_if_t<sycl::detail::cx::is_real<T>>> {
public:
  using value_type = T;
  constexpr complex(T re = T(), T im = T()) : re_(re), im_(im) {}
  template <class X, class = std::enable_if_t<!std::is_same_v<X, T>>>
  constexpr complex(const complex<X> &z) : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}
  template <class X> constexpr complex(const std::complex<X> &z) : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}
  template <class X> constexpr operator std::complex<X>() const { return {static_cast<X>(re_), static_cast<X>(im_)}; }
  constexpr T real() const { return re_; }
  constexpr T imag() const { return im_; }
  constexpr void real(T x) { re_ = x; }
  constexpr void imag(T x) { im_ = x; }
  complex &operator=(T x) { return *this = complex(x); }

  friend complex operator+(const complex &z) { return z; }
  friend complex operator-(const complex &z) { return complex(-z.re_, -z.im_); }
  friend complex operator+(const complex &a, const complex &b) { return complex(a.re_ + b.re_, a.im_ + b.im_); }
  friend complex operator-(const complex &a, const complex &b) { return complex(a.re_ - b.re_, a.im_ - b.im_); }
  friend complex operator*(const complex &a, const complex &b) {
    return sycl::detail::cx::narrowed<T>(multiply(sycl::detail::cx::widened(a), sycl::detail::cx::widened(b)));
  }
  friend complex operator/(const complex &a, const complex &b) {
    return sycl::detail::cx::narrowed<T>(divide(sycl::detail::cx::widened(a), sycl::detail::cx::widened(b)));
  }
#define __ASPEN_COMPLEX_OPERATOR(op)                                                                                                      \
  friend complex operator op(const complex &a, T b) { return a op complex(b); }                                                            \
  friend complex operator op(T a, const complex &b) { return complex(a) op b; }                                                            \
  friend complex &operator op##=(complex & a, T b) { return a = a op complex(b); }                                                         \
  template <class X> friend complex &operator op##=(complex & a, const complex<X> & b) { return a = a op complex(b); }
  __ASPEN_COMPLEX_OPERATOR(+)
  __ASPEN_COMPLEX_OPERATOR(-)
  __ASPEN_COMPLEX_OPERATOR(*)
  __ASPEN_COMPLEX_OPERATOR(/)
#undef __ASPEN_COMPLEX_OPERATOR
  friend constexpr bool operator==(const complex &a, const complex &b) { return a.re_ == b.re_ && a.im_ == b.im_; }
  friend constexpr bool operator==(const complex &a, T b) { return a == complex(b); }
  friend constexpr bool operator==(T a, const complex &b) { return complex(a) == b; }
  friend constexpr bool operator!=(const complex &a, const complex &b) { return !(a == b); }
  friend constexpr bool operator!=(const complex &a, T b) { return !(a == b); }
  friend constexpr bool operator!=(T a, const complex &b) { return !(a == b); }

  /// As std::complex is read and written.
  template <class C, class Traits> friend std::basic_istream<C, Traits> &operator>>(std::basic_istream<C, Traits> &in, complex &z) {
    std::complex<sycl::detail::cx::wide<T>> read;
    if (in >> read)
      z = complex(read);
    return in;
  }
  template <class C, class Traits> friend std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &out, const complex &z) {
    return out << static_cast<std::complex<sycl::detail::cx::wide<T>>>(z);
  }
  friend const sycl::stream &operator<<(const sycl::stream &out, const complex &z) { return out << "(" << z.re_ << "," << z.im_ << ")"; }

private:
  T re_, im_;
};

/// What takes a number's place as one without imaginary part.
template <class T> using if_real_number = std::enable_if_t<sycl::detail::cx::is_real<T> || std::is_integral_v<T>, int>;
template <class T> using real_number = std::conditional_t<std::is_integral_v<T>, double, T>;

template <class T> constexpr T real(const complex<T> &z) { return z.real(); }
template <class T> constexpr T imag(const complex<T> &z) { return z.imag(); }
template <class T, if_real_number<T> = 0> constexpr T real(T x) { return x; }
template <class T, if_real_number<T> = 0> constexpr T imag(T) { return T(); }
template <class T> T abs(const complex<T> &z) { return static_cast<T>(magnitude(sycl::detail::cx::widened(z))); }
template <class T> T arg(const complex<T> &z) { return static_cast<T>(phase(sycl::detail::cx::widened(z))); }
template <class T> T norm(const complex<T> &z) {
  const auto w = sycl::detail::cx::widened(z);
  return static_cast<T>(w.re * w.re + w.im * w.im);
}
template <class T> complex<T> conj(const complex<T> &z) { return complex<T>(z.real(), -z.imag()); }
template <class T> complex<T> polar(const T &length, const T &angle = T()) {
  using W = sycl::detail::cx::wide<T>;
  return sycl::detail::cx::narrowed<T>(sycl::detail::cx::polar<W>(static_cast<W>(length), static_cast<W>(angle)));
}
/// Of real numbers, and of whole ones as numbers of double precision.
template <class T, if_real_number<T> = 0> real_number<T> arg(T x) { return arg(complex<real_number<T>>(static_cast<real_number<T>>(x))); }
template <class T, if_real_number<T> = 0> real_number<T> norm(T x) { return norm(complex<real_number<T>>(static_cast<real_number<T>>(x))); }
template <class T, if_real_number<T> = 0> complex<real_number<T>> conj(T x) { return conj(complex<real_number<T>>(static_cast<real_number<T>>(x))); }

/// A function of complex numbers and, element by element, of marrays of them.
#define __ASPEN_COMPLEX_FUNCTION(name, by)                                                                                                \
  template <class T> complex<T> name(const complex<T> &z) { return sycl::detail::cx::narrowed<T>(by(sycl::detail::cx::widened(z))); }      \
  template <class T, size_t N> marray<complex<T>, N> name(const marray<complex<T>, N> &z) {                                                \
    return sycl::detail::cx::each<complex<T>, N>([&](size_t i) { return experimental::name(z[i]); });                                      \
  }
__ASPEN_COMPLEX_FUNCTION(proj, project)
__ASPEN_COMPLEX_FUNCTION(log, logarithm)
__ASPEN_COMPLEX_FUNCTION(sqrt, square_root)
__ASPEN_COMPLEX_FUNCTION(exp, exponential)
__ASPEN_COMPLEX_FUNCTION(asinh, inverse_hyperbolic_sine)
__ASPEN_COMPLEX_FUNCTION(acosh, inverse_hyperbolic_cosine)
__ASPEN_COMPLEX_FUNCTION(atanh, inverse_hyperbolic_tangent)
__ASPEN_COMPLEX_FUNCTION(sinh, hyperbolic_sine)
__ASPEN_COMPLEX_FUNCTION(cosh, hyperbolic_cosine)
__ASPEN_COMPLEX_FUNCTION(tanh, hyperbolic_tangent)
__ASPEN_COMPLEX_FUNCTION(asin, arc_sine)
__ASPEN_COMPLEX_FUNCTION(acos, arc_cosine)
__ASPEN_COMPLEX_FUNCTION(atan, arc_tangent)
__ASPEN_COMPLEX_FUNCTION(sin, sine)
__ASPEN_COMPLEX_FUNCTION(cos, cosine)
__ASPEN_COMPLEX_FUNCTION(tan, tangent)
#undef __ASPEN_COMPLEX_FUNCTION
template <class T> complex<T> log10(const complex<T> &z) {
  auto w = logarithm(sycl::detail::cx::widened(z));
  using W = decltype(w.re);
  constexpr W ln10 = static_cast<W>(2.302585092994045684017991454684364208L);
  return sycl::detail::cx::narrowed<T>({w.re / ln10, w.im / ln10});
}
template <class T, if_real_number<T> = 0> complex<real_number<T>> proj(T x) { return proj(complex<real_number<T>>(static_cast<real_number<T>>(x))); }

/// Of two complex numbers, or of one and a real one; in the wider of their types.
template <class T> complex<T> pow(const complex<T> &base, const complex<T> &exponent) {
  return sycl::detail::cx::narrowed<T>(power(sycl::detail::cx::widened(base), sycl::detail::cx::widened(exponent)));
}
template <class A, class B, class T = sycl::detail::cx::promoted<A, B>> complex<T> pow(const complex<A> &base, const complex<B> &exponent) {
  return experimental::pow(complex<T>(base), complex<T>(exponent));
}
template <class A, class B, class T = sycl::detail::cx::promoted<A, sycl::detail::cx::number_of<B, A>>, std::enable_if_t<sycl::detail::cx::is_number<B>, int> = 0>
complex<T> pow(const complex<A> &base, const B &exponent) {
  return experimental::pow(complex<T>(base), complex<T>(static_cast<T>(exponent)));
}
template <class A, class B, class T = sycl::detail::cx::promoted<sycl::detail::cx::number_of<A, B>, B>, std::enable_if_t<sycl::detail::cx::is_number<A>, int> = 0>
complex<T> pow(const A &base, const complex<B> &exponent) {
  return experimental::pow(complex<T>(static_cast<T>(base)), complex<T>(exponent));
}

// Of marrays.
#define __ASPEN_COMPLEX_PARTS(name, R)                                                                                                    \
  template <class T, size_t N> marray<R, N> name(const marray<complex<T>, N> &z) {                                                         \
    return sycl::detail::cx::each<R, N>([&](size_t i) { return experimental::name(z[i]); });                                               \
  }
__ASPEN_COMPLEX_PARTS(real, T)
__ASPEN_COMPLEX_PARTS(imag, T)
__ASPEN_COMPLEX_PARTS(abs, T)
__ASPEN_COMPLEX_PARTS(arg, T)
__ASPEN_COMPLEX_PARTS(norm, T)
__ASPEN_COMPLEX_PARTS(conj, complex<T>)
__ASPEN_COMPLEX_PARTS(log10, complex<T>)
#undef __ASPEN_COMPLEX_PARTS
template <class T, size_t N, std::enable_if_t<sycl::detail::cx::is_real<T>, int> = 0> marray<complex<T>, N> proj(const marray<T, N> &x) {
  return sycl::detail::cx::each<complex<T>, N>([&](size_t i) { return experimental::proj(x[i]); });
}
template <class T, size_t N> marray<complex<T>, N> polar(const marray<T, N> &length, T angle = 0) {
  return sycl::detail::cx::each<complex<T>, N>([&](size_t i) { return experimental::polar(length[i], angle); });
}
template <class T, size_t N> marray<complex<T>, N> polar(const marray<T, N> &length, const marray<T, N> &angle) {
  return sycl::detail::cx::each<complex<T>, N>([&](size_t i) { return experimental::polar(length[i], angle[i]); });
}
template <class T, size_t N> marray<complex<T>, N> polar(T length, const marray<T, N> &angle) {
  return sycl::detail::cx::each<complex<T>, N>([&](size_t i) { return experimental::polar(length, angle[i]); });
}
/// Elements of the two, of which one may be the same for all.
#define __ASPEN_COMPLEX_POWER(A, B, a, b)                                                                                                 \
  template <class T, size_t N> marray<complex<T>, N> pow(const A &x, const B &y) {                                                         \
    return sycl::detail::cx::each<complex<T>, N>([&]([[maybe_unused]] size_t i) { return experimental::pow(a, b); });                      \
  }
#define __ASPEN_COMMA ,
__ASPEN_COMPLEX_POWER(marray<complex<T> __ASPEN_COMMA N>, marray<T __ASPEN_COMMA N>, x[i], y[i])
__ASPEN_COMPLEX_POWER(marray<complex<T> __ASPEN_COMMA N>, T, x[i], y)
__ASPEN_COMPLEX_POWER(complex<T>, marray<T __ASPEN_COMMA N>, x, y[i])
__ASPEN_COMPLEX_POWER(marray<complex<T> __ASPEN_COMMA N>, marray<complex<T> __ASPEN_COMMA N>, x[i], y[i])
__ASPEN_COMPLEX_POWER(marray<complex<T> __ASPEN_COMMA N>, complex<T>, x[i], y)
__ASPEN_COMPLEX_POWER(complex<T>, marray<complex<T> __ASPEN_COMMA N>, x, y[i])
__ASPEN_COMPLEX_POWER(marray<T __ASPEN_COMMA N>, marray<complex<T> __ASPEN_COMMA N>, x[i], y[i])
__ASPEN_COMPLEX_POWER(marray<T __ASPEN_COMMA N>, complex<T>, x[i], y)
__ASPEN_COMPLEX_POWER(T, marray<complex<T> __ASPEN_COMMA N>, x, y[i])
#undef __ASPEN_COMMA
#undef __ASPEN_COMPLEX_POWER

// For those who say `using namespace` of them: the standard library has the same names. A suffix without an underscore is a warning else.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-literals"
namespace complex_literals {
constexpr complex<double> operator""i(long double imaginary) { return {0.0, static_cast<double>(imaginary)}; }
constexpr complex<double> operator""i(unsigned long long imaginary) { return {0.0, static_cast<double>(imaginary)}; }
constexpr complex<float> operator""if(long double imaginary) { return {0.0f, static_cast<float>(imaginary)}; }
constexpr complex<float> operator""if(unsigned long long imaginary) { return {0.0f, static_cast<float>(imaginary)}; }
} // namespace complex_literals
#pragma clang diagnostic pop

} // namespace sycl::ext::oneapi::experimental
