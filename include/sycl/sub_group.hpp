//! `sycl::sub_group`. Source: SYCL 2020 §4.9.1.8.
#pragma once
#include <sycl/detail/work_item.hpp>
#include <sycl/memory_enums.hpp>

namespace sycl {

/// The work-items of a work-group that run side by side.
class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const { return id<1>(item_.sub_group_id()); }
  id<1> get_local_id() const { return id<1>(item_.lane()); }
  range<1> get_local_range() const { return range<1>(item_.sub_group_size()); }
  range<1> get_group_range() const { return range<1>(item_.sub_group_count()); }
  range<1> get_max_local_range() const { return range<1>(item_.sub_group_max_size()); }
  linear_id_type get_group_linear_id() const { return item_.sub_group_id(); }
  linear_id_type get_local_linear_id() const { return item_.lane(); }
  linear_id_type get_group_linear_range() const { return item_.sub_group_count(); }
  linear_id_type get_local_linear_range() const { return item_.sub_group_size(); }
  bool leader() const { return item_.lane() == 0; }
  friend bool operator==(const sub_group &a, const sub_group &b) { return a.get_group_id() == b.get_group_id(); }
#if __cplusplus < 202002L
  friend bool operator!=(const sub_group &a, const sub_group &b) { return !(a == b); }
#endif

  /// For the library.
  explicit sub_group(const detail::work_item &at) : item_(at) {}
  const detail::work_item &work_item_() const { return item_; }

private:
  detail::work_item item_;
};

} // namespace sycl
