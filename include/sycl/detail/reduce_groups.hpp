//! Reductions where work-items are many and groups cheap, on GPUs: a kernel that ends when the variable has its value.
//!
//! Each work-group combines what its work-items have and leaves one value. Where groups are few, the last of them to do so, by a count of
//! arrivals, folds these, side by side as its work-items are. Where they are many, a second kernel does: to wait for the count costs a
//! group more than most have to do. Which is last depends on time, but not what is combined with what: that follows from the sizes of the
//! launch, so that it gives the same bits again. The count is zero before and after.
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/detail/reducers.hpp>
#include <sycl/group_algorithm.hpp>

namespace sycl::detail {

/// How groups fold each other's values.
struct reduction_tree {
  /// More leave that to another kernel.
  static constexpr size_t most_groups = 4096;

  bool is_whole() const { return groups <= most_groups; }
  /// How many values are kept.
  size_t parts() const { return groups > 1 ? groups : 0; }

  size_t groups = 0;
  unsigned *arrived = nullptr;
};

/// A value that may be missing, since no identity is known.
template <class T> struct perhaps {
  T value;
  bool any;
};
template <class T, class Op> struct combine_perhaps {
  perhaps<T> operator()(const perhaps<T> &a, const perhaps<T> &b) const {
    if (!a.any)
      return b;
    return b.any ? perhaps<T>{static_cast<T>(op(a.value, b.value)), true} : a;
  }
  Op op;
};

template <class Group, class Own> inline void combine_in_group(const Group &g, Own &own) {
  using access = typename Own::access;
  for (size_t i = 0; i < Own::extent; ++i) {
    auto &one = access::element(own.value, i);
    auto &value = access::value_of(one);
    using T = std::decay_t<decltype(value)>;
    using Op = std::decay_t<decltype(access::operation_of(one))>;
    if constexpr (Own::has_identity) {
      value = combine<scan_kind::reduce>(g, value, static_cast<const T *>(nullptr), access::operation_of(one));
    } else {
      const perhaps<T> mine = {value, access::any_of(one)};
      const combine_perhaps<T, Op> op = {access::operation_of(one)};
      const perhaps<T> all = combine<scan_kind::reduce>(g, mine, static_cast<const perhaps<T> *>(nullptr), op);
      value = all.value;
      access::any_of(one) = all.any;
    }
  }
}

/// Brings what the groups have into the variables; all work-items of group `index` call it. `AnyNumber`: there may be more of them than fold
/// each other's values.
template <bool AnyNumber, class Group, class... Targets, class... Own>
inline void fold_groups(const Group &g, size_t index, const reduction_tree &tree, const pack<Targets...> &targets, Own &...own) {
  const bool leads = g.get_local_linear_id() == 0;
  const auto combine_all = [&] { detail::zip(targets, [&](const auto &, auto &mine) { combine_in_group(g, mine); }, own...); };
  const auto leave = [&] {
    if (leads)
      detail::zip(targets, [=](const auto &to, auto &mine) { std::decay_t<decltype(to.parts)>::access::store(mine, to.parts, index); }, own...);
  };
  if constexpr (AnyNumber)
    if (!tree.is_whole()) { // apart from the loop, for which every group would make ready
      combine_all();
      leave();
      return;
    }
  for (bool is_end = tree.groups <= 1;; is_end = true) {
    combine_all();
    if (is_end) {
      if (leads)
        detail::zip(targets, [](const auto &to, auto &mine) { to.finish(mine); }, own...);
      return;
    }
    leave();
    bool is_last = false;
    if (leads) {
      const atomic_ref<unsigned, memory_order::acq_rel, memory_scope::device, access::address_space::global_space> arrived(*tree.arrived);
      is_last = arrived.fetch_add(1) == tree.groups - 1;
      if (is_last)
        arrived.store(0, memory_order::relaxed);
    }
    if (!any_of_group(g, is_last))
      return;
    detail::zip(targets, [&](const auto &from, auto &mine) {
      mine.begin(from.parts);
      for (size_t part = g.get_local_linear_id(); part < tree.groups; part += g.get_local_linear_range())
        std::decay_t<decltype(from.parts)>::access::absorb(mine, from.parts, part);
    }, own...);
  }
}

/// From one work-item of a range to another: adds the digits of how far that is. A division for every item costs more than most items do.
template <int D> inline void advance(id<D> &at, const id<D> &step, const range<D> &extent) {
  for (int d = D - 1; d >= 0; --d) {
    at[d] += step[d];
    if (d > 0 && at[d] >= extent[d]) {
      at[d] -= extent[d];
      ++at[d - 1];
    }
  }
}

} // namespace sycl::detail
