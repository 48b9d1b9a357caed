//! Graphs of migrated programs: what SYCLomatic makes of `cudaStreamBeginCapture`, `cudaGraphAddDependencies` and their like with
//! `--use-experimental-features=graph`. Nodes of kernels by addresses of functions are not there. Source: SYCLomatic's documentation of its
//! helper headers; sycl_ext_oneapi_graph.
#pragma once
#include <mutex>
#include <syclcompat/dpct.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <unordered_map>
#include <vector>

namespace dpct::experimental {

using command_graph_ptr = sycl::ext::oneapi::experimental::command_graph<sycl::ext::oneapi::experimental::graph_state::modifiable> *;
using command_graph_exec_ptr = sycl::ext::oneapi::experimental::command_graph<sycl::ext::oneapi::experimental::graph_state::executable> *;
using node_ptr = sycl::ext::oneapi::experimental::node *;

namespace detail {
using node_list = std::vector<sycl::ext::oneapi::experimental::node>;
struct known_graphs {
  std::mutex lock;
  std::unordered_map<sycl::queue *, command_graph_ptr> recorded;
  std::unordered_map<command_graph_ptr, node_list> nodes, roots; // what pointers were given to

  static known_graphs &all() {
    static known_graphs known;
    return known;
  }
};
/// The pointers are good until somebody asks the graph again.
inline void tell(node_list &kept, node_list now, node_ptr *nodes, std::size_t *count) {
  kept = std::move(now);
  *count = kept.size();
  for (std::size_t i = 0; nodes && i < kept.size(); ++i)
    nodes[i] = &kept[i];
}
} // namespace detail

/// What the queue is given from here on becomes nodes of a graph. Nothing if it is recorded already.
inline void begin_recording(sycl::queue *queue) {
  auto &known = detail::known_graphs::all();
  const std::lock_guard<std::mutex> guard(known.lock);
  if (known.recorded.count(queue))
    return;
  using graph = std::remove_pointer_t<command_graph_ptr>;
  auto made = std::make_unique<graph>(queue->get_context(), queue->get_device());
  made->begin_recording(*queue);
  known.recorded[queue] = made.release();
}
/// The graph is the caller's, who deletes it. Nothing if the queue is not recorded.
inline void end_recording(sycl::queue *queue, command_graph_ptr *graph) {
  auto &known = detail::known_graphs::all();
  const std::lock_guard<std::mutex> guard(known.lock);
  const auto at = known.recorded.find(queue);
  if (at == known.recorded.end())
    return;
  *graph = at->second;
  known.recorded.erase(at);
  known.nodes.erase(*graph); // of one that was at the same place
  known.roots.erase(*graph);
  (*graph)->end_recording();
}

inline void add_empty_node(node_ptr *node, command_graph_ptr graph, const node_ptr *after, std::size_t count) {
  detail::node_list before;
  for (std::size_t i = 0; i < count; ++i)
    before.push_back(*after[i]);
  *node = new sycl::ext::oneapi::experimental::node(graph->add(sycl::ext::oneapi::experimental::property::node::depends_on(before)));
}
inline void add_dependencies(command_graph_ptr graph, const node_ptr *from, const node_ptr *to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    graph->make_edge(*from[i], *to[i]);
}
/// Without a place for them, how many there are.
inline void get_nodes(command_graph_ptr graph, node_ptr *nodes, std::size_t *count) {
  auto &known = detail::known_graphs::all();
  const std::lock_guard<std::mutex> guard(known.lock);
  detail::tell(known.nodes[graph], graph->get_nodes(), nodes, count);
}
inline void get_root_nodes(command_graph_ptr graph, node_ptr *nodes, std::size_t *count) {
  auto &known = detail::known_graphs::all();
  const std::lock_guard<std::mutex> guard(known.lock);
  detail::tell(known.roots[graph], graph->get_root_nodes(), nodes, count);
}
inline void get_node_type(node_ptr node, sycl::ext::oneapi::experimental::node_type *type) {
  *type = node ? node->get_type() : sycl::ext::oneapi::experimental::node_type::empty;
}
/// `*result` is 1 if it was updated; otherwise an exception tells why not.
inline void update(command_graph_exec_ptr ready, command_graph_ptr graph, int *result) {
  ready->update(*graph);
  *result = 1;
}

} // namespace dpct::experimental
