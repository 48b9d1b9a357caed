// The traits follow the targets, equally in host and device passes, and closed lists leave unknown aspects without a trait.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -DCPU -c {self} -o cpu.o
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu,intel_gpu_dg1 -DBOTH -c {self} -o both.o
//# deep: further lists of targets
//# run: aspen++ -std=c++17 -fsycl-targets=intel_gpu_dg1,spir64 -DOPEN -c {self} -o open.o
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -DUNKNOWN -c {self} -o x.o
//# exit: 1
//# stderr~: error: implicit instantiation of undefined template 'sycl::any_device_has
#include <sycl/sycl.hpp>
using sycl::all_devices_have_v, sycl::any_device_has_v, sycl::aspect;
// S3's test: no aspect was forgotten.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#define __SYCL_ASPECT(name, number)                                                                                                      \
  constexpr bool any_##name = any_device_has_v<aspect::name>;                                                                            \
  constexpr bool all_##name = all_devices_have_v<aspect::name>;
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>
#ifdef CPU
static_assert(all_cpu && all_fp64 && !all_gpu && any_cpu && !any_gpu && all_image && !any_ext_intel_esimd);
#endif
#ifdef BOTH
static_assert(all_fp16 && !all_fp64 && any_fp64 && any_cpu && any_gpu && !all_cpu && !any_accelerator);
static_assert(any_ext_intel_gpu_dg1 && !any_ext_intel_gpu_skl);
#endif
#ifdef OPEN
static_assert(!all_gpu && any_accelerator && any_device_has_v<aspect{4242}>);
#endif
#ifdef UNKNOWN
static_assert(any_device_has_v<aspect{4242}>);
#endif
class k;
void host(sycl::queue &q, int *p) { q.single_task<k>([=] { p[0] = all_fp16; }); }
