// Ahead of time: what a device cannot run is skipped, the user's file and options reach the compiler, and its failures are shown whole.
//# run: aspen++ -v -fsycl-targets=intel_gpu_dg1,native_cpu {self} -o a.out
//# stderr~: image 'a_1' is skipped for target 'intel_gpu_dg1', which lacks aspect fp64; kernels: needs_double
//# stderr!~: has no image
//# run: ./a.out
//# stdout: 1 2
// Machine code is for its own target, whatever another one of the family has.
//# run: aspen check a.out --device intel_gpu_dg1 --device intel_gpu_skl
//# exit: 1
//# count: 1 stdout ^  needs_double +no: lacks aspect fp64$
//# count: 1 stdout ^  plain +yes$
//# count: 2 stdout ^  (needs_double|plain) +maybe: if it is compiled for it, too; the file has code for intel_gpu_dg1$
//# run: aspen check a.out --device intel_gpu_skl --format json
//# count: 2 stdout "supported": null
//# count: 2 stdout "has_code": false
//# run: aspen++ -fsycl-targets=intel_gpu_dg1,intel_gpu_tgllp {self} -o b.out
//# stderr~: warning: kernel 'needs_double' has no image for any target: 'intel_gpu_dg1' lacks aspect fp64; 'intel_gpu_tgllp' lacks aspect fp64
//# run: ./b.out
//# exit: 1
//# stdout~: the program has no image of it for native_cpu, only for intel_gpu_dg1, intel_gpu_tgllp
//# run: aspen++ -fsycl-targets=intel_gpu_dg1 -fsycl-device-config-file=forced.yaml {self} -o c.out
//# exit: 1
//# stderr~: cannot make image 'c_1': ocloc compile -spirv_input -file image1.spv -device dg1
//# stderr~: Double type is not supported on this platform
//# stderr~: kernels of the image: 'needs_double'
//# absent: c.out
//# run: aspen++ -fsycl-targets=intel_gpu_new -fsycl-device-config-file=forced.yaml -c {self} -o d.o
//# run: aspen++ d.o -o d.out
//# exit: 1
//# stderr~: unknown target 'intel_gpu_new'
//# stderr~: give the same '-fsycl-device-config-file' when linking
//# run: aspen++ -fsycl-device-config-file=forced.yaml d.o -o d.out
//# exit: 1
//# stderr~: cannot run '.*/mycc'
//# sh: printf '#!/bin/sh\necho "got: $*"; exit 9\n' > mycc; chmod +x mycc
//# run: aspen++ -fsycl-device-config-file=forced.yaml d.o -Xsycl-target-backend=intel_gpu_new "-options '-cl-opt-disable -g'" -o d.out
//# exit: 1
//# stderr~: got: compile -spirv_input -file image0.spv -device new -revision_id 3 -options -cl-opt-disable -g -output image0.gen
//# stderr~: it ended with exit status: 9
//# deep: options of the old form
//# run: aspen++ -fsycl-targets=spir64_gen {self} -o e.out
//# exit: 1
//# stderr~: say which by '-Xs "-device X"'
//# run: aspen++ -fsycl-targets=spir64_gen -Xs "-device dg1" {self} -o e.out
//# exit: 1
//# stderr~: Double type is not supported on this platform
//# run: aspen++ -fsycl-targets=native_cpu -Xsycl-target-backend=intel_gpu_dg1 -q -Xsycl-target-backend=nvptx64-nvidia-cuda --offload-arch=sm_80 {self} -o f.out
//# stderr~: warning: '-Xsycl-target-backend=intel_gpu_dg1' is not used: code is made for other targets only
//# run: aspen++ -fsycl-targets=amd_gpu_gfx940 {self} -o g.out
//# exit: 1
//# stderr~: no code can be made for 'amd_gpu_gfx940': LLVM 22 has no code generator for it
//# run: aspen++ -fsycl-targets=native_cpu -Xs -g {self} -o h.out
//# stderr~: warning: '-Xs' is not used
#include <sycl/sycl.hpp>
#include <cstdio>
class plain;
class needs_double;
int main() {
  try {
    sycl::queue q;
    int *p = sycl::malloc_shared<int>(2, q);
    q.single_task<plain>([=] { p[0] = 1; }).wait();
    q.single_task<needs_double>([=] { double d = p[0]; p[1] = int((d + 5) / 3); }).wait();
    std::printf("%d %d\n", p[0], p[1]);
    sycl::free(p, q);
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
//# file: forced.yaml
intel_gpu_dg1:
  may_support_other_aspects: true
intel_gpu_new:
  aspects: [fp64]
  aot-toolchain: ./mycc
  aot-toolchain-options: -device new
  aot-toolchain-revision_id: "3"
