//! item, nd_item, group, sub_group, h_item: what they tell.
#include <sycl/nd_item.hpp>

static_assert(!std::is_default_constructible_v<sycl::item<1>> && !std::is_default_constructible_v<sycl::nd_item<1>>);
static_assert(std::is_trivially_copyable_v<sycl::item<2>> && std::is_trivially_copyable_v<sycl::nd_item<3>>);
static_assert(std::is_convertible_v<sycl::item<1>, size_t> && !std::is_convertible_v<sycl::item<2>, size_t>);
static_assert(std::is_convertible_v<sycl::item<2>, sycl::id<2>> && std::is_convertible_v<sycl::item<1, false>, sycl::item<1, true>>);
static_assert(sycl::group<2>::dimensions == 2 && sycl::sub_group::dimensions == 1);
static_assert(sycl::group<1>::fence_scope == sycl::memory_scope::work_group);
static_assert(sycl::sub_group::fence_scope == sycl::memory_scope::sub_group);

SYCL_EXTERNAL size_t all_of_it(sycl::nd_item<2> i) {
  const sycl::group<2> g = i.get_group();
  const sycl::sub_group s = i.get_sub_group();
  sycl::group_barrier(g);
  sycl::group_barrier(s, sycl::memory_scope::device);
  i.barrier();
  sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::device);
  return i.get_global_id()[0] + i.get_global_id(1) + i.get_global_linear_id() + i.get_local_id(0) + i.get_local_linear_id() +
         i.get_group(0) + i.get_group_linear_id() + i.get_group_range(1) + i.get_global_range(0) + i.get_local_range().size() +
         i.get_nd_range().get_group_range().size() + g[0] + g.get_group_id(1) + g.get_local_range(0) + g.get_group_linear_range() +
         g.get_local_linear_range() + g.leader() + s.get_local_id() + s.get_local_linear_range() + s.get_max_local_range()[0] +
         s.get_group_linear_id() + s.get_group_range()[0] + s.leader();
}
