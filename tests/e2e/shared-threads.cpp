// Threads of the embedded CPU: as many as ASPEN_CPU_THREADS, affinity and control groups allow; queues share them; host tasks that submit and
// wait do not starve.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -pthread -o a.out
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: threads: 1, no more at once
//# stdout: who waits helps only where there is more than one
//# stdout: nested: 64 of 64
//# stdout: short launches do not wait for a long one
//# stdout: equal launches share
//# stdout: who waits finishes what was left: 8 of 8
//# run: ASPEN_CPU_THREADS=2 ./a.out
//# stdout: threads: 2, no more at once
//# stdout: who waits helps only where there is more than one
//# stdout: nested: 64 of 64
//# stdout: short launches do not wait for a long one
//# stdout: equal launches share
//# stdout: who waits finishes what was left: 8 of 8
//# run: ASPEN_CPU_THREADS=5 ./a.out
//# stdout: threads: 5, no more at once
//# stdout: who waits helps only where there is more than one
//# stdout: nested: 64 of 64
//# stdout: short launches do not wait for a long one
//# stdout: equal launches share
//# stdout: who waits finishes what was left: 8 of 8
//# sh: taskset -c 0 ./a.out | grep -q "threads: 1, no more"
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>
#include <vector>

class counts;
class adds;
template <int> class works;

using counter = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;
using status = sycl::info::event_command_status;

static bool is_over(const sycl::event &e) {
  return e.get_info<sycl::info::event::command_execution_status>() == status::complete;
}

// Polls: who waits for a command may run it himself.
static void until(const std::function<bool()> &done) {
  for (int turn = 0; turn < 20000 && !done(); ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Work-groups that each compute for about as long as so many milliseconds, and count when they are done.
template <int Name> sycl::event work(sycl::queue &q, unsigned *done, unsigned groups, unsigned turns) {
  return q.parallel_for<works<Name>>(sycl::nd_range<1>(groups * 4, 4), [=](sycl::nd_item<1> it) {
    unsigned x = it.get_global_id(0) + 1;
    for (unsigned turn = 0; turn < turns; ++turn)
      x = x * 1664525u + (x >> 7);
    sycl::group_barrier(it.get_group());
    if (it.get_local_id(0) == 0)
      counter(*done) += x == 0 ? 2 : 1;
  });
}

int main() {
  sycl::queue a, b, c;
  auto *p = sycl::malloc_shared<unsigned>(1024, a);
  const unsigned threads = a.get_device().get_info<sycl::info::device::max_compute_units>();

  for (unsigned i = 0; i < 1024; ++i)
    p[i] = 0;
  const auto count = [&] {
    return a.parallel_for<counts>(sycl::nd_range<1>(64, 1), [=](sycl::nd_item<1>) {
      const unsigned now = ++counter(p[0]);
      counter(p[1]).fetch_max(now);
      for (volatile unsigned turn = 0; turn < 300000; turn = turn + 1)
        ;
      --counter(p[0]);
    });
  };
  until([e = count()] { return is_over(e); });
  std::printf("threads: %u, %s at once\n", threads, p[1] <= threads ? "no more" : "more");
  sycl::event waited = count();
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  waited.wait();
  std::printf("who waits helps %s\n", p[1] <= (threads == 1 ? 1 : threads + 1) ? "only where there is more than one" : "always");

  // Each host task submits a kernel and another host task, and waits for both.
  std::function<void(unsigned)> task = [&](unsigned depth) {
    a.submit([&](sycl::handler &h) {
       h.host_task([&, depth] {
         b.parallel_for<adds>(100, [=](sycl::id<1> i) {
            if (i[0] == 7)
              ++counter(p[2]);
          }).wait();
         if (depth > 1)
           task(depth - 1);
       });
     }).wait();
  };
  std::vector<std::thread> submitters;
  for (int t = 0; t < 8; ++t)
    submitters.emplace_back([&] { task(8); });
  for (std::thread &t : submitters)
    t.join();
  std::printf("nested: %u of 64\n", p[2]);

  // A turn takes some nanoseconds an item.
  const unsigned turns = 50000, groups = 640 * threads;
  work<0>(a, p + 3, threads, turns).wait();
  bool late = true;
  unsigned rounds = 0;
  // A machine with too much else to do may keep this thread away for as long as the long launch lasts.
  for (; late && rounds < 5; ++rounds) {
    const sycl::event of_a = work<1>(a, p + 4, groups, turns);
    late = false;
    for (int i = 0; i < 3; ++i) {
      const sycl::event of_b = work<2>(b, p + 5, 1, turns);
      until([&] { return is_over(of_b); });
      late |= is_over(of_a);
    }
    until([&] { return is_over(of_a); });
  }
  std::puts(late ? "short launches wait for a long one" : "short launches do not wait for a long one");
  const sycl::event of_a = work<3>(a, p + 6, groups / 2, turns), of_b = work<4>(b, p + 7, groups / 2, turns);
  until([&] { return is_over(of_a) || is_over(of_b); });
  const unsigned behind = p[6] < p[7] ? p[6] : p[7];
  std::printf("equal launches %s\n", behind * 4 > groups / 2 ? "share" : "come one after the other");
  until([&] { return is_over(of_a) && is_over(of_b); });
  if (p[4] != rounds * groups || p[6] + p[7] != groups)
    std::puts("wrong");

  // Threads leave the kernel for host tasks that are over only when this thread has seen the kernel's end, and that wait for it themselves.
  const sycl::event left = work<5>(a, p + 8, groups / 4, turns);
  std::promise<void> seen;
  std::shared_future<void> end = seen.get_future().share();
  for (unsigned i = 0; i < 8; ++i)
    b.submit([&](sycl::handler &h) {
      h.host_task([=] {
        i % 2 ? sycl::event(left).wait() : end.wait();
        ++counter(p[9]);
      });
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  sycl::event(left).wait();
  seen.set_value();
  b.wait();
  std::printf("who waits finishes what was left: %u of 8\n", p[9]);
  sycl::free(p, a);
}
