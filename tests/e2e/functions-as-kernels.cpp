// A pointer to a function is no kernel: what it points to is the host's. Each kind of launch fails by one error, at its line.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 5 stderr error:
//# count: 5 stderr error: .*a kernel is a lambda or an object of a class with operator\(\), and no pointer to a function
//# stderr~: functions-as-kernels\.cpp:16:5: error:
#include <sycl/sycl.hpp>

void one() {}
void by_id(sycl::id<1>) {}
void by_item(sycl::nd_item<1>) {}
void by_group(sycl::group<1>) {}
void adds(sycl::id<1>, sycl::reducer<int, sycl::plus<int>> &sum) { sum += 1; }

void launches(sycl::queue &q, int *sum) {
  q.single_task(one);
  q.parallel_for(8, by_id);
  q.parallel_for(sycl::nd_range<1>(8, 4), by_item);
  q.submit([&](sycl::handler &h) { h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(4), by_group); });
  q.parallel_for(8, sycl::reduction(sum, sycl::plus<int>()), adds);
  q.parallel_for(8, [](sycl::id<1> at) { by_id(at); });
}
