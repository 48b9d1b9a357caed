//! Complex numbers of the extension and of the standard library, in kernels, against std::complex on the host: values all over the plane,
//! near branch cuts, infinities and NaN; and marrays of the extension's. Exit status 0: all right.
#include "check.hpp"

#include <complex>
#include <cstdio>
#include <sstream>
#include <vector>
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_COMPLEX == 1 && sycl::is_device_copyable_v<ex::complex<double>> && std::is_trivially_copyable_v<ex::complex<sycl::half>>);
static_assert(ex::is_gencomplex_v<ex::complex<float>> && !ex::is_gencomplex_v<float> && !ex::is_gencomplex<ex::complex<int>>::value);
static_assert(std::is_same_v<decltype(ex::pow(ex::complex<float>(), 2.0)), ex::complex<double>> &&
              std::is_same_v<decltype(ex::pow(sycl::half(), ex::complex<float>())), ex::complex<float>>);
// The synopsis's template parameters.
static_assert(std::is_same_v<decltype(ex::pow<float>(ex::complex<float>(), ex::complex<float>())), ex::complex<float>> &&
              std::is_same_v<decltype(ex::pow<float, double>(ex::complex<float>(), 2.0)), ex::complex<double>>);

// Arrays of them have no order, bits and steps, which a program may ask.
template <class A, class = void> constexpr bool has_less = false;
template <class A> constexpr bool has_less<A, std::void_t<decltype(std::declval<A>() < std::declval<A>())>> = true;
template <class A, class = void> constexpr bool has_rest = false;
template <class A> constexpr bool has_rest<A, std::void_t<decltype(std::declval<A>() % std::declval<A>())>> = true;
template <class A, class = void> constexpr bool has_step = false;
template <class A> constexpr bool has_step<A, std::void_t<decltype(++std::declval<A &>())>> = true;
using pairs = sycl::marray<ex::complex<float>, 2>;
static_assert(!has_less<pairs> && !has_rest<pairs> && !has_step<pairs> && has_less<sycl::mfloat2> && has_rest<sycl::mint2> && has_step<sycl::mhalf2>);
static_assert(sycl::known_identity_v<sycl::plus<>, ex::complex<float>> == 0.0f && !sycl::has_known_identity_v<sycl::minimum<>, ex::complex<float>> &&
              sycl::known_identity_v<sycl::multiplies<ex::complex<sycl::half>>, ex::complex<sycl::half>> == sycl::half(1.0f));

