// `-mlong-double-64`, which AMReX's build files give, to the driver and to the compiler proper: all passes have it.
//# run: aspen++ -mlong-double-64 {self} -o a.out
//# run: ./a.out
//# stdout: 8 2.5
//# run: aspen++ -fsycl-targets=native_cpu,spir64 -mlong-double-64 -Xclang -mlong-double-64 {self} -o b.out
//# run: ./b.out
//# stdout: 8 2.5
#include <cstdio>
#include <sycl/sycl.hpp>
struct pair {
  long double a;
  char b;
};
static_assert(sizeof(pair) == 16);
int main() {
  sycl::queue q;
  double *const out = sycl::malloc_shared<double>(1, q);
  const pair given{2, 1};
  q.single_task([=] { *out = given.a + 0.5 * given.b; }).wait();
  std::printf("%zu %g\n", sizeof(long double), *out);
  sycl::free(out, q);
}
