// Clang compiles modules of its module maps in the middle of a unit (-fmodules): what it has seen of the unit's attributes by then holds.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fmodules -fmodules-cache-path=cache {self} -o program
//# sh: ls cache | grep -q .
//# run: ./program
//# stdout: 2.5 1
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fmodules -fmodules-cache-path=cache -DNARROW -fsyntax-only {self}
//# count: 1 stderr warning:
//# stderr~: header-modules\.cpp:16:59: warning: function 'narrow' uses aspect 'fp64' not listed in 'sycl::device_has' \[-Wsycl-aspects\]
#include <cstdio>
#include <sycl/sycl.hpp>
#include <stdalign.h>

[[sycl::device_has(sycl::aspect::fp64)]] SYCL_EXTERNAL double half_of(double x) { return x / 2; }
#include <stdatomic.h>
#ifdef NARROW
[[sycl::device_has()]] SYCL_EXTERNAL double narrow(double x) { return half_of(x); }
#endif

int main() {
  double *out = sycl::malloc_shared<double>(1, sycl::queue());
  *out = 5;
  sycl::queue().single_task([=]() [[sycl::reqd_work_group_size(1)]] { *out = half_of(*out); }).wait();
  std::printf("%.1f %d\n", *out, int(alignof(char)));
}
