//! `sycl::group` and `sycl::h_item`. Source: SYCL 2020 §4.9.1.7, §4.9.1.6.
#pragma once
#include <sycl/detail/work_item.hpp>
#include <sycl/item.hpp>
#include <sycl/memory_enums.hpp>

namespace sycl {

template <int D> class group;

/// A logical work-item inside parallel_for_work_item.
template <int D> class h_item {
public:
  static constexpr int dimensions = D;
  item<D, false> get_global() const { return detail::item_access::make<false>(get_global_id(), get_global_range()); }
  id<D> get_global_id() const { return group_id_ * physical_ + logical_id_; }
  size_t get_global_id(int d) const { return get_global_id()[d]; }
  range<D> get_global_range() const { return group_range_ * physical_; }
  size_t get_global_range(int d) const { return get_global_range()[d]; }
  item<D, false> get_local() const { return detail::item_access::make<false>(logical_id_, logical_); }
  id<D> get_local_id() const { return logical_id_; }
  size_t get_local_id(int d) const { return logical_id_[d]; }
  range<D> get_local_range() const { return logical_; }
  size_t get_local_range(int d) const { return logical_[d]; }
  id<D> get_logical_local_id() const { return logical_id_; }
  size_t get_logical_local_id(int d) const { return logical_id_[d]; }
  range<D> get_logical_local_range() const { return logical_; }
  size_t get_logical_local_range(int d) const { return logical_[d]; }
  id<D> get_physical_local_id() const { return logical_id_; }
  size_t get_physical_local_id(int d) const { return logical_id_[d]; }
  range<D> get_physical_local_range() const { return physical_; }
  size_t get_physical_local_range(int d) const { return physical_[d]; }

private:
  friend class group<D>;
  h_item(const id<D> &at, const range<D> &logical, const range<D> &physical, const id<D> &group_id, const range<D> &group_range)
      : logical_id_(at), logical_(logical), physical_(physical), group_id_(group_id), group_range_(group_range) {}
  id<D> logical_id_;
  range<D> logical_;
  range<D> physical_;
  id<D> group_id_;
  range<D> group_range_;
};

/// A work-group.
template <int D = 1> class group {
public:
  using id_type = id<D>;
  using range_type = range<D>;
  using linear_id_type = size_t;
  static constexpr int dimensions = D;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  id<D> get_group_id() const { return detail::group_id_of<D>(item_); }
  size_t get_group_id(int d) const { return get_group_id()[d]; }
  id<D> get_id() const { return get_group_id(); }
  size_t get_id(int d) const { return get_group_id()[d]; }
  size_t operator[](int d) const { return get_group_id()[d]; }
  range<D> get_group_range() const { return detail::group_range_of<D>(item_); }
  size_t get_group_range(int d) const { return get_group_range()[d]; }
  id<D> get_local_id() const { return detail::local_id_of<D>(item_); }
  size_t get_local_id(int d) const { return get_local_id()[d]; }
  range<D> get_local_range() const { return local_; }
  size_t get_local_range(int d) const { return local_[d]; }
  range<D> get_max_local_range() const { return local_; }
  size_t get_group_linear_id() const { return detail::linear_id(get_group_id(), get_group_range()); }
  size_t get_group_linear_range() const { return get_group_range().size(); }
  size_t get_local_linear_id() const { return item_.local_linear_id(); }
  size_t get_local_linear_range() const { return local_.size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  /// Hierarchical kernels: runs `function` for every logical work-item of the group, one after the other.
  template <class F> void parallel_for_work_item(const F &function) const { parallel_for_work_item(local_, function); }
  template <class F> void parallel_for_work_item(range<D> logical, const F &function) const {
    const size_t count = logical.size();
    const id<D> at = get_group_id();
    const range<D> groups = get_group_range();
    for (size_t i = 0; i < count; ++i)
      function(h_item<D>(detail::delinearize(i, logical), logical, local_, at, groups));
  }

  friend bool operator==(const group &a, const group &b) { return a.get_group_id() == b.get_group_id() && a.local_ == b.local_; }
#if __cplusplus < 202002L
  friend bool operator!=(const group &a, const group &b) { return !(a == b); }
#endif

  /// For the library.
  explicit group(const detail::work_item &at) : item_(at), local_(detail::local_range_of<D>(at)) {}
  /// For the library, in hierarchical kernels: one physical work-item stands for the whole group.
  group(const detail::work_item &at, const range<D> &local) : item_(at), local_(local) {}
  const detail::work_item &work_item_() const { return item_; }

private:
  detail::work_item item_;
  range<D> local_;
};

} // namespace sycl
