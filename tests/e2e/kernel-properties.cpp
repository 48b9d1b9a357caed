// Properties of kernels count as attributes: they split images, are checked before a launch and ahead of time, and may not contradict the
// kernel's own.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout~: ^refused: kernel 'Declared' cannot run on .*$
//# stdout~: needs aspect fp64: declared by 'Declared' kernel-properties.cpp:34:87
//# run: aspen inspect a.out
//# stdout~: work-group size.*16
//# stdout~: sub-group size.*8
//# run: aspen check a.out --device intel_gpu_dg1
//# exit: 1
//# stdout~: Declared
//# run: aspen++ -fsyntax-only -DCONTRADICTS {self}
//# exit: 1
//# stderr~: kernel-properties.cpp:44:\d+: error: the kernel's attributes and properties require different work-group sizes
//# count: 1 stderr error:
//# run: aspen++ -fsyntax-only -DDIMENSIONS {self}
//# exit: 1
//# stderr~: error: the required work-group size has 2 dimensions, but the kernel is launched over a range of 1
//# run: aspen++ -fsyntax-only -fsycl-targets=native_cpu -DZERO {self}
//# exit: 1
//# stderr~: kernel-properties.cpp:50:\d+: error: static assertion failed.*: a sub-group's size is greater than zero$
//# count: 1 stderr error:
#include <cstdio>
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(32, q);
  try {
    q.single_task<class Declared>(ex::properties{ex::device_has<sycl::aspect::fp64>}, [=] { p[0] = 1; }).wait();
    q.parallel_for<class Sized>(sycl::nd_range<1>(32, 16), ex::properties{ex::work_group_size<16>, ex::sub_group_size<8>}, [=](sycl::nd_item<1> i) {
       p[i.get_global_id(0)] = static_cast<int>(i.get_sub_group().get_max_local_range()[0]);
     }).wait();
    std::puts(p[0] == 8 && p[31] == 8 ? "ok" : "wrong");
  } catch (const sycl::exception &e) {
    std::printf("refused: %s\n", e.what());
  }
#ifdef CONTRADICTS
  q.parallel_for(sycl::nd_range<1>(32, 16), ex::properties{ex::work_group_size<16>},
                 [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] {});
#endif
#ifdef DIMENSIONS
  q.parallel_for(sycl::range(32), ex::properties{ex::work_group_size<16, 1>}, [=](sycl::id<1>) {});
#endif
#ifdef ZERO
  q.single_task(ex::properties{ex::sub_group_size<0>}, [] {});
  q.single_task(ex::properties{ex::sub_group_size_primary}, [] {});
#endif
  sycl::free(p, q);
}
