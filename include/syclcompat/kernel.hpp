//! Kernels that are called by address, and libraries of them. Source: SYCLcompat's README, "Kernel Helper Functions".
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>
#include <syclcompat/device.hpp>
#include <unistd.h>

namespace syclcompat {

/// What such a function of a library is: it launches a kernel.
typedef void (*kernel_functor)(sycl::queue &, const sycl::nd_range<3> &, unsigned, void **, void **);

struct kernel_function_info {
  int max_work_group_size = 0;
};
/// A function that is called by a kernel sets no limit of its own: the current device's is the kernel's.
inline kernel_function_info get_kernel_function_info(const void *) {
  kernel_function_info out;
  out.max_work_group_size = get_current_device().get_max_work_group_size();
  return out;
}
inline void get_kernel_function_info(kernel_function_info *out, const void *function) { *out = get_kernel_function_info(function); }

/// A shared library.
class kernel_library {
public:
  constexpr kernel_library() : handle_(nullptr) {}
  constexpr kernel_library(void *handle) : handle_(handle) {}
  operator void *() const { return handle_; }

private:
  void *handle_;
};

/// errc::invalid, with the loader's words, for a file that is no library.
inline kernel_library load_kernel_library(const std::string &name) {
  void *const handle = dlopen(name.c_str(), RTLD_LAZY);
  if (!handle)
    detail::throw_invalid(("load_kernel_library: " + std::string(dlerror())).c_str());
  return kernel_library(handle);
}
namespace detail {
template <class T> T of_elf(const char *image, size_t at) {
  T out;
  __builtin_memcpy(&out, image + at, sizeof out);
  return out;
}
/// A library in memory is an ELF file of 64 bits, whose table of sections is its end.
inline size_t size_of_library(const char *image) {
  if (__builtin_memcmp(image, "\177ELF\2", 5) != 0)
    throw_invalid("load_kernel_library_mem: this is no shared library");
  return of_elf<std::uint64_t>(image, 40) + size_t(of_elf<std::uint16_t>(image, 58)) * of_elf<std::uint16_t>(image, 60);
}
} // namespace detail
/// A library that is the content of a file. errc::invalid if it is none, errc::runtime if it cannot be written to a file of this process.
inline kernel_library load_kernel_library_mem(const char *const image) {
  const size_t size = detail::size_of_library(image);
  char path[] = "/tmp/syclcompat-XXXXXX";
  const int file = mkstemp(path);
  size_t written = 0;
  while (file >= 0 && written < size) {
    const ssize_t more = write(file, image + written, size - written);
    if (more <= 0)
      break;
    written += size_t(more);
  }
  if (file >= 0)
    close(file);
  if (file < 0 || written < size) {
    if (file >= 0)
      unlink(path);
    throw sycl::exception(sycl::make_error_code(sycl::errc::runtime), "load_kernel_library_mem: no file in /tmp can hold the library");
  }
  try {
    const kernel_library out = load_kernel_library(path);
    unlink(path);
    return out;
  } catch (...) {
    unlink(path);
    throw;
  }
}
inline void unload_kernel_library(const kernel_library &library) { dlclose(library); }

class kernel_function {
public:
  constexpr kernel_function() : launch_(nullptr) {}
  constexpr kernel_function(kernel_functor launch) : launch_(launch) {}
  operator void *() const { return reinterpret_cast<void *>(launch_); }
  void operator()(sycl::queue &queue, const sycl::nd_range<3> &range, unsigned local_mem_size, void **parameters, void **extra) const {
    launch_(queue, range, local_mem_size, parameters, extra);
  }

private:
  kernel_functor launch_;
};

/// The function under that name, with `_wrapper` behind it. errc::invalid if the library has none.
inline kernel_function get_kernel_function(kernel_library &library, const std::string &name) {
  void *const found = dlsym(library, (name + "_wrapper").c_str());
  if (!found)
    detail::throw_invalid(("get_kernel_function: the library has no " + name + "_wrapper").c_str());
  return kernel_function(reinterpret_cast<kernel_functor>(found));
}
inline void invoke_kernel_function(kernel_function &function, sycl::queue &queue, sycl::range<3> groups, sycl::range<3> local,
                                   unsigned local_mem_size, void **parameters, void **extra) {
  function(queue, sycl::nd_range<3>(groups * local, local), local_mem_size, parameters, extra);
}

} // namespace syclcompat
