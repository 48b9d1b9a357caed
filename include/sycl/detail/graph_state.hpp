//! Commands that a graph remembers: everything that is needed to prepare and submit them again. Source: sycl_ext_oneapi_graph.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <new>
#include <sycl/detail/dynamic_place.hpp>
#include <sycl/detail/graph_memory.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/detail/queue_state.hpp>
#include <sycl/detail/recorded.hpp>
#include <sycl/detail/recorded_buffers.hpp>
#include <sycl/exception.hpp>
#include <tuple>

namespace sycl::detail {

/// One part of a command.
struct recorded_part : counted {
  virtual ~recorded_part() = default;
  virtual aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const = 0;
  /// Writes what it is, for people; with sizes and addresses if `all`.
  virtual void describe(std::FILE *to, bool all) const = 0;
  /// A kernel's launch; null for others.
  virtual const aspen_launch_t *launches() const { return nullptr; }
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
  void *data() { return at_; }

private:
  std::align_val_t alignment_;
  void *at_;
};

struct recorded_command;

/// Local memory whose size is updated: ext/oneapi/experimental/graph/dynamic_memory.hpp.
struct dynamic_memory : counted {
  virtual ~dynamic_memory() = default;
  /// The node's kernel has it, in its function object at `at`. It has the size now that it has been told.
  virtual void used_by(recorded_command &node, char *at, dynamic_place &place) = 0;
};

struct recorded_kernel final : recorded_part {
  explicit recorded_kernel(const aspen_launch_t &l) : launch(l), closure(l.closure, l.closure_size, l.closure_alignment) { launch.closure = closure.data(); }
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override { return aspen_prepare_kernel(queue, &launch, out); }
  const aspen_launch_t *launches() const override { return &launch; }
  void describe(std::FILE *to, bool all) const override {
    // The symbol is that of the name's type_info.
    char *const name = launch.symbol ? abi::__cxa_demangle(launch.symbol + 4, nullptr, nullptr, nullptr) : nullptr;
    for (const char *at = name ? name : launch.symbol; at && *at; ++at)
      std::fprintf(to, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    std::free(name);
    for (unsigned d = 0; all && d < launch.dimensions; ++d)
      std::fprintf(to, d ? " x %llu" : "\\n%llu", static_cast<unsigned long long>(launch.global[d]));
    for (unsigned d = 0; all && launch.local[0] && d < launch.dimensions; ++d)
      std::fprintf(to, d ? " x %llu" : " in groups of %llu", static_cast<unsigned long long>(launch.local[d]));
    if (all)
      std::fprintf(to, "\\n%llu bytes of arguments", static_cast<unsigned long long>(launch.closure_size));
  }
  template <class F> void each_dynamic(const F &f) { dynamic_place::each(closure.data(), launch.closure_size, f); }
  /// Puts the dynamic local memory behind the other. What the function object has twice is the same memory.
  void place_dynamic() {
    struct placed {
      std::uint64_t number, offset;
    };
    list<placed> known;
    std::uint64_t before = launch.local_memory, end = 0, alignment = 1;
    each_dynamic([&](char *, dynamic_place &place) {
      if (known.size() == 0)
        end = before = place.before == dynamic_place::unplaced ? before : place.before;
      place.before = before;
      for (const placed &one : known)
        if (one.number == place.number) {
          place.offset = one.offset;
          return;
        }
      place.offset = (end + place.alignment - 1) / place.alignment * place.alignment;
      end = place.offset + place.bytes;
      alignment = alignment < place.alignment ? place.alignment : alignment;
      known.add({place.number, place.offset});
    });
    if (known.size())
      launch.local_memory = (end + alignment - 1) / alignment * alignment;
  }
  aspen_launch_t launch;
  bytes_of closure;
};

struct recorded_copy final : recorded_part {
  recorded_copy(void *to, const void *from, size_t bytes) : to(to), from(from), bytes(bytes) {}
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override { return aspen_prepare_copy(queue, to, from, bytes, out); }
  void describe(std::FILE *out, bool all) const override {
    if (all)
      std::fprintf(out, "%zu bytes from %p to %p", bytes, const_cast<void *>(from), to);
  }
  void *to;
  const void *from;
  size_t bytes;
};

struct recorded_fill final : recorded_part {
  recorded_fill(void *to, const void *from, size_t size, size_t count) : to(to), pattern(from, size, 16), size(size), count(count) {}
  aspen_error_t *prepare(aspen_queue_t *queue, aspen_prepared_t **out) const override {
    return aspen_prepare_fill(queue, to, pattern.data(), size, count, out);
  }
  void describe(std::FILE *out, bool all) const override {
    if (all)
      std::fprintf(out, "%zu times %zu bytes to %p", count, size, to);
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
  void describe(std::FILE *, bool) const override {}
  aspen_error_t *(*task)(void *);
  void (*drop)(void *);
  void *data;
  counted *count;
};

struct recorded_graph;
struct recorded_command;

/// What a graph in the making and its nodes share, which may outlive it.
struct graph_lock final : counted {
  std::recursive_mutex mutex;
};

/// Commands of which a node is one at a time.
struct recorded_choice final : counted {
  list<shared<recorded_command>> each;
  size_t active = 0;
};

/// A node: a command, and those before it.
struct recorded_command final : recording {
  recorded_command() : event(aspen_event_create_complete()) {}
  ~recorded_command() override {
    aspen_event_release(event);
    for (const aspen_buffer_use_t &use : uses)
      aspen_buffer_release(use.buffer);
  }
  void kernel(const aspen_launch_t &launch) override {
    is(recorded_kind::kernel);
    recorded_kernel *const made = new recorded_kernel(launch);
    add(made);
    if (!dynamic_place::is_in(made->closure.data(), launch.closure_size))
      return;
    made->each_dynamic([&](char *at, dynamic_place &place) {
      dynamic_memory *shared_by_all; // which lives as long as the function object that is copied here
      std::memcpy(&shared_by_all, at + sizeof place, sizeof shared_by_all);
      shared_by_all->used_by(*this, at, place);
    });
    made->place_dynamic();
  }
  void copy(void *to, const void *from, size_t bytes) override {
    is(recorded_kind::memcpy);
    add(new recorded_copy(to, from, bytes));
  }
  void fill(void *to, const void *pattern, size_t size, size_t count) override {
    is(recorded_kind::memfill);
    add(new recorded_fill(to, pattern, size, count));
  }
  void host_task(aspen_error_t *(*task)(void *), void (*drop)(void *), void *data, counted *count) override {
    is(recorded_kind::host_task);
    add(new recorded_host_task(task, drop, data, count));
  }
  bool empty() const override { return parts.size() == 0; }

