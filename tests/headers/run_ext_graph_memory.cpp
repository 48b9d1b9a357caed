//! Local memory of graphs' kernels whose size is updated: `dynamic_local_accessor`, `dynamic_work_group_memory`. Exit status 0: all right.
//! Source: sycl_ext_oneapi_graph.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
using ex::property::graph::updatable;

constexpr size_t count = 128;

/// Each work-item adds up what all of its group have written, so that memory that is too small, or another one's, shows.
template <class Memory> static int sum(const Memory &memory, size_t me, size_t n, const sycl::nd_item<1> &item) {
  memory[me] = static_cast<int>(n);
  sycl::group_barrier(item.get_group());
  int all = 0;
  for (size_t i = 0; i < n; ++i)
    all += memory[i];
  sycl::group_barrier(item.get_group());
  return all;
}

static bool all(sycl::queue &q, const int *m, size_t n, int value) {
  q.wait();
  for (size_t i = 0; i < n; ++i)
    if (m[i] != value)
      return false;
  return true;
}

static void one_size_after_another(sycl::queue &q, int *m) {
  ex::command_graph graph(q);
  ex::dynamic_work_group_memory<int[]> memory{graph, 8};
  ex::dynamic_local_accessor<long, 1> other(sycl::range<1>(8));
  const ex::dynamic_local_accessor<long, 1> same = other;
  CHECK(same == other && other != ex::dynamic_local_accessor<long, 1>(graph, sycl::range<1>(8)) && memory == ex::dynamic_work_group_memory(memory));
  auto node = graph.add([&](sycl::handler &h) {
    sycl::local_accessor<int, 1> fixed(sycl::range(64), h); // lies before them
    h.parallel_for(sycl::nd_range<1>(count, 8), [=](sycl::nd_item<1> item) {
      const size_t n = item.get_local_range(0), me = item.get_local_id(0);
      auto array = memory.get();
      fixed[me] = 1000;
      const int first = sum(array, me, n, item), second = sum(other.get(), me, n, item), third = sum(same.get(), me, n, item);
      m[item.get_global_id(0)] = first + second + third + fixed[me] + static_cast<int>(same.get().size() == n);
    });
  });
  auto runs = graph.finalize(updatable()), before = graph.finalize();
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, count, 3 * 64 + 1001));
  memory.update(32);
  other.update(sycl::range<1>(32));
  node.update_nd_range(sycl::nd_range<1>(count, 32));
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, count, 3 * 64 + 1001));
  runs.update(node);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, count, 3 * 1024 + 1001));
  q.ext_oneapi_graph(before).wait();
  CHECK(all(q, m, count, 3 * 64 + 1001));
  // Smaller again; and nodes that are made now have the size of now.
  memory.update(4);
  other.update(sycl::range<1>(4));
  node.update_nd_range(sycl::nd_range<1>(count, 4));
  runs.update(node);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, count, 3 * 16 + 1001));
  graph.add([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(count, 4), [=](sycl::nd_item<1> item) {
      m[item.get_global_id(0)] = static_cast<int>(other.get().size()) + sum(other.get(), item.get_local_id(0), 4, item);
    });
  }, {ex::property::node::depends_on(node)});
  q.ext_oneapi_graph(graph.finalize()).wait();
  CHECK(all(q, m, count, 4 + 16));
}

static void more_dimensions_and_nodes(sycl::queue &q, int *m) {
  ex::command_graph graph(q);
  ex::dynamic_local_accessor<int, 2> square{graph, sycl::range<2>{2, 2}};
  ex::dynamic_work_group_memory<int[][3]> rows{graph, 2};
  const auto add = [&](int *to) {
    return graph.add([&](sycl::handler &h) {
      h.parallel_for(sycl::nd_range<2>({8, 8}, {2, 2}), [=](sycl::nd_item<2> item) {
        const size_t i = item.get_local_id(0), j = item.get_local_id(1), n = item.get_local_range(0);
        auto memory = square.get();
        auto lines = rows.get();
        memory[i][j] = static_cast<int>(10 * i + j);
        if (j == 0)
          for (int k = 0; k < 3; ++k)
            lines[i][k] = static_cast<int>(100 * i) + k;
        sycl::group_barrier(item.get_group());
        int out = 0;
        for (size_t a = 0; a < n; ++a) {
          for (size_t b = 0; b < n; ++b)
            out += memory[a][b];
          for (int k = 0; k < 3; ++k)
            out += lines[a][k];
        }
        to[item.get_global_linear_id()] = out;
      });
    });
  };
  auto first = add(m), second = add(m + 64);
  auto runs = graph.finalize(updatable());
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, 128, 22 + 306));
  square.update({4, 4});
  rows.update(4);
  for (auto *node : {&first, &second})
    node->update_nd_range(sycl::nd_range<2>({8, 8}, {4, 4}));
  runs.update(second);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(q, m, 64, 22 + 306) && all(q, m + 64, 64, 264 + 1812));
}

static void wrong_uses(sycl::queue &q, int *m) {
  ex::dynamic_local_accessor<int, 1> memory(sycl::range<1>(8));
  CHECK(throws(sycl::errc::invalid, [&] { // of no graph
    q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) { m[0] = memory.get()[item.get_local_id(0)]; });
  }));
  ex::command_graph graph(q);
  CHECK(throws(sycl::errc::kernel_argument, [&] { // of no work-groups
    graph.add([&](sycl::handler &h) { h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { m[i] = memory.get()[i]; }); });
  }));
  // The host has none: what a command group got there would all be at the start of the kernel's local memory.
  ex::dynamic_work_group_memory<int[]> array(graph, 8);
  CHECK(throws(sycl::errc::invalid, [&] { memory.get(); }) && throws(sycl::errc::invalid, [&] { array.get(); }));
  CHECK(throws(sycl::errc::invalid, [&] {
    graph.add([&](sycl::handler &h) {
      auto outside = array.get();
      h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) { outside[item.get_local_id(0)] = 1; });
    });
  }));
  CHECK(graph.empty());
}

int main() {
  sycl::queue q;
  int *const m = sycl::malloc_shared<int>(count, q);
  one_size_after_another(q, m);
  more_dimensions_and_nodes(q, m);
  wrong_uses(q, m);
  sycl::free(m, q);
  return failures != 0;
}
