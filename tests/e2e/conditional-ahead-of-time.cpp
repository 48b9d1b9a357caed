// One conditional module for GPUs with and without fp64: each gets what it can run, and its image says what all kernels need.
//# run: aspen++ -O2 -fsycl-optional-features=conditional -fsycl-targets=intel_gpu_dg1,intel_gpu_skl -save-temps=temps {self} -o a.out
//# stderr!~: .
//# exists: temps/a_0.intel_gpu_dg1.gen
//# sh: grep -c -a precise temps/a_0.intel_gpu_dg1.gen
//# exit: 1
//# sh: grep -c -a precise temps/a_0.intel_gpu_skl.gen
//# run: aspen inspect a.out
//# count: 2 stdout ^\[\d\] a_0  intel_gpu_(dg1|skl)  native
//# count: 2 stdout ^    kernel plain$
//# count: 2 stdout ^    kernel precise  needs aspect fp64$
//# sh: aspen inspect --format json a.out | grep -c '"SYCL/kernel reqs"'
//# stdout: 2
//# sh: aspen inspect --format json a.out | grep -c '"SYCL/device-requirements"'
//# exit: 1
// What was left out of the image for dg1 stands there, so that a device that has fp64 after all is told so instead of being asked for it.
//# sh: aspen inspect --format json a.out | grep -c '"Aspen/decided"'
//# stdout: 1
//# run: aspen check a.out --device intel_gpu_dg1
//# exit: 1
//# stdout~: precise
//# run: aspen++ -O2 -fsycl-optional-features=conditional -fsycl-targets=intel_gpu_dg1 {self} -o b.out
//# stderr~: kernel 'precise' has no image for any target: 'intel_gpu_dg1' lacks aspect fp64
#include <sycl/sycl.hpp>
class plain;
class precise;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  q.single_task<plain>([=] { p[0] = 1; });
  q.single_task<precise>([=] { p[1] = int(p[0] * 2.5); });
}
