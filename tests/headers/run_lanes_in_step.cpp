//! Programs that count on the lanes of a sub-group being in step, as they are on GPUs and in vectors: what all lanes write and one of them writes or
//! reads after it, or one writes and all read, without a barrier. SYCL calls that a race; oneDPL's scans have it. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

constexpr int lanes = 8, groups = 5;

int main() {
  sycl::queue q;
  if (!q.get_device().is_cpu())
    return 0;
  int *const out = sycl::malloc_shared<int>(lanes * groups, q);
  const auto start = [&](auto kernel) {
    for (int i = 0; i < lanes * groups; ++i)
      out[i] = -1;
    q.parallel_for(sycl::nd_range<1>(lanes * groups, lanes), kernel).wait();
  };

  // All write, then one writes over what a later lane has written.
  start([=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(lanes)]] {
    const sycl::sub_group all = item.get_sub_group();
    int *const own = out + item.get_group(0) * lanes;
    const int lane = static_cast<int>(all.get_local_id()[0]);
    const int sum = sycl::reduce_over_group(all, lane + 1, sycl::plus<>());
    own[lane] = lane;
    if (lane == 0)
      own[lanes - 1] = sum;
  });
  for (int i = 0; i < lanes * groups; ++i)
    CHECK(out[i] == (i % lanes == lanes - 1 ? lanes * (lanes + 1) / 2 : i % lanes));

  // One reads what all have written, and writes; all read that.
  start([=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(lanes)]] {
    const sycl::sub_group all = item.get_sub_group();
    int *const own = out + item.get_group(0) * lanes;
    const int lane = static_cast<int>(all.get_local_id()[0]);
    const int from = sycl::permute_group_by_xor(all, lane, 1);
    if (lane < lanes - 1)
      own[from] = 10 * lane;
    if (lane == 1)
      own[0] = own[4] + own[5] + 3;
    const int of_one = own[0];
    own[lane] = of_one + lane;
  });
  for (int i = 0; i < lanes * groups; ++i)
    CHECK(out[i] == 93 + i % lanes);
  sycl::free(out, q);
  return failures;
}
