//! What all copies of a queue share, and what its events and handlers need of it.
#pragma once
#include <cstdio>
#include <cstring>
#include <sycl/context.hpp>
#include <sycl/detail/counted.hpp>
#include <sycl/detail/last_event.hpp>
#include <sycl/detail/recorded.hpp>
#include <sycl/detail/scratch_pool.hpp>
#include <sycl/detail/spin_lock.hpp>

namespace sycl::detail {

/// Runs host tasks, and turns what they throw into errors of the C ABI, with which the exception goes.
struct host_errors {
#ifndef __SYCL_DEVICE_ONLY__
  template <class F> static aspen_error_t *guard(F &&f) {
    try {
      f();
      return nullptr;
    } catch (const exception &e) {
      return made(e.category() == sycl_category() ? e.code().value() : ASPEN_ERRC_RUNTIME, e.what());
    } catch (const std::exception &e) {
      return made(ASPEN_ERRC_RUNTIME, e.what());
    } catch (...) {
      return made(ASPEN_ERRC_RUNTIME, "a host task threw something that is no std::exception");
    }
  }
  /// What a host task threw; null if the error is no host task's.
  static std::exception_ptr thrown(const aspen_error_t *error) {
    const auto *held = static_cast<std::exception_ptr *>(aspen_error_attached(error));
    return held ? *held : nullptr;
  }

private:
  static aspen_error_t *made(int code, const char *text) {
    aspen_error_t *error = aspen_error_create(code, text);
    aspen_error_attach(error, new std::exception_ptr(std::current_exception()), [](void *held) { delete static_cast<std::exception_ptr *>(held); });
    return error;
  }
#else
  template <class F> static aspen_error_t *guard(F &&f) {
    f();
    return nullptr;
  }
#endif
};

/// What a barrier of a queue waits for; none is no barrier.
enum class barrier_for { none, events, all };

/// A command without work. A barrier for all that depends on events besides is two: the C ABI's waits for the queue's commands or for events.
inline aspen_event_t *submit_nothing(aspen_queue_t *queue, barrier_for what, aspen_dependencies_t after) {
  aspen_event_t *made = nullptr, *all = nullptr;
  list<aspen_event_t *, 4> events;
  if (what == barrier_for::all && after.event_count > 0) {
    const aspen_dependencies_t none = {};
    check(aspen_submit_barrier(queue, &none, &all));
    for (size_t i = 0; i < after.event_count; ++i)
      events.add(after.events[i]);
    events.add(all);
    after = {after.buffers, after.buffer_count, events.data(), events.size()};
  }
  aspen_error_t *const error = (what == barrier_for::none ? aspen_submit_nothing : aspen_submit_barrier)(queue, &after, &made);
  if (all)
    aspen_event_release(all);
  check(error);
  return made;
}

/// Events that are given back together.
struct held_events {
  held_events() = default;
  held_events(const held_events &) = delete;
  held_events &operator=(const held_events &) = delete;
  ~held_events() {
    for (aspen_event_t *one : each)
      aspen_event_release(one);
  }
  list<aspen_event_t *> each;
};

/// The first parts of a command, so many of them, when all of which ran its event tells.
struct timed_parts {
  explicit timed_parts(size_t wanted) : wanted(wanted) {}
  void add(aspen_event_t *made) {
    if (parts.each.size() == wanted)
      return;
    aspen_event_retain(made);
    parts.each.add(made);
  }
  void are_of(aspen_event_t *whole) const {
    const list<aspen_event_t *> &all = parts.each;
    if (all.size() > 1 || (all.size() == 1 && all.data()[0] != whole))
      aspen_event_set_parts(whole, all.data(), all.size());
  }
  held_events parts;
  const size_t wanted;
};

/// Submits the parts of a command as one, and gives its event.
inline aspen_event_t *submit_parts(aspen_queue_t *queue, aspen_prepared_t *const *parts, size_t count, const aspen_dependencies_t &after, timed_parts &timed) {
  aspen_event_t *last = nullptr;
  if (count == 1) {
    check(aspen_submit(queue, parts[0], &after, &last));
    timed.add(last);
    return last;
  }
  list<aspen_event_t *> made;
  while (made.size() < count)
    made.add(nullptr);
  check(aspen_submit_parts(queue, parts, count, &after, made.data()));
  for (aspen_event_t *part : made) {
    timed.add(part);
    if (last)
      aspen_event_release(last);
    last = part;
  }
  return last;
}

/// A stream's memory: a count of characters, and the characters.
struct stream_text {
  aspen_buffer_t *buffer;
  std::size_t size;
};
/// What a kernel left in a stream.
inline void print_stream(void *memory, std::size_t size) {
  std::uint32_t count = 0;
  std::memcpy(&count, memory, sizeof count);
  std::fwrite(static_cast<const char *>(memory) + sizeof count, 1, count < size ? count : size, stdout);
  std::fflush(stdout);
  std::memset(memory, 0, sizeof count); // a graph executes the command again
}

/// Commands whose streams are not printed yet. Programs may end without waiting for them.
struct printing_commands {
  ~printing_commands() {
    for (aspen_event_t *one : each) {
      aspen_event_wait(one);
      aspen_event_release(one);
    }
  }
  void add(aspen_event_t *made) {
    const locked hold(lock);
    list<aspen_event_t *> left;
    for (aspen_event_t *one : each)
      if (aspen_event_status(one) == ASPEN_EVENT_COMPLETE)
        aspen_event_release(one);
      else
        left.add(one);
    aspen_event_retain(made);
    left.add(made);
    each = left;
  }
  list<aspen_event_t *> each;
  spin_lock lock;
};
/// The same event; the process, or the library, does not end before it is complete if the command has streams.
template <class Event> Event printed_before_exit(const list<stream_text> &streams, Event of) {
  if (streams.size()) {
    static printing_commands all;
    all.add(of.aspen_handle());
  }
  return of;
}

struct queue_state : counted {
  /// `own`: the queue that make_queue was given.
  queue_state(const sycl::context &in, const device &on, async_handler errors, const property_list &props, std::uintptr_t own = 0)
      : context(in), device(on), handler(std::move(errors)), properties(props) {
    std::uint32_t flags = 0;
    if (props.has_property<property::queue::in_order>())
      flags |= ASPEN_QUEUE_IN_ORDER;
    if ((profiles = props.has_property<property::queue::enable_profiling>()))
      flags |= ASPEN_QUEUE_PROFILING;
    if (profiles && !on.has(aspect::queue_profiling))
      fail(errc::feature_not_supported, "a queue with enable_profiling needs a device with aspect queue_profiling");
    if ((flags & ASPEN_QUEUE_PROFILING) && props.has_property<ext::oneapi::property::queue::discard_events>())
      fail(errc::invalid, "a queue cannot have both enable_profiling and discard_events");
    check(aspen_queue_create(on.aspen_handle(), flags, &handle));
    if (const std::uintptr_t native = in.aspen_state().native_handle(); native || own) {
      if (aspen_error_t *error = aspen_queue_bind_native(handle, native, own)) {
        aspen_queue_release(handle);
        check(error);
      }
    }
  }
  [[gnu::noinline]] ~queue_state() {
    shared<detail::recorder> last;
    {
      const locked hold(recording_lock_); // who ends the recording has let go
      last = recorder_;
    }
    if (last)
      last->forget(this);
    if (!handle)
      return;
#ifndef __SYCL_DEVICE_ONLY__
    try {
      throw_asynchronous();
    } catch (const std::exception &e) {
      std::fprintf(stderr, "an async_handler threw while its queue was destroyed: %s\n", e.what());
    } catch (...) {
      std::fputs("an async_handler threw while its queue was destroyed\n", stderr);
    }
#endif
    aspen_queue_release(handle);
  }

