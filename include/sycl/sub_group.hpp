//! `sycl::sub_group`. Source: SYCL 2020 §4.9.1.8.
#pragma once
#include <sycl/detail/work_item.hpp>
#include <sycl/memory_enums.hpp>
#include <type_traits>

namespace sycl {

template <class T, int N> class vec;

/// The work-items of a work-group that run side by side.
class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const noexcept { return id<1>(item_.sub_group_id()); }
  id<1> get_local_id() const noexcept { return id<1>(item_.lane()); }
  range<1> get_local_range() const noexcept { return range<1>(item_.sub_group_size()); }
  range<1> get_group_range() const noexcept { return range<1>(item_.sub_group_count()); }
  range<1> get_max_local_range() const noexcept { return range<1>(item_.sub_group_max_size()); }
  linear_id_type get_group_linear_id() const noexcept { return item_.sub_group_id(); }
  linear_id_type get_local_linear_id() const noexcept { return item_.lane(); }
  linear_id_type get_group_linear_range() const noexcept { return item_.sub_group_count(); }
  linear_id_type get_local_linear_range() const noexcept { return item_.sub_group_size(); }
  bool leader() const noexcept { return item_.lane() == 0; }
  friend bool operator==(const sub_group &a, const sub_group &b) noexcept { return a.get_group_id() == b.get_group_id(); }
#if __cplusplus < 202002L
  friend bool operator!=(const sub_group &a, const sub_group &b) noexcept { return !(a == b); }
#endif

  /// What DPC++'s first sub-group had as members. They call the group algorithms, so their header must be there when one is used.
  /// Source: sycl_ext_oneapi_sub_group (deprecated there in favour of SYCL 2020's functions).
  template <class T> T shuffle(__ASPEN_MAYBE_UNSET T x, id<1> from) const { return select_from_group(*this, x, from); }
  template <class T> T shuffle_down(__ASPEN_MAYBE_UNSET T x, std::uint32_t delta) const { return shift_group_left(*this, x, delta); }
  template <class T> T shuffle_up(__ASPEN_MAYBE_UNSET T x, std::uint32_t delta) const { return shift_group_right(*this, x, delta); }
  template <class T> T shuffle_xor(__ASPEN_MAYBE_UNSET T x, id<1> mask) const {
    return permute_group_by_xor(*this, x, static_cast<linear_id_type>(mask[0]));
  }
  template <class T> T broadcast(__ASPEN_MAYBE_UNSET T x, id<1> from) const { return group_broadcast(*this, x, from); }
  template <class Boolean = bool> bool any(Boolean x) const { return any_of_group(*this, x); }
  template <class Boolean = bool> bool all(Boolean x) const { return all_of_group(*this, x); }
  template <class T, class Op> T reduce(T x, Op op) const { return reduce_over_group(*this, x, op); }
  template <class T, class Op> T reduce(T x, T init, Op op) const { return reduce_over_group(*this, x, init, op); }
  template <class T, class Op> T exclusive_scan(T x, Op op) const { return exclusive_scan_over_group(*this, x, op); }
  template <class T, class Op> T exclusive_scan(T x, T init, Op op) const { return exclusive_scan_over_group(*this, x, init, op); }
  template <class T, class Op> T inclusive_scan(T x, Op op) const { return inclusive_scan_over_group(*this, x, op); }
  template <class T, class Op> T inclusive_scan(T x, Op op, T init) const { return inclusive_scan_over_group(*this, x, op, init); }
  void barrier(access::fence_space = access::fence_space::global_and_local) const { item_.sub_group_barrier(); }
  range<1> get_uniform_group_range() const { return get_group_range(); }
  range<1> get_max_group_range() const { return get_group_range(); }

  /// The element of each work-item: at `from`, they lie in the order of the work-items. A `vec` takes one from each of its length such
  /// rows. `from` is the same for all, a pointer or a multi_ptr. Source: sycl_ext_oneapi_sub_group "Loads and Stores".
  template <class Pointer, class = decltype(*std::declval<Pointer &>())> auto load(Pointer from) const {
    return std::remove_cv_t<std::remove_reference_t<decltype(*from)>>(settled(from[static_cast<std::ptrdiff_t>(item_.lane())]));
  }
  template <class T, class Pointer, std::enable_if_t<std::is_convertible_v<decltype(*std::declval<Pointer>()), T>, int> = 0>
  std::remove_cv_t<T> load(Pointer from) const {
    return settled(from[static_cast<std::ptrdiff_t>(item_.lane())]);
  }
  template <int N, class Pointer, class = decltype(*std::declval<Pointer &>())> auto load(Pointer from) const {
    vec<std::remove_cv_t<std::remove_reference_t<decltype(*from)>>, N> out;
    for (int i = 0; i < N; ++i)
      out[i] = settled(from[static_cast<std::ptrdiff_t>(i * item_.sub_group_max_size() + item_.lane())]);
    return out;
  }
  template <int N, class T, class Pointer> vec<std::remove_cv_t<T>, N> load(Pointer from) const { return load<N>(from); }
  template <class Pointer, class T> void store(Pointer to, const T &x) const { to[static_cast<std::ptrdiff_t>(item_.lane())] = x; }
  /// Rows of its elements; a pointer to vectors takes it as one element.
  template <class Pointer, class T, int N, std::enable_if_t<!std::is_same_v<std::decay_t<decltype(*std::declval<Pointer &>())>, vec<T, N>>, int> = 0>
  void store(Pointer to, const vec<T, N> &x) const {
    for (int i = 0; i < N; ++i)
      to[static_cast<std::ptrdiff_t>(i * item_.sub_group_max_size() + item_.lane())] = x[i];
  }
  template <int N, class Pointer, class T, int M, std::enable_if_t<N == M, int> = 0> void store(Pointer to, const vec<T, M> &x) const { store(to, x); }
  /// With the value's type named.
  template <class T, class Pointer> void store(Pointer to, const std::enable_if_t<true, T> &x) const { store(to, x); }
  template <int N, class T, class Pointer> void store(Pointer to, const vec<std::enable_if_t<true, T>, N> &x) const { store(to, x); }

  /// For the library.
  explicit constexpr sub_group(const detail::work_item &at) : item_(at) {}
  const detail::work_item &work_item_() const { return item_; }

protected:
  /// That of the work-item that runs, for classes of programs that derive from this one. Source: DPC++'s class.
  sub_group() : item_(detail::running_work_item()) {}

private:
  /// What is volatile is read once here, and classes have no copies of such.
  template <class T> static const std::remove_cv_t<T> &settled(T &x) { return const_cast<const std::remove_cv_t<T> &>(x); }
  detail::work_item item_;
};

template <int D> class group;

namespace detail {
/// The group or sub-group that a program derived a class from; void of others.
template <int D> group<D> group_below(const group<D> *);
sub_group group_below(const sub_group *);
void group_below(...);
template <class T> using base_group = decltype(group_below(static_cast<T *>(nullptr)));
template <class T> inline constexpr bool is_derived_group = !std::is_void_v<base_group<T>> && !std::is_same_v<base_group<T>, T>;
template <class T> using if_derived_group = std::enable_if_t<is_derived_group<T>>;
} // namespace detail

} // namespace sycl
