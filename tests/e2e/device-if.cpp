// if_device_has: images for the CPU decide when they are loaded, for the device or what it stands for; ahead of time it is decided while
// compiling, and what cannot be known is refused.
//# run: aspen++ -O2 -std=c++17 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 1 20 300 0
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: 2 20 200 0
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_skl ./a.out
//# stdout: 2 20 100 0
//# deep: without optimisation, and on an open target
//# run: aspen++ -O0 -std=c++17 {self} -o b.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./b.out
//# stdout: 1 20 300 0
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ASPEN_DEVICE_PROFILE=intel_gpu_skl ./b.out
//# stdout: 2 20 100 0
//# run: aspen++ -std=c++17 -fsycl-targets=spir64_x86_64 -DOPEN -c {self} -o c.o
//# exit: 1
//# stderr~: may or may not have these aspects
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fsycl-host-only -DINVALID -c {self} -o d.o
//# exit: 1
//# stderr~: Invalid aspect used in if_device_has\.
//# stderr~: Invalid aspect used in else_if_device_has\.
#include <sycl/sycl.hpp>
#include <cstdio>
using sycl::aspect;
namespace ex = sycl::ext::oneapi::experimental;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    p[i] = 0;
  q.single_task([=] {
     ex::if_device_has<aspect::cpu, aspect::fp64>([=] { p[0] = 1; }).else_device([=] { p[0] = 2; });
     ex::if_device_has<aspect::cpu, aspect::gpu>([=](int v) { p[1] = v; }, 10).else_device([=](int v) { p[1] = v; }, 20);
     ex::if_device_has<aspect::ext_intel_gpu_skl>([=] { p[2] = 100; })
         .template else_if_device_has<aspect::ext_intel_gpu_dg1>([=] { p[2] = 200; })
         .template else_if_device_has<aspect::fp16>([=](int v) { p[2] = v; }, 300)
         .template else_if_device_has<aspect::fp64>([=] { p[2] = 400; })
         .else_device([=] { p[2] = 500; });
     ex::if_device_has<aspect::ext_intel_esimd>([=] { p[3] = 1; });
#ifdef OPEN
     ex::if_device_has<aspect::accelerator>([=] { p[3] = 1; });
#endif
#ifdef INVALID
     ex::if_device_has<aspect{4242}>([=] { p[3] = 1; }).template else_if_device_has<aspect{4243}>([=] { p[3] = 2; });
#endif
   }).wait();
  std::printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]);
  sycl::free(p, q);
}
