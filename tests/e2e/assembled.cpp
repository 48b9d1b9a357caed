// Assembly and LLVM IR of a source carry its device code as objects do: what is assembled from them launches kernels, by whatever assembler.
//# sh: for how in '-S -o x.s' '-S -emit-llvm -o x.ll' '-c -emit-llvm -o x.bc'; do aspen++ -fsycl-targets=native_cpu $how {self}; aspen++ -c ${how##* } -o x.o; aspen++ x.o -o a.out; ./a.out; done
//# stdout: 42
//# stdout: 42
//# stdout: 42
//# sh: aspen++ -fsycl-targets=native_cpu -S -fno-addrsig {self} -o x.s && as x.s -o x.o && aspen++ x.o -o a.out && ./a.out
//# stdout: 42
//# sh: aspen++ -fsycl-targets=native_cpu -S {self} -o x.s && aspen++ x.s -o a.out && ./a.out
//# stdout: 42
// On the standard output somebody looks at it.
//# sh: aspen++ -fsycl-targets=native_cpu -S {self} -o - | grep -c 'pushsection' || true
//# stdout: 0
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>
#include <cstdio>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 42; }).wait();
  std::printf("%d\n", *p);
  sycl::free(p, q);
}
