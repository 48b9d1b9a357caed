// What the body of an if_device_has uses counts only on devices that have its aspects: no requirement of the kernel, a warning only for what
// neither attribute nor guard lists, and a need under the guard for devices that have the guard's aspects. Source: DESIGN §7.8.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu {self} -o a.out
//# count: 1 stderr ^guarded-bodies\.cpp:\d+:\d+: warning: function 'decorated' uses aspect 'fp16' not listed in 'sycl::device_has' \[-Wsycl-aspects\]$
//# count: 1 stderr warning:
//# stderr~: \n  decorated\(\)\n  lambda at guarded-bodies\.cpp:\d+:\d+\(\) guarded-bodies\.cpp:\d+:8 only where the device has cpu and fp64\n
//# run: ./a.out
//# stdout: 1.5 2.5 0.5 0
//# run: aspen inspect a.out
//# stdout~: kernel whole\n
//# stdout!~: (?m)kernel whole +needs
//# stdout~: (?m)^    needs aspect fp64 where the device has cpu$
//# run: aspen explain a.out beyond
//# stdout: kernel 'beyond' needs aspect fp64 where the device has cpu
//# stdout~: guarded-bodies\.cpp:\d+:8: called from 'beyond', only where the device has cpu\n
//# stdout!~: device_if\.hpp
//# run: aspen check a.out --device intel_gpu_dg1 --device native_cpu --device spir64_x86_64
//# run: aspen check --format json --device-config-file devices.yaml a.out --device plain_cpu --device open_cpu
//# exit: 1
//# stdout~: "need": "aspect fp64"
//# count: 1 stdout "supported": false
//# count: 1 stdout "supported": null
//# run: ASPEN_DEVICE_PROFILE=plain_cpu ASPEN_DEVICE_CONFIG_FILE=devices.yaml ./a.out
//# exit: 1
//# stdout~: kernel 'beyond' cannot run on .*:\n  needs aspect fp64: guarded-bodies\.cpp:\d+:\d+ in
// The CPU device answers as its profile does, so that other bodies run: dg1 is no cpu and has no fp64.
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: -1 0 0 0
//# deep: targets of GPUs and libraries
// The same for GPUs: only the body that a device runs reaches its compiler, and an image that it cannot run is skipped.
//# run: aspen++ -v -std=c++17 -DFOR_GPUS -fsycl-targets=intel_gpu_skl,intel_gpu_dg1 {self} -o b.out
//# stderr~: is skipped for target 'intel_gpu_dg1', which lacks aspect fp64; kernels: beyond\n
//# stderr!~: is skipped for target 'intel_gpu_dg1', .*kernels: .*whole
//# stderr!~: is skipped for target 'intel_gpu_skl'
// Fixed targets are asked the same: dg1 has the guard's gpu, so that it would need fp64.
//# run: aspen++ -std=c++17 -DFOR_GPUS -fsycl-targets=intel_gpu_skl -fsycl-fixed-targets=intel_gpu_dg1,native_cpu -c {self} -o c.o
//# stderr~: kernel 'beyond' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64
//# count: 1 stderr cannot run on fixed target
// Exported functions carry their guards, and what they are compiled from reads back the same.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -shared -fPIC other.cpp -o libother.so
//# run: aspen inspect --format json libother.so
//# stdout~: "Aspen/guards": \{\s+"_Z5otherPd"
#include <sycl/sycl.hpp>
#include <cstdio>
using sycl::aspect;
namespace ex = sycl::ext::oneapi::experimental;
class whole;
class beyond;
class decorated;
#ifdef FOR_GPUS
constexpr aspect here = aspect::gpu;
#else
constexpr aspect here = aspect::cpu;
#endif
int main() {
  try {
    sycl::queue q;
    float *p = sycl::malloc_shared<float>(4, q);
    for (int i = 0; i < 4; ++i)
      p[i] = 0;
    q.single_task<whole>([=] {
       ex::if_device_has<aspect::fp64>([=] {
         double d = p[0] + 3;
         p[0] = float(d / 2);
       }).else_device([=] { p[0] = -1; });
     }).wait();
    q.single_task<beyond>([=] {
       ex::if_device_has<here>([=] {
         double d = p[1] + 5;
         p[1] = float(d / 2);
       });
     }).wait();
#ifndef FOR_GPUS
    q.single_task<decorated>([=]() [[sycl::device_has()]] {
       ex::if_device_has<aspect::cpu, aspect::fp64>([=] {
         double d = p[2] + 1;
         sycl::half h = float(d / 2);
         p[2] = h;
       });
     }).wait();
#endif
    std::printf("%g %g %g %g\n", p[0], p[1], p[2], p[3]);
    sycl::free(p, q);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
//# file: other.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL void other(double *p) {
  sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::cpu>([=] { *p = *p * 2; });
}
//# file: devices.yaml
plain_cpu:
  aspects: [cpu, usm_shared_allocations, usm_device_allocations, usm_host_allocations]
open_cpu:
  aspects: [cpu, fp16]
  may_support_other_aspects: true