  void wait_for(const shared<recorded_command> &other) {
    if (!waits_for(other.get()))
      after.add(other);
  }
  bool waits_for(const recorded_command *other) const {
    for (const shared<recorded_command> &known : after)
      if (known.get() == other)
        return true;
    return false;
  }
  void use(const aspen_buffer_use_t &one) {
    aspen_buffer_retain(one.buffer);
    uses.add(one);
  }
  /// Uses these buffers, and `before` no longer unless it `stays`.
  void exchange_use(const aspen_buffer_t *before, bool stays, const list<aspen_buffer_use_t> &now) {
    list<aspen_buffer_use_t> old;
    std::swap(old, uses);
    for (const aspen_buffer_use_t &one : old)
      if (stays || one.buffer != before)
        use(one);
    for (const aspen_buffer_use_t &one : now)
      use(one);
    for (const aspen_buffer_use_t &one : old)
      aspen_buffer_release(one.buffer);
  }
  void add(recorded_part *part) { parts.add(shared<recorded_part>(part)); }
  /// What it does: that of the choice, if it is one.
  recorded_command &current() { return choice ? *choice->each.data()[choice->active] : *this; }
  /// Does from now on what another command does; what it waits for stays. What it did until now goes to `gone`: with it objects of the
  /// program's may end, which may do anything, so that happens behind all locks.
  void become(const recorded_command &other, list<shared<recorded_part>> &gone) {
    for (const shared<recorded_part> &one : parts)
      gone.add(one);
    kind = other.kind;
    parts = other.parts;
    arguments = other.arguments;
    whole = other.whole;
    list<aspen_buffer_use_t> before;
    std::swap(before, uses);
    for (const aspen_buffer_use_t &one : other.uses)
      use(one);
    for (const aspen_buffer_use_t &one : before)
      aspen_buffer_release(one.buffer);
  }
  /// How it uses a buffer: bits of aspen_access_t, or 0.
  int uses_of(const aspen_buffer_t *buffer) const {
    int how = 0;
    for (const aspen_buffer_use_t &one : uses)
      how |= one.buffer == buffer ? one.access & ASPEN_ACCESS_READ_WRITE : 0;
    return how;
  }
  /// Different for each that a program makes.
  static std::uint64_t next_number() {
    static std::uint64_t last = 0;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  }

