// The image's property set decides, not the header and not the compiler: a patched set is refused for the patched aspect.
//# run: aspen++ {self} -o a.out
//# run: ./a.out
//# stdout: 3
//# replace: a.out aspect=2|gAAAAAAAAAgBAAAA aspect=2|gAAAAAAAAAwAAAAA
//# run: ./a.out
//# exit: 7
//# stdout~: ^kernel 'halves' cannot run on '.+':$
//# stdout~: ^  needs aspect accelerator
//# stdout!~: fp64
#include <sycl/sycl.hpp>
#include <cstdio>

class halves;

int main() {
  try {
    sycl::queue q;
    int *p = sycl::malloc_shared<int>(1, q);
    *p = 6;
    q.single_task<halves>([=] { double d = *p; *p = int(d / 2.0); }).wait();
    std::printf("%d\n", *p);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return e.code() == sycl::errc::kernel_not_supported ? 7 : 1;
  }
}
