//! `sycl::interop_handle`. Source: SYCL 2020 §4.10.2.
#pragma once
#include <sycl/backend.hpp>

namespace sycl {

/// What a host task may ask for; there is no native handle on the embedded CPU.
class interop_handle {
public:
  backend get_backend() const noexcept { return backend_; }
  explicit interop_handle(backend which) : backend_(which) {}

private:
  backend backend_;
};

} // namespace sycl
