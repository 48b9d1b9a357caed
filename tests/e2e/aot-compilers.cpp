// Compilers ahead of time that are missing, crash or write nothing; and what did not change is not compiled again.
//# sh: printf '#!/bin/sh\nkill -SEGV $$\n' > crash; printf '#!/bin/sh\necho "all is well"\n' > silent; printf '#!/bin/sh\nfor w; do o=$w; done\nprintf x > "$o"; exit 3\n' > late; chmod +x crash silent late
//# run: aspen++ -fsycl-targets=crashing -fsycl-device-config-file=bad.yaml {self} -o a.out
//# exit: 1
//# stderr~: cannot make image 'a_0': .*/crash compile -spirv_input -file image0\.spv -device x -output image0\.gen
//# stderr~: it ended with signal: 11
//# stderr~: kernels of the image: 'one'
//# absent: a.out
//# run: aspen++ -fsycl-targets=silent -fsycl-device-config-file=bad.yaml {self} -o a.out
//# exit: 1
//# stderr~: all is well
//# stderr~: wrote no|has not written|no file
//# absent: a.out
//# run: aspen++ -fsycl-targets=late -fsycl-device-config-file=bad.yaml {self} -o a.out
//# exit: 1
//# stderr~: it ended with exit status: 3
//# absent: a.out
// One bad device does not take the others' images along with it, but the link still fails, because what was asked for is not there.
//# run: aspen++ -fsycl-targets=native_cpu,crashing -fsycl-device-config-file=bad.yaml {self} -o a.out
//# exit: 1
//# absent: a.out
//# deep: what changes the key
// A compiler that is not there: which package brings it.
//# sh: mkdir bin; for tool in clang++-22 ld as sh rm sleep; do ln -s "$(command -v $tool)" bin/$tool; done; PATH=$PWD/bin "$(command -v aspen++)" -fsycl-targets=intel_gpu_skl {self} -o a.out
//# exit: 1
//# stderr~: cannot run 'ocloc' \(the Debian package intel-opencl-icd brings it\)
//# absent: a.out
// The cache: counted by a compiler that notes its runs. Two kernels, one of which needs double, are two images; dg1 gets one of them.
//# sh: printf '#!/bin/sh\necho run >> "%s/runs"\nexec ocloc "$@"\n' "$PWD" > counted; chmod +x counted
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -fsycl-targets=gen9,xe -fsycl-device-config-file=counted.yaml {self} -o b.out && grep -c run runs
//# stdout: 3
//# sh: mkdir again; ASPEN_CACHE_DIR=$PWD/cache aspen++ -fsycl-targets=gen9,xe -fsycl-device-config-file=counted.yaml {self} -o again/b.out && grep -c run runs && cmp b.out again/b.out
//# stdout: 3
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -DCHANGED -fsycl-targets=gen9,xe -fsycl-device-config-file=counted.yaml {self} -o d.out && grep -c run runs
//# stdout: 5
// Other options are another result; without a cache everything is made anew.
//# sh: ASPEN_CACHE_DIR=$PWD/cache aspen++ -Xsycl-target-backend=gen9 "-options -cl-opt-disable" -fsycl-targets=gen9,xe -fsycl-device-config-file=counted.yaml {self} -o d.out && grep -c run runs
//# stdout: 7
//# sh: ASPEN_CACHE=0 ASPEN_CACHE_DIR=$PWD/cache aspen++ -fsycl-targets=gen9,xe -fsycl-device-config-file=counted.yaml {self} -o d.out && grep -c run runs
//# stdout: 10
#include <sycl/sycl.hpp>
class one;
class two;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
#ifdef CHANGED
  q.single_task<one>([=] { p[0] = p[1] * 7; });
#else
  q.single_task<one>([=] { p[0] = p[1] * 5; });
#endif
#ifndef BAD
  q.single_task<two>([=] { double d = p[0]; p[1] = int((d + 5) / 3); });
#endif
}
//# file: bad.yaml
crashing: {aspects: [fp64], aot-toolchain: ./crash, aot-toolchain-options: -device x}
silent: {aspects: [fp64], aot-toolchain: ./silent, aot-toolchain-options: -device x}
late: {aspects: [fp64], aot-toolchain: ./late, aot-toolchain-options: -device x}
//# file: counted.yaml
gen9: {aspects: [fp64, gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./counted, aot-toolchain-options: -device skl}
xe: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./counted, aot-toolchain-options: -device dg1}
