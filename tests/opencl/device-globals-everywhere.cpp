// A driver keeps the variables of programs, or kernels with device globals are refused before anything runs.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout~: ^(3|kernel 'Uses' cannot run on '[^']*': its image has the device_global 'counter' \(_ZL7counter\), and the device's driver keeps no variables of programs between kernels)$
//# stdout: other kernels run: 1
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
static sycl::ext::oneapi::experimental::device_global<int> counter;
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  try {
    const int two = 2;
    q.copy(&two, counter).wait();
    q.single_task<class Uses>([=] { *out = counter + 1; }).wait();
    std::printf("%d\n", *out);
  } catch (const sycl::exception &e) {
    std::string what = e.what();
    if (const size_t line = what.find("\n "); line != what.npos)
      what.erase(line, 2);
    std::printf("%s%s\n", e.code() == sycl::errc::kernel_not_supported ? "" : "another code: ", what.c_str());
  }
  q.parallel_for<class Other>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(1)]] { *out = 1; }).wait();
  std::printf("other kernels run: %d\n", *out);
}
