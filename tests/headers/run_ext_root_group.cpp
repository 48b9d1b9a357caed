//! The root group of a kernel, what can be asked of launches, and what is refused. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
namespace launches = ex::info::kernel_queue_specific;
using ex::execution_scope;

static_assert(SYCL_EXT_ONEAPI_ROOT_GROUP == 1 && SYCL_EXT_ONEAPI_LAUNCH_QUERIES == 1);
static_assert(ex::is_fixed_topology_group_v<ex::root_group<2>> && ex::root_group<1>::fence_scope == sycl::memory_scope::device);

template <class F> static sycl::errc thrown(F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    return static_cast<sycl::errc>(e.code().value());
  }
  return sycl::errc::success;
}

int main() {
  sycl::queue q;
  int *m = sycl::malloc_shared<int>(64, q);
  int *right = sycl::malloc_shared<int>(64, q);

  // As the specification's example: as many groups as there may be.
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).get_kernel<class together>();
  const size_t groups = kernel.ext_oneapi_get_info<launches::max_num_work_groups>(q, sycl::range<1>(16), size_t(64));
  CHECK(groups >= 1 && kernel.ext_oneapi_get_info<launches::max_num_work_group_sync>(q) >= 1);
  CHECK(kernel.ext_oneapi_get_info<launches::max_num_work_groups>(q, sycl::range<2>(1 << 14, 1 << 14)) == 0);
  CHECK(kernel.ext_oneapi_get_info<launches::max_num_work_groups>(q, 16u, ~size_t(0)) == 0);
  CHECK(kernel.ext_oneapi_get_info<launches::max_work_group_size>(q) >= 16);
  CHECK(kernel.ext_oneapi_get_info<ex::info::kernel::max_work_item_sizes<3>>(q)[2] >= 16);
  CHECK(thrown([&] { kernel.ext_oneapi_get_info<launches::max_num_work_groups>(q, sycl::range<3>(0, 1, 1)); }) == sycl::errc::invalid);
  const auto size = kernel.ext_oneapi_get_info<launches::max_sub_group_size>(q, sycl::range<1>(16));
  const auto parts = kernel.ext_oneapi_get_info<ex::info::kernel::num_sub_groups>(q, sycl::range<2>(3, 11));
  static_assert(std::is_same_v<decltype(size), const std::uint32_t> && std::is_same_v<decltype(parts), const std::uint32_t>);
  CHECK(size == kernel.get_info<sycl::info::kernel_device_specific::max_sub_group_size>(q.get_device()) && parts * size >= 33);
  CHECK(kernel.ext_oneapi_get_info<launches::num_sub_groups>(q, sycl::range<2>(1 << 14, 1 << 14)) == 0);
  CHECK(thrown([&] { kernel.ext_oneapi_get_info<launches::max_sub_group_size>(q, sycl::range<2>(0, 1)); }) == sycl::errc::invalid);
  // As get_kernel_info asks it, with the launch's properties.
  const ex::properties synchronized{ex::use_root_sync};
  const sycl::context in = q.get_context();
  CHECK(ex::get_kernel_info<class together, ex::info::kernel::max_num_work_groups_sync>(q, 16, synchronized, 0) == groups);
  CHECK(ex::get_kernel_info<class together, ex::info::kernel::max_num_work_groups_sync>(in, q.get_device(), sycl::range<2>(2, 8)) == 1);
  CHECK(ex::get_kernel_info<class together, ex::info::kernel::max_num_work_groups_sync>(q, sycl::range<2>(1 << 14, 1 << 14)) == 0);
  const auto run = [=](sycl::nd_item<1> item) {
    const auto root = item.ext_oneapi_get_root_group();
    const size_t i = root.get_local_id()[0], last = root.get_local_linear_range() - 1;
    m[i] = static_cast<int>(i) + 1;
    sycl::group_barrier(root);
    right[i] = m[last - i] == static_cast<int>(last - i) + 1;
    sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_root_group<1>(), sycl::memory_scope::work_group);
    m[i] = 0;
  };
  const ex::properties properties{ex::use_root_sync};
  q.parallel_for<class together>(sycl::nd_range<1>(groups * 16, 16), properties, run).wait();
  for (size_t i = 0; i < groups * 16 && i < 64; ++i)
    CHECK(right[i] == 1 && m[i] == 0);
  CHECK(thrown([&] { q.parallel_for<class together2>(sycl::nd_range<1>((groups + 1) * 16, 16), properties, run); }) == sycl::errc::nd_range);

  // What it says of the kernel needs no property.
  q.parallel_for(sycl::nd_range<2>({4, 16}, {2, 8}), [=](sycl::nd_item<2> item) {
     const auto root = ex::this_kernel::get_root_group<2>();
     const size_t i = root.get_local_linear_id();
     bool good = root.get_local_id() == item.get_global_id() && root.get_local_range() == sycl::range<2>(4, 16) && root.leader() == (i == 0);
     good = good && root.get_group_id() == sycl::id<2>(0, 0) && root.get_group_range() == sycl::range<2>(1, 1) && root.get_group_linear_range() == 1;
     good = good && root.get_id<execution_scope::work_group>() == item.get_group().get_group_id() && root.get_linear_range<execution_scope::work_group>() == 4;
     good = good && root.get_id<execution_scope::work_item>() == item.get_global_id() && root.get_range<execution_scope::work_item>() == sycl::range<2>(4, 16);
     const auto s = item.get_sub_group();
     good = good && root.get_linear_id<execution_scope::sub_group>() == item.get_group_linear_id() * s.get_group_linear_range() + s.get_group_linear_id();
     good = good && root.get_range<execution_scope::sub_group>()[0] == 4 * s.get_group_linear_range();
     const sycl::group<2> own = ex::get_child_group(root);
     good = good && own == item.get_group() && ex::get_child_group(own).get_group_linear_id() == s.get_group_linear_id();
     right[i] = good ? 7 : 0;
   }).wait();
  for (size_t i = 0; i < 64; ++i)
    CHECK(right[i] == 7);
  sycl::free(m, q);
  sycl::free(right, q);
  return failures;
}
