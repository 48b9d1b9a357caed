// Fixed targets: what a unit shows is said when it is compiled, what only the link shows is said there, and nothing twice.
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_12_10_0,native_cpu,spir64 -c {self} -o a.o
//# count: 1 stderr ^fixed-targets\.cpp:\d+:\d+: warning: kernel 'own' cannot run on fixed target 'intel_gpu_12_10_0': needs aspect fp64 \[-Wsycl-fixed-targets\]$
//# count: 1 stderr ^fixed-targets\.cpp:\d+:\d+: warning: kernel 'small' cannot run on fixed target 'native_cpu': needs sub-group size 128 \[-Wsycl-fixed-targets\]$
//# count: 1 stderr ^fixed-targets\.cpp:\d+:\d+: warning: kernel 'small' cannot run on fixed target 'intel_gpu_12_10_0': needs sub-group size 128
//# count: 3 stderr warning:
//# stderr~: use is from this call chain:\n  own\(\)\n  third\(\) fixed-targets\.cpp:\d+:\d+\n
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_12_10_0,native_cpu,spir64 -c other.cpp -o b.o
//# count: 0 stderr warning:
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_12_10_0,native_cpu,spir64 a.o b.o -o a.out
//# count: 1 stderr ^other\.cpp:3:\d+: warning: kernel 'through' cannot run on fixed target 'intel_gpu_12_10_0': needs aspect fp64
//# stderr!~: 'own' cannot run|'small' cannot run
// Objects that promise nothing, or something else, are judged at the link; spelled otherwise, or known otherwise, the target is the same or not.
//# run: aspen++ -c {self} -o quiet.o
//# count: 0 stderr warning:
//# run: aspen++ -fsycl-fixed-targets=native_cpu,intel_gpu_dg1 quiet.o b.o -o a.out
//# count: 1 stderr kernel 'own' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64
//# count: 1 stderr kernel 'small' cannot run on fixed target 'intel_gpu_dg1': needs sub-group size 128
//# count: 1 stderr kernel 'small' cannot run on fixed target 'native_cpu': needs sub-group size 128
//# count: 1 stderr kernel 'through' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64
//# count: 4 stderr cannot run on fixed target
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1,intel_gpu_icllp a.o b.o -o a.out
//# count: 2 stderr 'intel_gpu_icllp': needs aspect fp64
//# count: 1 stderr 'intel_gpu_icllp': needs sub-group size 128
//# count: 1 stderr 'intel_gpu_dg1'
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 -fsycl-device-config-file=other.yaml a.o b.o -o a.out
//# count: 1 stderr 'intel_gpu_dg1': needs sub-group size
//# count: 1 stderr kernel 'own' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64
// A limit that the database does not know is not checked: neither this size on a new target, nor a size of work-groups on any.
//# run: aspen++ -fsycl-fixed-targets=new,intel_gpu_skl -fsycl-device-config-file=other.yaml {self} other.cpp -o a.out
//# count: 1 stderr cannot run on fixed target
//# stderr~: kernel 'small' cannot run on fixed target 'intel_gpu_skl': needs sub-group size 128
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 {self} other.cpp -o b.out
//# count: 3 stderr cannot run on fixed target
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 -Werror=sycl-fixed-targets -c {self} -o c.o
//# exit: 1
//# stderr~: error: kernel 'own' cannot run on fixed target 'intel_gpu_dg1': needs aspect fp64 \[-Werror,-Wsycl-fixed-targets\]
//# absent: c.o
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dg1 -Wno-sycl-fixed-targets -c {self} -o d.o
//# count: 0 stderr warning:
//# run: aspen++ -fsycl-fixed-targets=intel_gpu_dq1 -c {self} -o e.o
//# exit: 1
//# stderr~: '-fsycl-fixed-targets': unknown target 'intel_gpu_dq1'; did you mean 'intel_gpu_dg1'
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int deep(int x);
class own;
class small;
class through;
class large;
int third(int x) {
  return int((x + 5) / 3.0);
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<own>([=] { *p = third(*p); });
  q.parallel_for<small>(sycl::nd_range<1>(128, 128), [=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(128)]] { *p = 1; });
  q.single_task<through>([=] { *p = deep(*p); });
  q.parallel_for<large>(sycl::nd_range<1>(65536, 65536), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(65536)]] { *p = 1; });
}
//# file: other.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int deep(int x) {
  double d = x;
  return int((d + 5) / 3);
}
//# file: other.yaml
intel_gpu_dg1:
  sub-group-sizes: [8, 16]
new:
  aspects: [fp64]
