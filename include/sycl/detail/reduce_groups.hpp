//! Reductions where work-items are many and groups cheap, on GPUs: a kernel that ends when the variable has its value.
//!
//! Each work-group combines what its work-items have and leaves one value. The group that is the last of its bucket to do so, by a count of
//! arrivals, folds the bucket, side by side as its work-items are; the last of these the buckets. Who that is depends on time, but not what
//! is combined with what: that follows from the sizes of the launch, so that it gives the same bits again. Counts are zero before and after.
#pragma once
#include <sycl/atomic_ref.hpp>
#include <sycl/detail/reducers.hpp>
#include <sycl/group_algorithm.hpp>

namespace sycl::detail {

/// How groups fold each other's values: `groups` of them in buckets of 2^`shift`, the buckets in one.
struct reduction_tree {
  static constexpr size_t most_buckets = 4096;
  /// Bytes of the counts: one a bucket, and that of the buckets.
  static constexpr size_t count_bytes = (most_buckets + 1) * sizeof(unsigned);

  explicit reduction_tree(size_t of_groups) : groups(of_groups) {
    if (groups <= most_buckets)
      return;
    shift = 10;
    while (buckets() > most_buckets)
      ++shift;
  }
  size_t buckets() const { return groups == 0 ? 0 : ((groups - 1) >> shift) + 1; }
  /// How many values are kept.
  size_t parts() const { return groups > 1 ? groups + buckets() : 0; }

  size_t groups;
  unsigned shift = 32;
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

/// Brings what the groups have into the variables; all work-items of group `index` call it.
template <class Group, class... Targets, class... Own>
inline void fold_groups(const Group &g, size_t index, const reduction_tree &tree, const pack<Targets...> &targets, Own &...own) {
  size_t count = tree.groups, done = 0;
  unsigned shift = tree.shift, *arrived = tree.arrived;
  const bool leads = g.get_local_linear_id() == 0;
  for (;;) {
    zip(targets, [&](const auto &, auto &mine) { combine_in_group(g, mine); }, own...);
    if (count <= 1) {
      if (leads)
        zip(targets, [](const auto &to, auto &mine) { to.finish(mine); }, own...);
      return;
    }
    const size_t bucket = index >> shift, first = bucket << shift, width = size_t(1) << shift;
    const size_t last = count - first < width ? count : first + width;
    bool is_last = false;
    if (leads) {
      zip(targets, [=](const auto &to, auto &mine) { std::decay_t<decltype(to.parts)>::access::store(mine, to.parts, done + index); }, own...);
      const atomic_ref<unsigned, memory_order::acq_rel, memory_scope::device, access::address_space::global_space> here(arrived[bucket]);
      is_last = here.fetch_add(1) == last - first - 1;
      if (is_last)
        here.store(0, memory_order::relaxed);
    }
    if (!any_of_group(g, is_last))
      return;
    zip(targets, [&](const auto &from, auto &mine) {
      mine.begin(from.parts);
      for (size_t part = first + g.get_local_linear_id(); part < last; part += g.get_local_linear_range())
        std::decay_t<decltype(from.parts)>::access::absorb(mine, from.parts, done + part);
    }, own...);
    done += count;
    count = ((count - 1) >> shift) + 1;
    arrived += count;
    index = bucket;
    shift = 32;
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
