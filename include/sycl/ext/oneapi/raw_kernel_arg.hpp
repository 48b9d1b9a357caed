//! An argument of a kernel object by its bytes. Source: sycl_ext_oneapi_raw_kernel_arg.
#pragma once
#include <cstddef>

#define SYCL_EXT_ONEAPI_RAW_KERNEL_ARG 1

namespace sycl {
namespace detail {
class native_arguments;
}

namespace ext::oneapi {
/// A view of `count` bytes, which `handler::set_arg` copies. A launch of a kernel that is a function fails with errc::kernel_argument if
/// its parameter has another size.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void *bytes, std::size_t count) : bytes_(bytes), count_(count) {}

private:
  friend class sycl::detail::native_arguments;
  const void *bytes_;
  std::size_t count_;
};
/// Where DPC++ has it.
namespace experimental {
using oneapi::raw_kernel_arg;
}
} // namespace ext::oneapi
} // namespace sycl
