//! Memory that a graph's commands allocate. Source: sycl_ext_oneapi_graph, "Graph-Owned Memory Allocations".
#pragma once
#include <mutex>
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

namespace sycl::detail {

/// Each graph has its own, which is there until the graph and all executable ones that were made of it are gone: nodes have the addresses.
/// Commands that free it are nodes that do nothing.
class graph_memory final : public counted {
public:
  ~graph_memory() {
    for (const block &one : all_)
      aspen_usm_free(one.at);
  }
  void *take(const device &on, size_t bytes, bool zero) {
    bytes = bytes ? bytes : 1;
    void *const made = allocate_usm(on, usm::alloc::device, bytes, 0);
    if (!made)
      fail(errc::memory_allocation, "async_malloc: there is no memory for what a graph's node allocates");
    const std::lock_guard hold(lock_);
    all_.add({made, bytes, zero});
    return made;
  }
  bool has(const void *memory) const {
    const std::lock_guard hold(lock_);
    for (const block &one : all_)
      if (one.at == memory)
        return true;
    return false;
  }
  /// In bytes; 0 if no node allocates.
  size_t size() const {
    const std::lock_guard hold(lock_);
    size_t sum = 0;
    for (const block &one : all_)
      sum += one.bytes;
    return sum;
  }
  /// An executable graph is made, of which there is one at a time if nodes allocate; what is to be zero becomes it.
  void begin(const context &in, const device &on) {
    const std::lock_guard hold(lock_);
    if (all_.size() && executables_)
      fail(errc::invalid, "finalize: nodes of the graph allocate memory, and an executable graph that was made of it is still there; there may "
                          "be one at a time");
    for (const block &one : all_)
      if (one.zero)
        queue(in, on).memset(one.at, 0, one.bytes).wait();
    ++executables_;
  }
  void end() {
    const std::lock_guard hold(lock_);
    --executables_;
  }

private:
  struct block {
    void *at;
    size_t bytes;
    bool zero;
  };
  mutable std::mutex lock_;
  list<block> all_;
  unsigned executables_ = 0; // which are there
};

} // namespace sycl::detail
