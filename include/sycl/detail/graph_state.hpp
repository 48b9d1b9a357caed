//! Commands that a graph remembers: everything that is needed to prepare and submit them again. Source: sycl_ext_oneapi_graph.
#pragma once
#include <new>
#include <sycl/detail/list.hpp>
#include <sycl/detail/recorded.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

/// One part of a command.
struct recorded_part : counted {
  virtual ~recorded_part() = default;
  virtual aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const = 0;
};

/// Bytes of any alignment, copied.
class bytes_of {
public:
  bytes_of(const void *from, size_t size, size_t alignment) : alignment_(static_cast<std::align_val_t>(alignment < 16 ? 16 : alignment)), at_(::operator new(size, alignment_)) {
    __builtin_memcpy(at_, from, size);
  }
  bytes_of(const bytes_of &) = delete;
  bytes_of &operator=(const bytes_of &) = delete;
  ~bytes_of() { ::operator delete(at_, alignment_); }
  const void *data() const { return at_; }

private:
  std::align_val_t alignment_;
  void *at_;
};

struct recorded_kernel final : recorded_part {
  explicit recorded_kernel(const aspen_launch_t &l) : launch(l), closure(l.closure, l.closure_size, l.closure_alignment) { launch.closure = closure.data(); }
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override { return aspen_prepare_kernel(queue, &launch, out); }
  aspen_launch_t launch;
  bytes_of closure;
};

struct recorded_copy final : recorded_part {
  recorded_copy(void *to, const void *from, size_t bytes) : to(to), from(from), bytes(bytes) {}
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override { return aspen_prepare_copy(queue, to, from, bytes, out); }
  void *to;
  const void *from;
  size_t bytes;
};

struct recorded_fill final : recorded_part {
  recorded_fill(void *to, const void *from, size_t size, size_t count) : to(to), pattern(from, size, 16), size(size), count(count) {}
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override {
    return aspen_prepare_fill(queue, to, pattern.data(), size, count, out);
  }
  void *to;
  bytes_of pattern;
  size_t size, count;
};

struct recorded_host_task final : recorded_part {
  recorded_host_task(aspen_error_t *(*task)(void *), void (*drop)(void *), void *data, counted *count) : task(task), drop(drop), data(data), count(count) {
    count->retain();
  }
  ~recorded_host_task() { drop(data); }
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override {
    count->retain();
    return aspen_prepare_host_task(queue, task, drop, data, out);
  }
  aspen_error_t *(*task)(void *);
  void (*drop)(void *);
  void *data;
  counted *count;
};

/// A node: a command, and those before it.
struct recorded_command final : recording {
  recorded_command() : event(aspen_event_create_complete()) {}
  ~recorded_command() override {
    aspen_event_release(event);
    for (const aspen_buffer_use_t &use : uses)
      aspen_buffer_release(use.buffer);
  }
  void kernel(const aspen_launch_t &launch) override { add(new recorded_kernel(launch)); }
  void copy(void *to, const void *from, size_t bytes) override { add(new recorded_copy(to, from, bytes)); }
  void fill(void *to, const void *pattern, size_t size, size_t count) override { add(new recorded_fill(to, pattern, size, count)); }
  void host_task(aspen_error_t *(*task)(void *), void (*drop)(void *), void *data, counted *count) override {
    add(new recorded_host_task(task, drop, data, count));
  }
  bool empty() const override { return parts.size() == 0; }

  void wait_for(const shared<recorded_command> &other) {
    for (const shared<recorded_command> &known : after)
      if (known == other)
        return;
    after.add(other);
  }
  void use(const aspen_buffer_use_t &one) {
    aspen_buffer_retain(one.buffer);
    uses.add(one);
  }
  void add(recorded_part *part) { parts.add(shared<recorded_part>(part)); }

  list<shared<recorded_part>> parts;
  list<aspen_buffer_use_t> uses;
  list<shared<recorded_command>> after;
  shared<executable> whole;              // the command is all of this graph
  aspen_event_t *event;                 // stands for it while the graph is made
  const aspen_queue_t *queue = nullptr; // it was recorded from
  mutable aspen_event_t *runs = nullptr; // as part of the execution that is just being submitted
};

