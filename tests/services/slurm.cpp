// The ahead-of-time part of a link on Slurm: seven kernels with one need each for the 22 GPUs that S4 names, each job a job step; the
// program is the same as with this machine's own processes. A real slurmctld, slurmd and munged, started by the test.
//# needs-root: slurmd and munged run as root
//# also: slurm/slurm.sh
//# run: aspen++ -fsycl-targets=intel_gpu_bdw,intel_gpu_skl,intel_gpu_kbl,intel_gpu_cfl,intel_gpu_apl,intel_gpu_glk,intel_gpu_whl,intel_gpu_aml,intel_gpu_cml,intel_gpu_icllp,intel_gpu_ehl,intel_gpu_tgllp,intel_gpu_rkl,intel_gpu_adl_s,intel_gpu_rpl_s,intel_gpu_adl_p,intel_gpu_adl_n,intel_gpu_dg1,intel_gpu_acm_g10,intel_gpu_acm_g11,intel_gpu_acm_g12,intel_gpu_pvc -c {self} -o p.o
//# sh: echo "-fsycl-device-code-split=per_kernel p.o -o a.out -w" > words
//# sh: ASPEN_CACHE=0 aspen++ @words && mv a.out plain
//# sh: ASPEN_CACHE=0 sh slurm.sh 'time -p aspen++ @words -fsycl-aot-graph=graph -fsycl-aot-launcher="srun -n1 --" -j4' && cmp a.out plain
//# sh: echo jobs $(grep -c ': aot ' graph/build.ninja); test $(grep -c ': aot ' graph/build.ninja) -gt 100
// A job that the compiler refuses is told in its own words, and is not tried again; the machine that has no compiler is.
//# sh: echo 'none: {aspects: [gpu, fp64, fp16, atomic64], sub-group-sizes: [8, 16, 32], aot-toolchain: no-such-ocloc, aot-toolchain-options: -device x}' > none.yaml
//# sh: echo 'wrong: {aspects: [gpu], sub-group-sizes: [8], aot-toolchain: ocloc, aot-toolchain-options: -device zz9}' >> none.yaml
//# sh: aspen++ -w -DONE -fsycl-targets=none,wrong -fsycl-device-config-file=none.yaml {self} -c -o q.o
//# sh: sh slurm.sh 'aspen++ -w -fsycl-targets=none,wrong -fsycl-device-config-file=none.yaml q.o -o q.out -fsycl-aot-launcher="srun -Q -n1 --"'
//# exit: 1
//# stderr~: cannot make image 'q_0' for target 'none'
//# stderr~: target 'none': cannot run 'no-such-ocloc' .*; this machine is '
//# count: 1 stderr the machine was at fault \(exit code 75\)
//# stderr~: cannot make image 'q_0' for target 'wrong'
//# stderr~: Cannot get HW Info for device zz9
//# absent: q.out
#include <sycl/sycl.hpp>
class plain;
class fp16;
class fp64;
class atomic64;
template <int N> class sub_group;
template <int N> void of_size(sycl::queue &q, int *p) {
  q.parallel_for<sub_group<N>>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(N)]] {
    p[item.get_global_id(0)] = item.get_sub_group().get_local_linear_range();
  });
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  q.single_task<plain>([=] { p[0] = 1; });
#ifndef ONE
  q.single_task<fp16>([=] { p[1] = int(sycl::half(p[0]) / sycl::half(3)); });
  q.single_task<fp64>([=] { p[2] = int(double(p[0]) / 3); });
  auto *l = sycl::malloc_shared<long long>(1, q);
  q.single_task<atomic64>([=] { sycl::atomic_ref<long long, sycl::memory_order::relaxed, sycl::memory_scope::device>(*l) += p[0]; });
  of_size<8>(q, p);
  of_size<16>(q, p);
  of_size<32>(q, p);
#endif
}
