//! Counters of time in kernels, and what kernels may ask about those that they wait for. Exit status 0: all right.
//! Source: sycl_ext_oneapi_clock, sycl_ext_oneapi_forward_progress.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
using scope = ex::execution_scope;
using progress = ex::forward_progress_guarantee;

static_assert(SYCL_EXT_ONEAPI_CLOCK == 1 && SYCL_EXT_ONEAPI_FORWARD_PROGRESS == 1);
static_assert(ex::is_property_value_v<decltype(ex::work_item_progress<progress::concurrent, scope::sub_group>)>);

static void clocks(sycl::queue &q) {
  std::uint64_t *const t = sycl::malloc_shared<std::uint64_t>(4, q);
  const auto count = [=] {
    t[0] = ex::clock<ex::clock_scope::sub_group>() - t[0];
    t[1] = ex::clock<ex::clock_scope::work_group>() - t[1];
    t[2] = ex::clock<ex::clock_scope::device>() - t[2];
    t[3] = ex::clock(ex::clock_scope::device) - t[3];
  };
  const bool has_clock = q.get_device().has(sycl::aspect::ext_oneapi_clock_device);
  CHECK(has_clock == q.get_device().has(sycl::aspect::ext_oneapi_clock_sub_group));
  CHECK(has_clock == q.get_device().has(sycl::aspect::ext_oneapi_clock_work_group));
  for (int i = 0; i < 4; ++i)
    t[i] = 0;
  if (has_clock) {
    q.single_task(count).wait();
    q.single_task(count).wait(); // what lies between the two
    for (int i = 0; i < 4; ++i)
      CHECK(t[i] > 0 && t[i] < std::uint64_t(1) << 40);
  } else {
    CHECK(throws(sycl::errc::kernel_not_supported, [&] { q.single_task(count); }));
  }
  sycl::free(t, q);
}

static void guarantees(sycl::queue &q) {
  const sycl::device d = q.get_device();
  const std::vector<progress> least{progress::weakly_parallel};
  CHECK(d.get_info<ex::info::device::work_group_progress_capabilities<scope::root_group>>() == least);
  CHECK(d.get_info<ex::info::device::sub_group_progress_capabilities<scope::work_group>>() == least);
  CHECK(d.get_info<sycl::ext::oneapi::info::device::work_item_progress_capabilities<scope::root_group>>() == least);
  int *const m = sycl::malloc_shared<int>(8, q);
  const auto launch = [&](auto with) {
    q.parallel_for(sycl::nd_range<1>(8, 4), with, [=](sycl::nd_item<1> item) { m[item.get_global_id(0)] = 3; }).wait();
  };
  launch(ex::properties{ex::work_group_progress<progress::weakly_parallel, scope::root_group>,
                        ex::work_item_progress<progress::weakly_parallel, scope::work_group>});
  CHECK(m[0] == 3 && m[7] == 3);
  CHECK(throws(sycl::errc::feature_not_supported,
               [&] { launch(ex::properties{ex::sub_group_progress<progress::parallel, scope::work_group>}); }));
  CHECK(throws(sycl::errc::feature_not_supported,
               [&] { launch(ex::properties{ex::work_item_progress<progress::concurrent, scope::root_group>}); }));
  sycl::free(m, q);
}

int main() {
  sycl::queue q;
  clocks(q);
  guarantees(q);
  return failures != 0;
}
