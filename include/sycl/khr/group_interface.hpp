//! Work-groups, sub-groups and the work-items in them behind one interface. Source: sycl_khr_group_interface.
#pragma once
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>
#if __cplusplus >= 202302L && __has_include(<mdspan>)
#include <mdspan>
#endif

#define SYCL_KHR_GROUP_INTERFACE 1

namespace sycl::khr {

template <class Parent> class member_item;

namespace detail {

#ifdef __cpp_lib_mdspan
template <class Index, int D> struct ones;
template <class Index> struct ones<Index, 1> { using type = std::extents<Index, 1>; };
template <class Index> struct ones<Index, 2> { using type = std::extents<Index, 1, 1>; };
template <class Index> struct ones<Index, 3> { using type = std::extents<Index, 1, 1, 1>; };

/// Of all kinds of groups; `Group` has `extents()`.
template <class Group, class Extents> class with_extents {
public:
  using extents_type = Extents;
  constexpr typename Extents::index_type extent(typename Extents::rank_type d) const noexcept {
    return static_cast<const Group &>(*this).extents().extent(d);
  }
  static constexpr typename Extents::rank_type rank() noexcept { return Extents::rank(); }
  static constexpr typename Extents::rank_type rank_dynamic() noexcept { return Extents::rank_dynamic(); }
  static constexpr size_t static_extent(typename Extents::rank_type d) noexcept { return Extents::static_extent(d); }
};
#define __ASPEN_WITH_EXTENTS(...) : public detail::with_extents<__VA_ARGS__>
#else
#define __ASPEN_WITH_EXTENTS(...)
#endif

/// Reaches the group of SYCL 2020 that one of these stands for, and makes what only `get_member_item` makes.
struct group_access {
  template <class Group> static const auto &of(const Group &g) noexcept { return g.group_; }
  template <class Group> static member_item<Group> member(const Group &g) noexcept { return member_item<Group>(g); }
};

} // namespace detail

/// A work-group.
template <int D = 1> class work_group __ASPEN_WITH_EXTENTS(work_group<D>, std::dextents<size_t, D>) {
public:
  using id_type = sycl::id<D>;
  using linear_id_type = size_t;
  using range_type = sycl::range<D>;
  using size_type = size_t;
  static constexpr int dimensions = D;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<D> &g) noexcept : group_(g) {}
  operator group<D>() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }
#ifdef __cpp_lib_mdspan
  std::dextents<size_t, D> extents() const noexcept {
    const sycl::range<D> local = group_.get_local_range();
    if constexpr (D == 1)
      return std::dextents<size_t, D>(local[0]);
    else if constexpr (D == 2)
      return std::dextents<size_t, D>(local[0], local[1]);
    else
      return std::dextents<size_t, D>(local[0], local[1], local[2]);
  }
#endif
  friend bool operator==(const work_group &a, const work_group &b) { return a.group_ == b.group_; }
#if __cplusplus < 202002L
  friend bool operator!=(const work_group &a, const work_group &b) { return !(a == b); }
#endif

private:
  friend struct detail::group_access;
  group<D> group_;
};

/// A sub-group.
class sub_group __ASPEN_WITH_EXTENTS(sub_group, std::dextents<std::uint32_t, 1>) {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group &g) noexcept : group_(g) {}
  operator sycl::sub_group() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }
  /// What no sub-group of the kernel is larger than.
  size_type max_size() const noexcept { return static_cast<size_type>(group_.get_max_local_range()[0]); }
#ifdef __cpp_lib_mdspan
  std::dextents<std::uint32_t, 1> extents() const noexcept { return std::dextents<std::uint32_t, 1>(size()); }
#endif
  friend bool operator==(const sub_group &a, const sub_group &b) { return a.group_ == b.group_; }
#if __cplusplus < 202002L
  friend bool operator!=(const sub_group &a, const sub_group &b) { return !(a == b); }
#endif

private:
  friend struct detail::group_access;
  sycl::sub_group group_;
};

/// The work-item that runs, in its work-group or sub-group: a group of one. `get_member_item` makes it.
template <class Parent>
class member_item __ASPEN_WITH_EXTENTS(member_item<Parent>,
                                       typename detail::ones<typename Parent::extents_type::index_type, Parent::dimensions>::type) {
public:
  using id_type = typename Parent::id_type;
  using linear_id_type = typename Parent::linear_id_type;
  using range_type = typename Parent::range_type;
  using size_type = typename Parent::size_type;
  static constexpr int dimensions = Parent::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  id_type id() const noexcept { return of().get_local_id(); }
  linear_id_type linear_id() const noexcept { return of().get_local_linear_id(); }
  range_type range() const noexcept { return of().get_local_range(); }
  constexpr size_type size() const noexcept { return 1; }
#ifdef __cpp_lib_mdspan
  constexpr typename member_item::extents_type extents() const noexcept { return {}; }
#endif
  friend bool operator==(const member_item &a, const member_item &b) { return a.parent_ == b.parent_ && a.id() == b.id(); }
#if __cplusplus < 202002L
  friend bool operator!=(const member_item &a, const member_item &b) { return !(a == b); }
#endif

private:
  friend struct detail::group_access;
  explicit member_item(const Parent &parent) noexcept : parent_(parent) {}
  const auto &of() const noexcept { return detail::group_access::of(parent_); }
  Parent parent_;
};
#undef __ASPEN_WITH_EXTENTS

/// The running work-item in that work-group or sub-group.
template <int D> member_item<work_group<D>> get_member_item(const work_group<D> &g) noexcept { return detail::group_access::member(g); }
inline member_item<sub_group> get_member_item(const sub_group &g) noexcept { return detail::group_access::member(g); }

/// Whether the running work-item is the first of the group.
template <int D> bool leader_of(const work_group<D> &g) noexcept { return detail::group_access::of(g).leader(); }
inline bool leader_of(const sub_group &g) noexcept { return detail::group_access::of(g).leader(); }
template <class Parent> bool leader_of(const member_item<Parent> &) noexcept { return true; }

} // namespace sycl::khr
