// What waits for what: the time of a submission is known at once, a start when the command has begun, and without times the answer is an error
// at once. Source: SYCL 2020 §4.6.6.2.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: ok
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ASPEN_CPU_THREADS=1 ./a.out
//# stdout: ok
#include <atomic>
#include <chrono>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <thread>

using sycl::info::event_profiling::command_end, sycl::info::event_profiling::command_start, sycl::info::event_profiling::command_submit;

int main() {
  sycl::queue q{sycl::property::queue::enable_profiling()}, plain;
  bool right = true;
  const auto expect = [&](const char *what, bool holds) {
    if (!holds)
      std::printf("wrong: %s\n", what);
    right = right && holds;
  };
  // Each of these would hang if it waited for the end.
  std::atomic<bool> go = false;
  const auto waits = [&](sycl::handler &h) {
    h.host_task([&] {
      while (!go)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  };
  sycl::event first = q.submit(waits);
  sycl::event second = q.submit([&](sycl::handler &h) {
    h.depends_on(first);
    h.single_task([=] {});
  });
  const auto submitted = second.get_profiling_info<command_submit>(), began = first.get_profiling_info<command_start>();
  expect("submit and start", submitted > 0 && began > 0 && began >= first.get_profiling_info<command_submit>());
  go = true;
  expect("what follows", second.get_profiling_info<command_start>() >= first.get_profiling_info<command_end>());
  expect("they stay", second.get_profiling_info<command_submit>() == submitted && first.get_profiling_info<command_start>() == began);

  int *flag = sycl::malloc_shared<int>(1, q);
  using shared = sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>;
  *flag = 0;
  sycl::event kernel = q.single_task([=] {
    while (shared(*flag).load() == 0)
      ;
  });
  expect("a kernel", kernel.get_profiling_info<command_start>() >= kernel.get_profiling_info<command_submit>());
  shared(*flag).store(1);
  kernel.wait();

  go = false;
  sycl::event untimed = plain.submit(waits);
  try {
    untimed.get_profiling_info<command_submit>();
    expect("an error without times", false);
  } catch (const sycl::exception &e) {
    expect("invalid", e.code() == sycl::errc::invalid);
  }
  go = true;
  plain.wait();

  // Within a host task, which has the only thread where there is one.
  q.submit([&](sycl::handler &h) {
    h.host_task([&] {
      sycl::event inner = q.single_task([=] { *flag = 3; });
      expect("within a task", inner.get_profiling_info<command_start>() > 0);
    });
  });
  q.wait();
  std::puts(right ? "ok" : "failed");
}
