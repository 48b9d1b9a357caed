// DPC++'s names reach programs, whose needs are read under either; and a pass that is asked for alone says what kernels need, whatever the
// target. Source: DESIGN §2, §5; FORMATS §4.5.
//# also: shared/run_kernel.hpp
//# run: aspen++ -O1 -fsycl-targets=native_cpu,spir64 -fsycl-dialect=dpcpp main.cpp -o a.out
//# run: ./a.out
//# stdout: dbl 31
//# stdout: plain 2
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout~: ^kernel 'dbl' cannot run on 'intel_gpu_dg1': +needs aspect fp64: .*main.cpp:13:\d+ in the kernel$
//# stdout: plain 2
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_pvc ./a.out
//# stdout~: ^kernel 'dbl' cannot run on 'intel_gpu_pvc': +needs sub-group size 8: .*; the device has 16, 32$
//# stdout: plain 2
//# run: aspen check a.out --device=intel_gpu_dg1
//# exit: 1
//# stdout~: ^  dbl +no: lacks aspect fp64$
//# stdout~: ^  plain +yes$
//# run: aspen inspect --format json a.out
//# count: 0 stdout "SYCL/device-requirements"
//# count: 4 stdout "SYCL/device requirements"
//# count: 4 stdout "aspects": \{
//# count: 2 stdout "value": "06000000"
//# count: 2 stdout "value": "080000000000000004000000000000000100000000000000"
//# count: 2 stdout "work_group_num_dim"
// In conditional mode what all kernels of an image need is there, too.
//# run: aspen++ -O1 -fsycl-targets=spir64 -fsycl-optional-features=conditional -fsycl-dialect=dpcpp main.cpp -o c.out
//# run: aspen check c.out --device=intel_gpu_dg1
//# exit: 1
//# stdout~: ^  dbl +no: lacks aspect fp64$
//# stdout~: ^  plain +yes$
//# run: aspen++ -O1 -fsycl-device-only -fsycl-targets=native_cpu -S -emit-llvm main.cpp -o -
//# count: 1 stdout ^define .*!intel_used_aspects
//# count: 1 stdout ^define .*!reqd_work_group_size
//# run: aspen++ -O1 -fsycl-device-only -fsycl-targets=nvidia_gpu_sm_80 -fsycl-dialect=dpcpp -S -emit-llvm main.cpp -o -
//# count: 1 stdout ^define .*!sycl_used_aspects
//# count: 1 stdout ^define .*!work_group_num_dim
//# run: aspen++ -O1 -fsycl-device-only -fsycl-targets=amd_gpu_gfx90a -S -emit-llvm main.cpp -o -
//# count: 1 stdout ^define .*!intel_used_aspects
//# run: aspen++ -O1 -fsycl-device-only -fsycl-targets=native_cpu -c main.cpp -DLISTED=sycl::aspect::fp16 -o alone.bc
//# stderr~: main.cpp:\d+:\d+: warning: function 'dbl' uses aspect 'fp64' not listed in 'sycl::device_has' \[-Wsycl-aspects\]
//# file: main.cpp
#include "run_kernel.hpp"
#ifdef LISTED
#define LISTS [[sycl::device_has(LISTED)]]
#else
#define LISTS
#endif
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(32, q);
  p[0] = 1;
  try {
    q.parallel_for<class dbl>(sycl::nd_range<2>({4, 8}, {4, 8}), [=](sycl::nd_item<2> i) LISTS
                              [[sycl::reqd_work_group_size(4, 8)]] [[sycl::reqd_sub_group_size(8)]] { volatile double d = 1; p[i.get_global_linear_id()] = int(d) * int(i.get_global_linear_id()); }).wait();
    std::printf("dbl %d\n", p[31]);
  } catch (const sycl::exception &e) {
    print_refusal(e);
  }
  q.single_task<class plain>([=] { p[0] = 2; }).wait();
  std::printf("plain %d\n", p[0]);
  sycl::free(p, q);
}
