// Launches that are over sooner than another thread would begin run where they are submitted; what waits for the host never does, however
// short it was before.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>
#include <thread>

int main() {
  sycl::queue q, ordered{sycl::property::queue::in_order{}};
  int *flag = sycl::malloc_shared<int>(1, q), *sum = sycl::malloc_shared<int>(64, q);
  const auto by_atomics = [&] {
    return q.single_task<struct atomics>([=] {
      sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system> is_set(*flag);
      while (is_set.load() == 0)
        ;
    });
  };
  const auto by_volatile = [&] {
    return q.parallel_for<struct volatiles>(4, [=](sycl::id<1>) {
      while (*static_cast<volatile int *>(flag) == 0)
        ;
    });
  };
  const auto by_fences = [&] {
    return q.parallel_for<struct fences>(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1>) {
      do
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::system);
      while (*static_cast<volatile int *>(flag) == 0);
    });
  };
  const auto wait = [&](const auto &launch) {
    *flag = 1;
    for (int i = 0; i < 100; ++i)
      launch().wait();
    *flag = 0;
    sycl::event waits = launch();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>(*flag).store(1);
    waits.wait();
  };
  wait(by_atomics);
  wait(by_volatile);
  wait(by_fences);

  // Order holds between what runs here and what runs elsewhere.
  bool good = true;
  for (int i = 0; i < 64; ++i)
    sum[i] = 0;
  for (int round = 0; round < 500; ++round) {
    ordered.parallel_for<struct adds>(64, [=](sycl::id<1> i) { sum[i] += 1; });
    if (round % 50 == 7)
      ordered.submit([&](sycl::handler &h) { h.host_task([=] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }); });
    ordered.single_task<struct doubles>([=] {
      for (int i = 1; i < 64; ++i)
        sum[i] = sum[i - 1] == round + 1 ? sum[i] : -1000000;
    });
  }
  ordered.wait();
  for (int i = 0; i < 64; ++i)
    good = good && sum[i] == 500;

  // Buffers, and errors of the work that comes before.
  int host[64] = {};
  {
    sycl::buffer<int, 1> b(host, 64);
    for (int round = 0; round < 200; ++round)
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h);
        h.parallel_for<struct of_buffer>(64, [=](sycl::id<1> i) { a[i] += int(i[0]); });
      });
  }
  for (int i = 0; i < 64; ++i)
    good = good && host[i] == 200 * i;
  std::puts(good ? "ok" : "wrong");
}
