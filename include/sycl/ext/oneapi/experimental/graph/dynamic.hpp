//! What changes when an executable graph is updated: `dynamic_command_group`, command groups of which a node is one at a time, and
//! `dynamic_parameter`, an argument of kernels that are functions. Source: sycl_ext_oneapi_graph.
#pragma once
#include <functional>
#include <sycl/ext/oneapi/experimental/graph.hpp>

namespace sycl {
namespace detail {

/// Commands are recorded, but become no nodes.
struct making_aside {
  making_aside(graph_in_making &of, list<shared<recorded_command>> &to) : graph(of) {
    graph.retain();
    before = std::exchange(graph.aside, &to);
    began = !graph.own.aspen_state().begin_recording(shared<recorder>(&graph));
  }
  ~making_aside() {
    graph.aside = before;
    if (began)
      graph.own.aspen_state().end_recording();
  }
  graph_in_making &graph;
  list<shared<recorded_command>> *before;
  bool began;
};

/// The value of a dynamic parameter, and the nodes whose kernels have it.
template <class T> struct dynamic_value final : dynamic_argument {
  explicit dynamic_value(const T &first) : value(first) {}
  void used_by(const shared<recording> &node, int index) override {
    const locked hold(lock);
    node->retain();
    users.add({shared<recorded_command>(static_cast<recorded_command *>(node.get())), index});
  }
  void update(const T &to) {
    list<user> all;
    {
      const locked hold(lock);
      value = to;
      all = users;
    }
    for (const user &one : all)
      tell(*one.node, one.index);
  }
  T value;

private:
  struct user {
    shared<recorded_command> node;
    int index;
  };
  void tell(recorded_command &node, int index) {
    std::unique_lock<std::recursive_mutex> whole;
    if (node.lock)
      whole = std::unique_lock(node.lock->mutex);
    kept_arguments &arguments = static_cast<kept_arguments &>(*node.arguments);
    if constexpr (carries_values<T>)
      require(node, index, arguments.set);
    arguments.set.set(index, value);
    remake(node, arguments);
  }
  static void remake(recorded_command &node, const kept_arguments &arguments) {
    arguments.function.pack(arguments.set,
                            [](void *to, const void *closure) {
                              recorded_command &changed = *static_cast<recorded_command *>(to);
                              aspen_launch_t launch = *changed.parts.data()[0]->launches();
                              launch.closure = closure;
                              changed.parts.data()[0] = shared<recorded_part>(new recorded_kernel(launch));
                            },
                            &node);
  }
  /// The node uses the accessor's buffer from now on, and no longer that of the accessor before, unless another argument is of it.
  void require(recorded_command &node, int index, const native_arguments &set) {
    graph_in_making *const graph = static_cast<graph_in_making *>(node.graph);
    if (!graph)
      fail(errc::invalid, "update: the graph of a node that has the parameter is gone");
    list<shared<recorded_command>> made;
    {
      const making_aside whole(*graph, made);
      graph->own.submit([&](handler &h) { h.require(value); });
    }
    node.exchange_use(set.buffer_of(index), set.uses_of(set.buffer_of(index)) > 1, made.data()[0]->uses);
  }
  spin_lock lock;
  list<user> users;
};

} // namespace detail

namespace ext::oneapi::experimental {

/// An argument of kernels that are functions, launched through their kernel objects: given to handler::set_arg while a node is made. An
/// update is one of these nodes at once; executable graphs have it when they are updated by the nodes.
template <class T> class dynamic_parameter {
public:
  explicit dynamic_parameter(const T &value) : state_(new sycl::detail::dynamic_value<T>(value)) {}
  /// As in the extension's first version: it was of one graph.
  dynamic_parameter(const command_graph<graph_state::modifiable> &, const T &value) : dynamic_parameter(value) {}
  void update(const T &value) { state_->update(value); }
  friend bool operator==(const dynamic_parameter &a, const dynamic_parameter &b) { return a.state_ == b.state_; }
  friend bool operator!=(const dynamic_parameter &a, const dynamic_parameter &b) { return a.state_ != b.state_; }

  /// For the library.
  const T &aspen_value() const { return state_->value; }
  sycl::detail::shared<sycl::detail::dynamic_argument> aspen_argument() const {
    state_->retain();
    return sycl::detail::shared<sycl::detail::dynamic_argument>(state_.get());
  }

private:
  sycl::detail::shared<sycl::detail::dynamic_value<T>> state_;
};
template <class T> dynamic_parameter(const T &) -> dynamic_parameter<T>;
template <class T> dynamic_parameter(const command_graph<graph_state::modifiable> &, const T &) -> dynamic_parameter<T>;

class dynamic_command_group {
public:
  /// All of them are called at once; the first is active. They are kernels, or host tasks; those of a node wait for the same nodes.
  template <class Vector = std::vector<std::function<void(handler &)>>>
  dynamic_command_group(const command_graph<graph_state::modifiable> &graph, const Vector &all)
      : graph_(graph), choice_(new sycl::detail::recorded_choice) {
    sycl::detail::graph_in_making &state = *graph.aspen_state();
    const std::lock_guard hold(state.lock);
    {
      const sycl::detail::making_aside whole(state, choice_->each);
      for (const auto &one : all)
        state.own.submit([&](handler &h) { one(h); });
    }
    if (choice_->each.size() == 0)
      sycl::detail::fail(errc::invalid, "dynamic_command_group: there is no command group");
    const sycl::detail::recorded_command &first = *choice_->each.data()[0];
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : choice_->each) {
      if (one->kind != sycl::detail::recorded_kind::kernel && one->kind != sycl::detail::recorded_kind::host_task)
        sycl::detail::fail(errc::invalid, "dynamic_command_group: a command group is neither a kernel nor a host task");
      if (one->kind != first.kind)
        sycl::detail::fail(errc::invalid, "dynamic_command_group: the command groups are of different types");
    }
  }
  size_t get_active_index() const {
    const std::lock_guard hold(graph_.aspen_state()->lock);
    return choice_->active;
  }
  void set_active_index(size_t index) {
    if (index >= choice_->each.size())
      sycl::detail::fail(errc::invalid, "set_active_index: there are not as many command groups");
    const std::lock_guard hold(graph_.aspen_state()->lock);
    choice_->active = index;
  }
  friend bool operator==(const dynamic_command_group &a, const dynamic_command_group &b) { return a.choice_ == b.choice_; }
  friend bool operator!=(const dynamic_command_group &a, const dynamic_command_group &b) { return a.choice_ != b.choice_; }

  /// For the library.
  const sycl::detail::graph_in_making *aspen_graph() const { return graph_.aspen_state(); }
  const sycl::detail::shared<sycl::detail::recorded_choice> &aspen_choice() const { return choice_; }

private:
  command_graph<graph_state::modifiable> graph_;
  sycl::detail::shared<sycl::detail::recorded_choice> choice_;
};

} // namespace ext::oneapi::experimental

template <class T> void handler::require(const ext::oneapi::experimental::dynamic_parameter<T> &of) {
  if (!queue_->of_graph)
    detail::fail(errc::invalid, "require: dynamic parameters are for nodes that command_graph::add makes, and for no queue's commands");
  require(of.aspen_value());
}

} // namespace sycl

template <class T> struct std::hash<sycl::ext::oneapi::experimental::dynamic_parameter<T>> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::dynamic_parameter<T> &of) const noexcept {
    return reinterpret_cast<std::size_t>(of.aspen_argument().get());
  }
};
template <> struct std::hash<sycl::ext::oneapi::experimental::dynamic_command_group> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::dynamic_command_group &of) const noexcept {
    return reinterpret_cast<std::size_t>(of.aspen_choice().get());
  }
};
