// Loops of a kernel's own stay loops in SPIR-V: what LLVM makes of those that end early, in vectors, SPIR-V has no instructions for.
//# run: aspen++ -O3 -ffast-math -fsycl-targets=spir64,native_cpu {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: 7
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  double *p = sycl::malloc_shared<double>(1, q);
  int *n = sycl::malloc_shared<int>(2, q);
  *p = 7, n[0] = 1000;
  q.single_task<class k>([=] {
     double left = *p;
     for (int i = 0; i < n[0] && left > 0; i++) {
       left -= 1;
       n[1] = i + 1;
     }
   }).wait();
  double value = *p;
  q.single_task<class l>([=] {
     double left = value;
     int i = 0;
     for (; i < n[0]; i++) {
       left -= 1;
       if (left < 1e-9)
         break;
     }
     n[1] = i + 1;
   }).wait();
  std::printf("%d\n", n[1]);
}
