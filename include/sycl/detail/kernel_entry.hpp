//! Kernel entries: what a code generator sees of a launch. The functor is the first parameter of every entry.
//!
//! | launch        | SPIR-V (and the host pass)                              | native CPU (native_cpu.h)                         |
//! |---------------|---------------------------------------------------------|---------------------------------------------------|
//! | single_task   | `(F f)`                                                 | `(const F &f, const aspen_cpu_range_t &box)`      |
//! | range         | `(F f)`                                                 | `(const F &f, const aspen_cpu_range_t &box)`      |
//! | nd_range      | `(F f, local char *memory)`                             | `(const F &f, aspen_cpu_item_t *item)`            |
//! | work-groups   | `(F f, local char *memory, work_group_shape shape)`     | `(const F &f, aspen_cpu_item_t *item)`            |
//!
//! PTX and AMD: cuda.h says which parameters follow the closure.
//!
//! `memory` is the launch's local memory (never less than one byte). A SPIR-V work-group launch runs one work-item a group, and `shape` is
//! the logical group in SYCL order, right-aligned, unused dimensions 1. An entry's body is one call with its parameters and nothing else:
//! clang 22 silently drops a body that initialises a local variable from a parameter.
#pragma once
#include <sycl/detail/call_kernel.hpp>
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/work_item.hpp>
#include <sycl/group.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::detail {

struct work_group_shape {
  std::uint64_t local[3];
};

template <int D> inline range<D> right_aligned_range(const std::uint64_t (&from)[3]) {
  range<D> out;
  for (int d = 0; d < D; ++d)
    out[d] = from[3 - D + d];
  return out;
}

#if defined(__ASPEN_NATIVE_CPU__)

// Loops over a row become vectors at the link, which knows for which processors: it looks for width, count and unroll(disable) as they
// stand here (aspen-llvm/shim/items/boxes.cpp). No macro, since preprocessed text keeps its name in a pragma.

