// With -fsycl-requirements=optimized, functions that only their unit sees are optimised for their callers: an argument that folds away in
// all of them is no use of its type. An exported function keeps what its signature says. DESIGN §7.12.
//# run: aspen++ -O2 {self} -o source
//# sh: aspen inspect source | grep -c fp64
//# stdout~: ^[1-9]
//# run: aspen++ -O2 -fsycl-requirements=optimized {self} -o optimized
//# sh: aspen inspect optimized | grep -c fp64
//# exit: 1
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./optimized
//# stdout: 6
//# run: aspen++ -O2 -fsycl-requirements=optimized -DEXPORT=SYCL_EXTERNAL {self} -o exported
//# sh: aspen inspect exported | grep -c fp64
//# stdout~: ^[1-9]
#include <sycl/sycl.hpp>
#include <cstdio>
#ifndef EXPORT
#define EXPORT
#endif
EXPORT __attribute__((noinline)) float scale(float x, double by) { return by == 2 ? x + x : x / 3; }
template <class T> __attribute__((noinline)) T keep(T x, double by) { return by > 1 ? x : -x; }
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(2, q);
  p[0] = 3;
  q.single_task<class k>([=] { p[1] = keep(scale(p[0], 2.0), 4.0); }).wait();
  std::printf("%g\n", p[1]);
}
