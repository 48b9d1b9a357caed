// __float128 in device code is told at its line, with the calls that lead there, where the target's code has no such numbers: SPIR-V's
// generator named no line, and LLVM's for NVIDIA crashed. The embedded CPU has them.
//# run: aspen++ -fsycl-targets=spir64 -c {self} -o a.o
//# exit: 1
//# stderr~: ^quadruple\.cpp:21:24: error: device code for SPIR-V has no '__float128', but 'inner' uses it; the widest type is 'double'$
//# stderr~: ^quadruple\.cpp:29:40: note: 'wide' calls 'inner' here$
//# count: 1 stderr error:
//# run: aspen++ -fsycl-targets=nvidia_gpu_sm_80 -c {self} -o a.o
//# exit: 1
//# stderr~: ^quadruple\.cpp:21:24: error: device code for NVIDIA's processors has no '__float128', but 'inner' uses it
//# count: 1 stderr error:
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# count: 0 stderr .
//# run: ./a.out
//# stdout: 6
#include <sycl/sycl.hpp>
#include <cstdio>

static float inner(float x) {
  const float two = (__float128)2; // a constant is computed by the compiler
  __float128 product = x;
  product = product * two;
  return (float)product;
}

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(1, q);
  q.single_task<class wide>([=] { *p = inner(3); }).wait();
  std::printf("%g\n", *p);
}
