// A kernel with reductions whose function does not take what it is given fails by one error, which says what it is given.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 5 stderr error:
//# count: 4 stderr error: .*a kernel with reductions takes its item, then by reference a reducer for each of them, and perhaps a sycl::kernel_handler
//# count: 1 stderr error: .*a kernel is called as const
//# stderr~: wrong-reductions\.cpp:14:5: error:
#include <sycl/sycl.hpp>

void wrong(sycl::queue &q, int *sum) {
  const auto one = sycl::reduction(sum, sycl::plus<int>());
  const sycl::nd_range<1> shape(8, 4);
  q.parallel_for(8, one, [=](sycl::id<1>) { *sum += 1; });
  q.parallel_for(8, one, [=](sycl::id<1>, auto r) { r += 1; });
  q.parallel_for(shape, one, [=](sycl::nd_item<2>, auto &r) { r += 1; });
  q.parallel_for(shape, one, one, [=](sycl::nd_item<1>, auto &r) { r += 1; });
  q.parallel_for(8, one, [=](sycl::id<1>, auto &r) mutable { r += 1; });
}

void right(sycl::queue &q, int *sum) {
  const auto one = sycl::reduction(sum, sycl::plus<int>());
  q.parallel_for(8, one, [=](sycl::id<1>, auto &r) { r += 1; });
  q.parallel_for(8, one, [=](auto, auto &r, sycl::kernel_handler) { r += 1; });
}
