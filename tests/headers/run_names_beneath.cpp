//! What programs for DPC++ take from beneath SYCL, whose header they find where it was, and where ComputeCpp had it: a work-item's numbers without
//! an item at hand, and macros of DPC++'s headers. Exit status 0: all right.
#include "check.hpp"

#include <SYCL/sycl.hpp>
#include <cassert>
#include <iostream>
#include <sycl/CL/sycl.hpp>

struct closing {
  ~closing() {
    try {
    } catch (const cl::sycl::exception &e) {
      __SYCL_REPORT_EXCEPTION_TO_STREAM("at the end", e);
    }
  }
};

#if defined(__SYCL_DEVICE_ONLY__)
template <class T> __SYCL_CONVERGENT__ extern SYCL_EXTERNAL __SYCL_EXPORT T of_another(__spv::Scope::Flag, T, unsigned) noexcept;
#endif

// Digits of two: global, local, group; offset; global, local and group's range.
template <int D> std::uint64_t numbers() {
#if defined(__SYCL_DEVICE_ONLY__)
  using id = cl::sycl::id<D>;
  using range = cl::sycl::range<D>;
  std::uint64_t all = 0;
  auto put = [&](const auto &of) {
    for (int d = 0; d < D; ++d)
      all = all * 5 + of[d];
  };
  put(__spirv::initGlobalInvocationId<D, id>());
  put(__spirv::initLocalInvocationId<D, id>());
  put(__spirv::initWorkgroupId<D, id>());
  put(__spirv::initGlobalOffset<D, id>());
  put(__spirv::initGlobalSize<D, range>());
  put(__spirv::initWorkgroupSize<D, range>());
  put(__spirv::initNumWorkgroups<D, range>());
  return all;
#else
  return 0;
#endif
}

template <int D> std::uint64_t numbers(cl::sycl::nd_item<D> it) {
  std::uint64_t all = 0;
  auto put = [&](const auto &of) {
    for (int d = 0; d < D; ++d)
      all = all * 5 + of[d];
  };
  put(it.get_global_id());
  put(it.get_local_id());
  put(it.get_group().get_group_id());
  put(cl::sycl::id<D>());
  put(it.get_global_range());
  put(it.get_local_range());
  put(it.get_group_range());
  return all;
}

template <int D> void compare(sycl::queue &q, sycl::range<D> global, sycl::range<D> local) {
  std::uint64_t *out = sycl::malloc_shared<std::uint64_t>(2 * global.size(), q);
  q.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
    out[2 * it.get_global_linear_id()] = numbers<D>();
    out[2 * it.get_global_linear_id() + 1] = numbers(it);
  }).wait();
  for (std::size_t i = 0; i < global.size(); ++i)
    CHECK(out[2 * i] == out[2 * i + 1] && out[2 * i] != 0);
  sycl::free(out, q);
}

/// As the first releases called them.
static void first_constants() {
  namespace oneapi = sycl::ext::oneapi;
  sycl::queue q{sycl::property::queue::cuda::use_default_stream()};
  int *const p = sycl::malloc_shared<int>(1, q);
  *p = 1;
  q.single_task([=] {
     sycl::atomic_ref<int, oneapi::memory_order_acq_rel, oneapi::memory_scope_device, sycl::access::address_space::global_space>(*p) += 2;
   }).wait();
  CHECK(*p == 3);
  sycl::free(p, q);
}

int main() {
  closing last;
  sycl::queue q;
  first_constants();
  compare<1>(q, {8}, {4});
  compare<2>(q, {4, 6}, {2, 3});
  compare<3>(q, {2, 4, 6}, {1, 2, 3});
  return failures != 0;
}
