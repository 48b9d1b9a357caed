// Beside ThreadSanitizer a program runs though drivers are installed that it would end the process for.
//# run: aspen++ -std=c++17 -g -O1 -fsanitize=thread -fsycl-targets=native_cpu {self} -o program
//# run: ./program
//# stdout: 1 42
//# count: 0 stderr RTLD_DEEPBIND
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *out = 42; }).wait();
  std::printf("%d %d\n", int(sycl::platform::get_platforms().size()), *out);
}
