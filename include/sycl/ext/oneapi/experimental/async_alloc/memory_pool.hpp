//! `memory_pool`: unified shared memory that is kept when it is freed, and given out again. Source: sycl_ext_oneapi_async_memory_alloc.
#pragma once
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool_properties.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#define SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC 1

namespace sycl {
namespace detail {

struct pool_state : counted {
  static constexpr size_t alignment = 256; // of what is cut off from memory that the program brought

  pool_state(const sycl::context &in, const sycl::device &on, usm::alloc kind) : context(in), device(on), kind(kind) {}
  ~pool_state() {
    for (const block &one : unused)
      if (!brought)
        aspen_usm_free(one.at);
  }
  /// Null if the pool would become greater than it may.
  void *take(size_t size) {
    if (size > maximum)
      return nullptr;
    list<block> gone; // freed when nothing is locked
    size = size ? (brought ? (size + alignment - 1) / alignment * alignment : size) : 1;
    {
      const locked hold(lock);
      block *best = nullptr;
      for (size_t i = 0; i < unused.size(); ++i) {
        block &one = unused.data()[i];
        if (one.size >= size && (!best || one.size < best->size) && (brought || one.size / 2 < size))
          best = &one;
      }
      if (best) {
        void *const at = best->at;
        const size_t taken = brought ? size : best->size;
        if (best->size > taken)
          *best = {static_cast<char *>(at) + taken, best->size - taken};
        else
          forget(best);
        used.add({at, taken});
        bytes_used += taken;
        return at;
      }
      if (!brought && bytes_used + size <= maximum && bytes_reserved + size > maximum)
        gone = let_go();
      if (brought || bytes_reserved + size > maximum)
        return nullptr;
      bytes_reserved += size; // nobody else may have it meanwhile
    }
    for (const block &one : gone)
      aspen_usm_free(one.at);
    void *at = nullptr;
    try {
      at = allocate_usm(device, kind, size, 0);
      if (at && zero)
        queue(context, device).memset(at, 0, size).wait();
    } catch (...) {
      aspen_usm_free(at);
      const locked hold(lock);
      bytes_reserved -= size;
      throw;
    }
    const locked hold(lock);
    if (!at) {
      bytes_reserved -= size;
      return nullptr;
    }
    used.add({at, size});
    bytes_used += size;
    return at;
  }
  bool is_used() {
    const locked hold(lock);
    return bytes_used != 0;
  }
  bool gives_back(void *at) {
    void *to_free = nullptr;
    {
      const locked hold(lock);
      block *found = nullptr;
      for (size_t i = 0; i < used.size(); ++i)
        if (used.data()[i].at == at)
          found = used.data() + i;
      if (!found)
        return false;
      const block back = *found;
      *found = used.data()[used.size() - 1];
      used.pop();
      bytes_used -= back.size;
      if (brought || bytes_reserved <= threshold) {
        join(back);
      } else {
        bytes_reserved -= back.size;
        to_free = back.at;
      }
    }
    if (to_free)
      aspen_usm_free(to_free);
    return true;
  }

