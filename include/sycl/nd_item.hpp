//! `sycl::nd_item` and group_barrier. Source: SYCL 2020 §4.9.1.5, §4.17.3.
#pragma once
#include <sycl/detail/call_kernel.hpp>
#include <sycl/group.hpp>
#include <sycl/item.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
template <int D> class root_group;
}

/// Waits for all work-items of the group; their writes before it are seen after it.
template <int D> inline void group_barrier(group<D> g, memory_scope scope = group<D>::fence_scope) {
  if (scope > memory_scope::work_group)
    atomic_fence(memory_order::seq_cst, scope);
  g.work_item_().group_barrier();
}
inline void group_barrier(sub_group g, memory_scope scope = sub_group::fence_scope) {
  if (scope > memory_scope::sub_group)
    atomic_fence(memory_order::seq_cst, scope);
  g.work_item_().sub_group_barrier();
}

/// One work-item of a kernel over an nd_range.
template <int D = 1> class nd_item {
public:
  static constexpr int dimensions = D;
  nd_item() = delete;

  id<D> get_global_id() const noexcept { return detail::global_id_of<D>(item_); }
  size_t get_global_id(int d) const noexcept { return get_global_id()[d]; }
  size_t get_global_linear_id() const noexcept { return detail::linear_id(get_global_id() - get_offset(), get_global_range()); }
  id<D> get_local_id() const noexcept { return detail::local_id_of<D>(item_); }
  size_t get_local_id(int d) const noexcept { return get_local_id()[d]; }
  size_t get_local_linear_id() const noexcept { return item_.local_linear_id(); }
  sycl::group<D> get_group() const noexcept { return sycl::group<D>(item_); }
  size_t get_group(int d) const noexcept { return detail::group_id_of<D>(item_)[d]; }
  size_t get_group_linear_id() const noexcept { return get_group().get_group_linear_id(); }
  range<D> get_group_range() const noexcept { return detail::group_range_of<D>(item_); }
  size_t get_group_range(int d) const noexcept { return get_group_range()[d]; }
  range<D> get_global_range() const noexcept { return detail::global_range_of<D>(item_); }
  size_t get_global_range(int d) const noexcept { return get_global_range()[d]; }
  range<D> get_local_range() const noexcept { return detail::local_range_of<D>(item_); }
  size_t get_local_range(int d) const noexcept { return get_local_range()[d]; }
  /// Deprecated in SYCL 2020, as offsets are.
  id<D> get_offset() const noexcept { return detail::offset_of<D>(item_); }
  nd_range<D> get_nd_range() const noexcept { return nd_range<D>(get_global_range(), get_local_range(), get_offset()); }
  sub_group get_sub_group() const noexcept { return sub_group(item_); }
  /// Source: sycl_ext_oneapi_root_group (ext/oneapi/experimental/root_group.hpp).
  ext::oneapi::experimental::root_group<D> ext_oneapi_get_root_group() const { return ext::oneapi::experimental::root_group<D>(item_); }

  /// See group.
  template <class T, access::address_space S, access::decorated A, class U, access::address_space P, access::decorated B>
  device_event async_work_group_copy(multi_ptr<T, S, A> to, multi_ptr<U, P, B> from, size_t count, size_t stride = 1) const noexcept {
    return get_group().async_work_group_copy(to, from, count, stride);
  }
  /// With the elements' types named.
  template <class T, class U = T, access::address_space S, access::decorated A, access::address_space P, access::decorated B>
  device_event async_work_group_copy(multi_ptr<std::enable_if_t<true, T>, S, A> to, multi_ptr<std::enable_if_t<true, U>, P, B> from, size_t count,
                                     size_t stride = 1) const noexcept {
    return get_group().async_work_group_copy(to, from, count, stride);
  }
  template <class... Events> void wait_for(Events... events) const noexcept { get_group().wait_for(events...); }

  /// SYCL 1.2.1's spelling of group_barrier(get_group()).
  void barrier(access::fence_space = access::fence_space::global_and_local) const noexcept { item_.group_barrier(); }
  /// Of reads, writes or both; it is of both. Source: SYCL 1.2.1 §4.8.1.5.
  template <access_mode = access_mode::read_write> void mem_fence(access::fence_space = access::fence_space::global_and_local) const noexcept {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  friend bool operator==(const nd_item &a, const nd_item &b) noexcept { return a.get_global_id() == b.get_global_id(); }
#if __cplusplus < 202002L
  friend bool operator!=(const nd_item &a, const nd_item &b) noexcept { return !(a == b); }
#endif

  /// For the library.
  explicit nd_item(const detail::work_item &at) noexcept : item_(at) {}

private:
  detail::work_item item_;
};

namespace detail {
/// A function that takes none of them gets the item of a launch over a plain range, which SYCL 2020 does not say, but DPC++ takes
/// unless it is told to conform.
template <int D> struct item_forms<nd_item<D>> {
  using own = own_forms<nd_item<D>>;
  using plain = item_forms<item<D, true>>;
  // One after the other: asking instantiates the bodies of functions that take `auto`.
  template <class F, class... More> struct takes_own : std::bool_constant<own::template any<F, More...>> {};
  template <class F, class... More> struct takes_plain : std::bool_constant<plain::template any<F, More...>> {};
  template <class F, class... More> static constexpr bool any = std::disjunction_v<takes_own<F, More...>, takes_plain<F, More...>>;

  template <class F, class... More> [[gnu::always_inline]] static inline void call(F &f, nd_item<D> &at, More &...more) {
    if constexpr (takes_own<F, More...>::value) {
      own::call(f, at, more...);
    } else {
      auto part = item_access::make(at.get_global_id(), at.get_global_range(), at.get_offset());
      plain::call(f, part, more...);
    }
  }
};
} // namespace detail

} // namespace sycl
