//! `command_graph`: commands that are stated once, by function or by recording queues, and executed many times. An execution submits all of
//! them again: kernels, their arguments and what waits for what are as they were when the graph was made executable, or updated since.
//! Source: sycl_ext_oneapi_graph.
#pragma once
#include <cstring>
#include <string>
#include <sycl/detail/graph_text.hpp>
#include <sycl/ext/oneapi/experimental/graph/node.hpp>

#define SYCL_EXT_ONEAPI_GRAPH 1

namespace sycl {

namespace detail {
/// What all copies of a modifiable graph share.
struct graph_in_making final : recorded_graph {
  graph_in_making(const sycl::context &in, const sycl::device &on) : recorded_graph(in, on), own(in, on) { own.aspen_state().of_graph = true; }
  queue own; // through which nodes are made
  list<shared<last_words>> at_end;
  unsigned users = 0; // `command_graph` objects
};
/// What a `command_graph` object has of it. Recordings end with the last of these objects; queues that are recorded keep the graph itself.
class graph_in_use : public shared<graph_in_making> {
public:
  explicit graph_in_use(const shared<graph_in_making> &of) : shared(of) { begin(); }
  graph_in_use(const graph_in_use &other) : shared(other) { begin(); }
  graph_in_use(graph_in_use &&) noexcept = default;
  graph_in_use &operator=(graph_in_use other) noexcept {
    std::swap(static_cast<shared &>(*this), static_cast<shared &>(other));
    return *this;
  }
  ~graph_in_use() {
    if (*this && __atomic_sub_fetch(&(*this)->users, 1u, __ATOMIC_ACQ_REL) == 0)
      end();
  }
  void end() const {
    const std::lock_guard hold((*this)->lock);
    const list<queue_state *> all = (*this)->recorded;
    for (queue_state *one : all)
      end(*one);
  }
  /// False if another graph records it.
  bool end(queue_state &from) const {
    const std::lock_guard hold((*this)->lock);
    const shared<recorder> by = from.recorder();
    if (by.get() != get())
      return !by;
    (*this)->forget(&from);
    from.end_recording();
    return true;
  }

private:
  void begin() const { __atomic_fetch_add(&(*this)->users, 1u, __ATOMIC_RELAXED); }
};
} // namespace detail

namespace ext::oneapi::experimental {

enum class graph_state { modifiable = 0, executable = 1 };
enum class queue_state : int { executing = 0, recording = 1 };

template <graph_state State = graph_state::modifiable> class command_graph;
class dynamic_command_group;

/// Ready to be executed. Copies are the same graph.
template <> class command_graph<graph_state::executable> {
public:
  /// Does from now on what the node does, whose range or choice was changed. Executions that were submitted before do what they did.
  template <class Node, std::enable_if_t<std::is_same_v<Node, node>, int> = 0> void update(const Node &changed) {
    update(sycl::detail::list<node>(&changed, 1));
  }
  /// All of them, or none if one cannot be updated; no execution sees a part of it.
  template <class Vector = std::vector<node>, class = decltype(std::declval<const Vector &>().begin())> void update(const Vector &changed) {
    needs_updatable();
    parts gone;
    sycl::detail::list<sycl::detail::recorded_command *> made;
    std::unique_lock<std::recursive_mutex> whole;
    for (const node &one : changed) {
      made.add(graph_->made_of(*one.aspen_command()));
      if (!made.data()[made.size() - 1])
        sycl::detail::fail(errc::invalid, "update: the graph was not made of this node");
      if (!whole)
        whole = one.aspen_hold(); // all nodes are of one graph
    }
    const std::lock_guard hold(graph_->lock);
    size_t i = 0;
    for (const node &one : changed)
      if (!can_be_told(one.aspen_command()->current()) || !can_be_told(*made.data()[i++]))
        sycl::detail::fail(errc::invalid, "update: kernels and host tasks can be updated; this node is neither");
    i = 0;
    for (const node &one : changed) {
      sycl::detail::recorded_command *const mine = made.data()[i++];
      if (can_change(*mine))
        mine->become(one.aspen_command()->current(), gone);
    }
  }
  /// Kernels and host tasks become those of a graph of the same form.
  template <graph_state State, std::enable_if_t<State == graph_state::modifiable, int> = 0> void update(const command_graph<State> &like) {
    needs_updatable();
    parts gone;
    const std::lock_guard whole(like.aspen_state()->lock);
    const std::lock_guard hold(graph_->lock);
    const auto &others = like.aspen_state()->commands;
    if (like.aspen_state()->device != graph_->device || like.aspen_state()->context != graph_->context)
      sycl::detail::fail(errc::invalid, "update: the graphs are of different devices or contexts");
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : others)
      if (!can_be_told(one->current()))
        sycl::detail::fail(errc::invalid, "update: a graph with nodes that are no kernels, host tasks, barriers or empty cannot update another as a "
                                          "whole; update its kernels' nodes");
    bool alike = others.size() == graph_->numbers.size();
    for (size_t i = 0; alike && i < others.size(); ++i)
      alike = is_alike(like, i);
    if (!alike)
      sycl::detail::fail(errc::invalid, "update: the graphs differ in more than ranges and arguments: the same nodes, kernels and edges must "
                                        "be made in the same order");
    for (size_t i = 0; i < others.size(); ++i)
      if (can_change(others.data()[i]->current()))
        own(i)->become(others.data()[i]->current(), gone);
  }
  /// Of what its nodes allocate, in bytes.
  size_t get_required_mem_size() const noexcept { return graph_->memory_size; }
  friend bool operator==(const command_graph &a, const command_graph &b) { return a.graph_ == b.graph_; }
  friend bool operator!=(const command_graph &a, const command_graph &b) { return a.graph_ != b.graph_; }

