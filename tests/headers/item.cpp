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

// Revision 12 of SYCL 2020: what only a kernel gets is made by nobody else, not as an aggregate either.
template <class... T> inline constexpr bool only_given = ((!std::is_default_constructible_v<T> && !std::is_aggregate_v<T>)&&...);
static_assert(only_given<sycl::item<2>, sycl::item<1, false>, sycl::nd_item<3>, sycl::h_item<1>, sycl::group<2>, sycl::sub_group>);

// Revision 11: nothing of them throws.
template <int D> void throws_nothing(sycl::item<D> i, sycl::item<D, false> o, sycl::nd_item<D> n, sycl::group<D> g, sycl::h_item<D> h, sycl::sub_group s) {
  (void)i, (void)o, (void)n, (void)g, (void)h, (void)s;
  using sycl::access::address_space, sycl::access::decorated;
  using local = sycl::multi_ptr<int, address_space::local_space, decorated::yes>;
  using global = sycl::multi_ptr<const int, address_space::global_space, decorated::yes>;
  [[maybe_unused]] constexpr auto function = [](sycl::h_item<D>) {};
  constexpr bool of_items = noexcept(i.get_id()) && noexcept(i.get_id(0)) && noexcept(i[0]) && noexcept(i.get_range()) && noexcept(i.get_range(0)) &&
                            noexcept(i.get_offset()) && noexcept(i.get_linear_id()) && noexcept(sycl::item<D>(o)) && noexcept(sycl::id<D>(i));
  constexpr bool of_nd_items =
      noexcept(n.get_global_id()) && noexcept(n.get_global_id(0)) && noexcept(n.get_global_linear_id()) && noexcept(n.get_local_id()) &&
      noexcept(n.get_local_id(0)) && noexcept(n.get_local_linear_id()) && noexcept(n.get_group()) && noexcept(n.get_group(0)) &&
      noexcept(n.get_sub_group()) && noexcept(n.get_group_linear_id()) && noexcept(n.get_group_range()) && noexcept(n.get_group_range(0)) &&
      noexcept(n.get_global_range()) && noexcept(n.get_global_range(0)) && noexcept(n.get_local_range()) && noexcept(n.get_local_range(0)) &&
      noexcept(n.get_offset()) && noexcept(n.get_nd_range()) && noexcept(n.async_work_group_copy(local(), global(), 1)) && noexcept(n.wait_for());
  constexpr bool of_groups =
      noexcept(g.get_group_id()) && noexcept(g.get_group_id(0)) && noexcept(g.get_local_id()) && noexcept(g.get_local_id(0)) &&
      noexcept(g.get_local_range()) && noexcept(g.get_local_range(0)) && noexcept(g.get_group_range()) && noexcept(g.get_group_range(0)) &&
      noexcept(g.get_max_local_range()) && noexcept(g[0]) && noexcept(g.get_group_linear_id()) && noexcept(g.get_local_linear_id()) &&
      noexcept(g.get_group_linear_range()) && noexcept(g.get_local_linear_range()) && noexcept(g.leader()) && noexcept(g.wait_for()) &&
      noexcept(g.async_work_group_copy(local(), global(), 1, 2)) && noexcept(g.parallel_for_work_item(function)) &&
      noexcept(g.parallel_for_work_item(sycl::range<D>(), function));
  constexpr bool of_h_items =
      noexcept(h.get_global()) && noexcept(h.get_local()) && noexcept(h.get_logical_local()) && noexcept(h.get_physical_local()) &&
      noexcept(h.get_global_range()) && noexcept(h.get_global_id(0)) && noexcept(h.get_local_range(0)) && noexcept(h.get_local_id()) &&
      noexcept(h.get_logical_local_range()) && noexcept(h.get_logical_local_id(0)) && noexcept(h.get_physical_local_range(0)) &&
      noexcept(h.get_physical_local_id());
  constexpr bool of_sub_groups = noexcept(s.get_group_id()) && noexcept(s.get_local_id()) && noexcept(s.get_local_range()) && noexcept(s.get_group_range()) &&
                                 noexcept(s.get_max_local_range()) && noexcept(s.get_group_linear_id()) && noexcept(s.get_local_linear_id()) &&
                                 noexcept(s.get_group_linear_range()) && noexcept(s.get_local_linear_range()) && noexcept(s.leader());
  static_assert(of_items && of_nd_items && of_groups && of_h_items && of_sub_groups);
}
template void throws_nothing<1>(sycl::item<1>, sycl::item<1, false>, sycl::nd_item<1>, sycl::group<1>, sycl::h_item<1>, sycl::sub_group);
template void throws_nothing<3>(sycl::item<3>, sycl::item<3, false>, sycl::nd_item<3>, sycl::group<3>, sycl::h_item<3>, sycl::sub_group);
static_assert(noexcept(size_t(std::declval<sycl::item<1>>())) && noexcept(size_t(std::declval<sycl::item<1, false>>())));
