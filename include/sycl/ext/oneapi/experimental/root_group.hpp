//! `root_group`: all work-items of a kernel as one group, and what can be asked of a kernel's launches. No device here runs work-groups that
//! wait for each other: kernels that do are launched with one work-group, and the question how many there may be is answered by that.
//! Source: sycl_ext_oneapi_root_group, sycl_ext_oneapi_launch_queries.
#pragma once
#include <sycl/device_info.hpp>
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/kernel.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_ROOT_GROUP 1
#define SYCL_EXT_ONEAPI_LAUNCH_QUERIES 1

namespace sycl {

namespace ext::oneapi::experimental {

enum class execution_scope { work_item, sub_group, work_group, root_group };

/// The kernel's work-items wait for each other as a root_group.
struct use_root_sync_key {
  using value_t = property_value<use_root_sync_key>;
};
inline constexpr use_root_sync_key::value_t use_root_sync;
template <> struct is_property_key<use_root_sync_key> : std::true_type {};

template <int D> class root_group {
public:
  using id_type = id<D>;
  using range_type = range<D>;
  using linear_id_type = size_t;
  static constexpr int dimensions = D;
  static constexpr memory_scope fence_scope = memory_scope::device;

  id<D> get_group_id() const { return id<D>(); }
  id<D> get_local_id() const { return item().get_global_id(); }
  range<D> get_group_range() const {
    range<D> one = get_local_range();
    for (int d = 0; d < D; ++d)
      one[d] = 1;
    return one;
  }
  range<D> get_local_range() const { return item().get_global_range(); }
  range<D> get_max_local_range() const { return get_local_range(); }
  size_t get_group_linear_id() const { return 0; }
  size_t get_local_linear_id() const { return item().get_global_linear_id(); }
  size_t get_group_linear_range() const { return 1; }
  size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  /// Of the work-item, its sub-group or its work-group among all of the kernel.
  template <execution_scope Scope> auto get_id() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_id();
    else if constexpr (Scope == execution_scope::work_group)
      return item().get_group().get_group_id();
    else
      return id<1>(get_linear_id<Scope>());
  }
  template <execution_scope Scope> auto get_range() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_range();
    else if constexpr (Scope == execution_scope::work_group)
      return item().get_group_range();
    else
      return range<1>(get_linear_range<Scope>());
  }
  template <execution_scope Scope> size_t get_linear_id() const {
    static_assert(Scope != execution_scope::root_group, "a scope narrower than the root group");
    if constexpr (Scope == execution_scope::work_item)
      return get_local_linear_id();
    else if constexpr (Scope == execution_scope::work_group)
      return item().get_group_linear_id();
    else
      return item().get_group_linear_id() * item_.sub_group_count() + item_.sub_group_id();
  }
  template <execution_scope Scope> size_t get_linear_range() const {
    static_assert(Scope != execution_scope::root_group, "a scope narrower than the root group");
    if constexpr (Scope == execution_scope::work_item)
      return get_local_linear_range();
    else if constexpr (Scope == execution_scope::work_group)
      return item().get_group_range().size();
    else
      return item().get_group_range().size() * item_.sub_group_count();
  }

  /// For the library.
  explicit root_group(const sycl::detail::work_item &at) : item_(at) {}
  const sycl::detail::work_item &work_item_() const { return item_; }

private:
  nd_item<D> item() const { return nd_item<D>(item_); }
  sycl::detail::work_item item_;
};

template <int D> struct is_fixed_topology_group<root_group<D>> : std::true_type {};

/// The work-group, or the sub-group, of the work-item that asks.
template <int D> group<D> get_child_group(root_group<D> of) { return group<D>(of.work_item_()); }
template <int D> sub_group get_child_group(group<D>) { return this_work_item::get_sub_group(); }

} // namespace ext::oneapi::experimental

/// In kernels with the property use_root_sync, which have one work-group.
template <int D> void group_barrier(ext::oneapi::experimental::root_group<D> g, memory_scope scope = memory_scope::device) {
  if (scope > memory_scope::work_group)
    atomic_fence(memory_order::seq_cst, scope);
  g.work_item_().group_barrier();
}

namespace ext::oneapi::this_work_item {
template <int D> experimental::root_group<D> get_root_group() { return experimental::root_group<D>(sycl::detail::running_work_item()); }
} // namespace ext::oneapi::this_work_item
namespace ext::oneapi::experimental::this_kernel {
using this_work_item::get_root_group;
}

namespace detail {
template <> struct kernel_attribute<ext::oneapi::experimental::use_root_sync_key::value_t> {
  template <class Launch> static void aspen_check_launch(const Launch &launch) {
    size_t groups = 1;
    for (int d = 0; d < 3; ++d)
      groups *= launch.local[d] ? launch.global[d] / launch.local[d] : 1;
    if (launch.kind == ASPEN_LAUNCH_RANGE || launch.kind == ASPEN_LAUNCH_WORK_GROUPS || groups > 1)
      fail(errc::nd_range, "a kernel with use_root_sync is launched over an nd_range of one work-group: no device that Aspen has runs several "
                           "that wait for each other (kernel::ext_oneapi_get_info<info::kernel_queue_specific::max_num_work_groups> says so)");
  }
};
/// What is asked of a kernel like info::kernel_device_specific::max_sub_group_size.
struct least_sub_group_size {
  using return_type = std::uint32_t;
  static return_type get(const device &d, const info::kernel_device_specific::detail::kernel_facts &facts) {
    size_t count = 0;
    const size_t *const sizes = aspen_device_sub_group_sizes(d.aspen_handle(), &count);
    return facts.actual_sub_group_size ? facts.actual_sub_group_size : count ? static_cast<return_type>(sizes[0]) : 1;
  }
};

/// The size of sub-groups that `Size` says, or how many such a work-group has.
template <class Size, bool Counts> struct sub_group_query {
  using return_type = std::uint32_t;
  static return_type get(const kernel &of, const queue &q, const range<1> &local) { return one(of, q.get_device(), local.size()); }
  static return_type get(const kernel &of, const queue &q, const range<2> &local) { return one(of, q.get_device(), local.size()); }
  static return_type get(const kernel &of, const queue &q, const range<3> &local) { return one(of, q.get_device(), local.size()); }

private:
  static return_type one(const kernel &of, const device &d, size_t items) {
    if (items == 0)
      fail(errc::invalid, "max_sub_group_size, num_sub_groups: a work-group has at least one work-item");
    if (!of.aspen_id().aspen_runs_on(d) || items > of.get_info<info::kernel_device_specific::work_group_size>(d))
      return 0;
    const std::uint32_t size = of.get_info<Size>(d);
    return Counts ? static_cast<return_type>((items + size - 1) / size) : size;
  }
};
} // namespace detail

