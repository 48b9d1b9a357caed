// A program that ends without waiting for its kernels waits for them as it ends: an assertion that fails is told, and what they write is written.
// It waits for no host task that waits for something else, nor does a child without the threads.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# sh: ./a.out kernel; test $? = 134
//# stderr~: asserts-at-exit\.cpp:\d+: .*x == i\[0\]
//# sh: ./a.out after; test $? = 134
//# stderr~: asserts-at-exit
//# run: ./a.out task
//# run: ./a.out child
#include <sycl/sycl.hpp>
#include <cassert>
#include <chrono>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static std::mutex held;

int main(int, char **words) {
  const std::string what = words[1];
  auto &q = *new sycl::queue(sycl::property::queue::in_order());
  const auto slow = [&](bool fails) {
    q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
      unsigned x = i[0];
      for (int turn = 0; turn < 20'000'000; ++turn)
        x = x * 1664525u + 1013904223u;
      assert(!fails || x == i[0]);
    });
  };
  if (what == "kernel")
    slow(true);
  if (what == "after") {
    q.submit([](sycl::handler &h) { h.host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }); });
    slow(true);
  }
  if (what == "task") {
    held.lock();
    q.submit([](sycl::handler &h) { h.host_task([] { held.lock(); }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    alarm(5);
  }
  if (what == "child") {
    slow(false);
    if (fork() == 0) {
      alarm(5);
      exit(0);
    }
    int status = 0;
    wait(&status);
    return status;
  }
}
