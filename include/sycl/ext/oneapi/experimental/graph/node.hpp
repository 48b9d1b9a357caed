//! Nodes of command graphs, and what a new one is told. Source: sycl_ext_oneapi_graph.
#pragma once
#include <sycl/detail/graph_state.hpp>
#include <sycl/queue.hpp>
#include <vector>

namespace sycl::ext::oneapi::experimental {

enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  async_malloc,
  async_free
};

/// A command of a graph.
class node {
  using command = sycl::detail::shared<sycl::detail::recorded_command>;

public:
  node_type get_type() const {
    const auto whole = aspen_hold();
    return static_cast<node_type>(command_->current().kind);
  }
  /// The nodes that it waits for, and those that wait for it.
  template <class Vector = std::vector<node>> Vector get_predecessors() const {
    const auto whole = aspen_hold();
    Vector out;
    for (const command &before : command_->after)
      out.push_back(node(before));
    return out;
  }
  template <class Vector = std::vector<node>> Vector get_successors() const {
    const auto whole = aspen_hold();
    Vector out;
    if (command_->graph)
      for (const command &one : command_->graph->commands)
        for (const command &before : one->after)
          if (before == command_)
            out.push_back(node(one));
    return out;
  }
  /// The node that a recorded command became, by the event that submitting it gave.
  template <class Event> static node get_node_from_event(const Event &of) {
    static_assert(std::is_same_v<Event, event>, "get_node_from_event takes a sycl::event");
    const sycl::detail::shared<sycl::detail::recording> made = of.aspen_node();
    if (!made)
      sycl::detail::fail(errc::invalid, "get_node_from_event: the event is not of a command that a graph recorded");
    made->retain();
    return node(command(static_cast<sycl::detail::recorded_command *>(made.get())));
  }

  /// The range over which the node's kernel is launched, in this graph at once, in executable ones when they are updated. A kernel over a
  /// range takes an nd_range for its items alone; one over an nd_range takes a range with the largest work-groups that divide it and are no
  /// larger than before. Error: `errc::invalid` for other dimensions, hierarchical kernels and what is no kernel. Source:
  /// sycl_ext_oneapi_graph, "Node Member Functions".
  template <int D> void update_nd_range(nd_range<D> over) {
    const range<D> local = over.get_local_range();
    update_shape(over.get_global_range(), &local, over.get_offset());
  }
  template <int D> void update_range(range<D> over) { update_shape(over, static_cast<const range<D> *>(nullptr), id<D>()); }

  friend bool operator==(const node &a, const node &b) { return a.command_ == b.command_; }
  friend bool operator!=(const node &a, const node &b) { return a.command_ != b.command_; }

  /// For the library.
  explicit node(const command &of) : command_(of) {}
  const command &aspen_command() const { return command_; }
  /// While it is held, no other thread changes the graph; holds nothing if the node is of none.
  std::unique_lock<std::recursive_mutex> aspen_hold() const {
    return command_->lock ? std::unique_lock(command_->lock->mutex) : std::unique_lock<std::recursive_mutex>();
  }

private:
  template <int D> void update_shape(const range<D> &global, const range<D> *local, const id<D> &offset) {
    const auto whole = aspen_hold();
    sycl::detail::recorded_command &now = command_->current();
    const aspen_launch_t *const before = now.parts.size() == 1 ? now.parts.data()[0]->launches() : nullptr;
    if (!before)
      sycl::detail::fail(errc::invalid, now.parts.size() > 1 ? "the range of one kernel can be updated; this command has several parts"
                                                             : "the ranges of kernels can be updated; this node is none");
    if (before->kind != ASPEN_LAUNCH_RANGE && before->kind != ASPEN_LAUNCH_ND_RANGE)
      sycl::detail::fail(errc::invalid, "the ranges of kernels over a range or an nd_range can be updated; this one is over neither");
    if (before->dimensions != D)
      sycl::detail::fail(errc::invalid, "a range is updated by one of as many dimensions");
    aspen_launch_t changed = *before;
    const range<D> groups = local ? *local : divided(global, *before);
    sycl::detail::set_shape(changed, global, before->kind == ASPEN_LAUNCH_ND_RANGE ? &groups : nullptr, offset);
    const sycl::detail::shared<sycl::detail::recorded_part> made(new sycl::detail::recorded_kernel(changed));
    now.parts.data()[0] = made;
  }
  /// Work-groups for a range, no larger than those of the launch.
  template <int D> static range<D> divided(range<D> over, const aspen_launch_t &before) {
    for (int d = 0; d < D; ++d) {
      size_t size = before.local[d] < over[d] ? static_cast<size_t>(before.local[d]) : over[d];
      while (size > 1 && over[d] % size)
        --size;
      over[d] = size ? size : 1;
    }
    return over;
  }
  command command_;
};

namespace property {
namespace graph {
/// Edges are checked when they are made in any case.
class no_cycle_check : public sycl::detail::flag_property<32768u> {};
/// Nodes may use buffers, which they keep; copies of host memory are made when they are executed.
class assume_buffer_outlives_graph : public sycl::detail::flag_property<65536u> {};
class assume_data_outlives_buffer : public sycl::detail::flag_property<1048576u> {};
/// The executable graph can be updated.
class updatable : public sycl::detail::flag_property<2097152u> {};
/// Events of executions can be asked for their times if the queue's can. Without it that is errc::invalid.
class enable_profiling : public sycl::detail::flag_property<4194304u> {};
/// Recording by a backend, which none can: errc::feature_not_supported.
class enable_native_recording : public sycl::detail::flag_property<8388608u> {};
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
  /// As DPC++ takes them, too.
  template <class Nodes, std::enable_if_t<std::is_same_v<typename Nodes::value_type, experimental::node>, int> = 0>
  depends_on(const Nodes &nodes) : value_(new value) {
    for (const experimental::node &one : nodes)
      static_cast<value &>(*value_).nodes.add(one);
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

} // namespace sycl::ext::oneapi::experimental

template <> struct std::hash<sycl::ext::oneapi::experimental::node> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::node &of) const noexcept {
    return reinterpret_cast<std::size_t>(of.aspen_command().get());
  }
};
