// What docs/SYCL.md says is out of SYCL 2020 fails by an error that says so, at the line that uses it, or throws feature_not_supported.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DABSENT {self}
//# exit: 1
//# stderr~: error: .*Aspen has no native handle of such an object in this backend: OpenCL has
//# count: 2 stderr error: .*Aspen has no native handle
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DABSENT_EXTENSIONS {self}
//# exit: 1
//# count: 3 stderr error:
//# stderr~: 'image_mem' is unavailable: Aspen does not have sycl_ext_oneapi_bindless_images\.
//# stderr~: Aspen does not have sycl_ext_intel_esimd\.
//# stderr~: Aspen does not have Intel's FPGA extensions \(pipes\)\.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DFUNCTIONS {self}
//# exit: 1
//# count: 3 stderr error:
//# stderr~: SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes nd_range_kernel<N>, single_task_kernel, sizes of work-groups and sub-groups, and device_has; other properties come with the launch
//# stderr~: the function was not declared with SYCL_EXT_ONEAPI_FUNCTION_PROPERTY
//# stderr~: Aspen does not take work_group_scratch_size beside reductions: use a local_accessor
//# run: aspen++ -DHEADER=<sycl/ext/intel/experimental/pipes.hpp> {self} -o program
//# exit: 1
//# count: 1 stderr error:
//# stderr~: absent\.cpp:38:10: fatal error: Aspen does not have Intel's FPGA extensions, .*no header 'sycl/ext/intel/experimental/pipes\.hpp'
//# deep: further headers
//# run: aspen++ -DHEADER=<sycl/ext/oneapi/bindless_images.hpp> -c {self} -o program.o
//# exit: 1
//# stderr~: Aspen does not have sycl_ext_oneapi_bindless_images
//# run: aspen++ -DHEADER=<sycl/ext/oneapi/unheard/of.hpp> -c {self} -o program.o
//# exit: 1
//# stderr~: Aspen does not have this extension of DPC\+\+ \(no header 'sycl/ext/oneapi/unheard/of\.hpp'
//# run: aspen++ -fsycl-targets=nvptx64-nvidia-cuda -fsyntax-only -DARCHITECTURE {self}
//# exit: 1
//# stderr~: Aspen has sycl_ext_oneapi_device_architecture in kernels for Intel's and AMD's GPUs and x86-64 only
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu {self} -o program
//# run: ./program
//# stdout: macros 1
#include <cstdio>
#include <sycl/sycl.hpp>
#ifdef HEADER
#include HEADER
#endif

#ifdef ABSENT
void native(sycl::queue &q) {
  sycl::get_native<sycl::backend::native_cpu>(q);
  sycl::make_kernel<sycl::backend::cuda>(nullptr, q.get_context());
}
#elif defined(FUNCTIONS)
namespace ex = sycl::ext::oneapi::experimental;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::work_group_progress<ex::forward_progress_guarantee::parallel, ex::execution_scope::root_group>))
void with_progress(int *) {}
void unmarked(int *) {}
void launches(sycl::queue &q, int *out) {
  ex::nd_launch(q, sycl::nd_range<1>(8, 8), ex::kernel_function<unmarked>, out);
  q.parallel_for(sycl::range<1>(8), ex::properties{ex::work_group_scratch_size(4)}, sycl::reduction(out, sycl::plus<int>()),
                 [](sycl::id<1>, auto &) {});
}
#elif defined(ARCHITECTURE)
namespace ex = sycl::ext::oneapi::experimental;
void architecture(sycl::queue &q) {
  q.single_task([] { ex::if_architecture_is<ex::architecture::nvidia_gpu_sm_80>([] {}); });
}
#elif defined(ABSENT_EXTENSIONS)
namespace ex = sycl::ext::oneapi::experimental;
void extensions() {
  ex::image_mem memory;
  sycl::ext::intel::esimd::simd<float, 8> simd;
  sycl::ext::intel::pipe<class a_pipe, int, 4> pipe;
}
#else
// In all passes.
#if !defined(__ASPEN__) || !defined(SYCL_LANGUAGE_VERSION) || !defined(SYCL_EXT_ONEAPI_DEVICE_IF) || SYCL_LANGUAGE_VERSION != 202012L || __SYCL_UNNAMED_LAMBDA__ != 1
#error a macro is missing
#endif
int main() {
  int *out = sycl::malloc_shared<int>(1, sycl::queue());
  sycl::queue().single_task([=] { *out = __ASPEN__ >= 1 && SYCL_EXT_ONEAPI_DEVICE_IF == 1; }).wait();
  std::printf("macros %d\n", *out);
}
#endif