  /// For the library.
  explicit command_graph(const sycl::detail::shared<sycl::detail::recorded_execution> &graph) : graph_(graph) {}
  sycl::detail::shared<sycl::detail::executable> aspen_graph() const {
    graph_->retain();
    return sycl::detail::shared<sycl::detail::executable>(graph_.get());
  }

private:
  using parts = sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_part>>;
  void needs_updatable() const {
    if (!graph_->updatable)
      sycl::detail::fail(errc::invalid, "update: the graph was made executable without property::graph::updatable");
  }
  static bool can_change(const sycl::detail::recorded_command &one) {
    return one.kind == sycl::detail::recorded_kind::kernel || one.kind == sycl::detail::recorded_kind::host_task;
  }
  /// It may be among what an update names: nothing is to be told of one that does nothing.
  static bool can_be_told(const sycl::detail::recorded_command &one) {
    return can_change(one) || one.kind == sycl::detail::recorded_kind::empty || one.kind == sycl::detail::recorded_kind::barrier;
  }
  /// The command of the node that was added as the i-th.
  sycl::detail::recorded_command *own(size_t i) const {
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : graph_->commands)
      if (one->number == graph_->numbers.data()[i])
        return one.get();
    return nullptr;
  }
  template <class Graph> bool is_alike(const Graph &like, size_t i) const {
    sycl::detail::recorded_command &other = *like.aspen_state()->commands.data()[i], &now = other.current();
    const sycl::detail::recorded_command &mine = *own(i);
    if (mine.kind != now.kind || mine.after.size() != other.after.size())
      return false;
    for (const auto &before : other.after) {
      bool found = false;
      for (const auto &one : mine.after)
        found = found || one.get() == own(like.aspen_state()->place_of(before.get()));
      if (!found)
        return false;
    }
    if (mine.kind != sycl::detail::recorded_kind::kernel)
      return true;
    if (mine.parts.size() != now.parts.size())
      return false;
    for (size_t k = 0; k < now.parts.size(); ++k) {
      const aspen_launch_t *const a = mine.parts.data()[k]->launches(), *const b = now.parts.data()[k]->launches();
      if (!a != !b || (a && std::strcmp(a->symbol, b->symbol) != 0))
        return false;
    }
    return true;
  }
  sycl::detail::shared<sycl::detail::recorded_execution> graph_;
};

