// -save-temps keeps the text that the host's pass compiles, as clang does, and with it the program is the same.
//# run: aspen++ -fsycl-targets=native_cpu -save-temps=kept -DNUMBER=7 {self} -o a.out
//# run: ./a.out
//# stdout: 7
//# sh: grep -c 'class kept_kernel' kept/save-temps.ii
//# stdout: 1
//# sh: grep '= NUMBER' kept/save-temps.ii
//# exit: 1
#include <sycl/sycl.hpp>
#include <cstdio>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class kept_kernel>([=] { *p = NUMBER; }).wait();
  std::printf("%d\n", *p);
}
