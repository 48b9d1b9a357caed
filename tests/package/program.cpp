// What `cargo xtask package --try` compiles and runs with every installation: a kernel that runs, and one that is refused by its reason.
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int *numbers = sycl::malloc_shared<int>(64, queue);
  queue.parallel_for(64, [=](sycl::id<1> i) { numbers[i] = int(i[0]) * 2; }).wait();
  int sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += numbers[i];
  std::printf("sum %d\n", sum);
  try {
    queue.single_task([=] { numbers[0] = int(double(numbers[1]) * 0.5); }).wait();
    std::puts("double runs");
  } catch (const sycl::exception &refusal) {
    std::puts(refusal.code() == sycl::errc::kernel_not_supported ? "double is refused" : refusal.what());
  }
  sycl::free(numbers, queue);
}
