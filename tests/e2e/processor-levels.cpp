// Images for levels of the x86-64 psABI beside those for every processor: the best that the processor can run is taken, native_cpu's where
// it can run none of them. Any processor that runs these tests has the second level; the fourth is taken or passed over, and both are right.
//# run: aspen++ -O2 -fsycl-targets=native_cpu,x86_64_v2 {self} -o a.out
//# sh: ASPEN_DEVICE_SELECTOR=native_cpu:* ASPEN_SAVE_DIR=saved ./a.out && cat saved/*.txt
//# stdout~: ^1 2
//# stdout~: \(x86_64_v2\).*: taken
//# stdout~: \(native_cpu\).*: could run, but another one is taken
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Xsycl-target-backend=native_cpu "-march=x86-64-v2 -march=x86-64-v4" {self} -o b.out
//# sh: ASPEN_LOG=debug ASPEN_DEVICE_SELECTOR=native_cpu:* ./b.out
//# stdout: 1 2
//# stderr~: \((x86_64_v2|x86_64_v4)\).*taken
//# stderr~: x86-64 processor level=[234]
//# run: aspen inspect b.out
//# stdout~: \] b_0  native_cpu  native
//# stdout~: \] b_0  x86_64_v2  native
//# stdout~: \] b_0  x86_64_v4  native
//# deep: objects, kept files, what is refused
//# run: aspen check b.out --device x86_64_v3
//# sh: aspen++ -O2 -fsycl-targets=native_cpu,x86_64_v3 -c {self} -o c.o && aspen++ c.o -o c.out && ASPEN_DEVICE_SELECTOR=native_cpu:* ./c.out
//# stdout: 1 2
//# sh: aspen++ -fsycl-targets=native_cpu,x86_64_v3 -save-temps=kept -c {self} -o d.o && llvm-dis-22 kept/*x86_64_v3.bc -o - | grep -c '"target-cpu"="x86-64-v3"'
//# stdout~: ^[1-9]
//# run: aspen++ -fsycl-targets=native_cpu -Xsycl-target-backend=native_cpu -march=skylake {self} -o e.out
//# exit: 1
//# stderr~: '-Xsycl-target-backend=native_cpu': it takes '-march=x86-64-v2', '-march=x86-64-v3', '-march=x86-64-v4', not '-march=skylake'
//# run: aspen++ c.o -Xsycl-target-backend=native_cpu -march=x86-64-v4 -o f.out
//# exit: 1
//# stderr~: the objects hold no code for 'x86_64_v4'; give the same option when compiling them
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  q.parallel_for(2, [=](sycl::id<1> i) { p[i] = int(i) + 1; }).wait();
  std::printf("%d %d\n", p[0], p[1]);
  sycl::free(p, q);
}