  const sycl::context context;
  const sycl::device device;
  const usm::alloc kind;
  size_t threshold = 0, maximum = ~size_t(0);
  size_t bytes_reserved = 0, bytes_used = 0;
  bool zero = false, brought = false; // memory that the program brought
  struct block {
    void *at;
    size_t size;
  };
  list<block> unused, used;
  spin_lock lock;

private:
  /// What is kept for later is in the way of what is wanted now.
  list<block> let_go() {
    list<block> all = unused;
    for (const block &one : all)
      bytes_reserved -= one.size;
    unused = {};
    return all;
  }
  void forget(block *one) {
    *one = unused.data()[unused.size() - 1];
    unused.pop();
  }
  /// Neighbours are one piece again where they were one.
  void join(block back) {
    for (size_t i = 0; brought && i < unused.size();) {
      block &one = unused.data()[i];
      if (static_cast<char *>(one.at) + one.size == back.at)
        back = {one.at, one.size + back.size};
      else if (static_cast<char *>(back.at) + back.size == one.at)
        back.size += one.size;
      else {
        ++i;
        continue;
      }
      forget(&one);
      i = 0;
    }
    unused.add(back);
  }
};

/// All pools that memory has been taken from, so that it is found out where it goes back to, and those that are there by default.
struct all_pools {
  struct named {
    shared<pool_state> pool;
    bool by_default;
  };
  list<named> each;
  spin_lock lock;
  static all_pools &get() {
    [[clang::no_destroy]] static all_pools all; // commands that free may run until the end
    return all;
  }
  void know(const shared<pool_state> &pool, bool by_default = false) {
    const locked hold(lock);
    for (const named &one : each)
      if (one.pool == pool)
        return;
    each.add({pool, by_default});
  }
  shared<pool_state> of_device(const context &in, const device &on, usm::alloc kind) {
    {
      const locked hold(lock);
      for (const named &one : each)
        if (one.by_default && one.pool->kind == kind && one.pool->device == on && one.pool->context == in)
          return one.pool;
    }
    const shared<pool_state> made(new pool_state(in, on, kind));
    know(made, true);
    return made;
  }
  void give_back(void *at) {
    list<named> now;
    {
      const locked hold(lock);
      now = each;
    }
    bool found = false;
    for (const named &one : now)
      found = found || one.pool->gives_back(at);
    if (!found)
      aspen_usm_free(at);
    list<named> left, gone;
    const locked hold(lock);
    for (const named &one : each)
      (one.by_default || one.pool->is_used() ? left : gone).add(one);
    each = left;
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

/// Copies are the same pool.
class memory_pool {
public:
  template <class P = empty_properties_t, std::enable_if_t<is_property_list_v<P>, int> = 0>
  memory_pool(const context &in, usm::alloc kind, P with = {}) : memory_pool(in, in.get_devices().front(), kind, true, with) {}
  template <class P = empty_properties_t, std::enable_if_t<is_property_list_v<P>, int> = 0>
  memory_pool(const context &in, const device &on, usm::alloc kind, P with = {}) : memory_pool(in, on, kind, false, with) {}
  template <class P = empty_properties_t, std::enable_if_t<is_property_list_v<P>, int> = 0>
  memory_pool(const queue &like, usm::alloc kind, P with = {})
      : memory_pool(like.get_context(), like.get_device(), kind, kind == usm::alloc::host, with) {}
  /// Of memory that the program has allocated, and frees when the pool is gone.
  template <class P = empty_properties_t, std::enable_if_t<is_property_list_v<P>, int> = 0>
  memory_pool(const context &in, void *memory, size_t size, P with = {})
      : state_(new sycl::detail::pool_state(in, get_pointer_device(memory, in), get_pointer_type(memory, in))) {
    using namespace property::memory_pool;
    static_assert(!P::template has_property<maximum_size>() && !P::template has_property<initial_threshold>(),
                  "the size of a pool of the program's own memory is that of the memory");
    (void)with;
    state_->brought = true;
    state_->bytes_reserved = state_->maximum = state_->threshold = size;
    state_->unused.add({memory, size});
    if (P::template has_property<zero_init>())
      queue(in, state_->device).memset(memory, 0, size).wait();
  }

  context get_context() const { return state_->context; }
  device get_device() const { return state_->device; }
  usm::alloc get_alloc_kind() const { return state_->kind; }
  size_t get_threshold() const { return read(&sycl::detail::pool_state::threshold); }
  size_t get_reserved_size_current() const { return read(&sycl::detail::pool_state::bytes_reserved); }
  size_t get_used_size_current() const { return read(&sycl::detail::pool_state::bytes_used); }
  void increase_threshold_to(size_t bytes) {
    const sycl::detail::locked hold(state_->lock);
    if (bytes > state_->threshold)
      state_->threshold = bytes;
  }
  friend bool operator==(const memory_pool &a, const memory_pool &b) { return a.state_ == b.state_; }
  friend bool operator!=(const memory_pool &a, const memory_pool &b) { return a.state_ != b.state_; }

  /// For the library.
  explicit memory_pool(const sycl::detail::shared<sycl::detail::pool_state> &state) : state_(state) {}
  const sycl::detail::shared<sycl::detail::pool_state> &aspen_state() const { return state_; }

private:
  template <class P> memory_pool(const context &in, const device &on, usm::alloc kind, bool of_host, P with) : state_(new sycl::detail::pool_state(in, on, kind)) {
    using namespace property::memory_pool;
    if (kind == usm::alloc::unknown || of_host != (kind == usm::alloc::host))
      sycl::detail::fail(errc::invalid, "memory_pool: memory of the host is no device's, and that of the other kinds is");
    if constexpr (P::template has_property<initial_threshold>())
      state_->threshold = with.template get_property<initial_threshold>().value;
    if constexpr (P::template has_property<maximum_size>())
      state_->maximum = with.template get_property<maximum_size>().value;
    state_->zero = P::template has_property<zero_init>();
    (void)with;
  }
  size_t read(size_t sycl::detail::pool_state::*what) const {
    const sycl::detail::locked hold(state_->lock);
    return *state_.*what;
  }
  sycl::detail::shared<sycl::detail::pool_state> state_;
};

} // namespace ext::oneapi::experimental

inline ext::oneapi::experimental::memory_pool context::ext_oneapi_get_default_memory_pool(usm::alloc kind) const {
  if (kind != usm::alloc::host)
    detail::fail(errc::invalid, "ext_oneapi_get_default_memory_pool: memory of this kind is a device's");
  return ext::oneapi::experimental::memory_pool(detail::all_pools::get().of_device(*this, get_devices().front(), kind));
}
inline ext::oneapi::experimental::memory_pool context::ext_oneapi_get_default_memory_pool(const device &on, usm::alloc kind) const {
  if (kind == usm::alloc::host || kind == usm::alloc::unknown)
    detail::fail(errc::invalid, "ext_oneapi_get_default_memory_pool: memory of this kind is no device's");
  bool known = false;
  for (const device &one : get_devices())
    known = known || one == on;
  if (!known)
    detail::fail(errc::invalid, "ext_oneapi_get_default_memory_pool: the device is none of the context's");
  return ext::oneapi::experimental::memory_pool(detail::all_pools::get().of_device(*this, on, kind));
}

} // namespace sycl

template <> struct std::hash<sycl::ext::oneapi::experimental::memory_pool> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::memory_pool &pool) const noexcept {
    return reinterpret_cast<std::size_t>(pool.aspen_state().get());
  }
};
