//! `sycl::event`. Source: SYCL 2020 §4.6.6.
#pragma once
#include <string>
#include <sycl/detail/buffer_users.hpp>
#include <sycl/detail/queue_state.hpp>

namespace sycl {

namespace info {
enum class event_command_status : int {
  submitted = ASPEN_EVENT_SUBMITTED,
  running = ASPEN_EVENT_RUNNING,
  complete = ASPEN_EVENT_COMPLETE,
  /// Of an event that its queue discarded; no queue here does. Source: sycl_ext_oneapi_discard_queue_events.
  ext_oneapi_unknown = -1
};
namespace event {
struct reference_count : info::reference_count {};
struct command_execution_status {
  using return_type = event_command_status;
};
} // namespace event
namespace event_profiling {
struct command_submit {
  using return_type = std::uint64_t;
  static constexpr aspen_profiling_t code = ASPEN_PROFILING_SUBMIT;
};
struct command_start {
  using return_type = std::uint64_t;
  static constexpr aspen_profiling_t code = ASPEN_PROFILING_START;
};
struct command_end {
  using return_type = std::uint64_t;
  static constexpr aspen_profiling_t code = ASPEN_PROFILING_END;
};
} // namespace event_profiling
} // namespace info

/// Stands for one command.
class _V1::event {
public:
  /// Complete from the start.
  event();
  event(const event &other);
  event(event &&other) noexcept;
  event &operator=(const event &other);
  event &operator=(event &&other) noexcept;
  ~event();

  void wait() const;
  /// Waits, then hands asynchronous errors of the queues of this command and of those that it waits for, by events or buffers, to their
  /// async_handlers.
  void wait_and_throw() const;
  static void wait(const std::vector<event> &events) {
    for (const event &e : events)
      e.wait();
  }
  static void wait_and_throw(const std::vector<event> &events) {
    wait(events);
    for (const event &e : events)
      e.wait_and_throw();
  }
  backend get_backend() const noexcept {
    // One that is made of nothing is of the default device's backend. Source: SYCL 2020 table 36.
    if (native_)
      return native_->backend;
    try {
      return (queue_ ? queue_->device : device()).get_backend();
    } catch (const exception &) {
      return backend::native_cpu; // no device is there
    }
  }
  /// The commands that this one was told to wait for, as far as they were not complete when it was submitted.
  template <class Vector = std::vector<event>> Vector get_wait_list() const;
  template <class Descriptor> typename Descriptor::return_type get_info() const {
    constexpr bool counts = std::is_same_v<Descriptor, info::event::reference_count>;
    static_assert(counts || std::is_same_v<Descriptor, info::event::command_execution_status>, "an event can be asked for its status");
    if constexpr (counts)
      return 1;
    else
      return runs("get_info: "), static_cast<info::event_command_status>(aspen_event_status(handle_));
  }
  /// Nanoseconds of a steady clock. The queue must have been made with enable_profiling, and a graph that it executed, too.
  template <class Descriptor> std::uint64_t get_profiling_info() const {
    std::uint64_t value = 0;
    runs("get_profiling_info: ", true);
    detail::check(aspen_event_profiling(handle_, aspen_is_tag() ? ASPEN_PROFILING_END : Descriptor::code, &value));
    return value;
  }

  friend bool operator==(const event &a, const event &b) { return a.handle_ == b.handle_; }
#if __cplusplus < 202002L
  friend bool operator!=(const event &a, const event &b) { return a.handle_ != b.handle_; }
#endif

