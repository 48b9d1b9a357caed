// What kernels write to streams is printed although the program ends without waiting for them.
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0123
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  int *const m = sycl::malloc_shared<int>(1, q);
  for (int i = 0; i < 4; ++i)
    q.submit([&](sycl::handler &h) {
      sycl::stream out(64, 16, h);
      h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) {
        // Long enough for main to be over, were it not waited for.
        for (int k = 0; k < 1000 * (4 + i * i * 100) && item.get_local_id(0) == 0; ++k)
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*m) += 1;
        if (item.get_global_id(0) == 0)
          out << i;
      });
    });
}
