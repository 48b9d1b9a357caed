// How far mathematical functions of the default device are from the truth, in units in the last place: a line a function and type,
//   TYPE NAME ERROR BOUND INPUTS
// with the largest error seen, the bound ("-": the specification gives none) and where that error was. `accuracy FLOATS DOUBLES` says how
// many random inputs there are; of half, unary functions get every number. Exits with 1 if an error is over its bound.
//
// The truth is the C library's function of long double, which has 11 bits more than double: what it is itself off shows as less than 0.01.
// What rounds the truth once more than the device does may be a trace over half a unit. `cargo xtask math` writes docs/MATH.md by this program.
// Bounds: OpenCL 3.0 C specification, tables "ULP values for ... math functions", full profile, which SYCL 2020 §4.17.5 refers to.
//# run: aspen++ -std=c++17 -O1 -fsycl-targets=native_cpu -DWITHOUT_HALF {self} -o a.out
//# run: ASPEN_CPU_LEVEL=1 ./a.out 2000 2000
//# run: ASPEN_CPU_LEVEL=3 ./a.out 2000 2000
//# run: ./a.out 2000 2000
//# count: 126 stdout (half|float|double) [a-z0-9]+ [0-9.e+inf]+ 
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sycl/sycl.hpp>
#include <vector>

using real = long double;
#ifndef __SYCL_DEVICE_ONLY__
static_assert(std::numeric_limits<real>::digits >= 64, "the truth needs more digits than double has: build this for x86-64");
#endif
static const real pi = acosl(-1.0L);

// --- what C has no function for, exactly reduced first ---

static real sinpi_(real x) {
  if (!std::isfinite(x))
    return NAN;
  real r = fmodl(x, 2);
  if (fabsl(r) > 1)
    r -= copysignl(2, r);
  if (fabsl(r) > 0.5L)
    r = copysignl(1, r) - r;
  return sinl(pi * r);
}
static real cospi_(real x) {
  if (!std::isfinite(x))
    return NAN;
  real r = fmodl(fabsl(x), 2);
  if (r > 1)
    r = 2 - r;
  return r < 0.25L ? cosl(pi * r) : sinl(pi * (0.5L - r));
}
static real tanpi_(real x) { return sinpi_(x) / cospi_(x); }
static real powr_(real x, real y) {
  const bool undefined = !(x >= 0) || std::isnan(y) || (x == 0 && y == 0) || (std::isinf(x) && y == 0) || (x == 1 && std::isinf(y));
  return undefined ? NAN : powl(fabsl(x), y);
}
static real rootn_(real x, real n) {
  const bool odd = fmodl(n, 2) != 0;
  if (n == 0 || (x < 0 && !odd))
    return NAN;
  const real root = powl(fabsl(x), 1 / n);
  return odd ? copysignl(root, x) : root;
}
static real fract_(real x, int digits) {
  if (!std::isfinite(x))
    return std::isnan(x) ? x : copysignl(0, x);
  return fminl(x - floorl(x), 1 - ldexpl(1, -digits));
}
static real maxmag_(real x, real y) { return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y); }
static real minmag_(real x, real y) { return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y); }

// --- types ---

template <class T> struct format;
template <> struct format<sycl::half> {
  using bits = std::uint16_t;
  static constexpr const char *name = "half";
  static constexpr int column = 0, digits = 11, least = -14, most = 15;
};
template <> struct format<float> {
  using bits = std::uint32_t;
  static constexpr const char *name = "float";
  static constexpr int column = 1, digits = 24, least = -126, most = 127;
};
template <> struct format<double> {
  using bits = std::uint64_t;
  static constexpr const char *name = "double";
  static constexpr int column = 2, digits = 53, least = -1022, most = 1023;
};

static real wide(sycl::half x) { return static_cast<float>(x); }
static real wide(float x) { return x; }
static real wide(double x) { return x; }

/// The distance of what the device gave from the truth.
template <class T> static double error_of(T gave, real truth) {
  using f = format<T>;
  const real given = wide(gave);
  if (std::isnan(truth) || std::isnan(given))
    return std::isnan(truth) && std::isnan(given) ? 0 : INFINITY;
  // Infinity is the number after the greatest; what is greater still rounds to it.
  const real end = ldexpl(1, f::most + 1), half_step = ldexpl(0.5L, f::most - f::digits + 1);
  const auto bounded = [&](real x) { return fabsl(x) >= end - half_step ? copysignl(end, x) : x; };
  const real wanted = bounded(truth);
  int exponent = 0;
  frexpl(wanted, &exponent);
  exponent = wanted == 0 || exponent - 1 < f::least ? f::least : exponent - 1 > f::most ? f::most : exponent - 1;
  return static_cast<double>(fabsl(bounded(given) - wanted) / ldexpl(1, exponent - f::digits + 1));
}

