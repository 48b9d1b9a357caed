//! What neither libm nor clang has of SYCL's functions, for all passes but SPIR-V's, where they are OpenCL's instructions; and the functions
//! with a second result. All of them compute in the type itself. Source: SYCL 2020 §4.17.5; OpenCL C 3.0 §7.5.1 for special values.
//!
//! Included by <sycl/math.hpp>, behind the functions that these call.
#pragma once
#include <utility>

namespace sycl::detail {

template <class T> struct float_traits;
template <> struct float_traits<half_impl::half> {
  static constexpr float below_one = 0x1.ffcp-1f;
};
template <> struct float_traits<float> {
  using bits = std::uint32_t;
  static constexpr float pi = 3.14159265358979323846f, below_one = 0x1.fffffep-1f;
  static constexpr int digits = 23, bias = 127;
};
template <> struct float_traits<double> {
  using bits = std::uint64_t;
  static constexpr double pi = 3.14159265358979323846, below_one = 0x1.fffffffffffffp-1;
  static constexpr int digits = 52, bias = 1023;
};
template <class T> inline constexpr T no_number = T(__builtin_nanf(""));

#if !defined(__ASPEN_SPIRV__)
template <class T> T rsqrt_(T a) { return T(1) / sycl::sqrt(a); }
#if defined(__ASPEN_PTX__) // within 2 ulp, as libdevice has it
inline float rsqrt_(float a) { return __nvvm_rsqrt_approx_f(a); }
inline double rsqrt_(double a) { return __nvvm_rsqrt_approx_d(a); }
#endif
template <class T> T exp10_(T a) { return sycl::pow(T(10), a); }

/// Of an angle in [-1/2, 1/2] with the same sine. The differences are exact, so those of whole and half numbers are, too.
template <class T> T sinpi_(T a) {
  const T turn = a - T(2) * sycl::rint(a * T(0.5)), size = sycl::fabs(turn);
  const T angle = size > T(0.5) ? sycl::copysign(T(1) - size, turn) : turn;
  return angle == T(0) ? sycl::copysign(T(0), a) : sycl::sin(angle * float_traits<T>::pi);
}
template <class T> T cospi_(T a) {
  const T turn = a - T(2) * sycl::rint(a * T(0.5));
  return sycl::sin((T(0.5) - sycl::fabs(turn)) * float_traits<T>::pi);
}
/// Near its poles by the cotangent, whose argument is exact.
template <class T> T tanpi_(T a) {
  const T whole = sycl::rint(a), turn = a - whole, size = sycl::fabs(turn);
  if (turn == T(0)) // the sign changes with every odd number
    return sycl::copysign(T(0), whole * T(0.5) == sycl::rint(whole * T(0.5)) ? a : -a);
  const T tangent = sycl::tan((size > T(0.25) ? T(0.5) - size : size) * float_traits<T>::pi);
  return sycl::copysign(size > T(0.25) ? T(1) / tangent : tangent, turn);
}
template <class T> T asinpi_(T a) { return sycl::asin(a) / float_traits<T>::pi; }
template <class T> T acospi_(T a) { return sycl::acos(a) / float_traits<T>::pi; }
template <class T> T atanpi_(T a) { return sycl::atan(a) / float_traits<T>::pi; }
template <class T> T atan2pi_(T a, T b) { return sycl::atan2(a, b) / float_traits<T>::pi; }

template <class T> T maxmag_(T a, T b) {
  const T x = sycl::fabs(a), y = sycl::fabs(b);
  return x > y ? a : y > x ? b : sycl::fmax(a, b);
}
template <class T> T minmag_(T a, T b) {
  const T x = sycl::fabs(a), y = sycl::fabs(b);
  return x < y ? a : y < x ? b : sycl::fmin(a, b);
}
template <class T> T mad_(T a, T b, T c) { return a * b + c; }

/// exp(b * log(a)): no number for negative `a`, and where that product is none.
template <class T> T powr_(T a, T b) {
  const T power = sycl::pow(a == T(0) ? T(0) : a, b);
  const bool known = b == T(0) ? a > T(0) && !__builtin_isinf(a) : a >= T(0) && b == b && !(a == T(1) && __builtin_isinf(b));
  return known ? power : no_number<T>;
}
/// An exponent that a float cannot hold is split into two that it can; the first is even.
template <class T> T pown_(T a, int n) {
  const int rest = sizeof(T) == 4 && (n > 1 << 24 || n < -(1 << 24)) ? n % 256 : 0;
  const T power = sycl::pow(a, static_cast<T>(n - rest));
  return rest ? power * sycl::pow(a, static_cast<T>(rest)) : power;
}
/// The rounding of 1/n is made good: the root lacks that error times its logarithm, of which the bits alone say enough. The error comes from
/// halves of 1/n whose products with `n` are exact, where `n` is small enough for it to matter.
template <class T> T rootn_(T a, int n) {
  using traits = float_traits<T>;
  using bits = typename traits::bits;
  const T number = static_cast<T>(n), inverse = T(1) / number;
  const T high = sycl::bit_cast<T>(sycl::bit_cast<bits>(inverse) >> traits::digits / 2 << traits::digits / 2);
  const T error = (T(1) - number * high) - number * (inverse - high);
  T root = sycl::pow(sycl::fabs(a), inverse);
  constexpr T log_of_2 = T(0.69314718055994530942), log_of_bit = log_of_2 / T(bits(1) << traits::digits);
  const auto as_bits = static_cast<std::make_signed_t<bits>>(sycl::bit_cast<bits>(root));
  root *= T(1) + error * (static_cast<T>(as_bits) * log_of_bit - T(traits::bias) * log_of_2);
  return n == 0 || (a < T(0) && n % 2 == 0) ? no_number<T> : n % 2 ? sycl::copysign(root, a) : root;
}
/// Only for half: one step in its bits.
inline _Float16 next_towards(_Float16 a, _Float16 b) {
  const auto bits = sycl::bit_cast<std::uint16_t>(a);
  if (!(a < b || a > b))
    return a == b ? b : a + b;
  if (a == 0)
    return sycl::bit_cast<_Float16>(static_cast<std::uint16_t>(b < 0 ? 0x8001 : 1));
  return sycl::bit_cast<_Float16>(static_cast<std::uint16_t>((a < b) == (a > 0) ? bits + 1 : bits - 1));
}

/// C libraries are up to 4 ulp off, where 2 are allowed: one step of Newton's, with the remainder of the cube in twice the digits.
inline double cbrt_of_double(double a) {
  const bool tiny = __builtin_fabs(a) < 0x1p-700; // whose remainder would be no number of full precision
  const double x = tiny ? a * 0x1p600 : a, root = __builtin_cbrt(x), square = root * root;
  if (!(__builtin_fabs(x) > 0) || __builtin_isinf(x))
    return root;
  const double rest = __builtin_fma(square, root, -x) + __builtin_fma(root, root, -square) * root;
  const double better = root - rest / (3 * square);
  return tiny ? better * 0x1p-200 : better;
}

/// The product is exact in float; the sum is rounded to odd there, which a second rounding does not mistake for a tie.
inline half fma_of_half(half a, half b, half c) {
#if defined(__NVPTX__)
  return half::make(__builtin_fmaf16(a.native_(), b.native_(), c.native_()));
#else
  const float product = static_cast<float>(a) * static_cast<float>(b), addend = static_cast<float>(c);
  const float sum = product + addend, part = sum - product;
  const float lost = (product - (sum - part)) + (addend - part);
  auto bits = sycl::bit_cast<std::uint32_t>(sum);
  if (lost != 0 && __builtin_isfinite(sum) && bits % 2 == 0)
    bits += (lost > 0) == (sum > 0) ? 1u : -1u;
  return half(sycl::bit_cast<float>(bits));
#endif
}

template <class T> T degrees_(T a) { return a * (T(180) / float_traits<T>::pi); }
template <class T> T radians_(T a) { return a * (float_traits<T>::pi / T(180)); }
template <class T> T sign_(T a) { return a > T(0) ? T(1) : a < T(0) ? T(-1) : a == a ? a : T(0); }
template <class T> T step_(T edge, T a) { return a < edge ? T(0) : T(1); }
template <class T> T mix_(T a, T b, T c) { return a + (b - a) * c; }
template <class T> T smoothstep_(T low, T high, T a) {
  T t = (a - low) / (high - low);
  t = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
  return t * t * (T(3) - T(2) * t);
}
#endif

// --- with a second result ---

/// What a pointer or a multi_ptr points to.
template <class P> using pointee = std::remove_reference_t<decltype(*std::declval<P &>())>;
template <class P, class T> using if_points_to = std::enable_if_t<std::is_same_v<pointee<P>, T>>;

#if defined(__ASPEN_SPIRV__)
inline float frexp_(float a, int *exponent) { return __spirv_ocl_frexp(a, exponent); }
inline double frexp_(double a, int *exponent) { return __spirv_ocl_frexp(a, exponent); }
inline float modf_(float a, float *whole) { return __spirv_ocl_modf(a, whole); }
inline double modf_(double a, double *whole) { return __spirv_ocl_modf(a, whole); }
inline float sincos_(float a, float *cosine) { return __spirv_ocl_sincos(a, cosine); }
inline double sincos_(double a, double *cosine) { return __spirv_ocl_sincos(a, cosine); }
#else
#if !defined(__NVPTX__) && !defined(__AMDGCN__)
/// By its bits, since LLVM 22 cannot make code for `llvm.frexp` of vectors whose exponents are made numbers again.
template <class T, class Bits, int Mantissa> T frexp_by_bits(T a, int *exponent) {
  constexpr Bits one = Bits(1) << Mantissa, sign = Bits(1) << (sizeof(T) * 8 - 1), infinity = ~sign & ~(one - 1), below_one = (infinity / 2 & infinity) - one;
  constexpr int least = static_cast<int>(below_one >> Mantissa);
  // What is no normal number is a whole one of the smallest. No arithmetic with it: it may count as zero (-ffast-math).
  const Bits bits = sycl::bit_cast<Bits>(a), size = bits & ~sign;
  const bool tiny = size < one, none = size == 0 || size >= infinity;
  const Bits normal = tiny ? sycl::bit_cast<Bits>(static_cast<T>(static_cast<std::make_signed_t<Bits>>(size))) : size;
  *exponent = none ? 0 : static_cast<int>(normal >> Mantissa) - least - (tiny ? least + Mantissa : 0);
  return none ? a : sycl::bit_cast<T>((bits & sign) | (normal & (one - 1)) | below_one);
}
inline float frexp_(float a, int *exponent) { return frexp_by_bits<float, std::uint32_t, 23>(a, exponent); }
inline double frexp_(double a, int *exponent) { return frexp_by_bits<double, std::uint64_t, 52>(a, exponent); }
#else
inline float frexp_(float a, int *exponent) { return __builtin_frexpf(a, exponent); }
inline double frexp_(double a, int *exponent) { return __builtin_frexp(a, exponent); }
#endif
inline float modf_(float a, float *whole) { return __builtin_modff(a, whole); }
inline double modf_(double a, double *whole) { return __builtin_modf(a, whole); }
template <class T> T sincos_(T a, T *cosine) {
  *cosine = sycl::cos(a);
  return sycl::sin(a);
}
#endif
// Of half by float, which holds all of its values.
inline half frexp_(half a, int *exponent) { return half(frexp_(static_cast<float>(a), exponent)); }
inline half modf_(half a, half *whole) {
  float wide = 0;
  const half out(modf_(static_cast<float>(a), &wide));
  *whole = half(wide);
  return out;
}
inline half sincos_(half a, half *cosine) {
  float wide = 0;
  const half out(sincos_(static_cast<float>(a), &wide));
  *cosine = half(wide);
  return out;
}
/// Less than one, even where the difference would be rounded to it.
template <class T> T fract_(T a, T *whole) {
  *whole = sycl::floor(a);
  if (a == *whole)
    return sycl::copysign(T(0), a);
  const T rest = a - *whole;
  return rest >= T(1) ? T(float_traits<T>::below_one) : rest;
}
template <class T> T lgamma_r_(T a, int *sign) {
  *sign = a < T(0) && sycl::fmod(sycl::floor(a), T(2)) != T(0) ? -1 : 1;
  return sycl::lgamma(a);
}
/// `quotient` has the lower seven bits of the integer nearest to a/b, and its sign.
template <class T> T remquo_(T a, T b, int *quotient) {
  const T rest = sycl::remainder(a, b), size = sycl::fabs(b);
  const T times = (sycl::fmod(sycl::fabs(a), T(128) * size) - (a < T(0) ? -rest : rest)) / size;
  const int low = times >= T(0) && times <= T(129) ? static_cast<int>(sycl::rint(times)) & 127 : 0;
  *quotient = (a < T(0)) == (b < T(0)) ? low : -low;
  return rest;
}
inline half remquo_(half a, half b, int *quotient) { return half(remquo_(static_cast<float>(a), static_cast<float>(b), quotient)); }

} // namespace sycl::detail