  /// For the library: takes over the caller's reference of `handle`.
  event(aspen_event_t *handle, const detail::shared<detail::queue_state> &queue);
  aspen_event_t *aspen_handle() const { return handle_; }
  /// For the library: what make_event was given.
  struct natives : detail::native_objects {
    explicit natives(sycl::backend b) : backend(b) {}
    sycl::backend backend;
  };
  event(aspen_event_t *handle, const detail::shared<natives> &native) : event(handle, detail::shared<detail::queue_state>()) { native_ = native; }
  const detail::shared<natives> &aspen_natives() const { return native_; }
  const detail::shared<detail::queue_state> &aspen_queue() const { return queue_; }
  /// For the library: remembers an event of the wait list, without that event's own list, so that no history piles up; and the queues whose
  /// errors wait_and_throw hands on.
  void aspen_waits_for(const event &other);
  /// For the library: what the command was told to wait for, and whose commands come before by buffers.
  void aspen_comes_after(const detail::list<event> &events, const detail::list<detail::shared<detail::queue_state>> &queues);
  /// For the library: the queues whose errors wait_and_throw hands on are added to `to`.
  void aspen_queues(detail::list<detail::shared<detail::queue_state>> &to) const;
  /// For the library: an event that stands for a node of a graph in the making, for which nobody can wait.
  static event aspen_of_graph(aspen_event_t *handle, const detail::shared<detail::queue_state> &queue,
                              const detail::shared<detail::recording> &node);
  /// For the library: a command that waits for a node of a graph that records becomes one, too, and all that comes behind it in its queue.
  /// Source: sycl_ext_oneapi_graph, "Transitive Queue Recording".
  void aspen_joins(detail::queue_state &queue, detail::shared<detail::recorder> &graph, detail::shared<detail::recording> &node, bool begun) const;
  /// For the library: the command is a mark, all of whose times are one. Source: sycl_ext_oneapi_profiling_tag.
  void aspen_make_tag();
  bool aspen_is_tag() const;
  /// For the library: the command is an execution of a graph that was made without enable_profiling. Source: sycl_ext_oneapi_graph.
  void aspen_make_untimed();
  /// For the library: that node, or null.
  detail::shared<detail::recording> aspen_node() const;

private:
  struct awaited;
  /// An error if it stands for no command that runs, or for one without times where they are asked for. `whose`: begins what it says.
  void runs(const char *whose, bool times = false) const;
  void add_queue(const detail::shared<detail::queue_state> &other);
  aspen_event_t *handle_;
  detail::shared<detail::queue_state> queue_;
  detail::shared<awaited> awaited_; // null: nothing
  detail::shared<natives> native_;
};

struct event::awaited : detail::counted {
  detail::list<event> events;
  detail::list<detail::shared<detail::queue_state>> queues; // others than the event's own, each once
  detail::shared<detail::recording> node; // that of the graph in the making
  bool is_tag = false, untimed = false;
};
// Source: sycl_ext_oneapi_graph, "Event Limitations", "Enable-Profiling Property".
[[gnu::noinline]] inline void event::runs(const char *whose, bool times) const {
  if (!awaited_)
    return;
  if (awaited_->node)
    detail::fail(errc::invalid, (std::string(whose) + "the event is of a command that a graph recorded; the event of the graph's execution "
                                                      "tells when that runs").c_str());
  if (times && awaited_->untimed)
    detail::fail(errc::invalid, (std::string(whose) + "the graph was made executable without property::graph::enable_profiling").c_str());
}
inline void event::wait() const {
  runs("wait: ");
  aspen_event_wait(handle_);
}
// Source of the queues: SYCL 2020 §4.6.6.1, wait_and_throw.
inline void event::wait_and_throw() const {
  wait();
  if (queue_)
    queue_->throw_asynchronous();
  if (awaited_)
    for (const detail::shared<detail::queue_state> &other : awaited_->queues)
      other->throw_asynchronous();
}
inline event::event() : handle_(aspen_event_create_complete()) {}
inline event::event(aspen_event_t *handle, const detail::shared<detail::queue_state> &queue) : handle_(handle), queue_(queue) {}
[[gnu::noinline]] inline event::event(const event &other) : handle_(other.handle_), queue_(other.queue_), awaited_(other.awaited_), native_(other.native_) {
  aspen_event_retain(handle_);
}
inline event::event(event &&other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), queue_(std::move(other.queue_)), awaited_(std::move(other.awaited_)),
      native_(std::move(other.native_)) {}
inline event &event::operator=(const event &other) { return *this = event(other); }
inline event &event::operator=(event &&other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(queue_, other.queue_);
  std::swap(awaited_, other.awaited_);
  std::swap(native_, other.native_);
  return *this;
}
// Out of the way: programs have events wherever they submit, and most drop them at once.
[[gnu::noinline]] inline event::~event() {
  if (handle_)
    aspen_event_release(handle_);
}
inline void event::add_queue(const detail::shared<detail::queue_state> &other) {
  if (other == queue_)
    return;
  if (!awaited_)
    awaited_ = detail::shared<awaited>(new awaited);
  detail::buffer_users::add_once(awaited_->queues, other);
}
inline void event::aspen_waits_for(const event &other) {
  if (other.queue_)
    add_queue(other.queue_);
  if (other.awaited_)
    for (const detail::shared<detail::queue_state> &before : other.awaited_->queues)
      add_queue(before);
  if (aspen_event_status(other.handle_) == ASPEN_EVENT_COMPLETE)
    return;
  if (!awaited_)
    awaited_ = detail::shared<awaited>(new awaited);
  event bare(other);
  bare.awaited_ = {};
  awaited_->events.add(std::move(bare));
}
inline void event::aspen_comes_after(const detail::list<event> &events, const detail::list<detail::shared<detail::queue_state>> &queues) {
  for (const event &one : events)
    aspen_waits_for(one);
  for (const detail::shared<detail::queue_state> &one : queues)
    add_queue(one);
}
inline void event::aspen_queues(detail::list<detail::shared<detail::queue_state>> &to) const {
  if (queue_)
    detail::buffer_users::add_once(to, queue_);
  if (awaited_)
    for (const detail::shared<detail::queue_state> &one : awaited_->queues)
      detail::buffer_users::add_once(to, one);
}
inline event event::aspen_of_graph(aspen_event_t *handle, const detail::shared<detail::queue_state> &queue,
                                   const detail::shared<detail::recording> &node) {
  event made(handle, queue);
  made.awaited_ = detail::shared<awaited>(new awaited);
  made.awaited_->node = node;
  return made;
}
inline void event::aspen_joins(detail::queue_state &queue, detail::shared<detail::recorder> &graph, detail::shared<detail::recording> &node,
                               bool begun) const {
  if (node || !awaited_ || !awaited_->node)
    return;
  graph = awaited_->node->takes_in(queue, begun);
  if (graph)
    node = detail::shared<detail::recording>(graph->begin());
}
inline void event::aspen_make_tag() {
  if (!awaited_)
    awaited_ = detail::shared<awaited>(new awaited);
  awaited_->is_tag = true;
}
inline void event::aspen_make_untimed() {
  if (!awaited_)
    awaited_ = detail::shared<awaited>(new awaited);
  awaited_->untimed = true;
}
inline bool event::aspen_is_tag() const { return awaited_ && awaited_->is_tag; }
inline detail::shared<detail::recording> event::aspen_node() const {
  return awaited_ ? awaited_->node : detail::shared<detail::recording>();
}
template <class Vector> Vector event::get_wait_list() const {
  return awaited_ ? Vector(awaited_->events.begin(), awaited_->events.end()) : Vector();
}

} // namespace sycl

template <> struct std::hash<sycl::event> {
  std::size_t operator()(const sycl::event &e) const noexcept { return reinterpret_cast<std::size_t>(e.aspen_handle()); }
};
