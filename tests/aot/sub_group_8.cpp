// Requires sub-groups of 8.
#include <sycl/sycl.hpp>
class kernel;
void launch(sycl::queue &q, unsigned *p) {
  q.parallel_for<kernel>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(8)]] {
    p[item.get_global_linear_id()] = item.get_sub_group().get_max_local_range()[0];
  });
}