  /// The graph of which commands become nodes; null where they are executed.
  shared<detail::recorder> recorder() {
    if (!__atomic_load_n(&is_recorded_, __ATOMIC_ACQUIRE))
      return {};
    const locked hold(recording_lock_);
    return recorder_;
  }
  /// From now on commands become nodes of that graph; null if no other does so already, else that one.
  shared<detail::recorder> begin_recording(const shared<detail::recorder> &graph) {
    const locked hold(recording_lock_);
    if (recorder_)
      return recorder_;
    recorder_ = graph;
    __atomic_store_n(&is_recorded_, true, __ATOMIC_RELEASE);
    return {};
  }
  void end_recording() {
    shared<detail::recorder> last; // goes behind the lock, and maybe the graph with it
    const locked hold(recording_lock_);
    std::swap(last, recorder_);
    __atomic_store_n(&is_recorded_, false, __ATOMIC_RELEASE);
  }

  /// Hands the errors nobody has seen yet to the queue's handler, else the context's, else ends the program; so does the destructor.
  /// Source: SYCL 2020 §4.13.1.
  void throw_asynchronous() {
#ifndef __SYCL_DEVICE_ONLY__
    list<std::exception_ptr> errors;
    while (aspen_error_t *error = aspen_queue_take_async_error(handle)) {
      std::exception_ptr thrown = host_errors::thrown(error);
      const exception described = to_exception(error);
      errors.add(thrown ? thrown : std::make_exception_ptr(described));
    }
    if (errors.size() == 0)
      return;
    if (const async_handler &own = handler ? handler : context.aspen_state().handler) {
      own(exception_list(std::move(errors)));
      return;
    }
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        std::fprintf(stderr, "asynchronous SYCL error without an async_handler: %s\n", e.what());
      }
    }
    std::terminate();
#endif
  }

  aspen_queue_t *handle = nullptr;
  bool profiles = false;
  bool of_graph = false; // it executes nothing: a graph makes nodes by it that are no queue's
  sycl::context context;
  sycl::device device;
  async_handler handler;
  property_list properties;
  scratch_pool scratch;
  last_event last; // of an in-order queue

private:
  spin_lock recording_lock_;
  shared<detail::recorder> recorder_;
  bool is_recorded_ = false;
};

} // namespace sycl::detail
