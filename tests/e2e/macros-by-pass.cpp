// Host and device passes have the same macros about the devices of the program, for every list of targets; only a device pass has those of its own device.
//# sh: for t in native_cpu spir64 native_cpu,spir64 spir64_x86_64 intel_gpu_skl intel_gpu_dg1,intel_gpu_skl intel_gpu_12_10_0,native_cpu intel_gpu_pvc,spir64 spir64_gen native_cpu,spir64_x86_64 intel_gpu_bmg,intel_gpu_lnl_m intel_gpu_new,native_cpu; do for side in host device; do aspen++ -fsycl-targets=$t -fsycl-device-config-file=new.yaml -fsycl-$side-only -E -dM {self} > $side.all || exit 1; grep -E '__SYCL_A(LL|NY)_DEVICE' $side.all | sort > $side; done; cmp host device || exit 1; test $(grep -c . host) -gt 150 || exit 2; grep -q ASPEN_TARGET_ASPECTS host.all && exit 3; echo "$t $(grep -c ASPEN_TARGET_ASPECTS device.all) $(grep -c 'TARGET_INTEL.* 1$' device.all)"; done
//# stdout: native_cpu 0 0
//# stdout: spir64 0 0
//# stdout: native_cpu,spir64 0 0
//# stdout: spir64_x86_64 1 1
//# stdout: intel_gpu_skl 1 1
//# stdout: intel_gpu_dg1,intel_gpu_skl 1 1
//# stdout: intel_gpu_12_10_0,native_cpu 1 1
//# stdout: intel_gpu_pvc,spir64 1 1
//# stdout: spir64_gen 0 0
//# stdout: native_cpu,spir64_x86_64 0 0
//# stdout: intel_gpu_bmg,intel_gpu_lnl_m 1 1
//# stdout: intel_gpu_new,native_cpu 1 1
// Every pass of a run, not only the first device pass, is given the same set of them: the commands are compared.
//# sh: for t in native_cpu,spir64 intel_gpu_dg1,intel_gpu_skl,native_cpu spir64_x86_64,intel_gpu_pvc,spir64 intel_gpu_new,native_cpu,nvidia_gpu_sm_80; do aspen++ -### -fsycl-targets=$t -fsycl-device-config-file=new.yaml -c {self} 2> all || exit 1; grep -- -cc1 all > passes || grep 'clang++' all > passes; while read -r line; do echo "$line" | grep -oE '__SYCL_A(LL|NY)_DEVICE[A-Za-z0-9_]*=1' | sort | cksum; done < passes | sort -u | wc -l; test $(grep -c . passes) -ge 3 || exit 2; done
//# count: 4 stdout ^1$
#include <sycl/device_traits.hpp>
//# file: new.yaml
intel_gpu_new: {aspects: [gpu, fp64, 4242]}