/// A graph in the making.
struct recorded_graph final : recorder {
  recording *begin() override { return new recorded_command; }
  aspen_event_t *end(const shared<recording> &command, const shared<executable> &whole, const aspen_dependencies_t &after, aspen_queue_t *queue,
                     bool in_order) override {
    command->retain();
    const shared<recorded_command> made(static_cast<recorded_command *>(command.get()));
    for (size_t i = 0; i < after.event_count; ++i) {
      const shared<recorded_command> *before = find(after.events[i]);
      if (!before)
        fail(errc::invalid, "a command that a graph records waits for an event of no command of that graph");
      made->wait_for(*before);
    }
    for (size_t i = 0; i < after.buffer_count; ++i)
      made->use(after.buffers[i]);
    made->whole = whole;
    add(made, queue, in_order);
    aspen_event_retain(made->event);
    return made->event;
  }
  const shared<recorded_command> *find(const aspen_event_t *event) const {
    for (const shared<recorded_command> &one : commands)
      if (one->event == event)
        return &one;
    return nullptr;
  }
  bool is_leaf(const recorded_command *which) const {
    for (const shared<recorded_command> &one : commands)
      for (const shared<recorded_command> &before : one->after)
        if (before.get() == which)
          return false;
    return true;
  }
  /// Adds a command; one of an in-order queue waits for the one before from there.
  void add(const shared<recorded_command> &made, const aspen_queue_t *queue, bool in_order) {
    made->queue = queue;
    for (size_t i = commands.size(); in_order && i-- > 0;)
      if (commands.data()[i]->queue == queue) {
        made->wait_for(commands.data()[i]);
        break;
      }
    commands.add(made);
  }

  const aspen_device_t *device = nullptr;
  list<shared<recorded_command>> commands;
};

/// A graph that does not change, in an order in which nothing comes before what it waits for.
struct recorded_execution final : executable {
  ~recorded_execution() override {
    if (last)
      aspen_event_release(last);
  }
  /// Submits everything, also after the execution before.
  aspen_event_t *run(aspen_queue_t *queue, const aspen_dependencies_t &after) override {
    if (aspen_queue_device(queue) != device)
      fail(errc::invalid, "a graph is executed on a queue of another device than it was made for");
    list<aspen_event_t *> before(after.events, after.event_count), all;
    if (last)
      before.add(last);
    for (const shared<recorded_command> &one : commands) {
      list<aspen_event_t *> events = before;
      for (const shared<recorded_command> &other : one->after)
        events.add(other->runs);
      const aspen_dependencies_t waits = {nullptr, 0, events.data(), events.size()};
      all.add(one->runs = one->whole ? one->whole->run(queue, waits) : submit(queue, *one, waits));
    }
    const list<aspen_event_t *> &ends = all.size() ? all : before;
    const aspen_dependencies_t end = {nullptr, 0, ends.data(), ends.size()};
    aspen_event_t *done = nullptr;
    check(aspen_submit_nothing(queue, &end, &done));
    for (aspen_event_t *one : all)
      aspen_event_release(one);
    if (last)
      aspen_event_release(last);
    aspen_event_retain(last = done);
    return done;
  }

  const aspen_device_t *device = nullptr;
  list<shared<recorded_command>> commands;
  aspen_event_t *last = nullptr; // of the execution before

private:
  /// Each part waits for the one before.
  static aspen_event_t *submit(aspen_queue_t *queue, const recorded_command &command, aspen_dependencies_t after) {
    after.buffers = command.uses.data();
    after.buffer_count = command.uses.size();
    aspen_event_t *done = nullptr;
    if (command.parts.size() == 0)
      check(aspen_submit_nothing(queue, &after, &done));
    for (const shared<recorded_part> &part : command.parts) {
      aspen_prepared_t *prepared = nullptr;
      aspen_event_t *made = nullptr;
      check(part->prepare(queue, &prepared));
      check(aspen_submit(queue, prepared, &after, &made));
      if (done)
        aspen_event_release(done);
      done = made;
      after.events = &done;
      after.event_count = 1;
    }
    return done;
  }
};

} // namespace sycl::detail
