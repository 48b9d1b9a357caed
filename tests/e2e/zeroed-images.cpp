// Kernels run from the images in the executable and from nowhere else: without them nothing runs.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: 42
//# zero: a.out .llvm.offloading
//# run: ./a.out
//# exit: 7
//# stdout!~: 42
#include <sycl/sycl.hpp>
#include <cstdio>

class answer;

int main() {
  try {
    sycl::queue q;
    int *p = sycl::malloc_shared<int>(1, q);
    *p = 0;
    q.single_task<answer>([=] { *p = 42; }).wait();
    std::printf("%d\n", *p);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 7;
  }
}
