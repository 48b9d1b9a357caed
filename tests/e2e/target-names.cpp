// The names that targets are given by, and what may not stand together. Source: S4 "Changes to compiler driver"; DESIGN §2, §7.10.
//# run: aspen++ -fsycl-targets=native_cpu,intel_gpu_skl,native_cpu,intel_gpu_9_0_9 -c {self} -o a.o
//# count: 2 stderr warning:
//# stderr: aspen++: warning: '-fsycl-targets': 'native_cpu' is listed already; device code is made for it once
//# stderr: aspen++: warning: '-fsycl-targets': 'intel_gpu_9_0_9' is listed already as 'intel_gpu_skl'; device code is made for it once
//# sh: aspen inspect --format json a.o | grep -c '"target":'
//# stdout: 2
//# run: aspen++ -w -fsycl-targets=native_cpu,native_cpu -fsycl-device-config-file=twice.yaml -c {self} -o b.o
//# count: 0 stderr warning:
//# run: aspen++ -fsycl-targets=intel_gpu_slk -c {self} -o c.o
//# exit: 1
//# stderr~: unknown target 'intel_gpu_slk'; did you mean 'intel_gpu_skl'
//# run: aspen++ -fsycl-targets=native_cpu, -c {self} -o c.o
//# exit: 1
//# stderr~: an empty name
// An empty list is an option without its value: a warning, as from clang.
//# run: aspen++ -fsycl-targets= -c {self} -o c.o
//# stderr~: warning: '-fsycl-targets=' names no target; the program is for the default ones
//# run: aspen++ -fsycl-targets=intel_gpu_12_10_0,spir64_gen -c {self} -o c.o
//# exit: 1
//# stderr~: 'spir64_gen' and 'intel_gpu_dg1' are both for ocloc
//# run: aspen++ -fsycl-targets=intel_gpu_dg1 -Xs "-device dg1" -c {self} -o c.o
//# exit: 1
//# stderr~: target 'intel_gpu_dg1' says which device it is for; leave out '-device', or use 'spir64_gen'
//# deep: options of the old form
//# run: aspen++ -fsycl-targets=intel_gpu_dg1 -Xsycl-target-backend=intel_gpu_12_10_0 "-q -device dg1" -c {self} -o c.o
//# exit: 1
//# stderr~: leave out '-device'
//# run: aspen++ -fsycl-targets=intel_gpu_dg1 -Xsycl-target-backend=intel_gpu_dq1 -q -c {self} -o c.o
//# exit: 1
//# stderr~: unknown target 'intel_gpu_dq1'; did you mean 'intel_gpu_dg1'
//# absent: c.o
// S0's form of a device file describes spir64_gen itself, which still means any GPU: `-device` says which, and the file says what is skipped.
//# run: aspen++ -v -fsycl-targets=spir64_gen -fsycl-device-config-file=old.yaml -Xs "-device dg1" {self} program.cpp -o old
//# stderr~: is skipped for target 'spir64_gen', which lacks aspect fp64; kernels: needs_double\n
//# run: aspen++ -fsycl-targets=spir64_gen -fsycl-device-config-file=old.yaml {self} program.cpp -o old
//# exit: 1
//# stderr~: 'spir64_gen' stands for any GPU: say which by '-Xs "-device X"'
// Every name of S4, aliases too, says in its device pass which device it is, by the name of the device and never of the alias.
//# sh: for t in bdw skl kbl cfl apl glk whl aml cml icllp ehl tgllp rkl adl_s rpl_s adl_p adl_n dg1 acm_g10 acm_g11 acm_g12 pvc; do m=__SYCL_TARGET_INTEL_GPU_$(echo $t | tr a-z A-Z)__; aspen++ -fsycl-targets=intel_gpu_$t -fsycl-device-only -E -dM empty.cpp | grep -c "TARGET_INTEL.* 1$" | grep -qx 1 || echo "$t: none"; aspen++ -fsycl-targets=intel_gpu_$t -fsycl-device-only -E -dM empty.cpp | grep -qx "#define $m 1" || echo "$t: no $m"; done; echo done
//# stdout: done
//# count: 0 stdout :
//# sh: for p in 8_0_0=BDW 9_0_9=SKL 9_1_9=KBL 9_2_9=CFL 9_3_0=APL 9_4_0=GLK 9_5_0=WHL 9_6_0=AML 9_7_0=CML 11_0_0=ICLLP 11_2_0=EHL 12_0_0=TGLLP 12_10_0=DG1; do aspen++ -fsycl-targets=intel_gpu_${p%=*} -fsycl-device-only -E -dM empty.cpp | grep "TARGET_INTEL.* 1$" | grep -qx "#define __SYCL_TARGET_INTEL_GPU_${p#*=}__ 1" || echo "$p: wrong"; done; echo done
//# stdout: done
//# count: 0 stdout :
//# sh: aspen++ -fsycl-targets=spir64_x86_64 -fsycl-device-only -E -dM empty.cpp | grep -x "#define __SYCL_TARGET_INTEL_X86_64__ 1"
#include <sycl/sycl.hpp>
class k;
void host(sycl::queue &q, int *p) { q.single_task<k>([=] { *p = 1; }); }
//# file: empty.cpp
//# file: twice.yaml
t:
t:
//# file: old.yaml
spir64_gen:
  aspects: [2, 5]
  may_support_other_aspects: false
//# file: program.cpp
#include <sycl/sycl.hpp>
class plain;
class needs_double;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<plain>([=] { *p = 1; });
  q.single_task<needs_double>([=] { double d = *p; *p = int((d + 5) / 3); });
}
