// A kernel that no target of the link can run stays known: its launch says what it needs, and the tools say it, too.
//# run: aspen++ -fsycl-targets=intel_gpu_pvc {self} -o a.out
//# stderr~: warning: kernel 'eight' has no image for any target: 'intel_gpu_pvc' lacks sub-group size 8
//# run: aspen++ -Werror -fsycl-targets=intel_gpu_pvc {self} -o b.out
//# exit: 1
//# stderr~: error: kernel 'eight' has no image for any target: .*-Werror,-Wsycl-left-out
//# run: aspen++ -Wno-sycl-left-out -fsycl-targets=intel_gpu_pvc {self} -o b.out
//# stderr!~: eight
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_pvc ./a.out
//# stdout~: kernel 'eight' cannot run on 'intel_gpu_pvc':\n  needs sub-group size 8: left-out-kernels.cpp:\d+:\d+; the device has 16, 32\n  the program has no image of it: none of the targets
//# stdout~: kernel_not_supported 0 0
//# run: aspen inspect a.out
//# stdout~: a.out: 0 device images\n\nno target it was linked for can run:\n    kernel eight  needs sub-group size 8\n
//# run: aspen inspect a.out --format json
//# stdout~: "images": \[\]
//# stdout~: "left_out": \[\n    \{\n      "name": "eight"
//# run: aspen check a.out --device intel_gpu_pvc
//# exit: 1
//# stdout~: eight  no: lacks sub-group size 8
//# run: aspen check a.out --device intel_gpu_dg1
//# exit: 1
//# stdout~: eight  no: the file has no code for it
//# run: aspen explain a.out eight
//# stdout~: kernel 'eight' needs sub-group size 8
#include <sycl/sycl.hpp>
#include <cstdio>

class eight;
int main() {
  sycl::queue q;
  try {
    q.parallel_for<eight>(sycl::nd_range<1>(8, 8), [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(8)]] {});
  } catch (const sycl::exception &e) {
    std::printf("%s\n%s", e.what(), e.code() == sycl::errc::kernel_not_supported ? "kernel_not_supported" : "another code");
  }
  std::printf(" %d %d\n", sycl::is_compatible<eight>(q.get_device()),
              sycl::has_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {sycl::get_kernel_id<eight>()}));
}
