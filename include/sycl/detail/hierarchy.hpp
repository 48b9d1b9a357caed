//! Kernels of parallel_for_work_group on NVIDIA's processors. The code at work-group scope is written for one thread that stands for the whole
//! group; the link makes kernels of it that run in a thread a work-item (aspen-llvm/shim/hierarchy.cpp), and knows these functions by name.
#pragma once
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_PTX__)
/// Which of the group's threads runs, and of how many: 0 of 1 where one thread runs the group.
extern "C" __attribute__((const)) unsigned __aspen_group_thread() noexcept;
extern "C" __attribute__((const)) unsigned __aspen_group_threads() noexcept;
/// Says that every thread has a variable of its own, with a value of its own.
extern "C" void __aspen_of_thread(void *variable) noexcept;

namespace sycl::detail {

/// What every thread of the group does, with numbers and pointers that are the same for all. Behind it all have done it.
template <class Work, class... A> __attribute__((noinline)) void in_each_thread(unsigned thread, unsigned threads, A... with) {
  Work::run(thread, threads, with...);
}

} // namespace sycl::detail
#endif