  shared<recorder> takes_in(queue_state &queue, bool begun) override;

  list<shared<recorded_part>> parts;
  list<aspen_buffer_use_t> uses;
  list<shared<recorded_command>> after;
  bool is_waited_for = false; // as mark_waited_for has found it
  shared<executable> whole;              // the command is all of this graph
  shared<recorded_choice> choice;        // the command is one of these
  shared<graph_lock> lock;               // of the graph that it is a node of,
  recorded_graph *graph = nullptr;       // which is this; null when that is gone
  std::uint64_t number = next_number();  // in an executable graph: that of the node which it was made of
  aspen_event_t *event;                 // stands for it while the graph is made
  const aspen_queue_t *queue = nullptr; // it was recorded from
  mutable aspen_event_t *runs = nullptr; // as part of the execution that is just being submitted
};

/// A graph in the making. Threads may make it together: each function of `command_graph` holds `lock`, and so does a command group that
/// adds a node while it is called, which may ask the graph something itself.
struct recorded_graph : recorder {
  recorded_graph(const sycl::context &in, const sycl::device &on) : context(in), device(on) {}
  ~recorded_graph() override {
    const std::lock_guard hold(lock);
    for (const shared<recorded_command> &one : commands)
      one->graph = nullptr;
  }
  recording *begin() override { return new recorded_command; }
  aspen_event_t *end(const shared<recording> &command, const shared<executable> &whole, const aspen_dependencies_t &after, aspen_queue_t *queue,
                     bool in_order) override {
    const std::lock_guard hold(lock);
    command->retain();
    const shared<recorded_command> made(static_cast<recorded_command *>(command.get()));
    for (size_t i = 0; i < after.event_count; ++i) {
      const shared<recorded_command> *before = find(after.events[i]);
      if (!before)
        fail(errc::invalid, "a command that a graph records waits for an event of no command of that graph");
      made->wait_for(*before);
    }
    for (size_t i = 0; i < after.buffer_count; ++i) {
      made->use(after.buffers[i]);
      if (recorded.size())
        recorded_buffers::add(this, after.buffers[i].buffer);
    }
    made->whole = whole;
    if (aside)
      aside->add(made);
    else
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
  /// Notes of each node whether one of that queue waits for it; without a queue, any.
  void mark_waited_for(const aspen_queue_t *queue) const {
    for (const shared<recorded_command> &one : commands)
      one->is_waited_for = false;
    for (const shared<recorded_command> &one : commands)
      if (!queue || one->queue == queue)
        for (const shared<recorded_command> &before : one->after)
          before->is_waited_for = true;
  }
  list<shared<recorded_command>> leaves() const {
    mark_waited_for(nullptr);
    list<shared<recorded_command>> out;
    for (const shared<recorded_command> &one : commands)
      if (!one->is_waited_for)
        out.add(one);
    return out;
  }
  /// Adds a command. One of an in-order queue waits for the one before from there; others for the last barrier of their queue, and a
  /// barrier that has not been told for what waits for all before from its queue.
  void add(const shared<recorded_command> &made, const aspen_queue_t *queue, bool in_order) {
    made->queue = queue;
    made->lock = shared_lock;
    made->graph = this;
    const bool for_all = made->for_all;
    bool behind = false; // of something that is behind the barrier
    if (for_all)
      mark_waited_for(queue);
    for (size_t i = commands.size(); i-- > 0;) {
      const shared<recorded_command> &before = commands.data()[i];
      if (before->queue != queue)
        continue;
      behind = behind || made->waits_for(before.get());
      if (in_order || (for_all && !before->is_waited_for) || (!behind && before->kind == recorded_kind::barrier))
        made->wait_for(before);
      if (in_order || (!for_all && before->kind == recorded_kind::barrier))
        break;
    }
    for (const aspen_buffer_use_t &use : made->uses)
      wait_for_users(made, use.buffer);
    commands.add(made);
  }
  size_t place_of(const recorded_command *which) const {
    size_t at = 0;
    while (at < commands.size() && commands.data()[at].get() != which)
      ++at;
    return at;
  }
  void forget(queue_state *queue) override {
    const std::lock_guard hold(lock);
    list<queue_state *> others;
    for (queue_state *one : recorded)
      if (one != queue)
        others.add(one);
    recorded = others;
    if (recorded.size() == 0)
      recorded_buffers::forget(this);
  }

  void takes_buffers(bool goes_back) const override {
    if (!has_buffers)
      fail(errc::invalid, "a node of a graph uses a buffer: give the graph property::graph::assume_buffer_outlives_graph, and keep the buffer as long");
    if (goes_back)
      fail(errc::invalid, "a node of a graph writes a buffer whose content goes to the program's memory when the buffer ends, which no graph "
                          "captures: call set_write_back(false) before");
  }
  void *allocate(size_t bytes, bool zero) override { return memory->take(device, bytes, zero); }
  bool has_allocated(const void *at) const override { return memory->has(at); }
  bool is_for(const queue_state &queue) const { return queue.device == device && queue.context == context; }
  /// What a command would wait for as a node that is added now.
  list<shared<recorded_command>> before(const recorded_command &one) const {
    const shared<recorded_command> probe(new recorded_command);
    for (const shared<recorded_command> &other : one.after)
      probe->wait_for(other);
    for (const aspen_buffer_use_t &use : one.uses)
      probe->use(use);
    for (const aspen_buffer_use_t &use : one.uses)
      wait_for_users(probe, use.buffer);
    return probe->after;
  }

  const shared<graph_lock> shared_lock{new graph_lock};
  std::recursive_mutex &lock = shared_lock->mutex;
  const sycl::context context;
  const sycl::device device;
  const shared<graph_memory> memory{new graph_memory};
  bool has_buffers = false; // nodes may use some
  list<shared<recorded_command>> commands;
  list<shared<recorded_command>> *aside = nullptr; // where commands go instead
  list<queue_state *> recorded;                    // queues
  std::uint64_t number = recorded_command::next_number();

private:
  /// Who writes a buffer waits for all who read it since it was written last, who reads it for who wrote it.
  void wait_for_users(const shared<recorded_command> &made, const aspen_buffer_t *buffer) const {
    const bool writes = made->uses_of(buffer) & ASPEN_ACCESS_WRITE;
    bool read = false;
    for (size_t i = commands.size(); i-- > 0;) {
      const shared<recorded_command> &before = commands.data()[i];
      const int how = before->uses_of(buffer);
      if (how & ASPEN_ACCESS_WRITE) {
        if (!read)
          made->wait_for(before);
        return;
      }
      if (how && writes) {
        made->wait_for(before);
        read = true;
      }
    }
  }
};

// A graph that records a queue is held by it, so it is not about to go.
inline shared<recorder> recorded_command::takes_in(queue_state &queue, bool begun) {
  std::unique_lock<std::recursive_mutex> hold;
  if (lock)
    hold = std::unique_lock(lock->mutex);
  if (!lock || !graph || graph->recorded.size() == 0)
    fail(errc::invalid, "a command waits for one that a graph has recorded, which does not run: wait for the event of the graph's execution");
  if (!graph->is_for(queue))
    fail(errc::invalid, "a command waits for one that a graph records, and its queue has another device or context than the graph");
  if (begun)
    fail(errc::invalid, "depends_on: say that the command waits for one that a graph records before the command is said");
  graph->retain();
  const shared<recorder> own(graph);
  const shared<recorder> other = queue.begin_recording(own);
  if (!other)
    graph->recorded.add(&queue);
  return other ? other : own;
}

/// Called when all graphs that were made of the one that it was given to are gone, and that one, too.
struct last_words : counted {
  virtual ~last_words() = default;
};
template <class F, class... A> struct last_words_of final : last_words {
  template <class G, class... B> explicit last_words_of(G &&f, B &&...with) : f(std::forward<G>(f)), with(std::forward<B>(with)...) {}
  ~last_words_of() override { std::apply(f, with); }
  F f;
  std::tuple<A...> with;
};

/// A graph that does not change but by updates, in an order in which nothing comes before what it waits for. Threads may execute and update
/// it: one does at a time.
struct recorded_execution final : executable {
  explicit recorded_execution(const recorded_graph &of) : context(of.context), device(of.device), memory(of.memory), memory_size(of.memory->size()) {
    memory->begin(context, device);
  }
  ~recorded_execution() override {
    if (last && (at_end.size() || owns_memory()))
      aspen_event_wait(last); // what is called at the end may free what the execution works on, and so may the end of the graph's memory
    if (last)
      aspen_event_release(last);
    memory->end();
  }
  bool is_for(const queue_state &queue) const override { return queue.device == device && queue.context == context; }
  bool owns_memory() const override { return memory_size != 0; }
  /// Submits everything, also after the execution before.
  aspen_event_t *run(aspen_queue_t *queue, const aspen_dependencies_t &after) override {
    const std::lock_guard hold(lock);
    held_events first, all;
    if (last) {
      aspen_event_retain(last);
      first.each.add(last);
    }
    list<aspen_event_t *> before(after.events, after.event_count);
    if (after.buffer_count) {
      // The whole graph comes after those who used these buffers.
      aspen_event_t *ready = nullptr;
      check(aspen_submit_nothing(queue, &after, &ready));
      first.each.add(ready);
      before.clear();
    }
    for (aspen_event_t *one : first.each)
      before.add(one);
    try {
      for (const shared<recorded_command> &one : commands) {
        list<aspen_event_t *> events = before;
        for (const shared<recorded_command> &other : one->after)
          events.add(other->runs);
        submit(queue, *one, {one->uses.data(), one->uses.size(), events.data(), events.size()}, all.each);
      }
    } catch (...) {
      // What has been submitted runs, and the next execution comes after it.
      aspen_error_delete(ends(queue, all.each.size() ? all.each : before, after));
      throw;
    }
    check(ends(queue, all.each.size() ? all.each : before, after));
    aspen_event_set_parts(last, all.each.data(), all.each.size());
    aspen_event_retain(last);
    return last;
  }
  aspen_event_t *submitted_last() override {
    const std::lock_guard hold(lock);
    if (last)
      aspen_event_retain(last);
    return last;
  }

