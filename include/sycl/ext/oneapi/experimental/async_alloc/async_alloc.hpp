//! Memory that commands of a queue allocate and free. An allocation is made when its command is submitted, since the program gets the pointer
//! then; memory is freed when the command is over. What a graph's nodes allocate is the graph's own, as it may be executed again.
//! Source: sycl_ext_oneapi_async_memory_alloc.
#pragma once
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>

namespace sycl {
namespace detail {

/// The host task of a command that frees. Its end is what counts.
struct last_use {
  explicit last_use(void *memory) : memory(new use(memory)) {}
  void operator()() const {}
  struct use : counted {
    explicit use(void *of) : at(of) {}
    ~use() { all_pools::get().give_back(at); }
    void *at;
  };
  shared<use> memory;
};

/// Graphs have memory of devices. Source: sycl_ext_oneapi_graph, "Graph-Owned Memory Allocations".
inline void *take_from(const shared<pool_state> &pool, size_t size, handler &h) {
  if (recorder *const graph = h.aspen_becomes(recorded_kind::async_malloc)) {
    if (pool->kind != usm::alloc::device)
      fail(errc::invalid, "async_malloc: nodes of graphs allocate memory of the kind usm::alloc::device only");
    return graph->allocate(size, pool->zero);
  }
  void *const memory = pool->take(size);
  if (memory)
    all_pools::get().know(pool);
  else
    h.host_task([] { fail(errc::memory_allocation, "async_malloc: there is no memory, or the pool would become greater than it may"); });
  return memory;
}

} // namespace detail

namespace ext::oneapi::experimental {

inline void *async_malloc_from_pool(handler &h, size_t size, const memory_pool &pool) {
  const sycl::detail::pool_state &state = *pool.aspen_state();
  if (!(state.device == h.aspen_device()) || !(state.context == h.aspen_context()))
    sycl::detail::fail(errc::invalid, "async_malloc_from_pool: the pool and the queue have different devices or contexts");
  return sycl::detail::take_from(pool.aspen_state(), size, h);
}
inline void *async_malloc(handler &h, usm::alloc kind, size_t size) {
  if (kind == usm::alloc::unknown)
    sycl::detail::fail(errc::invalid, "async_malloc: memory of an unknown kind");
  return sycl::detail::take_from(sycl::detail::all_pools::get().of_device(h.aspen_context(), h.aspen_device(), kind), size, h);
}
/// The memory was allocated by one of these functions.
inline void async_free(handler &h, void *memory) {
  if (sycl::detail::recorder *const graph = h.aspen_becomes(sycl::detail::recorded_kind::async_free)) {
    if (memory && !graph->has_allocated(memory))
      sycl::detail::fail(errc::invalid, "async_free: no node of the graph has allocated this memory");
    return;
  }
  if (memory)
    h.host_task(sycl::detail::last_use(memory));
}

inline void *async_malloc_from_pool(const queue &q, size_t size, const memory_pool &pool) {
  void *memory = nullptr;
  queue(q).submit([&](handler &h) { memory = experimental::async_malloc_from_pool(h, size, pool); });
  return memory;
}
inline void *async_malloc(const queue &q, usm::alloc kind, size_t size) {
  void *memory = nullptr;
  queue(q).submit([&](handler &h) { memory = experimental::async_malloc(h, kind, size); });
  return memory;
}
inline void async_free(const queue &q, void *memory) {
  queue(q).submit([&](handler &h) { experimental::async_free(h, memory); });
}

} // namespace ext::oneapi::experimental
} // namespace sycl
