// A program that ends without waiting: the driver takes itself down only when its commands are over. One that ends while a host accessor holds
// a command back, or in a host task, ends soon all the same.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# run: ./a.out
//# run: ./a.out
//# run: ./a.out
//# run: ./a.out held
//# run: ./a.out in a task
//# run: ./a.out in a task, beside long kernels
#include <sycl/sycl.hpp>
#include <cstdlib>

int main(int count, char **) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  if (count == 2) {
    q.single_task([] {}).wait(); // the driver has been used
    new sycl::host_accessor(b);
  }
  const int turns = count > 4 ? 20'000'000 : 0;
  for (int i = 0; i < 3; ++i)
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.single_task([=] {
        a[0] = 42;
        for (int turn = 0; turn < turns; ++turn)
          *static_cast<volatile int *>(&a[0]) += turn;
      });
    });
  if (count == 2)
    std::exit(0);
  if (count > 2)
    q.submit([](sycl::handler &h) { h.host_task([] { std::exit(0); }); }).wait();
  q.parallel_for(sycl::range<3>(3, 3, 3), [](sycl::item<3>) {});
  q.parallel_for(sycl::nd_range<1>(64, 8), [](sycl::nd_item<1>) {});
  q.single_task([] {});
}
