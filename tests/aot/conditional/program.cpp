// Kernels of all the needs that the matrix has, in one module: whole, it fails on every device that lacks something of it.
#include <sycl/sycl.hpp>
class plain;
class precise;
class half;
class wide;
class narrow;
class asks;
void launch(sycl::queue &q, float *f, double *d, long long *l) {
  q.single_task<plain>([=] { f[0] = f[1] + 1; });
  q.single_task<precise>([=] { d[0] = d[1] / d[2]; });
  q.single_task<half>([=] { f[0] = float(sycl::half(f[1]) * sycl::half(f[2])); });
  q.single_task<wide>([=] {
    sycl::atomic_ref<long long, sycl::memory_order::relaxed, sycl::memory_scope::device> a(*l);
    a.fetch_add(1);
  });
  q.parallel_for<narrow>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] { f[it.get_local_id(0)] = 1; });
  q.single_task<asks>([=] {
    sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::fp64>([=] { f[2] = float(1.5 * f[3]); }).else_device([=] { f[2] = 1.5f * f[3]; });
  });
}