// --- functions ---

enum class inputs { one, two, three, with_integer };
constexpr double none = -1;

// name, inputs, the device's call of (a, b, c, n), the truth of (x, y, z), bounds for half, float and double
#define FUNCTIONS(F)                                                                                                                      \
  F(acos, one, sycl::acos(a), acosl(x), 2, 4, 4)                                                                                           \
  F(acosh, one, sycl::acosh(a), acoshl(x), 2, 4, 4)                                                                                        \
  F(acospi, one, sycl::acospi(a), acosl(x) / pi, 2, 5, 5)                                                                                  \
  F(asin, one, sycl::asin(a), asinl(x), 2, 4, 4)                                                                                           \
  F(asinh, one, sycl::asinh(a), asinhl(x), 2, 4, 4)                                                                                        \
  F(asinpi, one, sycl::asinpi(a), asinl(x) / pi, 2, 5, 5)                                                                                  \
  F(atan, one, sycl::atan(a), atanl(x), 2, 5, 5)                                                                                           \
  F(atan2, two, sycl::atan2(a, b), atan2l(x, y), 2, 6, 6)                                                                                  \
  F(atan2pi, two, sycl::atan2pi(a, b), atan2l(x, y) / pi, 2, 6, 6)                                                                         \
  F(atanh, one, sycl::atanh(a), atanhl(x), 2, 5, 5)                                                                                        \
  F(atanpi, one, sycl::atanpi(a), atanl(x) / pi, 2, 5, 5)                                                                                  \
  F(cbrt, one, sycl::cbrt(a), cbrtl(x), 2, 2, 2)                                                                                           \
  F(ceil, one, sycl::ceil(a), ceill(x), 0, 0, 0)                                                                                           \
  F(copysign, two, sycl::copysign(a, b), copysignl(x, y), 0, 0, 0)                                                                         \
  F(cos, one, sycl::cos(a), cosl(x), 2, 4, 4)                                                                                              \
  F(cosh, one, sycl::cosh(a), coshl(x), 2, 4, 4)                                                                                           \
  F(cospi, one, sycl::cospi(a), cospi_(x), 2, 4, 4)                                                                                        \
  F(degrees, one, sycl::degrees(a), x * (180 / pi), 2, 2, 2)                                                                               \
  F(erf, one, sycl::erf(a), erfl(x), 4, 16, 16)                                                                                            \
  F(erfc, one, sycl::erfc(a), erfcl(x), 4, 16, 16)                                                                                         \
  F(exp, one, sycl::exp(a), expl(x), 2, 3, 3)                                                                                              \
  F(exp10, one, sycl::exp10(a), exp10l(x), 2, 3, 3)                                                                                        \
  F(exp2, one, sycl::exp2(a), exp2l(x), 2, 3, 3)                                                                                           \
  F(expm1, one, sycl::expm1(a), expm1l(x), 2, 3, 3)                                                                                        \
  F(fabs, one, sycl::fabs(a), fabsl(x), 0, 0, 0)                                                                                           \
  F(fdim, two, sycl::fdim(a, b), fdiml(x, y), 0.5, 0.5, 0.501)                                                                             \
  F(floor, one, sycl::floor(a), floorl(x), 0, 0, 0)                                                                                        \
  F(fma, three, sycl::fma(a, b, c), fmal(x, y, z), 0.5, 0.5, 0.501)                                                                        \
  F(fmax, two, sycl::fmax(a, b), fmaxl(x, y), 0, 0, 0)                                                                                     \
  F(fmin, two, sycl::fmin(a, b), fminl(x, y), 0, 0, 0)                                                                                     \
  F(fmod, two, sycl::fmod(a, b), fmodl(x, y), 0, 0, 0)                                                                                     \
  F(fract, one, fract_of(a), fract_(x, format<T>::digits), 0.5, 0.5, 0.501)                                                                \
  F(frexp, one, frexp_of(a), frexpl(x, &unused), 0, 0, 0)                                                                                  \
  F(hypot, two, sycl::hypot(a, b), hypotl(x, y), 2, 4, 4)                                                                                  \
  F(ldexp, with_integer, sycl::ldexp(a, n), ldexpl(x, int(y)), 0.5, 0.5, 0.5)                                                              \
  F(lgamma, one, sycl::lgamma(a), lgammal(x), none, none, none)                                                                            \
  F(log, one, sycl::log(a), logl(x), 2, 3, 3)                                                                                              \
  F(log10, one, sycl::log10(a), log10l(x), 2, 3, 3)                                                                                        \
  F(log1p, one, sycl::log1p(a), log1pl(x), 2, 2, 2)                                                                                        \
  F(log2, one, sycl::log2(a), log2l(x), 2, 3, 3)                                                                                           \
  F(logb, one, sycl::logb(a), logbl(x), 0, 0, 0)                                                                                           \
  F(maxmag, two, sycl::maxmag(a, b), maxmag_(x, y), 0, 0, 0)                                                                               \
  F(minmag, two, sycl::minmag(a, b), minmag_(x, y), 0, 0, 0)                                                                               \
  F(modf, one, modf_of(a), modfl(x, &whole), 0, 0, 0)                                                                                      \
  F(pow, two, sycl::pow(a, b), powl(x, y), 4, 16, 16)                                                                                      \
  F(pown, with_integer, sycl::pown(a, n), powl(x, y), 4, 16, 16)                                                                           \
  F(powr, two, sycl::powr(a, b), powr_(x, y), 4, 16, 16)                                                                                   \
  F(radians, one, sycl::radians(a), x * (pi / 180), 2, 2, 2)                                                                               \
  F(remainder, two, sycl::remainder(a, b), remainderl(x, y), 0, 0, 0)                                                                      \
  F(rint, one, sycl::rint(a), rintl(x), 0, 0, 0)                                                                                           \
  F(rootn, with_integer, sycl::rootn(a, n), rootn_(x, y), 4, 16, 16)                                                                       \
  F(round, one, sycl::round(a), roundl(x), 0, 0, 0)                                                                                        \
  F(rsqrt, one, sycl::rsqrt(a), 1 / sqrtl(x), 1, 2, 2)                                                                                     \
  F(sign, one, sycl::sign(a), std::isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x, 0, 0, 0)                                                     \
  F(sin, one, sycl::sin(a), sinl(x), 2, 4, 4)                                                                                              \
  F(sinh, one, sycl::sinh(a), sinhl(x), 2, 4, 4)                                                                                           \
  F(sinpi, one, sycl::sinpi(a), sinpi_(x), 2, 4, 4)                                                                                        \
  F(sqrt, one, sycl::sqrt(a), sqrtl(x), 0.5, 3, 0.501)                                                                                     \
  F(tan, one, sycl::tan(a), tanl(x), 2, 5, 5)                                                                                              \
  F(tanh, one, sycl::tanh(a), tanhl(x), 2, 5, 5)                                                                                           \
  F(tanpi, one, sycl::tanpi(a), tanpi_(x), 2, 6, 6)                                                                                        \
  F(tgamma, one, sycl::tgamma(a), tgammal(x), 4, 16, 16)                                                                                   \
  F(trunc, one, sycl::trunc(a), truncl(x), 0, 0, 0)