constexpr size_t functions = 23;
static const char *const names[functions] = {"mul", "div", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sin", "cos", "tan", "asin", "acos", "atan", "pow", "proj", "abs", "arg", "norm", "log10"};

/// Every function of z (and w), the same for both kinds of numbers.
#define ALL(C, out, z, w, ns)                                                                                                             \
  do {                                                                                                                                     \
    C all[functions] = {z * w, z / w, ns::exp(z), ns::log(z), ns::sqrt(z), ns::sinh(z), ns::cosh(z), ns::tanh(z), ns::asinh(z), ns::acosh(z), ns::atanh(z), ns::sin(z), ns::cos(z), ns::tan(z), ns::asin(z), ns::acos(z), ns::atan(z), ns::pow(z, w), ns::proj(z), C(ns::abs(z)), C(ns::arg(z)), C(ns::norm(z)), ns::log10(z)};             \
    for (size_t f = 0; f < functions; ++f)                                                                                                 \
      (out)[f] = all[f];                                                                                                                   \
  } while (false)

/// Whether a part is as it should be: a NaN, an infinity or a zero of the same sign, or near. `size` is that of the whole number.
template <class T> bool same(T is, T should, T size, T digits) {
  if (std::isnan(should) || std::isnan(is))
    return std::isnan(should) && std::isnan(is);
  if (std::isinf(should) || std::isinf(is))
    return is == should || (std::isfinite(size) && size > std::numeric_limits<T>::max() / 8);
  return std::fabs(is - should) <= digits * std::numeric_limits<T>::epsilon() * size + std::numeric_limits<T>::min() * 4;
}

template <class T> void compare(const ex::complex<T> *in, const ex::complex<T> *out, size_t count, T digits) {
  for (size_t i = 0; i < count; ++i) {
    const std::complex<T> z = in[i], w = in[(i * 7 + 3) % count];
    std::complex<T> should[functions];
    ALL(std::complex<T>, should, z, w, std);
    for (size_t f = 0; f < functions; ++f) {
      const std::complex<T> is = out[i * functions + f];
      const bool is_power = names[f] == std::string("pow");
      // Powers of special values are products of such, of which nothing is said; large ones lose the digits of their exponent.
      if (is_power && !(std::abs(z) < 1e3 && std::abs(w) < 10 && std::abs(z) > 0))
        continue;
      const T size = std::abs(should[f]), room = is_power ? digits * 30 : digits;
      // A NaN may stand for what overflows on its way to an infinity, and signs of infinities and zeros that C leaves open are.
      const bool special = !std::isfinite(z.real()) || !std::isfinite(z.imag()) || (f < 2 && (!std::isfinite(std::abs(w)) || std::abs(w) == 0));
      if (special) {
        const auto kind = [](T x) { return std::isnan(x) ? 2 : std::isinf(x) ? 1 : 0; };
        const bool far = std::isinf(should[f].real()) || std::isinf(should[f].imag());
        if (far ? !(kind(is.real()) == 1 || kind(is.imag()) == 1) : (kind(is.real()) != kind(should[f].real()) || kind(is.imag()) != kind(should[f].imag()))) {
          std::printf("%s(%g,%g; %g,%g): (%g,%g) for (%g,%g)\n", names[f], double(z.real()), double(z.imag()), double(w.real()), double(w.imag()), double(is.real()), double(is.imag()), double(should[f].real()), double(should[f].imag()));
          ++failures;
        }
      } else if (!same(is.real(), should[f].real(), size, room) || !same(is.imag(), should[f].imag(), size, room)) {
        std::printf("%s(%g,%g; %g,%g): (%g,%g) for (%g,%g)\n", names[f], double(z.real()), double(z.imag()), double(w.real()), double(w.imag()), double(is.real()), double(is.imag()), double(should[f].real()), double(should[f].imag()));
        ++failures;
      }
    }
  }
}

template <class T> void plane(sycl::queue &q, T digits) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> parts{T(0), -T(0), T(1), T(-1), T(0.25), T(-3.5), T(7), T(1e-4), T(-1e5), T(0.999), T(-40), T(1e20), inf, -inf, nan};
  const size_t side = parts.size(), count = side * side;
  ex::complex<T> *in = sycl::malloc_shared<ex::complex<T>>(count, q);
  ex::complex<T> *out = sycl::malloc_shared<ex::complex<T>>(count * functions, q);
  for (size_t i = 0; i < count; ++i)
    in[i] = ex::complex<T>(parts[i / side], parts[i % side]);
  q.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
     const ex::complex<T> z = in[i], w = in[(i * 7 + 3) % count];
     ALL(ex::complex<T>, out + i * functions, z, w, ex);
   }).wait();
  compare(in, out, count, digits);
  // The standard's own, in a kernel.
  q.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
     const std::complex<T> z = in[i], w = in[(i * 7 + 3) % count];
     ALL(std::complex<T>, out + i * functions, z, w, std);
   }).wait();
  compare(in, out, count, digits);
  sycl::free(in, q);
  sycl::free(out, q);
}

