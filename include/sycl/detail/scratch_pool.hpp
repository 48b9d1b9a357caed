//! Memory that the commands of a queue take turns to use, so that not every one allocates, zeroes and copies its own.
#pragma once
#include <aspen/aspen.h>
#include <sycl/detail/list.hpp>
#include <sycl/detail/spin_lock.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

/// Buffers that no handler holds. Commands that are under way may use them: as for every buffer, the next user waits for these.
class scratch_pool {
public:
  static constexpr size_t alignment = 128;
  struct block {
    aspen_buffer_t *buffer = nullptr;
    size_t size = 0;
    aspen_event_t *last = nullptr; // of the last command that uses it
  };

  scratch_pool() = default;
  scratch_pool(const scratch_pool &) = delete;
  scratch_pool &operator=(const scratch_pool &) = delete;
  ~scratch_pool() {
    for (const block &one : idle_)
      drop(one);
  }

  /// A block of at least `bytes`. One that a command still uses only if commands run in order anyway, or if there are many.
  block take(size_t bytes, bool in_order) {
    block found;
    lock_.lock();
    for (block *one = idle_.data(), *end = one + idle_.size(); one != end; ++one)
      if (one->size >= bytes && (in_order || idle_.size() >= most || !one->last || aspen_event_status(one->last) == ASPEN_EVENT_COMPLETE)) {
        found = *one;
        for (; one + 1 != end; ++one)
          *one = one[1];
        idle_.pop();
        break;
      }
    lock_.unlock();
    if (found.buffer)
      return found;
    for (found.size = smallest; found.size < bytes; found.size *= 2) {
    }
    check(aspen_buffer_create(found.size, alignment, nullptr, 0, &found.buffer));
    return found;
  }
  /// After a command that `last` stands for, or none. Of too many, the one that was not used for longest goes.
  void give_back(block one, aspen_event_t *last) {
    if (last) {
      aspen_event_retain(last);
      if (one.last)
        aspen_event_release(one.last);
      one.last = last;
    }
    block gone;
    lock_.lock();
    idle_.add(one);
    if (idle_.size() > most) {
      gone = *idle_.data();
      for (block *at = idle_.data(), *end = at + idle_.size(); at + 1 != end; ++at)
        *at = at[1];
      idle_.pop();
    }
    lock_.unlock();
    if (gone.buffer)
      drop(gone);
  }

private:
  static constexpr size_t most = 8, smallest = size_t(1) << 16;

  static void drop(const block &one) {
    if (one.last)
      aspen_event_release(one.last);
    aspen_buffer_release(one.buffer);
  }
  list<block> idle_; // oldest first
  spin_lock lock_;
};

} // namespace sycl::detail