template <class T> static T fract_of(T a) {
  T whole;
  return sycl::fract(a, &whole);
}
template <class T> static T modf_of(T a) {
  T whole;
  return sycl::modf(a, &whole);
}
template <class T> static T frexp_of(T a) {
  int exponent;
  return sycl::frexp(a, &exponent);
}

#define FUNCTION(name, count, call, truth, of_half, of_float, of_double)                                                                  \
  struct name##_function {                                                                                                                 \
    static constexpr const char *text = #name;                                                                                             \
    static constexpr inputs takes = inputs::count;                                                                                         \
    static constexpr double bounds[] = {of_half, of_float, of_double};                                                                     \
    template <class T> static T on_device(T a, [[maybe_unused]] T b, [[maybe_unused]] T c, [[maybe_unused]] int n) { return call; }        \
    template <class T> static real on_host(real x, [[maybe_unused]] real y, [[maybe_unused]] real z) {                                     \
      [[maybe_unused]] int unused;                                                                                                         \
      [[maybe_unused]] real whole;                                                                                                         \
      return truth;                                                                                                                        \
    }                                                                                                                                      \
  };
FUNCTIONS(FUNCTION)

// --- inputs ---

struct random_bits {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

/// A third of all numbers alike, a third of moderate size, and a third around the interval in which most functions are steep.
template <class T> static T random_number(random_bits &next, size_t which) {
  const double unit = static_cast<double>(next() >> 11) * 0x1p-53;
  switch (which % 3) {
  case 0: {
    const T any = sycl::bit_cast<T>(static_cast<typename format<T>::bits>(next()));
    return any == any ? any : static_cast<T>(NAN); // signalling ones are nothing to SYCL
  }
  case 1:
    return static_cast<T>(std::ldexp(unit + 1, static_cast<int>(next() % 41) - 20) * (next() % 2 ? 1 : -1));
  default:
    return static_cast<T>((unit - 0.5) * 8);
  }
}

template <class T> static std::vector<T> special_numbers() {
  using f = format<T>;
  std::vector<T> out;
  for (real x : {0.0L, 1.0L, 0.5L, 2.0L, 3.0L, 1.5L, 2.5L, 10.0L, pi, pi / 2, pi / 4, ldexpl(1, f::least), ldexpl(1, f::least - f::digits + 1),
                 ldexpl(1, f::most), ldexpl(2 - ldexpl(1, 1 - f::digits), f::most), 1 - ldexpl(1, -f::digits), 1 + ldexpl(1, 1 - f::digits),
                 ldexpl(1, f::digits), ldexpl(1, f::digits - 1) + 1, real(INFINITY), real(NAN)})
    for (real s : {1.0L, -1.0L})
      out.push_back(static_cast<T>(static_cast<double>(s * x)));
  return out;
}

template <class T> struct samples {
  T *a, *b, *c, *out;
  int *n;
  size_t count;
};

template <class T> static samples<T> make(sycl::queue &q, size_t count, inputs takes) {
  const bool all = sizeof(T) == 2 && takes == inputs::one;
  const std::vector<T> special = special_numbers<T>();
  const size_t pairs = takes == inputs::one ? special.size() : special.size() * special.size();
  const size_t total = all ? 65536 : pairs + count;
  samples<T> s{};
  for (T **array : {&s.a, &s.b, &s.c, &s.out})
    *array = sycl::malloc_shared<T>(total, q);
  s.n = sycl::malloc_shared<int>(total, q);
  s.count = total;
  random_bits next{42};
  for (size_t i = 0; i < total; ++i) {
    s.a[i] = all ? sycl::bit_cast<T>(static_cast<typename format<T>::bits>(i))
                 : i < pairs ? special[i % special.size()] : random_number<T>(next, i);
    s.b[i] = i < pairs && !all ? special[i / special.size()] : random_number<T>(next, i / 3);
    s.c[i] = random_number<T>(next, i / 9);
    s.n[i] = static_cast<int>(next() % 41) - 20;
    if (takes == inputs::with_integer)
      s.b[i] = static_cast<T>(s.n[i]);
  }
  return s;
}

// --- the comparison ---

static int over = 0;

template <class F, class T> static void compare(sycl::queue &q, const samples<T> &s) {
  const samples<T> in = s;
  q.parallel_for(sycl::range<1>(in.count), [=](sycl::id<1> i) { in.out[i] = F::template on_device<T>(in.a[i], in.b[i], in.c[i], in.n[i]); });
  q.wait_and_throw();
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < s.count; ++i) {
    const double error = error_of(s.out[i], F::template on_host<T>(wide(s.a[i]), wide(s.b[i]), wide(s.c[i])));
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  const double bound = F::bounds[format<T>::column];
  char text[16];
  if (bound < 0)
    std::snprintf(text, sizeof text, "-");
  else
    std::snprintf(text, sizeof text, "%g", bound);
  over += bound >= 0 && !(worst <= bound);
  std::printf("%s %s %.3g %s %La", format<T>::name, F::text, worst, text, wide(s.a[where]));
  if (F::takes != inputs::one)
    std::printf(",%La", wide(s.b[where]));
  if (F::takes == inputs::three)
    std::printf(",%La", wide(s.c[where]));
  std::printf("\n");
}

template <class T> static void all(sycl::queue &q, size_t count) {
  samples<T> sets[] = {make<T>(q, count, inputs::one), make<T>(q, count, inputs::two), make<T>(q, count, inputs::three),
                       make<T>(q, count, inputs::with_integer)};
#define COMPARE(name, ...) compare<name##_function, T>(q, sets[static_cast<int>(name##_function::takes)]);
  FUNCTIONS(COMPARE)
  for (samples<T> &s : sets) {
    for (T *array : {s.a, s.b, s.c, s.out})
      sycl::free(array, q);
    sycl::free(s.n, q);
  }
}

int main(int count, char **arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: accuracy FLOATS DOUBLES\n");
    return 2;
  }
  sycl::queue q;
#ifndef WITHOUT_HALF // whose functions are mostly those of float: CI has no time for it
  if (q.get_device().has(sycl::aspect::fp16))
    all<sycl::half>(q, std::strtoull(arguments[1], nullptr, 10));
#endif
  all<float>(q, std::strtoull(arguments[1], nullptr, 10));
  if (q.get_device().has(sycl::aspect::fp64))
    all<double>(q, std::strtoull(arguments[2], nullptr, 10));
  return over > 0;
}
