// An image whose bytes have changed is not run: loading machine code that is no longer what was linked could do anything.
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: first in the kernel
//# stdout: second ran
//# replace: a.out "first in the kernel" "first in the kennel"
//# run: ./a.out
//# stdout~: ^first: .*damaged: they are not what was linked
//# stdout!~: kennel
//# stdout: second ran
#include <sycl/sycl.hpp>
#include <cstdio>

template <class F> void attempt(const char *name, const F &f) {
  try {
    f();
    std::printf("%s ran\n", name);
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", name, e.what());
  }
}

int main() {
  sycl::queue q;
  double *number = sycl::malloc_shared<double>(1, q);
  attempt("first", [&] { q.single_task([=] { sycl::ext::oneapi::experimental::printf("first in the kernel\n"); }).wait(); });
  attempt("second", [&] { q.single_task([=] { *number = 2; }).wait(); });
}
