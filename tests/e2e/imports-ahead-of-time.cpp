// Code made ahead of time for GPUs is not linked with other libraries' at run time: kernels that call device functions of these are left to
// spir64, and the others of the same unit have their images all the same, in both modes.
//# run: aspen++ -O2 -w -fPIC -shared -fsycl-targets=spir64 library.cpp -o library.so
//# run: aspen++ -O2 -fsycl-targets=intel_gpu_skl,spir64 {self} -L. -l:library.so -Wl,-rpath,. -o split.out
//# stderr~: kernel 'calls' of image 'split_2' is left out for target 'intel_gpu_skl': code made ahead of time cannot call device functions of other libraries \('_Z5timesi'\); compile for spir64 too
//# stderr!~: no image for any target
//# run: aspen inspect split.out
//# count: 2 stdout ^\[\d\] split_\d  intel_gpu_skl  native
//# count: 2 stdout ^    kernel plain
//# count: 1 stdout ^    kernel calls
//# deep: conditional images
//# run: aspen++ -O2 -fsycl-optional-features=conditional -fsycl-targets=intel_gpu_skl,intel_gpu_dg1,spir64 {self} -L. -l:library.so -Wl,-rpath,. -o conditional.out
//# count: 2 stderr kernels? 'calls'.* of image 'conditional_1' (is|are) left out for target 'intel_gpu_(skl|dg1)'
//# run: aspen inspect conditional.out
//# count: 2 stdout ^\[\d\] conditional_0  intel_gpu_(dg1|skl)  native
//# count: 3 stdout ^    kernel plain
//# count: 3 stdout ^    kernel precise
//# count: 1 stdout ^    kernel calls
//# run: aspen++ -O2 -DONLY -fsycl-optional-features=conditional -fsycl-targets=intel_gpu_skl {self} -L. -l:library.so -Wl,-rpath,. -o only.out
//# stderr~: kernel 'calls' has no image for any target: 'intel_gpu_skl' cannot call '_Z5timesi' of another library
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int times(int i);
class plain;
class precise;
class calls;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
#ifndef ONLY
  q.single_task<plain>([=] { p[0] = 1; });
  q.single_task<precise>([=] { p[0] = int(p[1] * 1.5); });
#endif
  q.single_task<calls>([=] { p[1] = times(p[0]); });
}
//# file: library.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int times(int i) { return 3 * i; }
