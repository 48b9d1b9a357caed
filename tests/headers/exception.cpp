//! Exceptions: codes, the category, what a handler may be.
#include <sycl/exception.hpp>

static_assert(std::is_error_code_enum_v<sycl::errc>);
static_assert(std::is_base_of_v<std::exception, sycl::exception>);
static_assert(std::is_nothrow_copy_constructible_v<sycl::exception>);
static_assert(std::is_constructible_v<sycl::exception, std::error_code, const char *> && std::is_convertible_v<std::error_code, sycl::exception>);
static_assert(std::is_constructible_v<sycl::exception, sycl::errc, std::string>);
static_assert(std::is_constructible_v<sycl::async_handler, void (*)(sycl::exception_list)>);
static_assert(!std::is_constructible_v<sycl::async_handler, void (*)(int)>);
static_assert(static_cast<int>(sycl::errc::kernel_not_supported) == ASPEN_ERRC_KERNEL_NOT_SUPPORTED);

bool codes_compare(const sycl::exception &e) {
  return e.code() == sycl::errc::nd_range && e.code() == sycl::make_error_code(sycl::errc::nd_range) && e.category() == sycl::sycl_category();
}
size_t lists_are_ranges(const sycl::exception_list &list) {
  size_t count = 0;
  for (const std::exception_ptr &e : list)
    count += e != nullptr;
  return count;
}