namespace ext::oneapi::experimental::info::kernel_queue_specific {

/// How many work-groups of that size and with that much local memory may wait for each other; 0 where one alone cannot be launched.
struct max_num_work_groups {
  using return_type = size_t;
  static size_t get(const sycl::kernel &kernel, const queue &q, const range<1> &local, size_t bytes = 0) { return one(kernel, q, local.size(), bytes); }
  static size_t get(const sycl::kernel &kernel, const queue &q, const range<2> &local, size_t bytes = 0) { return one(kernel, q, local.size(), bytes); }
  static size_t get(const sycl::kernel &kernel, const queue &q, const range<3> &local, size_t bytes = 0) { return one(kernel, q, local.size(), bytes); }
  /// Without a size: the first version's, in which it was any.
  static size_t get(const sycl::kernel &kernel, const queue &q) { return one(kernel, q, 1, 0); }
  /// For the library.
  static size_t aspen_on(const sycl::kernel &kernel, const sycl::device &d, size_t items, size_t bytes) {
    if (items == 0)
      sycl::detail::fail(errc::invalid, "max_num_work_groups: a work-group has at least one work-item");
    return kernel.aspen_id().aspen_runs_on(d) && items <= kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(d) &&
           bytes <= d.get_info<sycl::info::device::local_mem_size>();
  }

private:
  static size_t one(const sycl::kernel &kernel, const queue &q, size_t items, size_t bytes) { return aspen_on(kernel, q.get_device(), items, bytes); }
};
using max_num_work_group_sync = max_num_work_groups;

/// Of one of the kernel's work-groups; 0 where it cannot be launched.
struct max_work_group_size {
  using return_type = size_t;
  static size_t get(const sycl::kernel &kernel, const queue &q) {
    const sycl::device d = q.get_device();
    return kernel.aspen_id().aspen_runs_on(d) ? kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(d) : 0;
  }
};
template <std::uint32_t D> struct max_work_item_sizes {
  using return_type = id<static_cast<int>(D)>;
  static return_type get(const sycl::kernel &kernel, const queue &q) {
    const sycl::device d = q.get_device();
    return kernel.aspen_id().aspen_runs_on(d) ? return_type(d.get_info<sycl::info::device::max_work_item_sizes<static_cast<int>(D)>>()) : return_type();
  }
};
/// Of a launch with work-groups of that size; 0 where it is refused.
struct max_sub_group_size : sycl::detail::sub_group_query<sycl::info::kernel_device_specific::max_sub_group_size, false> {};
/// Where the driver chooses the size of sub-groups, no more than there would be of the smallest.
struct num_sub_groups : sycl::detail::sub_group_query<sycl::detail::least_sub_group_size, true> {};

} // namespace ext::oneapi::experimental::info::kernel_queue_specific

namespace ext::oneapi::experimental::info::kernel {
using namespace kernel_queue_specific;
/// What `max_num_work_groups` says, asked by `get_kernel_info` with the launch's properties.
struct max_num_work_groups_sync {
  using return_type = size_t;
};
}

namespace ext::oneapi::experimental {

/// Of a kernel that has a name, launched over work-groups of that size with these properties and so many bytes of local memory besides.
#define __ASPEN_SYNC_QUERY(D)                                                                                                             \
  template <class Name, class Descriptor, class Properties = empty_properties_t>                                                           \
  std::enable_if_t<std::is_same_v<Descriptor, info::kernel::max_num_work_groups_sync>, size_t> get_kernel_info(                            \
      const context &in, const device &on, const range<D> &local, Properties = {}, size_t bytes = 0) {                                     \
    return info::kernel_queue_specific::max_num_work_groups::aspen_on(                                                                     \
        sycl::get_kernel_bundle<Name, bundle_state::executable>(in, {on}).template get_kernel<Name>(), on, local.size(), bytes);           \
  }                                                                                                                                        \
  template <class Name, class Descriptor, class Properties = empty_properties_t>                                                           \
  std::enable_if_t<std::is_same_v<Descriptor, info::kernel::max_num_work_groups_sync>, size_t> get_kernel_info(                            \
      const queue &of, const range<D> &local, Properties properties = {}, size_t bytes = 0) {                                              \
    return experimental::get_kernel_info<Name, Descriptor>(of.get_context(), of.get_device(), local, properties, bytes);                   \
  }
__ASPEN_SYNC_QUERY(1)
__ASPEN_SYNC_QUERY(2)
__ASPEN_SYNC_QUERY(3)
#undef __ASPEN_SYNC_QUERY

} // namespace ext::oneapi::experimental

} // namespace sycl
