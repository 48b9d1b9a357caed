// With one image gone only its kernels fail.
//# run: aspen++ {self} -o a.out
//# run: ./a.out
//# stdout: plain 1
//# stdout: needs_double 2
//# hide-image: a.out _ZTS12needs_double
//# run: ./a.out
//# count: 2 stdout ^plain 1$
//# count: 2 stdout ^needs_double is refused: .*needs_double
#include <sycl/sycl.hpp>
#include <cstdio>

class plain;
class needs_double;

template <class F> void attempt(const char *what, int *p, F f) {
  try {
    f();
    std::printf("%s %d\n", what, *p);
  } catch (const sycl::exception &e) {
    std::printf("%s is refused: %s\n", what, e.what());
  }
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  for (int round = 0; round < 2; ++round) {
    attempt("plain", p, [&] { q.single_task<plain>([=] { *p = 1; }).wait(); });
    attempt("needs_double", p, [&] { q.single_task<needs_double>([=] { double d = *p; *p = int(d * 2.0); }).wait(); });
  }
}
