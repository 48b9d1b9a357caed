// Kernels that run item by item go on where only some lanes come to an operation of the sub-group (docs/decisions/0084), and under
// ASPEN_CHECK=1 tell where their items wait for each other: in functions of the program, and in group algorithms that wait several times.
// docs/decisions/0035.
//# run: aspen++ -O0 -fsycl-targets=native_cpu -Wno-sycl-strict {self} -o a.out
//# run: ./a.out
//# stdout: 70 66
//# run: ASPEN_CHECK=1 ./a.out
//# stdout~: 61 wait at a barrier of the work-group and 3 at one of a sub-group \(places-item-by-item\.cpp:29:5 and places-item-by-item\.cpp:28:14\), and 0 have ended
//# deep: further levels of optimisation
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Wno-sycl-strict {self} -o a.out
//# run: ./a.out
//# stdout: 70 66
//# run: ASPEN_CHECK=1 ./a.out
//# stdout~: 61 wait at a barrier of the work-group and 3 at one of a sub-group \(places-item-by-item\.cpp:29:5 and places-item-by-item\.cpp:28:14\), and 0 have ended
//# run: aspen++ -O1 -g -fsycl-targets=native_cpu -Wno-sycl-strict {self} -o a.out
//# run: ./a.out
//# stdout: 70 66
//# run: ASPEN_CHECK=1 ./a.out
//# stdout~: 61 wait at a barrier of the work-group and 3 at one of a sub-group \(places-item-by-item\.cpp:29:5 and places-item-by-item\.cpp:28:14\), and 0 have ended
#include <sycl/sycl.hpp>
#include <cstdio>

class told;

[[clang::noinline]] unsigned deep(unsigned n, sycl::nd_item<1> it) {
  if (n == 0) {
    if (it.get_local_id(0) < 3)
      return sycl::reduce_over_group(it.get_sub_group(), 1u, sycl::plus<unsigned>());
    sycl::group_barrier(it.get_group());
    return 1;
  }
  return deep(n - 1, it) * n + deep(n / 2, it);
}

int main() {
  sycl::queue q([](sycl::exception_list all) { for (auto &one : all) std::rethrow_exception(one); });
  unsigned *out = sycl::malloc_shared<unsigned>(64, q);
  try {
    q.parallel_for<told>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
      out[it.get_local_id(0)] = sycl::reduce_over_group(it.get_group(), 1u, sycl::plus<unsigned>());
      out[it.get_local_id(0)] += deep(1, it);
    });
    q.wait_and_throw();
    std::printf("%u %u\n", out[0], out[63]);
  } catch (const sycl::exception &e) {
    std::puts(e.what());
  }
  sycl::free(out, q);
}