template <class T> void operators(sycl::queue &q) {
  using C = ex::complex<T>;
  C *r = sycl::malloc_shared<C>(16, q);
  bool *b = sycl::malloc_shared<bool>(4, q);
  q.single_task([=] {
     C a(T(3), T(4)), c = T(2);
     r[0] = a + T(1);
     r[1] = T(1) - a;
     r[2] = a * T(2) / T(4);
     r[3] = -a + +c;
     a += c;
     a *= T(2);
     a -= ex::complex<T>(T(0), T(8));
     a /= T(5);
     r[4] = a;
     a.imag(T(7));
     r[5] = ex::conj(a);
     r[6] = ex::polar(T(2), T(0));
     r[7] = C(ex::real(a), ex::imag(T(3)) + ex::norm(C(T(1), T(2))));
     b[0] = a == a && a != c && c == T(2) && T(3) != c;
     sycl::marray<C, 2> m{C(T(1), T(2)), C(T(3), T(-4))};
     m = m * m + C(T(1));
     m -= m / m;
     r[8] = m[0];
     r[9] = m[1];
     const sycl::marray<T, 2> sizes = ex::abs(sycl::marray<C, 2>{C(T(3), T(4)), C(T(-6), T(8))});
     r[10] = C(sizes[0], sizes[1]);
     r[11] = ex::sqrt(sycl::marray<C, 2>{C(T(-4)), C(T(3), T(4))})[1];
     r[12] = ex::pow(sycl::marray<C, 2>(C(T(0), T(2))), T(2))[1];
     b[1] = (m == m)[0] && !(m != m)[1];
   }).wait();
  const auto is = [&](int i, double re, double im) {
    return std::fabs(static_cast<double>(r[i].real()) - re) < 0.02 && std::fabs(static_cast<double>(r[i].imag()) - im) < 0.02;
  };
  CHECK(is(0, 4, 4) && is(1, -2, -4) && is(2, 1.5, 2) && is(3, -1, -4) && is(4, 2, 0) && is(5, 2, -7) && is(6, 2, 0) && is(7, 2, 5));
  CHECK(is(8, -3, 4) && is(9, -7, -24) && is(10, 5, 10) && is(11, 2, 1) && is(12, -4, 0));
  CHECK(b[0] && b[1]);
  sycl::free(r, q);
  sycl::free(b, q);
}

/// Scans, reductions of groups and reductions that are given no first value.
static void sums(sycl::queue &q) {
  using C = ex::complex<float>;
  C *const m = sycl::malloc_shared<C>(18, q);
  for (int i = 0; i < 18; ++i)
    m[i] = C(1, static_cast<float>(i < 8 ? i : 0));
  q.parallel_for(sycl::nd_range<1>(8, 8), sycl::reduction(m + 16, sycl::plus<C>()), [=](sycl::nd_item<1> i, auto &sum) {
     const auto group = i.get_group();
     sycl::joint_exclusive_scan(group, m, m + 8, m + 8, sycl::plus<>());
     const C product = sycl::reduce_over_group(group, C(0, 1), sycl::multiplies<C>());
     if (group.leader())
       m[17] = product;
     sum += m[i.get_global_id(0)];
   }).wait();
  CHECK(m[8] == C(0, 0) && m[15] == C(7, 21) && m[16] == C(9, 28) && m[17] == C(1, 0));
  sycl::free(m, q);
}

int main() {
  sycl::queue q;
  plane<float>(q, 20);
  operators<float>(q);
  sums(q);
  if (q.get_device().has(sycl::aspect::fp64)) {
    plane<double>(q, 20);
    operators<double>(q);
  }
  if (q.get_device().has(sycl::aspect::fp16))
    operators<sycl::half>(q);
  {
    using namespace ex::complex_literals;
    static_assert(std::is_same_v<decltype(1.5i), ex::complex<double>> && std::is_same_v<decltype(2if), ex::complex<float>>);
    CHECK(1.5i == ex::complex<double>(0, 1.5) && 2i * 2i == ex::complex<double>(-4, 0) && 3.0if == ex::complex<float>(0, 3));
  }
  CHECK(ex::conj(3) == ex::complex<double>(3) && ex::proj('a') == ex::complex<double>(97) && ex::arg(1) == 0.0 && ex::norm(3u) == 9.0);
  static_assert(std::is_same_v<decltype(ex::pow(ex::complex<float>(1, 2), 2)), ex::complex<float>>, "no double for a whole number");
  const ex::complex<float> square = ex::pow(ex::complex<float>(1, 2), 2), power = ex::pow(2, ex::complex<float>(3, 0));
  CHECK(std::abs(square.real() + 3) < 1e-4f && std::abs(square.imag() - 4) < 1e-4f && std::abs(power.real() - 8) < 1e-3f);
  ex::complex<float> z;
  std::stringstream text("(1.5,2)");
  CHECK(text >> z && z == ex::complex<float>(1.5f, 2.0f));
  std::stringstream out;
  out << z;
  CHECK(out.str() == "(1.5,2)");
  CHECK(std::complex<double>(z) == std::complex<double>(1.5, 2) && ex::complex<double>(std::complex<float>(1, 2)) == ex::complex<double>(1, 2));
  return failures;
}
