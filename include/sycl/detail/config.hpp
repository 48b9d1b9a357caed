//! What every other header needs first: which pass compiles it, the version and feature macros, SYCL_EXTERNAL.
//!
//! A translation unit is compiled several times: by the host pass, by the SPIR-V pass (which also decides what kernels require) and by a
//! pass for each other kind of target. Classes have the same members in all of them, so that closures have the same layout; only function
//! bodies differ.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "the SYCL headers need C++17 or newer"
#endif

#if defined(__SPIRV__)
#define __ASPEN_SPIRV__ 1
#elif defined(__NVPTX__)
#define __ASPEN_PTX__ 1
#define __ASPEN_GPU__ 1
#elif defined(__AMDGCN__)
#define __ASPEN_AMDGCN__ 1
#define __ASPEN_GPU__ 1
#elif defined(__SYCL_DEVICE_ONLY__)
#define __ASPEN_NATIVE_CPU__ 1
#else
#define __ASPEN_HOST__ 1
#endif

#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif
#define SYCL_IMPLEMENTATION_ASPEN 1
#define SYCL_FEATURE_SET_FULL 1 // the reduced set is without unnamed kernels alone, SYCL 2020 appendix B
#define SYCL_DEVICE_COPYABLE 1 // types that are not trivially copyable may be, SYCL 2020 §3.13.1
#define SYCL_KHR_DEFAULT_CONTEXT 1

/// The version of DPC++'s interface that programs find here, by which they choose between today's names and those of before: that of 2026.0. Without,
/// SYCLomatic's helpers, Ginkgo and others take it for older than all of them. Who says another on the command line is to have that.
#ifndef __LIBSYCL_MAJOR_VERSION
#define __LIBSYCL_MAJOR_VERSION 9
#define __LIBSYCL_MINOR_VERSION 0
#define __LIBSYCL_PATCH_VERSION 0
#endif
#ifndef __SYCL_COMPILER_VERSION
#define __SYCL_COMPILER_VERSION 20260101
#endif
/// DPC++'s vendor macros. Programs choose by them between its extensions, which are here, and what no SYCL 2020 has: ComputeCpp's 1.2.1, AdaptiveCpp's
/// scoped parallelism, or an error that they know neither.
#ifndef SYCL_IMPLEMENTATION_ONEAPI
#define SYCL_IMPLEMENTATION_ONEAPI 1
#endif
#ifndef SYCL_IMPLEMENTATION_INTEL
#define SYCL_IMPLEMENTATION_INTEL 1
#endif

/// A number of its own for each use. clang counts it as an extension, in lines of users who asked to be told of these.
#if defined(__clang__)
#define __ASPEN_NUMBER                                                                                                                                 \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunknown-warning-option\"")                                                    \
      _Pragma("clang diagnostic ignored \"-Wc2y-extensions\"") __COUNTER__ _Pragma("clang diagnostic pop")
#else
#define __ASPEN_NUMBER __COUNTER__
#endif

/// Marks a device function that kernels of other translation units may call. Source: SYCL 2020 §5.10.1.
#define SYCL_EXTERNAL __attribute__((sycl_external))

/// Who asks for another's value need not have one: `if (leader) base = …; base = group_broadcast(g, base);` is a common idiom, and without this
/// clang takes the call for a proof that the branch was taken.
#define __ASPEN_MAYBE_UNSET __attribute__((maybe_undef))

#include <cstddef>
#include <cstdint>

/// The SYCL 2020 interface.
namespace sycl {
using std::size_t;
/// Programs declare these classes for themselves where they don't include the header, in files that no SYCL compiler sees as well: in this
/// namespace, as DPC++'s names demand. Their mangled names, and what a program declared first, have to be ours.
inline namespace _V1 {
class context;
class device;
class event;
class handler;
class platform;
class queue;
// Everything else is found there, too: `sycl::_V1::range` is what DPC++'s messages and code that tools complete say.
using namespace sycl;
} // namespace _V1
/// Not for users: may change without notice.
namespace detail {
/// A place of the program, as DPC++ has it for its traces; libraries hand on the one that their callers gave.
class code_location {
public:
  constexpr code_location() = default;
  constexpr code_location(const char *file, const char *function, unsigned long line, unsigned long column)
      : file_(file), function_(function), line_(line), column_(column) {}
  static constexpr code_location current(const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(),
                                         unsigned long line = static_cast<unsigned long>(__builtin_LINE()),
                                         unsigned long column = static_cast<unsigned long>(__builtin_COLUMN())) {
    return {file, function, line, column};
  }
  constexpr const char *fileName() const { return file_; }
  constexpr const char *functionName() const { return function_; }
  constexpr unsigned long lineNumber() const { return line_; }
  constexpr unsigned long columnNumber() const { return column_; }

private:
  const char *file_ = nullptr, *function_ = nullptr;
  unsigned long line_ = 0, column_ = 0;
};

/// Stands for "no kernel name given": the closure's type becomes the name.
class unnamed_kernel;
/// The class that stands for a kernel name which is none: clang takes classes only. The compiler's plugin shows `Name` to people.
template <class Name> class name_of_no_class;
template <class Name, bool IsClass> struct class_for_name { using type = Name; };
template <class Name> struct class_for_name<Name, false> { using type = name_of_no_class<Name>; };
template <class Name> using kernel_class_t = typename class_for_name<Name, __is_class(Name)>::type;
template <class Name, class F> struct kernel_name { using type = kernel_class_t<Name>; };
template <class F> struct kernel_name<unnamed_kernel, F> { using type = F; };
template <class Name, class F> using kernel_name_t = typename kernel_name<Name, F>::type;

template <int D> constexpr bool valid_dimensions = D >= 1 && D <= 3;
} // namespace detail
} // namespace sycl
