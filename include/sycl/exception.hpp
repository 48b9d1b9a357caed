//! Errors: errc, exception, exception_list, async_handler. Source: SYCL 2020 §4.13.
#pragma once
#include <aspen/aspen.h>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sycl/detail/config.hpp>
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>
#include <system_error>
#include <type_traits>
#include <utility>
// Only std::function: all of <functional> would make a pass over the header an eighth longer.
#if __has_include(<bits/std_function.h>)
#include <bits/std_function.h>
#else
#include <functional>
#endif

namespace sycl {

/// The same numbers as aspen_errc_t.
enum class errc : int {
  success = ASPEN_ERRC_SUCCESS,
  runtime = ASPEN_ERRC_RUNTIME,
  kernel = ASPEN_ERRC_KERNEL,
  accessor = ASPEN_ERRC_ACCESSOR,
  nd_range = ASPEN_ERRC_ND_RANGE,
  event = ASPEN_ERRC_EVENT,
  kernel_argument = ASPEN_ERRC_KERNEL_ARGUMENT,
  build = ASPEN_ERRC_BUILD,
  invalid = ASPEN_ERRC_INVALID,
  memory_allocation = ASPEN_ERRC_MEMORY_ALLOCATION,
  platform = ASPEN_ERRC_PLATFORM,
  profiling = ASPEN_ERRC_PROFILING,
  feature_not_supported = ASPEN_ERRC_FEATURE_NOT_SUPPORTED,
  kernel_not_supported = ASPEN_ERRC_KERNEL_NOT_SUPPORTED,
  backend_mismatch = ASPEN_ERRC_BACKEND_MISMATCH
};

} // namespace sycl

template <> struct std::is_error_code_enum<sycl::errc> : std::true_type {};

namespace sycl {

namespace detail {
class __attribute__((visibility("default"))) sycl_error_category final : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int value) const override {
    static constexpr const char *texts[] = {"success",
                                            "runtime error",
                                            "kernel error",
                                            "accessor error",
                                            "invalid nd_range",
                                            "event error",
                                            "invalid kernel argument",
                                            "build error",
                                            "invalid use",
                                            "memory allocation failed",
                                            "platform error",
                                            "profiling error",
                                            "feature not supported by the device",
                                            "kernel not supported by the device",
                                            "backend mismatch"};
    constexpr int count = sizeof(texts) / sizeof(texts[0]);
    return value >= 0 && value < count ? texts[value] : "unknown SYCL error";
  }
};
struct context_state;
/// Holds the context of an exception; what it is, context.hpp knows.
struct exception_context : counted {
  virtual ~exception_context() = default;
};
} // namespace detail

/// One object for all that the loader brings together; a library that was opened with RTLD_LOCAL has its own.
__attribute__((visibility("default"))) inline const std::error_category &sycl_category() noexcept {
  [[clang::no_destroy]] static const detail::sycl_error_category category; // exceptions of the last destructors name it, too
  return category;
}

inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), sycl_category()}; }

namespace detail {
struct own_codes {
  std::error_code of[static_cast<int>(errc::backend_mismatch) + 1];
  own_codes() noexcept {
    for (std::error_code &code : of)
      code.assign(static_cast<int>(&code - of), sycl_category());
  }
};
/// The same error with the category of whoever asks, so that it equals the `errc` there although another library threw it.
inline const std::error_code &own_code(const std::error_code &code) noexcept {
  if (code.category() == sycl_category() || std::string_view(code.category().name()) != sycl_category().name())
    return code;
  static const own_codes known;
  const bool is_known = code.value() >= 0 && code.value() <= static_cast<int>(errc::backend_mismatch);
  return is_known ? known.of[code.value()] : code;
}
} // namespace detail

class __attribute__((visibility("default"))) exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &what) : message_(what), code_(code) {}
  exception(std::error_code code, const char *what) : message_(what), code_(code) {}
  exception(std::error_code code) : message_(code.message()), code_(code) {}
  exception(int value, const std::error_category &category, const std::string &what) : exception({value, category}, what) {}
  exception(int value, const std::error_category &category, const char *what) : exception({value, category}, what) {}
  exception(int value, const std::error_category &category) : exception(std::error_code{value, category}) {}

  const std::error_code &code() const noexcept { return detail::own_code(code_); }
  const std::error_category &category() const noexcept { return code().category(); }
  const char *what() const noexcept override { return message_.what(); }
  /// With a context; only errors that programs make have one.
  exception(const context &in, std::error_code code, const std::string &what);
  exception(const context &in, std::error_code code, const char *what);
  exception(const context &in, std::error_code code);
  exception(const context &in, int value, const std::error_category &category, const std::string &what);
  exception(const context &in, int value, const std::error_category &category, const char *what);
  exception(const context &in, int value, const std::error_category &category);
  bool has_context() const noexcept { return static_cast<bool>(context_); }
  context get_context() const;
  /// The error of OpenCL, or 0. Source: SYCL 1.2.1 §4.9.2.
  int get_cl_code() const { return native_; }
  /// For the library: the number of the error in the backend's own interface.
  int aspen_native() const noexcept { return native_; }
  void aspen_native(int number) noexcept { native_ = number; }

private:
  std::runtime_error message_; // copies without throwing, as an exception must
  std::error_code code_;
  detail::shared<detail::exception_context> context_;
  int native_ = 0;
};

/// The asynchronous errors handed to an async_handler. Source: SYCL 2020 §4.13.2.
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = const std::exception_ptr *;
  using const_iterator = iterator;

  exception_list() = default;
  /// For the library: the errors in the order they happened.
  explicit exception_list(detail::list<std::exception_ptr> errors) : errors_(std::move(errors)) {}
  size_type size() const { return errors_.size(); }
  iterator begin() const { return errors_.begin(); }
  iterator end() const { return errors_.end(); }

private:
  detail::list<std::exception_ptr> errors_;
};

/// Source: SYCL 2020 §4.13.
using async_handler = std::function<void(exception_list)>;

namespace detail {

/// A C++ exception of what the runtime reported; frees the report.
inline exception to_exception(aspen_error_t *error) {
  exception made(make_error_code(static_cast<errc>(aspen_error_code(error))), aspen_error_message(error));
  made.aspen_native(aspen_error_native(error));
  aspen_error_delete(error);
  return made;
}

/// Throws if a call of the C ABI failed.
inline void check(aspen_error_t *error) {
#ifndef __SYCL_DEVICE_ONLY__
  if (__builtin_expect(error != nullptr, 0))
    throw to_exception(error);
#else
  (void)error;
#endif
}

[[noreturn]] inline void fail(errc code, const char *what, int native = 0) {
#ifndef __SYCL_DEVICE_ONLY__
  exception made(make_error_code(code), what);
  made.aspen_native(native);
  throw made;
#else
  (void)code;
  (void)what;
  (void)native;
  __builtin_unreachable();
#endif
}

} // namespace detail
} // namespace sycl
