// sccache before aspen++, counted by its own statistics: a hit gives the same object and the same warning, whatever decides an object beside
// its source is a miss when it changes, and so is a header that only device passes read. A server of the test's own, on a folder of its own.
//# also: sccache/sccache.sh
//# sh: sh sccache.sh 2>&1
//# stdout~: ^the same again: hits 1, misses 1, same object
//# stdout~: ^with dependencies: hits 2, misses 1, same object
//# stdout~: ^device file: hits 2, misses 2, another object
//# stdout~: ^device file as before: hits 3, misses 2, same object
//# stdout~: ^header of device code: hits 3, misses 3, another object
//# stdout~: ^plugin: hits 3, misses 4
//# stdout~: ^driver: hits 3, misses 5
//# stdout~: ^clang: hits 3, misses 6
//# stdout~: ^options: hits 3, misses 7
//# stdout~: ^without SYCL: hits 3, misses 8
//# stdout~: ^without SYCL again: hits 4, misses 8, same object
//# stdout~: ^errors 0, not cached 0, unsupported 0$
//# count: 10 stdout warned
//# stdout~: ^42 43$
#include <cstdio>
#include <sycl/sycl.hpp>
#ifdef __SYCL_DEVICE_ONLY__
#include "device.hpp"
#endif
[[sycl::device_has(sycl::aspect::fp16)]] void declared(double *p) { *p = 1.5 * *p; }
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  double *d = sycl::malloc_shared<double>(1, q);
  q.single_task([=] {
#ifdef __SYCL_DEVICE_ONLY__
    *p = value;
#else
    *p = 0;
#endif
    declared(d);
    if constexpr (sycl::all_devices_have_v<sycl::aspect::fp64>) *d += 1;
  }).wait();
  std::printf("%d\n", *p);
}
//# file: plain.cpp
#include <vector>
std::vector<int> plain() { return {1}; }
