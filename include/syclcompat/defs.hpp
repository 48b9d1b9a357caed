//! Macros, error codes and the version. Source: SYCLcompat's README, "Compatibility Utilities", "Versioning".
#pragma once
#include <exception>
#include <iostream>
#include <stdexcept>
#include <sycl/exception.hpp>

/// Names for kernels that tools write.
template <class... Arguments> class syclcompat_kernel_name;
template <int Argument> class syclcompat_kernel_scalar;

#define __syclcompat_align__(n) __attribute__((aligned(n)))
#define __syclcompat_inline__ __inline__ __attribute__((always_inline))
#define __syclcompat_noinline__ __attribute__((noinline))

/// The compute capability, times 100, that tools put where CUDA's __CUDA_ARCH__ stood.
#define SYCLCOMPAT_COMPATIBILITY_TEMP (600)
#define SYCLCOMPAT_EXPORT

/// The version of the document that these headers follow.
#define SYCLCOMPAT_MAJOR_VERSION 0
#define SYCLCOMPAT_MINOR_VERSION 1
#define SYCLCOMPAT_PATCH_VERSION 0
#define SYCLCOMPAT_MAKE_VERSION(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define SYCLCOMPAT_VERSION SYCLCOMPAT_MAKE_VERSION(SYCLCOMPAT_MAJOR_VERSION, SYCLCOMPAT_MINOR_VERSION, SYCLCOMPAT_PATCH_VERSION)

namespace syclcompat {

using ::syclcompat_kernel_name;
using ::syclcompat_kernel_scalar;

/// What SYCLCOMPAT_CHECK_ERROR says.
enum error_code { SUCCESS = 0, BACKEND_ERROR = 1, DEFAULT_ERROR = 999 };

/// What tools write where CUDA has the text of an error.
inline const char *get_error_string_dummy(int code) { return code == SUCCESS ? "no error" : "an error, of which std::cerr has the text"; }

namespace detail {
template <class F> error_code error_of(F what) {
  try {
    what();
    return SUCCESS;
  } catch (const sycl::exception &e) {
    std::cerr << e.what() << std::endl;
    return BACKEND_ERROR;
  } catch (const std::runtime_error &e) {
    std::cerr << e.what() << std::endl;
    return DEFAULT_ERROR;
  }
}

[[noreturn]] inline void throw_unsupported(const char *what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported), what);
}
[[noreturn]] inline void throw_invalid(const char *what) { throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what); }
} // namespace detail

} // namespace syclcompat

/// Does what is given, inside a function, and says whether a sycl::exception or a std::runtime_error came, whose text goes to std::cerr.
#define SYCLCOMPAT_CHECK_ERROR(...) ::syclcompat::detail::error_of([&] { __VA_ARGS__; })
