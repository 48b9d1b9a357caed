// Kernels and host tasks in the destructors of globals, when the thread-local storage of the main thread is gone: item by item with stacks of their own,
// by whole groups, by rows, after kernels that ran earlier and without any. AddressSanitizer sees that nothing is used that is gone.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stderr!~: .
//# stdout: main 4096 4160 2048 of 4
//# stdout: global 4096 4160 2048 of 4
//# run: ./a.out no kernel in main
//# stdout: global 4096 4160 2048 of 4
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stderr!~: .
//# stdout: main 4096 4160 2048 of 4
//# stdout: global 4096 4160 2048 of 4
//# run: ASPEN_CPU_GROUPS=items ASPEN_CPU_THREADS=1 ./a.out
//# stdout: global 4096 4160 2048 of 4
//# run: ASPEN_CPU_GROUPS=items ./a.out no kernel in main
//# stdout: global 4096 4160 2048 of 4
//# run: aspen++ -O1 -g -fsanitize=address -fsycl-targets=native_cpu {self} -o asan.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./asan.out
//# stdout: global 4096 4160 2048 of 4
#include <sycl/sycl.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

static void kernels(const char *when) {
  std::vector<int> items(512), rows(64), boxes(2048);
  {
    sycl::queue q;
    sycl::buffer<int> a(items), b(rows), c(boxes);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(a, h);
      sycl::local_accessor<int> shared(16, h);
      h.parallel_for<class groups>(sycl::nd_range<1>(512, 16), [=](sycl::nd_item<1> i) {
        shared[i.get_local_id()] = int(i.get_local_id(0)) + 1;
        sycl::group_barrier(i.get_group());
        out[i.get_global_id()] = shared[15 - i.get_local_id(0)] - 1 + int(i.get_local_id(0)) - 7;
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h);
      h.parallel_for<class of_rows>(sycl::range<1>(64), [=](sycl::id<1> i) {
        int sum = 0;
        for (size_t n = 0; n <= i[0]; ++n)
          sum += int(n % 3 == 1) * 2;
        out[i] = sum + 65 - 2 * int((i[0] + 2) / 3);
      });
    });
    q.parallel_for<class of_boxes>(sycl::range<1>(1), [=](sycl::id<1>) {});
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(c, h);
      h.parallel_for<class ones>(sycl::range<1>(2048), [=](sycl::id<1> i) { out[i] = 1; });
    });
    int tasks = 0; // those that nobody has begun run on the thread that waits
    for (int i = 0; i < 50; ++i)
      q.submit([&](sycl::handler &h) { h.host_task([&] { ++tasks; }); }).wait();
    if (tasks != 50)
      std::puts("host tasks were lost");
    q.wait_and_throw();
  }
  const auto sum = [](const std::vector<int> &v) { return std::accumulate(v.begin(), v.end(), 0); };
  std::printf("%s %d %d %d of %zu\n", when, sum(items), sum(rows), sum(boxes), sycl::get_kernel_ids().size());
}

static struct global {
  ~global() { kernels("global"); }
} last;

int main(int argc, char **) {
  if (argc == 1)
    kernels("main");
}
