//! Frees unified shared memory for `std::unique_ptr` and `std::shared_ptr`. Source: sycl_ext_oneapi_usm_raii.
#pragma once
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#define SYCL_EXT_ONEAPI_USM_RAII 1

namespace sycl::ext::oneapi::experimental {

/// Calls `sycl::free`, and waits for nothing.
class usm_deleter {
public:
  usm_deleter(const context &in) : context_(in) {}
  usm_deleter(const queue &q) : context_(q.get_context()) {}
  template <class T> void operator()(T *memory) const { sycl::free(memory, context_); }

private:
  context context_;
};

} // namespace sycl::ext::oneapi::experimental
