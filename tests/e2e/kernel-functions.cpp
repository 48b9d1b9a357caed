// A kernel that is a function may be defined in another unit than those which launch it, with nothing but the property.
//# run: aspen++ main.cpp kernel.cpp -o a.out
//# count: 0 stderr .
//# run: ./a.out
//# stdout: 7 8 9
//# run: aspen++ -fsycl-targets=native_cpu,spir64 -O0 -c kernel.cpp -o kernel.o
//# run: aspen++ -fsycl-targets=native_cpu,spir64 -O0 main.cpp kernel.o -o b.out
//# run: ./b.out
//# stdout: 7 8 9
//# run: aspen++ -c main.cpp -o main.o
//# run: aspen++ main.o -o c.out
//# exit: 1
//# stderr~: error: device function 'apart::set' is not defined in any object of this link
//# absent: c.out
//# file: kernels.hpp
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;
struct cells { sycl::accessor<int, 1> of; int first; };
namespace apart {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void set(int *p, int value);
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void last(int *p);
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void fill(cells into);
//# file: kernel.cpp
#include "kernels.hpp"
namespace apart {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void set(int *p, int value) { *p = value; }
static int number() { return 9; }
void last(int *p) { *p = number(); }
}
void fill(cells into) {
  const size_t i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
  into.of[i] = into.first + static_cast<int>(i);
}
//# file: main.cpp
#include "kernels.hpp"
#include <cstdio>
int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  int *p = sycl::malloc_shared<int>(2, q);
  ex::single_task(q, ex::kernel_function<apart::set>, p, 7);
  ex::single_task(q, ex::kernel_function<apart::last>, p + 1);
  // By the kernel's object, with a parameter that holds an accessor.
  const auto bundle = ex::get_kernel_bundle<fill, sycl::bundle_state::executable>(q.get_context());
  sycl::buffer<int> b(4);
  q.submit([&](sycl::handler &h) {
    h.set_args(cells{sycl::accessor<int, 1>(b, h), 5});
    h.parallel_for(sycl::nd_range<1>(4, 2), bundle.ext_oneapi_get_kernel<fill>());
  });
  q.wait();
  std::printf("%d %d %d\n", p[0], sycl::host_accessor(b)[3], p[1]);
  sycl::free(p, q);
}
