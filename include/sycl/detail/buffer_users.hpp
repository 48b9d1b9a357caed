//! Which queues' commands have used a buffer: a command that waits for them hands on their asynchronous errors, too. Source: SYCL 2020
//! §4.6.6.1, `wait_and_throw`.
#pragma once
#include <sycl/detail/counted.hpp>
#include <sycl/detail/list.hpp>

namespace sycl::detail {

/// Of one buffer. Keeps no queue alive.
class buffer_users {
public:
  buffer_users() = default;
  buffer_users(const buffer_users &) = delete;
  buffer_users &operator=(const buffer_users &) = delete;
  ~buffer_users() {
    for (const user &one : all_)
      one.link->release();
  }
  /// A command of `own` uses the buffer, and waits for commands of the queues in `before`; others that are still there are added to these.
  template <class Queue> void meet(const shared<Queue> &own, list<shared<Queue>> &before) {
    list<shared<Queue>> alive; // behind the lock: the last reference of a queue may go with it
    const locked hold(lock_);
    if (before.size() == 0 && all_.size() == 1 && all_.data()[0].link == own->link())
      return;
    list<user> there;
    for (const user &one : all_) {
      if (!one.link->revive(*one.queue)) {
        one.link->release();
        continue;
      }
      there.add(one);
      alive.add(shared<Queue>(static_cast<Queue *>(one.queue)));
    }
    for (const shared<Queue> &one : alive)
      if (one != own)
        add_once(before, one);
    all_ = there;
    add(own);
    for (const shared<Queue> &one : before)
      add(one);
  }

  template <class Queue> static void add_once(list<shared<Queue>> &to, const shared<Queue> &one) {
    for (const shared<Queue> &known : to)
      if (known == one)
        return;
    to.add(one);
  }

private:
  struct user {
    counted *queue; // only by leave of the link
    weak_link *link;
  };
  template <class Queue> void add(const shared<Queue> &queue) {
    weak_link *const link = queue->link();
    for (const user &known : all_)
      if (known.link == link)
        return;
    link->retain();
    all_.add({queue.get(), link});
  }
  spin_lock lock_;
  list<user> all_;
};

} // namespace sycl::detail
