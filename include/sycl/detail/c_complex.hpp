//! Functions of <complex> that clang and libstdc++ call by their C names, for devices that have no C library: std::complex in kernels.
//!
//! Weak and of C linkage, as those of c_math.hpp; only those that kernels call are emitted. The embedded CPU device has a C library, whose functions are calls
//! that no vector makes: products, quotients and sizes are here for it too.
#pragma once
#include <sycl/detail/complex_math.hpp>

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__) || defined(__ASPEN_NATIVE_CPU__)
namespace sycl::detail::cx {
inline number<float> from_c(_Complex float z) { return {__real__ z, __imag__ z}; }
inline number<double> from_c(_Complex double z) { return {__real__ z, __imag__ z}; }
inline _Complex float to_c(number<float> z) { return __builtin_complex(z.re, z.im); }
inline _Complex double to_c(number<double> z) { return __builtin_complex(z.re, z.im); }
} // namespace sycl::detail::cx

#define __ASPEN_C_FUNCTION extern "C" __attribute__((weak))
// What clang makes of * and / where both parts would be NaN, which it takes to be rare: as a call it would keep all from becoming vectors.
#define __ASPEN_C_ARITHMETIC(name, T, by)                                                                                                 \
  __ASPEN_C_FUNCTION __attribute__((always_inline)) _Complex T name(T a, T b, T c, T d) noexcept {                                                                        \
    return sycl::detail::cx::to_c(by(sycl::detail::cx::number<T>{a, b}, sycl::detail::cx::number<T>{c, d}));                               \
  }
__ASPEN_C_ARITHMETIC(__mulsc3, float, multiply)
__ASPEN_C_ARITHMETIC(__muldc3, double, multiply)
__ASPEN_C_ARITHMETIC(__divsc3, float, divide)
__ASPEN_C_ARITHMETIC(__divdc3, double, divide)
#undef __ASPEN_C_ARITHMETIC

#define __ASPEN_C_REAL(name, by)                                                                                                          \
  __ASPEN_C_FUNCTION float name##f(_Complex float z) noexcept { return by(sycl::detail::cx::from_c(z)); }                                  \
  __ASPEN_C_FUNCTION double name(_Complex double z) noexcept { return by(sycl::detail::cx::from_c(z)); }
__ASPEN_C_REAL(cabs, magnitude)
__ASPEN_C_REAL(carg, phase)
#undef __ASPEN_C_REAL

#ifndef __ASPEN_NATIVE_CPU__
#define __ASPEN_C_COMPLEX(name, by)                                                                                                       \
  __ASPEN_C_FUNCTION _Complex float name##f(_Complex float z) noexcept { return sycl::detail::cx::to_c(by(sycl::detail::cx::from_c(z))); } \
  __ASPEN_C_FUNCTION _Complex double name(_Complex double z) noexcept { return sycl::detail::cx::to_c(by(sycl::detail::cx::from_c(z))); }
__ASPEN_C_COMPLEX(cproj, project)
__ASPEN_C_COMPLEX(cexp, exponential)
__ASPEN_C_COMPLEX(clog, logarithm)
__ASPEN_C_COMPLEX(csqrt, square_root)
__ASPEN_C_COMPLEX(csinh, hyperbolic_sine)
__ASPEN_C_COMPLEX(ccosh, hyperbolic_cosine)
__ASPEN_C_COMPLEX(ctanh, hyperbolic_tangent)
__ASPEN_C_COMPLEX(casinh, inverse_hyperbolic_sine)
__ASPEN_C_COMPLEX(cacosh, inverse_hyperbolic_cosine)
__ASPEN_C_COMPLEX(catanh, inverse_hyperbolic_tangent)
__ASPEN_C_COMPLEX(csin, sine)
__ASPEN_C_COMPLEX(ccos, cosine)
__ASPEN_C_COMPLEX(ctan, tangent)
__ASPEN_C_COMPLEX(casin, arc_sine)
__ASPEN_C_COMPLEX(cacos, arc_cosine)
__ASPEN_C_COMPLEX(catan, arc_tangent)
#undef __ASPEN_C_COMPLEX
__ASPEN_C_FUNCTION _Complex float cpowf(_Complex float a, _Complex float b) noexcept {
  return sycl::detail::cx::to_c(power(sycl::detail::cx::from_c(a), sycl::detail::cx::from_c(b)));
}
__ASPEN_C_FUNCTION _Complex double cpow(_Complex double a, _Complex double b) noexcept {
  return sycl::detail::cx::to_c(power(sycl::detail::cx::from_c(a), sycl::detail::cx::from_c(b)));
}
#endif
#undef __ASPEN_C_FUNCTION
#endif
