// A folder for images that cannot be written is told once, not for each image and launch.
//# run: aspen++ -fsycl-targets=native_cpu -fsycl-device-code-split=per_kernel {self} -o a.out
//# sh: ASPEN_SAVE_DIR=/proc/none ./a.out
//# stdout: 3
//# count: 1 stderr ^aspen: ASPEN_SAVE_DIR=/proc/none: No such file or directory
#include <sycl/sycl.hpp>
#include <cstdio>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  q.single_task<class first>([=] { *p += 1; }).wait();
  q.single_task<class second>([=] { *p += 2; }).wait();
  std::printf("%d\n", *p);
}
