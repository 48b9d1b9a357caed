// Kernels whose work-items wait for such as come before them end on any number of threads: what came first has begun (docs/decisions/0081). Those that wait
// for nothing have parts, of which all is done once.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_THREADS=2 ./a.out
//# stdout: groups 1999000
//# stdout: rows 1999000
//# stdout: all once
//# run: env ASPEN_CPU_THREADS=7 ./a.out
//# stdout: groups 1999000
//# stdout: rows 1999000
//# stdout: all once
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

template <class T> using device_atomic = sycl::atomic_ref<T, sycl::memory_order::acq_rel, sycl::memory_scope::device>;

// Waits for the item before this one, and adds to what that came to.
static void add_to_before(size_t i, long *sums, int *ready) {
  long before = 0;
  if (i > 0) {
    while (device_atomic<int>(ready[i - 1]).load() == 0)
      ;
    before = sums[i - 1];
  }
  sums[i] = before + static_cast<long>(i);
  device_atomic<int>(ready[i]).store(1);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  constexpr int count = 2000;
  long *const sums = sycl::malloc_shared<long>(count, q);
  int *const ready = sycl::malloc_shared<int>(count, q);
  // A scan that looks back.
  for (int launch = 0; launch < 20; ++launch) {
    q.fill(ready, 0, count);
    q.parallel_for(sycl::nd_range<1>(count, 1), [=](sycl::nd_item<1> at) {
      add_to_before(at.get_global_id(0), sums, ready);
    });
  }
  q.wait();
  std::printf("groups %ld\n", sums[count - 1]);
  // A triangular system, a row a work-item.
  for (int launch = 0; launch < 20; ++launch) {
    q.fill(ready, 0, count);
    q.parallel_for(sycl::range<2>(count, 1), [=](sycl::id<2> at) {
      add_to_before(at[0], sums, ready);
    });
  }
  q.wait();
  std::printf("rows %ld\n", sums[count - 1]);
  // Of uneven lengths, so that threads take from each other.
  constexpr size_t items = 3001;
  int *const seen = sycl::malloc_shared<int>(items, q);
  q.fill(seen, 0, items);
  for (int launch = 0; launch < 200; ++launch) {
    q.parallel_for(items, [=](sycl::id<1> i) {
      int x = 1;
      for (size_t k = 0; k < i[0] / 4; ++k)
        x = x * 3 + static_cast<int>(k);
      seen[i] += x == 0x7fffffff ? 2 : 1;
    });
    q.parallel_for(sycl::nd_range<1>(items - 1, 8), [=](sycl::nd_item<1> at) { seen[at.get_global_id(0)] += 1; });
  }
  q.wait();
  bool all = seen[items - 1] == 200;
  for (size_t i = 0; i + 1 < items; ++i)
    all = all && seen[i] == 400;
  std::puts(all ? "all once" : "not all once");
}
