// spir64_x86_64: an image for x86-64 processors, which the CPU device runs, also beside native_cpu and linked from objects.
//# run: aspen++ -fsycl-targets=spir64_x86_64 {self} -o a.out
//# run: ./a.out
//# stdout: 1 2
//# run: aspen inspect a.out
//# stdout~: spir64_x86_64
//# deep: further ways to it
//# run: aspen++ -fsycl-targets=spir64_x86_64,native_cpu {self} -o b.out
//# run: ./b.out
//# stdout: 1 2
//# run: aspen++ -fsycl-targets=spir64_x86_64 -c {self} -o c.o
//# run: aspen++ c.o -o c.out
//# run: ./c.out
//# stdout: 1 2
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  q.parallel_for(2, [=](sycl::id<1> i) { p[i] = int(i) + 1; }).wait();
  std::printf("%d %d\n", p[0], p[1]);
  sycl::free(p, q);
}
