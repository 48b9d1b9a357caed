//! `command_graph`: commands that are stated once, by function or by recording queues, and executed many times. An execution submits all of
//! them again: kernels, their arguments and what waits for what are as they were when the node was made. Graphs are not updated.
//! Source: sycl_ext_oneapi_graph.
#pragma once
#include <sycl/detail/graph_state.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_GRAPH 1

namespace sycl::ext::oneapi::experimental {

enum class graph_state { modifiable = 0, executable = 1 };
enum class queue_state : int { executing = 0, recording = 1 };
enum class node_type { empty = 0, subgraph = 1, command = 2 };

/// A command of a graph.
class node {
public:
  node_type get_type() const {
    return command_->whole ? node_type::subgraph : command_->parts.size() ? node_type::command : node_type::empty;
  }
  template <class Vector = std::vector<node>> Vector get_predecessors() const {
    Vector out;
    for (const sycl::detail::shared<sycl::detail::recorded_command> &before : command_->after)
      out.push_back(node(before));
    return out;
  }
  friend bool operator==(const node &a, const node &b) { return a.command_ == b.command_; }
  friend bool operator!=(const node &a, const node &b) { return a.command_ != b.command_; }

  /// For the library.
  explicit node(const sycl::detail::shared<sycl::detail::recorded_command> &command) : command_(command) {}
  const sycl::detail::shared<sycl::detail::recorded_command> &aspen_command() const { return command_; }

private:
  sycl::detail::shared<sycl::detail::recorded_command> command_;
};

namespace property {
namespace graph {
/// Edges are checked when the graph is finalised in any case.
class no_cycle_check : public sycl::detail::flag_property<32768u> {};
/// Nodes keep their buffers in any case.
class assume_buffer_outlives_graph : public sycl::detail::flag_property<65536u> {};
} // namespace graph
namespace node {
/// The new node comes after these.
class depends_on : public sycl::detail::flag_property<131072u> {
  struct value final : sycl::detail::property_value {
    sycl::detail::list<experimental::node> nodes;
  };

public:
  template <class... Nodes, class = std::enable_if_t<(std::is_same_v<Nodes, experimental::node> && ...)>>
  depends_on(Nodes... nodes) : value_(new value) {
    (static_cast<value &>(*value_).nodes.add(nodes), ...);
  }
  /// For the library.
  explicit depends_on(const sycl::detail::shared<sycl::detail::property_value> &given) : value_(given) {}
  const sycl::detail::shared<sycl::detail::property_value> &aspen_value() const { return value_; }
  const sycl::detail::list<experimental::node> &aspen_nodes() const { return static_cast<const value &>(*value_).nodes; }

private:
  sycl::detail::shared<sycl::detail::property_value> value_;
};
/// It comes after all that nothing comes after yet.
class depends_on_all_leaves : public sycl::detail::flag_property<262144u> {};
} // namespace node
} // namespace property

template <graph_state State = graph_state::modifiable> class command_graph;

/// Ready to be executed. Copies are the same graph.
template <> class command_graph<graph_state::executable> {
public:
  /// For the library.
  explicit command_graph(const sycl::detail::shared<sycl::detail::executable> &graph) : graph_(graph) {}
  const sycl::detail::shared<sycl::detail::executable> &aspen_graph() const { return graph_; }

private:
  sycl::detail::shared<sycl::detail::executable> graph_;
};

/// In the making.
template <graph_state State> class command_graph {
public:
  command_graph(const context &in, const device &on, const property_list & = {}) : graph_(new sycl::detail::recorded_graph), own_(in, on) {
    graph_->device = on.aspen_handle();
  }
  explicit command_graph(const queue &like, const property_list &properties = {}) : command_graph(like.get_context(), like.get_device(), properties) {}

  /// A node of nothing, or of a command group, which is called at once.
  node add(const property_list &properties = {}) {
    return add([](handler &) {}, properties);
  }
  template <class F, std::enable_if_t<std::is_invocable_v<F &, handler &>, int> = 0> node add(F command_group, const property_list &properties = {}) {
    const size_t count = graph_->commands.size();
    sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_command>> before;
    if (properties.has_property<property::node::depends_on_all_leaves>())
      for (const sycl::detail::shared<sycl::detail::recorded_command> &one : graph_->commands)
        if (graph_->is_leaf(one.get()))
          before.add(one);
    if (properties.has_property<property::node::depends_on>())
      for (const node &one : properties.get_property<property::node::depends_on>().aspen_nodes())
        before.add(of_this(one));
    {
      const recording whole(own_, recorder());
      own_.submit(command_group);
    }
    const sycl::detail::shared<sycl::detail::recorded_command> &made = graph_->commands.data()[count];
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : before)
      made->wait_for(one);
    return node(made);
  }
  /// `to` comes after `from`.
  void make_edge(const node &from, const node &to) {
    if (from == to || reaches(of_this(from).get(), of_this(to).get()))
      sycl::detail::fail(errc::invalid, "make_edge: the graph would have a cycle");
    to.aspen_command()->wait_for(from.aspen_command());
  }