template <class F> inline void run_single_task(const F &f, const aspen_cpu_range_t &box) {
#pragma clang loop vectorize_width(1) interleave_count(1) unroll(disable)
  for (std::uint64_t i = box.begin[2]; i < box.end[2]; ++i)
    f();
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed" // a kernel that cannot be vectorised is no fault of its author

/// The item loop. Work-items of a range are independent, which is what `assume_safety` says.
template <int D, class F> inline void run_range(const F &f, const aspen_cpu_range_t &box) {
  const F own(f); // its address stays here, so that stores of the kernel cannot change it
  const range<D> extent = right_aligned_range<D>(box.global_range);
  const range<D> shift = right_aligned_range<D>(box.offset);
  const id<D> offset(shift);
  const std::uint64_t first = box.begin[2], last = box.end[2];
  if constexpr (D == 1) {
#pragma clang loop vectorize_width(1) interleave_count(1) unroll(disable) vectorize(assume_safety)
    for (std::uint64_t i = first; i < last; ++i)
      detail::call_kernel(own, item_access::make(id<1>(i), extent, offset));
  } else if constexpr (D == 2) {
    for (std::uint64_t j = box.begin[1]; j < box.end[1]; ++j)
#pragma clang loop vectorize_width(1) interleave_count(1) unroll(disable) vectorize(assume_safety)
      for (std::uint64_t i = first; i < last; ++i)
        detail::call_kernel(own, item_access::make(id<2>(j, i), extent, offset));
  } else {
    for (std::uint64_t k = box.begin[0]; k < box.end[0]; ++k)
      for (std::uint64_t j = box.begin[1]; j < box.end[1]; ++j)
#pragma clang loop vectorize_width(1) interleave_count(1) unroll(disable) vectorize(assume_safety)
        for (std::uint64_t i = first; i < last; ++i)
          detail::call_kernel(own, item_access::make(id<3>(k, j, i), extent, offset));
  }
}

#pragma clang diagnostic pop

template <class F> inline void find_scratch(const F &f, aspen_cpu_item_t *item) {
  if constexpr (has_scratch<F>)
    item->scratch_memory = detail::scratch_in(f, item->local_memory);
}

template <int D, class F> inline void run_nd_range(const F &f, aspen_cpu_item_t *item) {
  enter_nd_item(item);
  find_scratch(f, item);
  detail::call_kernel(f, nd_item<D>(work_item(item)));
}

template <int D, class F> inline void run_work_group(const F &f, aspen_cpu_item_t *item) {
  current = item;
  find_scratch(f, item);
  detail::call_kernel(f, group<D>(work_item(item), local_range_of<D>(work_item(item))));
}

template <class Name, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_single_task(const F &f, const aspen_cpu_range_t &box) {
  run_single_task(f, box);
}
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_range(const F &f, const aspen_cpu_range_t &box) {
  run_range<D>(f, box);
}
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_nd_range(const F &f, aspen_cpu_item_t *item) {
  run_nd_range<D>(f, item);
}
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_work_group(const F &f, aspen_cpu_item_t *item) {
  run_work_group<D>(f, item);
}

#elif defined(__ASPEN_GPU__)

template <class F> inline void run_single_task(const F &f) { f(); }

/// A thread runs one work-item of the fastest dimension; the others may have more than a grid has blocks.
template <int D, class F> inline void run_range(const F &f, const aspen_cuda_launch_t &launch) {
  const range<D> extent = right_aligned_range<D>(launch.global_range);
  const id<D> offset(right_aligned_range<D>(launch.offset));
  const size_t i = size_t(gpu::ctaid<2>()) * gpu::ntid<2>() + gpu::tid<2>();
  if (i >= launch.global_range[2])
    return;
  if constexpr (D == 1) {
    detail::call_kernel(f, item_access::make(id<1>(i + offset[0]), extent, offset));
  } else {
    const size_t first_j = size_t(gpu::ctaid<1>()) * gpu::ntid<1>() + gpu::tid<1>(), step_j = size_t(gpu::nctaid<1>()) * gpu::ntid<1>();
    for (size_t j = first_j; j < launch.global_range[1]; j += step_j) {
      if constexpr (D == 2) {
        detail::call_kernel(f, item_access::make(id<2>(j + offset[0], i + offset[1]), extent, offset));
      } else {
        const size_t first_k = size_t(gpu::ctaid<0>()) * gpu::ntid<0>() + gpu::tid<0>(), step_k = size_t(gpu::nctaid<0>()) * gpu::ntid<0>();
        for (size_t k = first_k; k < launch.global_range[0]; k += step_k)
          detail::call_kernel(f, item_access::make(id<3>(k + offset[0], j + offset[1], i + offset[2]), extent, offset));
      }
    }
  }
}

template <class F> inline void find_scratch(const F &f) {
  if constexpr (has_scratch<F>)
    scratch_slot() = detail::scratch_in(f, (unsigned long)local_memory());
  else
    scratch_slot() = 0;
}

template <int D, class F> inline void run_nd_range(const F &f, const aspen_cuda_launch_t &launch) {
  find_scratch(f);
  detail::call_kernel(f, nd_item<D>(work_item(launch)));
}

template <int D, class F> inline void run_work_group(const F &f, const aspen_cuda_launch_t &launch) {
  find_scratch(f);
  detail::call_kernel(f, group<D>(work_item(launch), right_aligned_range<D>(launch.local_range)));
}

template <class Name, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_single_task(F f) { run_single_task(f); }
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_range(F f, aspen_cuda_launch_t launch) {
  run_range<D>(f, launch);
}
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_nd_range(F f, aspen_cuda_launch_t launch) {
  run_nd_range<D>(f, launch);
}
/// The third parameter says that the kernel is written for one thread that stands for a whole group; code generation looks at the number of parameters.
template <class Name, int D, class F>
[[clang::sycl_kernel_entry_point(Name)]] void entry_work_group(F f, aspen_cuda_launch_t launch, unsigned) {
  run_work_group<D>(f, launch);
}

#else

typedef __attribute__((opencl_local)) char *local_pointer;

template <class F> inline void enter_work_group(const F &f, local_pointer memory) {
#if defined(__ASPEN_SPIRV__)
  local_memory_slot() = (unsigned long)memory;
  if constexpr (has_scratch<F>)
    scratch_slot() = detail::scratch_in(f, (unsigned long)memory);
  else
    scratch_slot() = 0;
#else
  (void)f;
  (void)memory;
#endif
}

template <class F> inline void run_single_task(const F &f) { f(); }

template <int D, class F> inline void run_range(const F &f) {
  const work_item at;
  detail::call_kernel(f, item_access::make(global_id_of<D>(at), global_range_of<D>(at), offset_of<D>(at)));
}

template <int D, class F> inline void run_nd_range(const F &f, local_pointer memory) {
  enter_work_group(f, memory);
  detail::call_kernel(f, nd_item<D>(work_item()));
}

template <int D, class F> inline void run_work_group(const F &f, local_pointer memory, const work_group_shape &shape) {
  enter_work_group(f, memory);
  detail::call_kernel(f, group<D>(work_item(), right_aligned_range<D>(shape.local)));
}

template <class Name, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_single_task(F f) { run_single_task(f); }
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_range(F f) { run_range<D>(f); }
template <class Name, int D, class F> [[clang::sycl_kernel_entry_point(Name)]] void entry_nd_range(F f, local_pointer memory) {
  run_nd_range<D>(f, memory);
}
template <class Name, int D, class F>
[[clang::sycl_kernel_entry_point(Name)]] void entry_work_group(F f, local_pointer memory, work_group_shape shape) {
  run_work_group<D>(f, memory, shape);
}

#endif

} // namespace sycl::detail
