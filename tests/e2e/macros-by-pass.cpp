// Host and device passes have the same macros about the devices of the program, for every list of targets; only a device pass has those of its own device.
//# sh: for t in native_cpu spir64 native_cpu,spir64 spir64_x86_64 intel_gpu_skl intel_gpu_dg1,intel_gpu_skl intel_gpu_12_10_0,native_cpu intel_gpu_pvc,spir64 spir64_gen native_cpu,spir64_x86_64 intel_gpu_bmg,intel_gpu_lnl_m intel_gpu_new,native_cpu; do for side in host device; do aspen++ -fsycl-targets=$t -fsycl-device-config-file=new.yaml -fsycl-$side-only -E -dM {self} > $side.all || exit 1; grep -E '__SYCL_A(LL|NY)_DEVICE' $side.all | sort > $side; done; cmp host device || exit 1; test $(grep -c . host) -gt 150 || exit 2; grep -q ASPEN_TARGET_ASPECTS host.all && exit 3; echo "$t $(grep -c ASPEN_TARGET_ASPECTS device.all) $(grep -c 'TARGET_INTEL.* 1$' device.all)"; done
//# stdout: native_cpu 1 0
//# stdout: spir64 0 0
//# stdout: native_cpu,spir64 1 0
//# stdout: spir64_x86_64 1 1
//# stdout: intel_gpu_skl 1 1
//# stdout: intel_gpu_dg1,intel_gpu_skl 1 1
//# stdout: intel_gpu_12_10_0,native_cpu 1 1
//# stdout: intel_gpu_pvc,spir64 1 1
//# stdout: spir64_gen 0 0
//# stdout: native_cpu,spir64_x86_64 1 0
//# stdout: intel_gpu_bmg,intel_gpu_lnl_m 1 1
//# stdout: intel_gpu_new,native_cpu 1 1
#include <sycl/device_traits.hpp>
//# file: new.yaml
intel_gpu_new: {aspects: [gpu, fp64, 4242]}
