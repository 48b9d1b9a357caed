// Threads that put chains of fills, kernels, host tasks and copies into one queue, each waiting for its own in another way, and a buffer
// beside them: what a command waited for is over. Run on GPUs by hand: docs/CUDA.md.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_THREADS=1 ./a.out 10
//# stdout: wrong 0
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

class adds_one;
class joins;
class doubles;

constexpr int count = 4096, threads = 12;
static std::atomic<int> wrong{0};

static void work(sycl::queue &q, int own, int rounds) {
  int *a = sycl::malloc_device<int>(count, q), *b = sycl::malloc_device<int>(count, q), *pinned = sycl::malloc_host<int>(count, q);
  std::vector<int> plain(count);
  for (int round = 0; round < rounds; ++round) {
    sycl::event last = q.fill(a, round, count);
    const sycl::event other = q.fill(b, own, count);
    for (int k = 0; k < 5; ++k)
      last = q.submit([&](sycl::handler &h) {
        h.depends_on(last);
        h.parallel_for<adds_one>(count, [=](sycl::id<1> i) { a[i] += 1; });
      });
    const sycl::event both = q.submit([&](sycl::handler &h) {
      h.depends_on({last, other});
      h.parallel_for<joins>(count, [=](sycl::id<1> i) { b[i] += a[i]; });
    });
    std::atomic<bool> seen{round % 3 != 0};
    sycl::event host;
    if (!seen)
      host = q.submit([&](sycl::handler &h) {
        h.depends_on(both);
        h.host_task([&] { seen = true; });
      });
    int *const to = round % 2 ? pinned : plain.data();
    sycl::event copy = q.memcpy(to, b, count * sizeof(int), both);
    // Nobody helps who only asks.
    if (round % 5 == 0)
      while (copy.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete)
        std::this_thread::yield();
    copy.wait();
    host.wait();
    bool right = seen;
    for (int i = 0; i < count; ++i)
      right &= to[i] == round + 5 + own;
    wrong += !right;
    // Memory that lives for a fill.
    if (round % 50 == 0) {
      int *short_lived = sycl::malloc_device<int>(count, q);
      q.memset(short_lived, 1, count * sizeof(int)).wait();
      sycl::free(short_lived, q);
    }
  }
  for (int *memory : {a, b, pinned})
    sycl::free(memory, q);
}

static void beside(sycl::queue &q, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> data(count, 1);
    {
      sycl::buffer<int> buffer(data);
      for (int k = 0; k < 10; ++k) {
        q.submit([&](sycl::handler &h) {
          sycl::accessor x(buffer, h);
          h.parallel_for<doubles>(count, [=](sycl::id<1> i) { x[i] *= 2; });
        });
        if (k == 5) {
          sycl::host_accessor x(buffer);
          x[3] += 1;
        }
      }
    }
    wrong += data[0] != 1024 || data[3] != (64 + 1) * 16;
  }
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  sycl::queue q;
  std::vector<std::thread> all;
  for (int own = 0; own < threads; ++own)
    all.emplace_back(work, std::ref(q), own, rounds);
  beside(q, rounds);
  for (std::thread &one : all)
    one.join();
  std::printf("wrong %d\n", wrong.load());
}
