// That ThreadSanitizer sees what host tasks do, and what the runtime does not order: without the wait it is a race, with it there is none.
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out waits
//# stdout: 2
//# stderr!~: ThreadSanitizer
//# run: ./a.out waits not
//# exit: 66
//# stderr~: WARNING: ThreadSanitizer: data race
//# stderr~: #0 .*race\.cpp:23
//# stderr~: #0 .*race\.cpp:32
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>

int main(int arguments, char **) {
  sycl::queue q;
  int value = 0;
  std::atomic<bool> submitted = false, done = false;
  sycl::event e = q.submit([&](sycl::handler &h) {
    h.host_task([&] {
      while (!submitted.load(std::memory_order_relaxed)) {
      }
      value = 1;
      done.store(true, std::memory_order_relaxed);
    });
  });
  submitted.store(true, std::memory_order_relaxed);
  if (arguments == 2)
    e.wait();
  while (!done.load(std::memory_order_relaxed)) {
  }
  value += 1;
  e.wait();
  std::printf("%d\n", value);
}