/// In the making.
template <graph_state State> class command_graph {
  using command = sycl::detail::shared<sycl::detail::recorded_command>;

public:
  command_graph(const context &in, const device &on, const property_list &properties = {})
      : graph_(sycl::detail::shared(new sycl::detail::graph_in_making(in, on))) {
    graph_->has_buffers = properties.has_property<property::graph::assume_buffer_outlives_graph>();
    if (properties.has_property<property::graph::enable_native_recording>())
      sycl::detail::fail(errc::feature_not_supported, "command_graph: no backend records graphs itself; leave out enable_native_recording");
  }
  explicit command_graph(const queue &like, const property_list &properties = {}) : command_graph(like.get_context(), like.get_device(), properties) {}
  explicit command_graph(const device &on, const property_list &properties = {})
      : command_graph(sycl::detail::default_context(on), on, properties) {}

  /// A node of nothing, or of a command group, which is called at once.
  node add(const property_list &properties = {}) {
    return add([](handler &) {}, properties);
  }
  template <class F, std::enable_if_t<std::is_invocable_v<F &, handler &>, int> = 0> node add(F command_group, const property_list &properties = {}) {
    const std::lock_guard hold(graph_->lock);
    is_not_recording("add");
    const sycl::detail::list<command> before = told_of(properties);
    const recording whole(graph_->own, recorder());
    const node made = node::get_node_from_event(graph_->own.submit(command_group));
    for (const command &one : before)
      made.aspen_command()->wait_for(one);
    return made;
  }
  /// A node of the command group that is active, and may be another one when the graph is updated.
  template <class Group, std::enable_if_t<std::is_same_v<Group, dynamic_command_group>, int> = 0>
  node add(Group &one_of, const property_list &properties = {}) {
    const std::lock_guard hold(graph_->lock);
    is_not_recording("add");
    if (one_of.aspen_graph() != graph_.get())
      sycl::detail::fail(errc::invalid, "add: the dynamic_command_group was made for another graph");
    const sycl::detail::list<command> before = told_of(properties);
    const command made(new sycl::detail::recorded_command);
    made->choice = one_of.aspen_choice();
    const sycl::detail::list<command> edges = graph_->before(made->current());
    for (const command &one : made->choice->each) {
      const sycl::detail::list<command> others = graph_->before(*one);
      bool alike = others.size() == edges.size();
      for (const command &other : others) {
        bool found = false;
        for (const command &edge : edges)
          found = found || edge == other;
        alike = alike && found;
      }
      if (!alike)
        sycl::detail::fail(errc::invalid, "add: the command groups of the dynamic_command_group would wait for different nodes");
    }
    for (const command &one : made->current().after)
      made->wait_for(one);
    for (const aspen_buffer_use_t &use : made->current().uses)
      made->use(use);
    graph_->add(made, graph_->own.aspen_handle(), false);
    for (const command &one : before)
      made->wait_for(one);
    return node(made);
  }
  /// `to` comes after `from`.
  void make_edge(const node &from, const node &to) {
    const std::lock_guard hold(graph_->lock);
    is_not_recording("make_edge");
    if (from == to || reaches(of_this(from).get(), of_this(to).get()))
      sycl::detail::fail(errc::invalid, "make_edge: the graph would have a cycle");
    to.aspen_command()->wait_for(from.aspen_command());
  }

  /// What is submitted to these queues becomes a node until the recording ends.
  void begin_recording(queue &from, const property_list & = {}) {
    sycl::detail::queue_state &state = from.aspen_state();
    if (!graph_->is_for(state))
      sycl::detail::fail(errc::invalid, "begin_recording: the queue has another device or context than the graph");
    const std::lock_guard hold(graph_->lock);
    if (state.begin_recording(recorder()))
      sycl::detail::fail(errc::invalid, "begin_recording: a graph records the queue already; end that recording first");
    graph_->recorded.add(&state);
  }
  template <class Vector = std::vector<queue>, class = decltype(std::declval<const Vector &>().begin())>
  void begin_recording(const Vector &all, const property_list &properties = {}) {
    for (queue one : all)
      begin_recording(one, properties);
  }
  void end_recording() { graph_.end(); }
  void end_recording(queue &from) { end(from); }
  template <class Vector = std::vector<queue>, class = decltype(std::declval<const Vector &>().begin())>
  void end_recording(const Vector &all) {
    for (const queue &one : all)
      end(one);
  }

  /// The graph as it is now, to be executed; later changes do not concern it.
  command_graph<graph_state::executable> finalize(const property_list &properties = {}) const {
    const std::lock_guard hold(graph_->lock);
    const sycl::detail::shared<sycl::detail::recorded_execution> sorted(new sycl::detail::recorded_execution(*graph_));
    sorted->has_times = properties.has_property<property::graph::enable_profiling>();
    sorted->updatable = properties.has_property<property::graph::updatable>();
    sorted->at_end = graph_->at_end;
    const size_t count = graph_->commands.size();
    sycl::detail::list<command> copies;
    for (const command &one : graph_->commands) {
      copies.add(copy_of(*one));
      sorted->numbers.add(one->number);
    }
    sycl::detail::list<bool> done;
    for (size_t i = 0; i < count; ++i)
      done.add(false);
    // A later node may have been put before an earlier one: take those of which all that comes before has been taken, until all are.
    while (sorted->commands.size() < count)
      for (size_t i = 0; i < count; ++i) {
        bool ready = !done.data()[i];
        for (const auto &before : graph_->commands.data()[i]->after)
          ready = ready && done.data()[graph_->place_of(before.get())];
        if (!ready)
          continue;
        done.data()[i] = true;
        for (const auto &before : graph_->commands.data()[i]->after)
          copies.data()[i]->after.add(copies.data()[graph_->place_of(before.get())]);
        sorted->commands.add(copies.data()[i]);
      }
    return command_graph<graph_state::executable>(sorted);
  }

  /// Calls `f` with copies of `arguments` when this graph and all executable ones that are made of it from now on are gone.
  template <class F, class... A> void set_destruction_callback(F &&f, A &&...arguments) {
    using made = sycl::detail::last_words_of<std::decay_t<F>, std::decay_t<A>...>;
    static_assert(std::is_invocable_v<std::decay_t<F> &, std::decay_t<A> &...>, "the function is called with the arguments, as lvalues");
    const std::lock_guard hold(graph_->lock);
    graph_->at_end.add(sycl::detail::shared<sycl::detail::last_words>(new made(std::forward<F>(f), std::forward<A>(arguments)...)));
  }

  template <class Vector = std::vector<node>> Vector get_nodes() const {
    const std::lock_guard hold(graph_->lock);
    Vector out;
    for (const command &one : graph_->commands)
      out.push_back(node(one));
    return out;
  }
  template <class Vector = std::vector<node>> Vector get_root_nodes() const {
    const std::lock_guard hold(graph_->lock);
    Vector out;
    for (const command &one : graph_->commands)
      if (one->after.size() == 0)
        out.push_back(node(one));
    return out;
  }

  bool empty() const {
    const std::lock_guard hold(graph_->lock);
    return graph_->commands.size() == 0;
  }
  /// Different for each graph of the program; greater for those made later.
  size_t get_id() const noexcept { return graph_->number; }
  /// Writes the graph for Graphviz, with sizes and addresses if `verbose`. The path ends in ".dot".
  template <class Path = std::string> void print_graph(const Path &path, bool verbose = false) const {
    const std::lock_guard hold(graph_->lock);
    sycl::detail::print_graph(*graph_, std::string(path), verbose);
  }
  friend bool operator==(const command_graph &a, const command_graph &b) { return a.graph_ == b.graph_; }
  friend bool operator!=(const command_graph &a, const command_graph &b) { return a.graph_ != b.graph_; }

  /// For the library.
  explicit command_graph(const sycl::detail::shared<sycl::detail::graph_in_making> &graph) : graph_(graph) {}
  sycl::detail::graph_in_making *aspen_state() const { return graph_.get(); }

private:
  struct recording {
    recording(queue &from, const sycl::detail::shared<sycl::detail::recorder> &to)
        : state(from.aspen_state()), began(!state.begin_recording(to)) {}
    ~recording() {
      if (began) // and no command group around this one
        state.end_recording();
    }
    sycl::detail::queue_state &state;
    const bool began;
  };
  sycl::detail::shared<sycl::detail::recorder> recorder() const {
    graph_->retain();
    return sycl::detail::shared<sycl::detail::recorder>(graph_.get());
  }
  void end(const queue &from) const {
    if (!graph_.end(from.aspen_state()))
      sycl::detail::fail(errc::invalid, "end_recording: another graph records the queue");
  }
  void is_not_recording(const char *what) const {
    if (graph_->recorded.size())
      sycl::detail::fail(errc::invalid, (std::string(what) + ": the graph records a queue; end the recording first").c_str());
  }
  /// What properties of a new node say that it comes after.
  sycl::detail::list<command> told_of(const property_list &properties) const {
    sycl::detail::list<command> before;
    if (properties.has_property<property::node::depends_on_all_leaves>())
      before = graph_->leaves();
    if (properties.has_property<property::node::depends_on>())
      for (const node &one : properties.get_property<property::node::depends_on>().aspen_nodes())
        before.add(of_this(one));
    return before;
  }
  const command &of_this(const node &one) const {
    if (graph_->place_of(one.aspen_command().get()) == graph_->commands.size())
      sycl::detail::fail(errc::invalid, "the node belongs to another graph");
    return one.aspen_command();
  }
  /// Whether `from` comes after `to`, by however many edges.
  bool reaches(const sycl::detail::recorded_command *from, const sycl::detail::recorded_command *to) const {
    sycl::detail::list<const sycl::detail::recorded_command *> open(&from, 1);
    sycl::detail::list<bool> seen;
    for (size_t i = 0; i < graph_->commands.size(); ++i)
      seen.add(false);
    while (open.size()) {
      const sycl::detail::recorded_command *const one = open.data()[open.size() - 1];
      open.pop();
      for (const command &before : one->after) {
        bool &known = seen.data()[graph_->place_of(before.get())];
        if (before.get() == to)
          return true;
        if (!known)
          open.add(before.get());
        known = true;
      }
    }
    return false;
  }
  static command copy_of(sycl::detail::recorded_command &from) {
    command out(new sycl::detail::recorded_command);
    sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_part>> nothing;
    out->become(from.current(), nothing);
    out->number = from.number;
    return out;
  }
  sycl::detail::graph_in_use graph_;
};
command_graph(const context &, const device &, const property_list & = {}) -> command_graph<graph_state::modifiable>;
command_graph(const queue &, const property_list & = {}) -> command_graph<graph_state::modifiable>;
command_graph(const device &, const property_list & = {}) -> command_graph<graph_state::modifiable>;

