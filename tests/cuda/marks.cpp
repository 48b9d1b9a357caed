// Launches of an in-order queue share the driver's events, but one whose event the program holds has one right behind it. No event is reached here
// before a stream waits for one, so nothing is over too early to be asked for.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -ldl -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_UNTIL_WAIT=1 ./a.out
//# stdout: dropped: they share
//# stdout: held: each has its own
//# stdout: waited for at once: none
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuEventRecord=719 ./a.out
//# stdout~: ^later: CUDA device 'Fake 0': kernel 'launched': cuEventRecord failed: CUDA_ERROR_LAUNCH_FAILED
#include <sycl/sycl.hpp>
#include <cstdio>
#include <dlfcn.h>
#include <vector>

class launched;

int main() {
  const auto records = reinterpret_cast<long (*)()>(dlsym(dlopen("libcuda.so", RTLD_NOW), "fake_records"));
  const auto tell = [](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      try {
        std::rethrow_exception(error);
      } catch (const sycl::exception &e) {
        std::printf("later: %s\n", e.what());
      }
  };
  sycl::queue line{tell, sycl::property::queue::in_order()}, other{tell, sycl::property::queue::in_order()};
  int *const p = sycl::malloc_device<int>(1, line);
  const auto launch = [=](sycl::queue &q, const std::vector<sycl::event> &after = {}) {
    return q.submit([&](sycl::handler &h) {
      h.depends_on(after);
      h.single_task<launched>([=] { *p += 1; });
    });
  };
  constexpr int count = 300;
  long before = records();
  {
    launch(line); // its stream is another: the last one has to wait for one of both
    std::vector<sycl::event> held;
    for (int i = 0; i < count; ++i)
      held.push_back(launch(other));
    launch(line, held);
    // A thread puts them into their streams meanwhile.
    line.wait();
    other.wait();
  }
  std::printf("held: %s\n", records() - before >= count - 1 ? "each has its own" : "they share");
  before = records();
  for (int i = 0; i < count; ++i)
    launch(line);
  line.wait();
  std::printf("dropped: %s\n", records() - before < count * 9 / 10 ? "they share" : "each has its own");
  before = records();
  for (int i = 0; i < count; ++i)
    launch(line).wait_and_throw();
  std::printf("waited for at once: %s\n", records() == before ? "none" : "some");
  sycl::free(p, line);
}