  const sycl::context context;
  const sycl::device device;
  const shared<graph_memory> memory;
  const size_t memory_size; // of what its nodes allocate, in bytes
  /// The command that was made of a node; null if there is none.
  recorded_command *made_of(const recorded_command &node) const {
    for (const shared<recorded_command> &one : commands)
      if (one->number == node.number)
        return one.get();
    return nullptr;
  }

  list<shared<recorded_command>> commands;
  list<std::uint64_t> numbers; // of the nodes, in the order in which they were added
  bool updatable = false;
  list<shared<last_words>> at_end;
  std::mutex lock; // behind that of a graph in the making
  aspen_event_t *last = nullptr; // of the execution before

private:
  /// The execution is over when all of these are, and with it the use of the buffers that its command group names.
  aspen_error_t *ends(aspen_queue_t *queue, const list<aspen_event_t *> &all, const aspen_dependencies_t &of) {
    const aspen_dependencies_t end = {of.buffers, of.buffer_count, all.data(), all.size()};
    aspen_event_t *done = nullptr;
    aspen_error_t *const failed = aspen_submit_nothing(queue, &end, &done);
    if (failed)
      return failed;
    if (last)
      aspen_event_release(last);
    last = done;
    return nullptr;
  }
  /// Each part waits for the one before. What is submitted is added to `all` at once, so that it is known if the next part fails.
  static void submit(aspen_queue_t *queue, const recorded_command &command, aspen_dependencies_t after, list<aspen_event_t *> &all) {
    command.runs = nullptr;
    if (command.whole) {
      try {
        all.add(command.runs = command.whole->run(queue, after));
      } catch (...) {
        if (aspen_event_t *const before = command.whole->submitted_last())
          all.add(before);
        throw;
      }
      return;
    }
    if (command.parts.size() == 0) {
      check(aspen_submit_nothing(queue, &after, &command.runs));
      all.add(command.runs);
    }
    aspen_event_t *before = nullptr;
    for (const shared<recorded_part> &part : command.parts) {
      aspen_prepared_t *prepared = nullptr;
      check(part->prepare(queue, &prepared));
      check(aspen_submit(queue, prepared, &after, &command.runs));
      all.add(command.runs);
      before = command.runs;
      after.events = &before;
      after.event_count = 1;
    }
  }
};

} // namespace sycl::detail
