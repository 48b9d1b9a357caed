// Swizzles of elements that a vector does not have were read from beyond it; and an algorithm over iterators that cannot be counted named
// no line of the program. Each is an error at its line.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 4 stderr error:
//# stderr~: elements-there-are-not\.cpp:18:16: error: .*swizzle: elements are counted from 0, and there are not as many
//# stderr~: elements-there-are-not\.cpp:19:33: error: .*swizzle: elements are counted from 0
//# stderr~: elements-there-are-not\.cpp:20:20: error: .*swizzle: elements are counted from 0
//# stderr~: elements-there-are-not\.cpp:21:82: error: invalid operands to binary expression
#include <list>
#include <sycl/sycl.hpp>

constexpr int last = 3;

void elements(sycl::queue &q, int *sum, std::list<int> &all) {
  sycl::int3 v(1);
  const sycl::int4 whole(1);
  (void)(int)v.swizzle<last>();
  (void)v.swizzle<0, 1, 2, 1>().swizzle<4, 0>();
  (void)(int)whole.swizzle<-1>();
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) { *sum = sycl::joint_reduce(i.get_group(), all.begin(), all.end(), sycl::plus<int>()); });
}
