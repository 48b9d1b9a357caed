//! printf and assert inside kernels. Plain `printf` works too; this is the spelling of other implementations.
//!
//! Numbers of type float become double on their way through `...`, as C says: a kernel that prints one needs aspect fp64.
#pragma once
#include <cassert>
#include <cstdio>
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_SPIRV__)
extern int __spirv_ocl_printf(const __attribute__((address_space(2))) char *, ...);
#elif defined(__ASPEN_PTX__)
/// The driver's: ends the kernel and says why.
extern "C" void __assertfail(const char *expression, const char *file, unsigned line, const char *function, std::size_t size_of_char);
#endif

namespace sycl {

namespace ext::oneapi::experimental {
template <class... Arguments> inline int printf(const char *format, Arguments... arguments) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  return __builtin_printf(format, arguments...);
#pragma clang diagnostic pop
}
} // namespace ext::oneapi::experimental

#if defined(__ASPEN_SPIRV__)
namespace detail {
/// A word that the runtime reads when a kernel has ended, and ends the program if it is set. The plugin and the link treat it as a
/// `device_global` whose value the runtime has, not the program (docs/decisions/0031).
struct assertion_word {
  __attribute__((opencl_global)) volatile unsigned *word = nullptr;
};
inline assertion_word failed_assertion;

/// Prints what glibc would and goes on: SPIR-V has no way to end a kernel. OpenCL wants the format in constant memory.
inline void device_assert(const char *expression, const char *file, unsigned line, const char *function) {
  static const __attribute__((address_space(2))) char format[] = "%s:%u: %s: Assertion `%s' failed.\n";
  __spirv_ocl_printf(format, file, line, function, expression);
  // Null where the driver keeps no variables between kernels.
  if (failed_assertion.word)
    *failed_assertion.word = 1;
}
} // namespace detail
#elif defined(__ASPEN_PTX__)
namespace detail {
inline void device_assert(const char *expression, const char *file, unsigned line, const char *function) {
  __assertfail(expression, file, line, function, 1);
}
} // namespace detail
#elif defined(__ASPEN_AMDGCN__)
namespace detail {
/// Ends the kernel: there is no printing (docs/AMD.md).
inline void device_assert(const char *, const char *, unsigned, const char *) { __builtin_trap(); }
} // namespace detail
#endif

} // namespace sycl

#if defined(__ASPEN_SPIRV__) || defined(__ASPEN_GPU__)
// What glibc's `assert` calls in headers that came before; the plugin gives its declaration this name, and says that it returns.
extern "C" inline void __aspen_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  sycl::detail::device_assert(expression, file, line, function);
}
// glibc's `assert` calls this name. A macro, as a definition of a function that never returns breaks drivers. <cassert> comes first, above.
#define __assert_fail(expression, file, line, function) ::sycl::detail::device_assert(expression, file, line, function)
#endif
