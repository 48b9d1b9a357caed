//! The kernels that programs with reductions run. They carry what both ways of reducing need, since a kernel has the same closure in all
//! passes over a source, and have the operator of the way that the pass goes.
#pragma once
#include <sycl/detail/reduce_groups.hpp>
#include <sycl/detail/reduce_parts.hpp>

namespace sycl::detail {

/// A kernel over a range.
template <class F, int D, class... Targets> struct reduce_range {
  using aspen_kernel_function = F;
  F function;
  range<D> extent;
  constant_block constants;
  pack<Targets...> targets;
  size_t parts = 0;
  reduction_tree tree = {};
  id<D> step = {};                // from a work-item to the next that the same one takes
  size_t turns = 0, one_more = 0;    // how many all take, and how many of the first take one more

  /// In parts: work-item i runs the i-th contiguous part of the kernel's work-items. It is launched over as many dimensions, since the entry
  /// has the attributes of the user's function, a required work-group size among them.
  void operator()(const item<D> &at) const {
    const size_t part = at.get_linear_id(), count = extent.size(), last = run_begin(count, parts, part + 1);
    detail::with_reducers(targets, [&](auto &...own) {
      for (size_t i = run_begin(count, parts, part); i < last;) {
        id<D> where = delinearize(i, extent);
        size_t &column = where[D - 1];
        const size_t left = last - i, of_row = extent[D - 1] - column, turns_of_row = left < of_row ? left : of_row;
        i += turns_of_row;
        // A row by itself, since vectors are made of what divides by nothing.
        for (const size_t end = column + turns_of_row; column < end; ++column)
          call_reducing(function, constants, item_access::make(where, extent), own.value...);
      }
      detail::zip(targets, [&](const auto &to, auto &from) { std::decay_t<decltype(to.parts)>::access::store(from, to.parts, part); }, own...);
    });
  }
  /// In groups that stride over the range: neighbours take neighbouring work-items.
  void operator()(const nd_item<D> &at) const {
    const size_t group = at.get_group(D - 1), first = group * at.get_group().get_local_linear_range() + at.get_local_linear_id();
    detail::with_reducers(targets, [&](auto &...own) {
      // Counted, since loops of unknown length are not unrolled.
      if (size_t left = turns + (first < one_more)) {
        id<D> i = delinearize(first, extent); // in one dimension no division
        for (; left > 0; --left, advance(i, step, extent))
          call_reducing(function, constants, item_access::make(i, extent), own.value...);
      }
      fold_groups<false>(at.get_group(), group, tree, targets, own...);
    });
  }
};

/// A kernel over an nd_range.
template <class F, int D, class... Targets> struct reduce_nd_range {
  using aspen_kernel_function = F;
  F function;
  constant_block constants;
  pack<Targets...> targets;
  reduction_tree tree = {};

  void operator()(const nd_item<D> &at) const {
    detail::with_reducers(targets, [&](auto &...own) {
      if constexpr (folds_in_groups<Targets...>) {
        if (tree.groups > 0) // else this one group stands for none
          call_reducing(function, constants, at, own.value...);
        fold_groups<true>(at.get_group(), at.get_group_linear_id(), tree, targets, own...);
      } else { // every work-item is a part
        call_reducing(function, constants, at, own.value...);
        const size_t part = at.get_global_linear_id();
        detail::zip(targets, [&](const auto &to, auto &from) { std::decay_t<decltype(to.parts)>::access::store(from, to.parts, part); }, own...);
      }
    });
  }
};

} // namespace sycl::detail
