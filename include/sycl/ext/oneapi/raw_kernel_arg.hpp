//! An argument of a kernel object by its bytes. Source: sycl_ext_oneapi_raw_kernel_arg.
#pragma once
#include <cstddef>

#define SYCL_EXT_ONEAPI_RAW_KERNEL_ARG 1

namespace sycl {
namespace detail {
class native_arguments;
}

namespace ext::oneapi {
/// Says that the bytes are a pointer, which some backends take by itself.
struct pointer_arg_t {
  explicit constexpr pointer_arg_t() = default;
};
inline constexpr pointer_arg_t pointer_arg{};

/// A view of `count` bytes, which `handler::set_arg` copies. A launch of a kernel that is a function fails with errc::kernel_argument if
/// its parameter has another size.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void *bytes, std::size_t count) : bytes_(bytes), count_(count) {}
  raw_kernel_arg(const void *to_pointer, pointer_arg_t) : bytes_(to_pointer), count_(sizeof(void *)), is_pointer_(true) {}

private:
  friend class sycl::detail::native_arguments;
  const void *bytes_;
  std::size_t count_;
  bool is_pointer_ = false;
};
/// Where DPC++ has it.
namespace experimental {
using oneapi::pointer_arg, oneapi::pointer_arg_t, oneapi::raw_kernel_arg;
}
} // namespace ext::oneapi
} // namespace sycl
