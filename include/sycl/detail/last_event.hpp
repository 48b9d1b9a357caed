//! The event of an in-order queue's last command. Source: sycl_ext_oneapi_in_order_queue_events.
#pragma once
#include <aspen/aspen.h>
#include <cstdint>
#include <sycl/detail/spin_lock.hpp>
#include <utility>

namespace sycl::detail {

/// Keeps a command that the runtime's queue holds as well. Of commands that several threads submit at once only the runtime knows the
/// order: then there is no event to give, until a command is submitted alone again.
class last_event {
public:
  last_event() = default;
  last_event(const last_event &) = delete;
  last_event &operator=(const last_event &) = delete;
  ~last_event() { release(event_); }

  /// Lives while a command is submitted.
  class submission {
  public:
    explicit submission(last_event &of) : of_(of) {
      const locked hold(of.lock_);
      is_alone_ = of.ended_ == of.begun_;
      number_ = ++of.begun_;
    }
    submission(const submission &) = delete;
    submission &operator=(const submission &) = delete;
    ~submission() {
      aspen_event_t *before = nullptr;
      {
        const locked hold(of_.lock_);
        if (made_) {
          const bool is_last = is_alone_ && number_ == of_.begun_;
          before = std::exchange(of_.event_, is_last ? made_ : nullptr);
          made_ = is_last ? nullptr : made_;
          of_.is_any_ = true;
        }
        ++of_.ended_;
      }
      release(before); // outside the lock
      release(made_);
    }
    /// The command's event.
    void made(aspen_event_t *event) {
      aspen_event_keep(event);
      made_ = event;
    }

  private:
    last_event &of_;
    aspen_event_t *made_ = nullptr; // null: it became no command of the queue
    std::uint64_t number_;
    bool is_alone_; // nobody was submitting when it began
  };

  /// Whether anything was submitted.
  bool is_any() {
    const locked hold(lock_);
    return is_any_;
  }
  /// Retained for the caller; null if nobody knows.
  aspen_event_t *get() {
    const locked hold(lock_);
    if (event_)
      aspen_event_retain(event_);
    return event_;
  }

private:
  static void release(aspen_event_t *event) {
    if (event)
      aspen_event_drop(event);
  }
  spin_lock lock_;
  aspen_event_t *event_ = nullptr;
  std::uint64_t begun_ = 0, ended_ = 0; // submissions
  bool is_any_ = false;
};

} // namespace sycl::detail
