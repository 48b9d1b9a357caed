//! Reductions where work-items are few and fast, on processors: nobody waits for anybody.
//!
//! A kernel runs in two or three steps. In the first, every part of it (a run of work-items of a range; a work-item of an nd_range) combines
//! into reducers of its own and leaves what it has; the last folds that in the order of the parts, into the variable. So nothing is atomic,
//! and the same launch on the same device gives the same bits.
#pragma once
#include <sycl/detail/reduce_groups.hpp>

namespace sycl::detail {

/// The i-th of `parts` runs of `count` things begins here.
constexpr size_t run_begin(size_t count, size_t parts, size_t i) { return count / parts * i + (i < count % parts ? i : count % parts); }

/// Folds `count` parts into `parts`, or into the variables; or what many groups left, in groups. It is empty where a pass goes the other
/// way: all have the same kernels.
template <class... Targets> struct reduce_parts {
  size_t count;
  size_t parts;
  pack<Targets...> from;
  pack<Targets...> to;
  reduction_tree tree = {};
  void operator()(const nd_item<1> &at) const {
    detail::with_reducers(from, [&](auto &...own) {
      for (size_t i = at.get_global_id(0); i < count; i += at.get_global_range(0))
        detail::zip(from, [&](const auto &part_of, auto &own_one) { std::decay_t<decltype(part_of.parts)>::access::absorb(own_one, part_of.parts, i); }, own...);
      fold_groups<false>(at.get_group(), at.get_group(0), tree, to, own...);
    });
  }
  void operator()([[maybe_unused]] const item<1> &at) const {
    if constexpr (reduces_in_parts)
      fold_some(at.get_id(0));
  }
  void operator()() const {
    if constexpr (reduces_in_parts)
      fold_all();
  }

private:
  void fold_some(size_t part) const {
    const size_t last = run_begin(count, parts, part + 1);
    detail::with_reducers(from, [&](auto &...own) {
      for (size_t i = run_begin(count, parts, part); i < last; ++i)
        detail::zip(from, [&](const auto &part_of, auto &own_one) { std::decay_t<decltype(part_of.parts)>::access::absorb(own_one, part_of.parts, i); }, own...);
      detail::zip(to, [&](const auto &into, auto &own_one) { std::decay_t<decltype(into.parts)>::access::store(own_one, into.parts, part); }, own...);
    });
  }
  void fold_all() const {
    detail::with_reducers(from, [&](auto &...own) {
      for (size_t i = 0; i < count; ++i)
        detail::zip(from, [&](const auto &part_of, auto &own_one) { std::decay_t<decltype(part_of.parts)>::access::absorb(own_one, part_of.parts, i); }, own...);
      detail::zip(from, [&](const auto &into, auto &own_one) { into.finish(own_one); }, own...);
    });
  }
};

} // namespace sycl::detail
