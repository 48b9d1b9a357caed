// if_device_has of a pack that may be empty: nothing is asked, so it holds. Source: S4.
//# run: aspen++ -O2 -fsycl-targets=native_cpu,spir64 asks.cpp -o a.out
//# run: ./a.out
//# stdout: 5 6 7 -2
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: 5 -2 -2 -2
//# file: asks.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
namespace ex = sycl::ext::oneapi::experimental;
template <sycl::aspect... A> int ask(int x) { int out = -1; ex::if_device_has<A...>([&] { out = x; }).else_device([&] { out = -2; }); return out; }
int main() { sycl::queue q; int *p = sycl::malloc_shared<int>(4, q);
 q.single_task([=] { p[0] = ask<>(5); p[1] = ask<sycl::aspect::fp64>(6); p[2] = ask<sycl::aspect::fp64, sycl::aspect::cpu>(7); p[3] = ask<sycl::aspect::accelerator>(8); }).wait();
 std::printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]); }