/// A node that comes behind all others, as commands of one queue would. Source: sycl_ext_oneapi_enqueue_functions.
template <class F> void submit(command_graph<graph_state::modifiable> graph, F &&command_group) {
  graph.add(command_group, property::node::depends_on_all_leaves());
}
template <class... P, class F> void submit(command_graph<graph_state::modifiable> graph, properties<P...>, F &&command_group) {
  experimental::submit(graph, command_group);
}
inline void execute_graph(queue q, const command_graph<graph_state::executable> &graph) { q.ext_oneapi_graph(graph); }
inline void execute_graph(handler &h, const command_graph<graph_state::executable> &graph) { h.ext_oneapi_graph(graph); }

} // namespace ext::oneapi::experimental

inline ext::oneapi::experimental::queue_state queue::ext_oneapi_get_state() const {
  return state_->recorder() ? ext::oneapi::experimental::queue_state::recording : ext::oneapi::experimental::queue_state::executing;
}
inline ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable> queue::ext_oneapi_get_graph() const {
  const detail::shared<detail::recorder> graph = state_->recorder();
  if (!graph)
    detail::fail(errc::invalid, "ext_oneapi_get_graph: no graph records the queue");
  graph->retain();
  return ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable>(
      detail::shared<detail::graph_in_making>(static_cast<detail::graph_in_making *>(graph.get())));
}
} // namespace sycl

template <sycl::ext::oneapi::experimental::graph_state State> struct std::hash<sycl::ext::oneapi::experimental::command_graph<State>> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::command_graph<State> &of) const noexcept {
    if constexpr (State == sycl::ext::oneapi::experimental::graph_state::modifiable)
      return reinterpret_cast<std::size_t>(of.aspen_state());
    else
      return reinterpret_cast<std::size_t>(of.aspen_graph().get());
  }
};

#include <sycl/ext/oneapi/experimental/graph/dynamic.hpp>
#include <sycl/ext/oneapi/experimental/graph/dynamic_memory.hpp>
