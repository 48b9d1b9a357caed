// A driver that cannot build one image: the launch of its kernel throws with what the driver said, each time; the other kernels run, before
// and after. (PoCL's library lacks what the kernel calls; the emulator of FPGAs is not asked, since it has no atomics of 64 bits.)
//# run: aspen++ -fsycl-targets=spir64 -O2 {self} -o a.out
//# run: ./a.out
//# stdout: plain 1
//# stdout~: ^(maximum 3.5|build: image 'a_[0-9]' \(spir64\) of module 1 cannot be built for OpenCL device 'pthread.*|refused: kernel 'maximum' cannot run on 'Intel\(R\) FPGA .*)$
//# stdout: plain 2
//# count: 2 stdout ^(maximum|build|refused)
//# stdout: plain 3
//# sh: ./a.out | grep -c 'Cannot find symbol.*atomic_max' | grep -E '^(0|2)$'
#include <sycl/sycl.hpp>
#include <cstdio>

class plain;
class maximum;

int main() {
  sycl::queue q;
  int *n = sycl::malloc_shared<int>(1, q);
  double *most = sycl::malloc_shared<double>(1, q);
  *n = 0, *most = 0;
  for (int i = 0; i < 3; ++i) {
    q.single_task<plain>([=] { ++*n; }).wait();
    std::printf("plain %d\n", *n);
    if (i == 2)
      break;
    try {
      q.single_task<maximum>([=] {
         sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>(*most).fetch_max(3.5);
       }).wait();
      std::printf("maximum %g\n", *most);
    } catch (const sycl::exception &e) {
      std::printf("%s: %s\n", e.code() == sycl::errc::build ? "build" : "refused", e.what());
    }
  }
  sycl::free(n, q);
  sycl::free(most, q);
}
