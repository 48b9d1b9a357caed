// Functions that cannot be kernels: one error each, at the line that launches them or asks for them.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -fsyntax-only -ferror-limit=0 {self}
//# exit: 1
//# count: 7 stderr error:
//# stderr~: kernel-functions-wrong\.cpp:24:8: error: .*a kernel has a fixed number of parameters; this function has '\.\.\.'
//# stderr~: kernel-functions-wrong\.cpp:25:8: error: .*a kernel takes its arguments by value, and one of this function's parameters is a reference
//# stderr~: kernel-functions-wrong\.cpp:26:8: error: .*by value
//# stderr~: kernel-functions-wrong\.cpp:27:8: error: .*a kernel returns nothing
//# stderr~: kernel-functions-wrong\.cpp:28:14: error: .*a kernel that is a function has no parameter of type kernel_handler
//# stderr~: kernel-functions-wrong\.cpp:29:3: error: no matching function for call to 'single_task'
//# stderr~: kernel-functions-wrong\.cpp:30:3: error: no matching function for call to 'single_task'
#include <sycl/sycl.hpp>

namespace ext = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::nd_range_kernel<1>)) void variadic(int, ...) {}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::nd_range_kernel<1>)) void writes(int &to) { to = 1; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::single_task_kernel)) void reads(const int &) {}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::nd_range_kernel<1>)) int gives(int from) { return from; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::nd_range_kernel<1>)) void asks(sycl::kernel_handler) {}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::single_task_kernel)) void points(int *to) { *to = 1; }

void launches(sycl::queue &q, int x) {
  ext::nd_launch(q, sycl::nd_range<1>(8, 4), ext::kernel_function<variadic>, 1);
  ext::nd_launch(q, sycl::nd_range<1>(8, 4), ext::kernel_function<writes>, x);
  ext::single_task(q, ext::kernel_function<reads>, x);
  ext::nd_launch(q, sycl::nd_range<1>(8, 4), ext::kernel_function<gives>, x);
  (void)ext::get_kernel_id<asks>();
  ext::single_task(q, ext::kernel_function<points>, static_cast<void *>(&x));
  ext::single_task(q, ext::kernel_function<points>, q);
}
