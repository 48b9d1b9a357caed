// Where the device lacks virtual memory, as one that a profile stands for may, its functions say so; <sys/mman.h> is not in their way.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu {self} -o app
//# run: ./app
//# stdout: has 1: 0 0 0
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_skl ./app
//# stdout: has 0: 1 1 1
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -DBEFORE {self} -o app
#ifdef BEFORE
#include <sys/mman.h>
#endif
#include <sycl/sycl.hpp>
#ifndef BEFORE
#include <sys/mman.h>
#endif
#include <cstdio>

namespace ex = sycl::ext::oneapi::experimental;

template <class F> int refused(F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    return e.code() == sycl::errc::feature_not_supported;
  }
  return 0;
}

int main() {
  sycl::queue q;
  std::printf("has %d: %d %d %d\n", q.get_device().has(sycl::aspect::ext_oneapi_virtual_mem),
              refused([&] { (void)ex::get_mem_granularity(q.get_device(), q.get_context(), ex::granularity_mode::minimum); }),
              refused([&] { ex::free_virtual_mem(ex::reserve_virtual_mem(1 << 16, q.get_context()), 1 << 16, q.get_context()); }),
              refused([&] { ex::physical_mem(q, 1 << 16); }));
}
