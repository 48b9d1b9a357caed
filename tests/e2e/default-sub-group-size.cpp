// Kernels that name no sub-group size require the one of the command line; an attribute and a property go before it.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-default-sub-group-size=16 {self} -o a.out
//# run: ./a.out
//# stdout: 16 8 4
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-default-sub-group-size=automatic {self} -o a.out
//# run: ./a.out
//# stdout: 32 8 4
//# run: aspen++ -O2 -fsycl-targets=spir64 -fsycl-default-sub-group-size=16 -c {self} -o a.o
//# sh: aspen inspect a.o | grep -o 'sub-group size [0-9]*' | tr '\n' ' '
//# stdout~: sub-group size 16 sub-group size 8 sub-group size 4
//# run: aspen++ -fsycl-default-sub-group-size=many {self} -o a.out
//# exit: 1
//# stderr~: 'many' is no size, such as 16, and neither 'automatic' nor 'primary'
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(3, q);
  const sycl::nd_range<1> range(64, 64);
  q.parallel_for(range, [=](sycl::nd_item<1> it) {
     if (it.get_global_id(0) == 0)
       out[0] = int(it.get_sub_group().get_max_local_range()[0]);
   }).wait();
  q.parallel_for(range, [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
     if (it.get_global_id(0) == 0)
       out[1] = int(it.get_sub_group().get_max_local_range()[0]);
   }).wait();
  namespace experimental = sycl::ext::oneapi::experimental;
  q.parallel_for(range, experimental::properties{experimental::sub_group_size<4>}, [=](sycl::nd_item<1> it) {
     if (it.get_global_id(0) == 0)
       out[2] = int(it.get_sub_group().get_max_local_range()[0]);
   }).wait();
  std::printf("%d %d %d\n", out[0], out[1], out[2]);
}
