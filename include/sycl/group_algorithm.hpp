//! Group functions and group algorithms. Source: SYCL 2020 §4.17.3, §4.17.4.
#pragma once
#include <sycl/detail/exchange.hpp>

/// Sums and products of std::complex, as of every type that an operation takes. Source: sycl_ext_oneapi_complex_algorithms.
#define SYCL_EXT_ONEAPI_COMPLEX_ALGORITHMS 1

namespace sycl {

/// Also of classes that programs derive from groups.
template <class T> struct is_group : std::bool_constant<detail::is_derived_group<T>> {};
template <int D> struct is_group<group<D>> : std::true_type {};
template <> struct is_group<sub_group> : std::true_type {};
template <class T> inline constexpr bool is_group_v = is_group<T>::value;

namespace detail {
/// What programs specialise for classes that they derive from DPC++'s sub-groups; here that they are derived suffices.
template <class T> struct is_sub_group : std::is_same<T, sub_group> {};
template <class G, class R = void> using if_group = std::enable_if_t<is_group_v<G>, R>;
/// A sub-group or a part of one.
template <class G, class = if_group<G>> constexpr bool lies_in_sub_group() { return group_traits<G>::is_sub_group; }
template <class G, class R = void> using if_in_sub_group = std::enable_if_t<lies_in_sub_group<G>(), R>;
} // namespace detail

// --- values of other work-items ---

template <class G, class T> detail::if_group<G, T> group_broadcast(G g, __ASPEN_MAYBE_UNSET T x) { return detail::take_from<true>(g, x, 0); }
template <class G, class T> detail::if_group<G, T> group_broadcast(G g, __ASPEN_MAYBE_UNSET T x, typename G::linear_id_type from) {
  return detail::take_from<true>(g, x, from);
}
template <class G, class T> detail::if_group<G, T> group_broadcast(G g, __ASPEN_MAYBE_UNSET T x, typename G::id_type from) {
  return detail::take_from<true>(g, x, detail::linear_id(from, g.get_local_range()));
}

/// Of the work-item `delta` after this one; unspecified beyond the end.
template <class G, class T> detail::if_in_sub_group<G, T> shift_group_left(G g, __ASPEN_MAYBE_UNSET T x, typename G::linear_id_type delta = 1) {
#if defined(__ASPEN_NATIVE_CPU__) || defined(__ASPEN_PTX__)
  if constexpr (!detail::group_traits<G>::is_part)
    return detail::take_by_lane(g, x, detail::lane_way::after, delta);
#endif
  return detail::take_from<false>(g, x, g.get_local_linear_id() + delta);
}
template <class G, class T> detail::if_in_sub_group<G, T> shift_group_right(G g, __ASPEN_MAYBE_UNSET T x, typename G::linear_id_type delta = 1) {
#if defined(__ASPEN_NATIVE_CPU__) || defined(__ASPEN_PTX__)
  if constexpr (!detail::group_traits<G>::is_part)
    return detail::take_by_lane(g, x, detail::lane_way::before, delta);
#endif
  return detail::take_from<false>(g, x, g.get_local_linear_id() - delta);
}
template <class G, class T> detail::if_in_sub_group<G, T> permute_group_by_xor(G g, __ASPEN_MAYBE_UNSET T x, typename G::linear_id_type mask) {
#if defined(__ASPEN_NATIVE_CPU__) || defined(__ASPEN_PTX__)
  if constexpr (!detail::group_traits<G>::is_part)
    return detail::take_by_lane(g, x, detail::lane_way::mask, mask);
#endif
  return detail::take_from<false>(g, x, g.get_local_linear_id() ^ mask);
}
template <class G, class T> detail::if_in_sub_group<G, T> select_from_group(G g, __ASPEN_MAYBE_UNSET T x, typename G::id_type from) {
#if defined(__ASPEN_NATIVE_CPU__) || defined(__ASPEN_PTX__)
  if constexpr (!detail::group_traits<G>::is_part)
    return detail::take_by_lane(g, x, detail::lane_way::number, static_cast<std::uint32_t>(from[0]));
#endif
  return detail::take_from<false>(g, x, from[0]);
}

// --- questions ---

template <class G> detail::if_group<G, bool> any_of_group(G g, bool x) {
#if defined(__ASPEN_SPIRV__)
  if constexpr (detail::group_traits<G>::is_part)
    return g.aspen_ballot(x) != 0;
  else
    return __spirv_GroupAny(detail::group_traits<G>::spirv_scope, x);
#elif defined(__ASPEN_PTX__)
  (void)g;
  if constexpr (detail::group_traits<G>::is_sub_group)
    return __nvvm_vote_any_sync(static_cast<unsigned>(detail::group_traits<G>::members(g)), x);
  else
    return __nvvm_bar0_or(x) != 0;
#else
  return detail::combine<detail::scan_kind::reduce>(g, x, static_cast<const bool *>(nullptr), logical_or<bool>());
#endif
}
template <class G> detail::if_group<G, bool> all_of_group(G g, bool x) {
#if defined(__ASPEN_SPIRV__)
  if constexpr (detail::group_traits<G>::is_part)
    return g.aspen_ballot(!x) == 0;
  else
    return __spirv_GroupAll(detail::group_traits<G>::spirv_scope, x);
#elif defined(__ASPEN_PTX__)
  (void)g;
  if constexpr (detail::group_traits<G>::is_sub_group)
    return __nvvm_vote_all_sync(static_cast<unsigned>(detail::group_traits<G>::members(g)), x);
  else
    return __nvvm_bar0_and(x) != 0;
#else
  return detail::combine<detail::scan_kind::reduce>(g, x, static_cast<const bool *>(nullptr), logical_and<bool>());
#endif
}
template <class G> detail::if_group<G, bool> none_of_group(G g, bool x) { return !any_of_group(g, x); }
template <class G, class T, class P> detail::if_group<G, bool> any_of_group(G g, T x, P predicate) { return any_of_group(g, static_cast<bool>(predicate(x))); }
template <class G, class T, class P> detail::if_group<G, bool> all_of_group(G g, T x, P predicate) { return all_of_group(g, static_cast<bool>(predicate(x))); }
template <class G, class T, class P> detail::if_group<G, bool> none_of_group(G g, T x, P predicate) { return none_of_group(g, static_cast<bool>(predicate(x))); }

// --- reductions and scans ---

template <class G, class T, class Op> detail::if_group<G, T> reduce_over_group(G g, T x, Op op) {
  return detail::combine<detail::scan_kind::reduce>(g, x, static_cast<const T *>(nullptr), op);
}
template <class G, class V, class T, class Op> detail::if_group<G, T> reduce_over_group(G g, V x, T init, Op op) {
  return static_cast<T>(op(init, detail::combine<detail::scan_kind::reduce>(g, static_cast<T>(x), static_cast<const T *>(nullptr), op)));
}
template <class G, class T, class Op> detail::if_group<G, T> inclusive_scan_over_group(G g, T x, Op op) {
  return detail::combine<detail::scan_kind::inclusive>(g, x, static_cast<const T *>(nullptr), op);
}
template <class G, class V, class Op, class T> detail::if_group<G, T> inclusive_scan_over_group(G g, V x, Op op, T init) {
  return detail::combine<detail::scan_kind::inclusive>(g, static_cast<T>(x), &init, op);
}
template <class G, class V, class T, class Op> detail::if_group<G, T> exclusive_scan_over_group(G g, V x, T init, Op op) {
  return detail::combine<detail::scan_kind::exclusive>(g, static_cast<T>(x), &init, op);
}
template <class G, class T, class Op> detail::if_group<G, T> exclusive_scan_over_group(G g, T x, Op op) {
  return exclusive_scan_over_group(g, x, known_identity_v<Op, T>, op);
}

// --- the same over ranges in memory: each work-item takes every n-th element, scans go chunk by chunk. On the native CPU, where a group is
// one thread's, a work-item that has not ended goes through them ---

template <class G, class I, class P> detail::if_group<G, bool> joint_any_of(G g, I first, I last, P predicate) {
#if defined(__ASPEN_NATIVE_CPU__)
  return detail::value_by_one<bool>(g, [&] {
    for (I i = first; i < last; ++i)
      if (predicate(*i))
        return true;
    return false;
  });
#else
  bool any = false;
  for (I i = first + g.get_local_linear_id(); i < last; i += g.get_local_linear_range())
    any = any || predicate(*i);
  return any_of_group(g, any);
#endif
}
template <class G, class I, class P> detail::if_group<G, bool> joint_all_of(G g, I first, I last, P predicate) {
#if defined(__ASPEN_NATIVE_CPU__)
  return !joint_any_of(g, first, last, [&](auto &&x) { return !predicate(x); });
#else
  bool all = true;
  for (I i = first + g.get_local_linear_id(); i < last; i += g.get_local_linear_range())
    all = all && predicate(*i);
  return all_of_group(g, all);
#endif
}
template <class G, class I, class P> detail::if_group<G, bool> joint_none_of(G g, I first, I last, P predicate) {
  return !joint_any_of(g, first, last, predicate);
}

template <class G, class I, class T, class Op> detail::if_group<G, T> joint_reduce(G g, I first, I last, T init, Op op) {
#if defined(__ASPEN_NATIVE_CPU__)
  return detail::value_by_one<T>(g, [&] {
    T sum = init;
    for (I i = first; i < last; ++i)
      sum = static_cast<T>(op(sum, static_cast<T>(*i)));
    return sum;
  });
#else
  T sum = init;
  const size_t width = g.get_local_linear_range(), own = g.get_local_linear_id(), count = static_cast<size_t>(last - first);
  size_t done = 0;
  for (; done + width <= count; done += width)
    sum = reduce_over_group(g, static_cast<T>(first[done + own]), sum, op);
  for (; done < count; ++done)
    sum = static_cast<T>(op(sum, static_cast<T>(first[done])));
  return sum;
#endif
}
// Its type is said, since errors in what a function of a type to be found out calls name no line of the program.
template <class G, class I, class Op> std::decay_t<decltype(*std::declval<I &>())> joint_reduce(G g, I first, I last, Op op) {
  using T = std::decay_t<decltype(*first)>;
  return joint_reduce(g, first, last, known_identity_v<Op, T>, op);
}

namespace detail {
template <scan_kind Kind, class G, class I, class O, class T, class Op>
inline O joint_scan(G g, I first, I last, O out, T before, Op op, [[maybe_unused]] T padding) {
#if defined(__ASPEN_NATIVE_CPU__)
  by_one(g, [&] {
    O to = out;
    for (I i = first; i < last; ++i, ++to) {
      const T sum = static_cast<T>(op(before, static_cast<T>(*i)));
      *to = Kind == scan_kind::inclusive ? sum : before;
      before = sum;
    }
  });
  return out + (last - first);
#else
  const size_t width = g.get_local_linear_range(), own = g.get_local_linear_id(), count = static_cast<size_t>(last - first);
  for (size_t done = 0; done < count; done += width) {
    const bool inside = done + own < count;
    const T value = inside ? static_cast<T>(first[done + own]) : padding;
    const T scanned = combine<Kind>(g, value, &before, op);
    const T sum = Kind == scan_kind::inclusive ? scanned : static_cast<T>(op(scanned, value));
    before = take_from<false>(g, sum, width - 1);
    if (inside)
      out[done + own] = scanned;
  }
  return out + count;
#endif
}
} // namespace detail

template <class G, class I, class O, class T, class Op> detail::if_group<G, O> joint_exclusive_scan(G g, I first, I last, O out, T init, Op op) {
  return detail::joint_scan<detail::scan_kind::exclusive>(g, first, last, out, init, op, init);
}
/// Without a first value it is the identity for the type of what is written, which is the type of all sums. Source: SYCL 2020 §4.17.4.
template <class G, class I, class O, class Op> detail::if_group<G, O> joint_exclusive_scan(G g, I first, I last, O out, Op op) {
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*out)>>;
  return joint_exclusive_scan(g, first, last, out, known_identity_v<Op, T>, op);
}
template <class G, class I, class O, class Op, class T> detail::if_group<G, O> joint_inclusive_scan(G g, I first, I last, O out, Op op, T init) {
  return detail::joint_scan<detail::scan_kind::inclusive>(g, first, last, out, init, op, init);
}
template <class G, class I, class O, class Op> detail::if_group<G, O> joint_inclusive_scan(G g, I first, I last, O out, Op op) {
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*out)>>;
  return joint_inclusive_scan(g, first, last, out, op, known_identity_v<Op, T>);
}

} // namespace sycl
