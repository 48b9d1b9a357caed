// Beside ThreadSanitizer a program runs though drivers are installed that it would end the process for. It does not see how the threads of
// libaspen.so wait for each other, so what that allocates is left out (docs/FEATURES.md).
//# run: aspen++ -std=c++17 -g -O1 -fsanitize=thread -fsycl-targets=native_cpu {self} -o program
//# run: TSAN_OPTIONS=ignore_noninstrumented_modules=1 ./program
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