  /// What is submitted to these queues becomes a node until the recording ends.
  void begin_recording(queue &from, const property_list & = {}) {
    if (from.get_device().aspen_handle() != graph_->device)
      sycl::detail::fail(errc::invalid, "begin_recording: the queue has another device than the graph");
    if (from.aspen_state().recorder && from.aspen_state().recorder.get() != graph_.get())
      sycl::detail::fail(errc::invalid, "begin_recording: another graph records the queue");
    from.aspen_state().recorder = recorder();
    recorded_.add(from);
  }
  template <class Vector = std::vector<queue>> void begin_recording(const Vector &all, const property_list &properties = {}) {
    for (queue one : all)
      begin_recording(one, properties);
  }
  void end_recording() {
    for (const queue &one : recorded_)
      end(one);
    recorded_.clear();
  }
  void end_recording(queue &from) { end(from); }
  template <class Vector = std::vector<queue>> void end_recording(const Vector &all) {
    for (const queue &one : all)
      end(one);
  }

  /// The graph as it is now, to be executed; later changes do not concern it.
  command_graph<graph_state::executable> finalize(const property_list & = {}) const {
    auto *const sorted = new sycl::detail::recorded_execution;
    const sycl::detail::shared<sycl::detail::executable> result(sorted);
    sorted->device = graph_->device;
    const size_t count = graph_->commands.size();
    sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_command>> copies;
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : graph_->commands)
      copies.add(copy_of(*one));
    sycl::detail::list<bool> done;
    for (size_t i = 0; i < count; ++i)
      done.add(false);
    // A later node may have been put before an earlier one: take those of which all that comes before has been taken, until all are.
    while (sorted->commands.size() < count)
      for (size_t i = 0; i < count; ++i) {
        bool ready = !done.data()[i];
        for (const auto &before : graph_->commands.data()[i]->after)
          ready = ready && done.data()[place_of(before.get())];
        if (!ready)
          continue;
        done.data()[i] = true;
        for (const auto &before : graph_->commands.data()[i]->after)
          copies.data()[i]->after.add(copies.data()[place_of(before.get())]);
        sorted->commands.add(copies.data()[i]);
      }
    return command_graph<graph_state::executable>(result);
  }

  template <class Vector = std::vector<node>> Vector get_nodes() const {
    Vector out;
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : graph_->commands)
      out.push_back(node(one));
    return out;
  }
  template <class Vector = std::vector<node>> Vector get_root_nodes() const {
    Vector out;
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : graph_->commands)
      if (one->after.size() == 0)
        out.push_back(node(one));
    return out;
  }

private:
  struct recording {
    recording(queue &from, const sycl::detail::shared<sycl::detail::recorder> &to) : state(from.aspen_state()) { state.recorder = to; }
    ~recording() { state.recorder = {}; }
    sycl::detail::queue_state &state;
  };
  sycl::detail::shared<sycl::detail::recorder> recorder() const {
    graph_->retain();
    return sycl::detail::shared<sycl::detail::recorder>(graph_.get());
  }
  using command = sycl::detail::shared<sycl::detail::recorded_command>;

  size_t place_of(const sycl::detail::recorded_command *which) const {
    size_t at = 0;
    while (at < graph_->commands.size() && graph_->commands.data()[at].get() != which)
      ++at;
    return at;
  }
  const command &of_this(const node &one) const {
    if (place_of(one.aspen_command().get()) == graph_->commands.size())
      sycl::detail::fail(errc::invalid, "the node belongs to another graph");
    return one.aspen_command();
  }
  /// Whether `from` comes after `to`, by however many edges.
  static bool reaches(const sycl::detail::recorded_command *from, const sycl::detail::recorded_command *to) {
    for (const command &before : from->after)
      if (before.get() == to || reaches(before.get(), to))
        return true;
    return false;
  }
  static command copy_of(const sycl::detail::recorded_command &from) {
    command out(new sycl::detail::recorded_command);
    out->parts = from.parts;
    out->whole = from.whole;
    for (const aspen_buffer_use_t &one : from.uses)
      out->use(one);
    return out;
  }
  void end(const queue &from) const {
    if (from.aspen_state().recorder.get() == graph_.get())
      from.aspen_state().recorder = {};
  }

  sycl::detail::shared<sycl::detail::recorded_graph> graph_;
  queue own_; // through which nodes are made
  sycl::detail::list<queue> recorded_;
};
command_graph(const context &, const device &, const property_list & = {}) -> command_graph<graph_state::modifiable>;
command_graph(const queue &, const property_list & = {}) -> command_graph<graph_state::modifiable>;

inline void execute_graph(queue q, command_graph<graph_state::executable> &graph) { q.ext_oneapi_graph(graph); }
inline void execute_graph(handler &h, command_graph<graph_state::executable> &graph) { h.ext_oneapi_graph(graph); }

} // namespace sycl::ext::oneapi::experimental

namespace sycl {
inline ext::oneapi::experimental::queue_state queue::ext_oneapi_get_state() const {
  return state_->recorder ? ext::oneapi::experimental::queue_state::recording : ext::oneapi::experimental::queue_state::executing;
}
} // namespace sycl
