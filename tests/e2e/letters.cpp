// Programs define macros of one letter before they include SYCL, in the source and on the line.
//# run: aspen++ -std=c++20 -O1 -fsycl-targets=native_cpu,spir64 -DA=7 -DB=7 -DC=7 -DD=7 -DE=7 -DF=7 -DG=7 -DH=7 -DI=7 -DJ=7 -DK=7 -DL=7 -DM=7 -DO=7 -DP=7 -DQ=7 -DR=7 -DS=7 -DU=7 -DV=7 -DW=7 -DX=7 -DY=7 -DZ=7 {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# run: aspen++ -std=c++17 -fsyntax-only -fsycl-targets=nvidia_gpu_sm_80 -DA=7 -DB=7 -DC=7 -DD=7 -DE=7 -DF=7 -DG=7 -DH=7 -DI=7 -DJ=7 -DK=7 -DL=7 -DM=7 -DO=7 -DP=7 -DQ=7 -DR=7 -DS=7 -DU=7 -DV=7 -DW=7 -DX=7 -DY=7 -DZ=7 {self}
#define N 64
#define T float
#include <CL/sycl.hpp>
T twice(T x) { return 2 * x; }
int main() {
  sycl::queue q;
  T *p = sycl::malloc_shared<T>(N, q);
  q.parallel_for(N, [=](sycl::id<1> i) { p[i] = twice(i) + D; }).wait();
  return p[N - 1] == 2 * (N - 1) + D ? 0 : 1;
}
