//! What a handler and a graph have to say to each other: a queue that is recorded makes nodes instead of commands. The graphs themselves are
//! in ext/oneapi/experimental/graph.hpp, for those who have some. Source: sycl_ext_oneapi_graph.
#pragma once
#include <aspen/aspen.h>
#include <sycl/detail/counted.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

struct queue_state;
struct recorder;
struct recording;

/// An argument of kernels of nodes that can be updated: ext/oneapi/experimental/graph/dynamic.hpp.
struct dynamic_argument : counted {
  virtual ~dynamic_argument() = default;
  virtual void used_by(const shared<recording> &node, int index) = 0;
};

/// What a node is, in the order of node_type.
enum class recorded_kind { empty, subgraph, kernel, memcpy, memset, memfill, prefetch, memadvise, barrier, host_task, async_malloc, async_free };

/// What a node keeps beside its command.
struct kept_by_node : counted {
  virtual ~kept_by_node() = default;
};

/// A command that a graph remembers, as its command group makes it part by part.
struct recording : counted {
  virtual ~recording() = default;
  /// What the command is, which its first part says unless something has before.
  void is(recorded_kind what) {
    if (kind == recorded_kind::empty)
      kind = what;
  }
  recorded_kind kind = recorded_kind::empty;
  bool for_all = false; // a barrier that waits for all before from its queue
  shared<kept_by_node> arguments; // of a kernel that is a function, if some of them can be updated
  virtual void kernel(const aspen_launch_t &launch) = 0;
  virtual void copy(void *to, const void *from, size_t bytes) = 0;
  virtual void fill(void *to, const void *pattern, size_t size, size_t count) = 0;
  /// `data` is counted: each time that the task is prepared it has a reference more, which `drop` gives back.
  virtual void host_task(aspen_error_t *(*task)(void *), void (*drop)(void *), void *data, counted *count) = 0;
  virtual bool empty() const = 0;
  /// A queue whose command waits for this node is recorded from then on by the node's graph, which is given. An error if that records no
  /// queue, or if the command has `begun`.
  virtual shared<recorder> takes_in(queue_state &queue, bool begun) = 0;
};

/// What can be executed: the caller of `run` gets a reference to an event of all of it.
struct executable : counted {
  virtual ~executable() = default;
  virtual bool is_for(const queue_state &queue) const = 0;
  /// An error if a command of that queue, which becomes a node if it is `recorded`, may not execute it.
  void check_use(const queue_state &queue, bool recorded) const {
    if (!is_for(queue))
      fail(errc::invalid, "ext_oneapi_graph: the queue, or the graph that gets the node, has another device or context than the graph");
    if (recorded && owns_memory())
      fail(errc::invalid, "ext_oneapi_graph: a graph whose nodes allocate memory can be no part of another one; execute it on its own");
  }
  virtual bool owns_memory() const = 0;
  bool has_times = false; // its events do, if the queue's have
  virtual aspen_event_t *run(aspen_queue_t *queue, const aspen_dependencies_t &after) = 0;
  /// A reference to the event of what was submitted last, also by an execution that failed; null if nothing was.
  virtual aspen_event_t *submitted_last() = 0;
};

/// A graph in the making.
struct recorder : counted {
  virtual ~recorder() = default;
  virtual recording *begin() = 0;
  /// The command becomes a node, which may be all of another graph. Gives a reference to the event that stands for it until the graph is
  /// executed.
  virtual aspen_event_t *end(const shared<recording> &command, const shared<executable> &whole, const aspen_dependencies_t &after,
                             aspen_queue_t *queue, bool in_order) = 0;
  /// An error if its nodes may use no buffers. `goes_back`: the command writes one whose content goes to the program's memory in the end.
  virtual void takes_buffers(bool goes_back) const = 0;
  /// Memory of the graph's own, which is there as long as the graph or one that was made of it. `zero`: so when one is made of it.
  virtual void *allocate(size_t bytes, bool zero) = 0;
  virtual bool has_allocated(const void *memory) const = 0;
  /// A queue that is recorded ends.
  virtual void forget(queue_state *queue) = 0;
};

} // namespace sycl::detail
