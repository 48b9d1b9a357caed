//! Buffers of commands that graphs are just recording, whose content no host accessor can show: the commands have not run. Source:
//! sycl_ext_oneapi_graph, "Buffer Limitations".
#pragma once
#include <aspen/aspen.h>
#include <sycl/detail/list.hpp>
#include <sycl/detail/spin_lock.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

/// Of all graphs. Its lock is taken last.
class recorded_buffers {
public:
  static void add(const void *graph, const aspen_buffer_t *buffer) {
    recorded_buffers &all = get();
    const locked hold(all.lock_);
    all.each_.add({graph, buffer});
    __atomic_store_n(&all.any_, true, __ATOMIC_RELEASE);
  }
  /// The graph records no more.
  static void forget(const void *graph) {
    recorded_buffers &all = get();
    if (!__atomic_load_n(&all.any_, __ATOMIC_ACQUIRE))
      return;
    const locked hold(all.lock_);
    list<use> others;
    for (const use &one : all.each_)
      if (one.graph != graph)
        others.add(one);
    std::swap(all.each_, others);
    __atomic_store_n(&all.any_, all.each_.size() != 0, __ATOMIC_RELEASE);
  }
  /// An error if a command that is being recorded uses the buffer.
  static void check_host_access(const aspen_buffer_t *buffer) {
    recorded_buffers &all = get();
    if (!__atomic_load_n(&all.any_, __ATOMIC_ACQUIRE))
      return;
    bool found = false;
    {
      const locked hold(all.lock_);
      for (const use &one : all.each_)
        found = found || one.buffer == buffer;
    }
    if (found)
      fail(errc::invalid, "a host accessor is made of a buffer that commands use which a graph is recording; end the recording first");
  }

private:
  struct use {
    const void *graph;
    const aspen_buffer_t *buffer; // which the graph keeps
  };
  static recorded_buffers &get() {
    [[clang::no_destroy]] static recorded_buffers all; // graphs may be destroyed at the very end
    return all;
  }
  spin_lock lock_;
  list<use> each_;
  bool any_ = false;
};

} // namespace sycl::detail
