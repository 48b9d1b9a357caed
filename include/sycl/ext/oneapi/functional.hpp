//! DPC++'s first names of function objects, group algorithms and atomics that SYCL 2020 took over: each is SYCL 2020's.
//! Source: sycl_ext_oneapi_reduction, sycl_ext_oneapi_group_algorithms, sycl_ext_oneapi_extended_atomics (deprecated there).
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/group_algorithm.hpp>

#define SYCL_EXT_ONEAPI_GROUP_ALGORITHMS 1
#define SYCL_EXT_ONEAPI_SUB_GROUP 1

namespace sycl::detail {
template <class I> inline constexpr bool walks_memory = std::is_pointer_v<I>;
template <class T, access::address_space S, access::decorated D> inline constexpr bool walks_memory<multi_ptr<T, S, D>> = true;
} // namespace sycl::detail

namespace sycl::ext::oneapi {

namespace function_objects {
using sycl::bit_and;
using sycl::bit_or;
using sycl::bit_xor;
using sycl::logical_and;
using sycl::logical_or;
using sycl::maximum;
using sycl::minimum;
using sycl::multiplies;
using sycl::plus;
} // namespace function_objects

using namespace function_objects;

using sycl::atomic_fence;
using sycl::atomic_ref;
using sycl::memory_order;
using sycl::memory_scope;
using sycl::memory_order_acq_rel;
using sycl::memory_order_acquire;
using sycl::memory_order_relaxed;
using sycl::memory_order_release;
using sycl::memory_order_seq_cst;
using sycl::memory_scope_device;
using sycl::memory_scope_sub_group;
using sycl::memory_scope_system;
using sycl::memory_scope_work_group;
using sycl::memory_scope_work_item;

using sycl::sub_group;

/// By which editors complete the names of DPC++, and programs say them.
namespace detail {
using sycl::memory_order;
using sycl::memory_scope;
} // namespace detail

namespace experimental {
using namespace function_objects;
} // namespace experimental

/// What SYCL 2020 calls NAME_over_group, NAME_of_group and group_NAME.
#define __ASPEN_FIRST_NAME(name, called)                                                                                                  \
  template <class G, class... A> auto name(G g, A... a)->std::enable_if_t<is_group_v<G>, decltype(sycl::called(g, a...))> {                \
    return sycl::called(g, a...);                                                                                                          \
  }
/// Over a range of memory: SYCL 2020's joint_NAME.
#define __ASPEN_FIRST_JOINT_NAME(name)                                                                                                    \
  template <class G, class I, class... A, std::enable_if_t<sycl::detail::walks_memory<I>, int> = 0>                                        \
  auto name(G g, I first, I last, A... a)->std::enable_if_t<is_group_v<G>, decltype(sycl::joint_##name(g, first, last, a...))> {           \
    return sycl::joint_##name(g, first, last, a...);                                                                                      \
  }
__ASPEN_FIRST_JOINT_NAME(any_of)
__ASPEN_FIRST_JOINT_NAME(all_of)
__ASPEN_FIRST_JOINT_NAME(none_of)
__ASPEN_FIRST_JOINT_NAME(inclusive_scan)
__ASPEN_FIRST_JOINT_NAME(exclusive_scan)
__ASPEN_FIRST_JOINT_NAME(reduce)
#undef __ASPEN_FIRST_JOINT_NAME
__ASPEN_FIRST_NAME(any_of, any_of_group)
__ASPEN_FIRST_NAME(all_of, all_of_group)
__ASPEN_FIRST_NAME(none_of, none_of_group)
__ASPEN_FIRST_NAME(broadcast, group_broadcast)
__ASPEN_FIRST_NAME(inclusive_scan, inclusive_scan_over_group)
__ASPEN_FIRST_NAME(exclusive_scan, exclusive_scan_over_group)
__ASPEN_FIRST_NAME(reduce, reduce_over_group)
#undef __ASPEN_FIRST_NAME
template <class G> std::enable_if_t<is_group_v<G>, bool> leader(G g) { return g.leader(); }

} // namespace sycl::ext::oneapi
