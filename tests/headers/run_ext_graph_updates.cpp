//! Command graphs that are asked, printed and updated. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <sycl/sycl.hpp>
#include <unordered_set>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;
namespace of = ex::property::graph;
namespace node = ex::property::node;

constexpr size_t count = 64;

static void add_to(sycl::handler &h, int *m, int by) {
  h.parallel_for<class adds>(sycl::range(count), [=](sycl::id<1> i) { m[i] += by; });
}

static void questions(sycl::queue &q, int *m) {
  ex::command_graph graph(q.get_device()), other(q);
  CHECK(graph.empty() && graph != other && graph.get_id() < other.get_id() && graph == ex::command_graph(graph));
  CHECK(throws(sycl::errc::invalid, [&] { q.ext_oneapi_get_graph(); }));
  CHECK(throws(sycl::errc::feature_not_supported, [&] { ex::command_graph(q, of::enable_native_recording()); }));
  graph.begin_recording(q);
  CHECK(q.ext_oneapi_get_graph() == graph);
  CHECK(throws(sycl::errc::invalid, [&] { graph.add(); }));
  const sycl::event set = q.memset(m, 0, 4), fill = q.fill(m + 1, 5, 3, set), copy = q.memcpy(m + 8, m, 16, fill);
  const sycl::event hint = q.prefetch(m, 4, copy);
  q.mem_advise(m, 4, 0, hint);
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  const sycl::event kernel = q.submit([&](sycl::handler &h) { add_to(h, m, 1); });
  q.submit([&](sycl::handler &h) {
    h.depends_on(kernel);
    h.host_task([] {});
  });
  q.ext_oneapi_get_graph().end_recording();
  CHECK(q.ext_oneapi_get_state() == ex::queue_state::executing && !graph.empty());
  graph.add({node::depends_on_all_leaves()});
  const ex::node_type types[] = {ex::node_type::memset,    ex::node_type::memfill,            ex::node_type::memcpy,
                                 ex::node_type::prefetch,  ex::node_type::memadvise,          ex::node_type::ext_oneapi_barrier,
                                 ex::node_type::kernel,    ex::node_type::host_task,          ex::node_type::empty};
  const std::vector<ex::node> nodes = graph.get_nodes();
  CHECK(nodes.size() == 9);
  for (size_t i = 0; i < nodes.size(); ++i) {
    CHECK(nodes[i].get_type() == types[i]);
    if (i > 0)
      CHECK(nodes[i].get_predecessors() == std::vector<ex::node>{nodes[i - 1]});
  }
  CHECK(nodes[5].get_successors() == std::vector<ex::node>{nodes[6]}); // what follows a barrier is behind it
  CHECK(ex::node::get_node_from_event(kernel) == nodes[6] && ex::node::get_node_from_event(barrier) != nodes[6]);
  CHECK(throws(sycl::errc::invalid, [&] { ex::node::get_node_from_event(sycl::event()); }));
  CHECK(std::unordered_set<ex::node>(nodes.begin(), nodes.end()).count(nodes[3]) == 1);
  CHECK(std::hash<decltype(graph)>()(graph) != std::hash<decltype(graph)>()(other));

  const std::string name = "aspen_graph_" + std::to_string(reinterpret_cast<std::uintptr_t>(m)) + ".dot";
  const std::string path = std::filesystem::temp_directory_path() / name;
  graph.print_graph(path, true);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove(path.c_str());
  CHECK(text.rfind("digraph dot {\n", 0) == 0 && text.find("node0 -> node1;") != text.npos && text.back() == '\n');
  CHECK(text.find("label=\"6: kernel\\n") != text.npos && text.find("adds") != text.npos);
  CHECK(throws(sycl::errc::invalid, [&] { graph.print_graph("graph.txt"); }));
  CHECK(throws(sycl::errc::invalid, [&] { graph.print_graph("/no such folder/graph.dot"); }));
  // A queue that ends while it is recorded leaves the graph.
  {
    sycl::queue own(q.get_context(), q.get_device());
    other.begin_recording(own);
    own.memset(m, 0, 4);
  }
  other.end_recording();
}

static void edges_of_buffers(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(count)};
  ex::command_graph graph(q, {of::assume_buffer_outlives_graph(), of::assume_data_outlives_buffer()});
  const auto first = graph.add([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(sycl::range(count), [=](sycl::id<1> i) { a[i] = 1; });
  });
  const auto reads = [&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_only);
    h.single_task([=] { (void)a[0]; });
  };
  const auto left = graph.add(reads), right = graph.add(reads);
  const auto last = graph.add([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.single_task([=] { a[0] = 2; });
  });
  CHECK(graph.get_root_nodes() == std::vector<ex::node>{first} && first.get_successors().size() == 2);
  CHECK(last.get_predecessors().size() == 2);
  CHECK(left.get_predecessors() == std::vector<ex::node>{first} && right.get_successors() == std::vector<ex::node>{last});
}

static int sum_of(const int *m) {
  int sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += m[i];
  return sum;
}

static void updates(sycl::queue &q, int *m, int *n) {
  const auto clear = [&] {
    for (size_t i = 0; i < count; ++i)
      m[i] = n[i] = 0;
  };
  ex::command_graph graph(q);
  auto first = graph.add([&](sycl::handler &h) { add_to(h, m, 1); });
  const auto of_groups = [=](sycl::nd_item<1> i) { m[i.get_global_id(0)] += int(i.get_local_range(0)); };
  auto second = graph.add([&](sycl::handler &h) { h.parallel_for<class counts>(sycl::nd_range<1>(count, 8), of_groups); },
                          {node::depends_on(first)});
  auto copy = graph.add([&](sycl::handler &h) { h.memcpy(n, m, sizeof(int)); }, {node::depends_on(second)});
  auto fixed = graph.finalize();
  auto executable = graph.finalize({of::updatable(), of::enable_profiling()});
  CHECK(executable.get_required_mem_size() == 0 && executable != fixed);
  clear();
  q.ext_oneapi_graph(executable).wait();
  CHECK(sum_of(m) == 9 * int(count) && n[0] == 9);

  // Ranges.
  first.update_range(sycl::range<1>(count / 2));
  second.update_nd_range(sycl::nd_range<1>(count / 2, 4));
  clear();
  q.ext_oneapi_graph(executable).wait();
  CHECK(sum_of(m) == 9 * int(count)); // not yet
  executable.update(first);
  executable.update(std::vector<ex::node>{second});
  clear();
  q.ext_oneapi_graph(executable).wait();
  CHECK(sum_of(m) == 5 * int(count) / 2 && m[count - 1] == 0 && n[0] == 5);
  clear();
  auto again = graph.finalize(); // the modifiable graph has changed at once
  q.ext_oneapi_graph(again).wait();
  CHECK(sum_of(m) == 5 * int(count) / 2);

  CHECK(throws(sycl::errc::invalid, [&] { fixed.update(first); }));
  CHECK(throws(sycl::errc::invalid, [&] { executable.update(copy); }));
  CHECK(throws(sycl::errc::invalid, [&] { first.update_range(sycl::range<2>(1, 1)); }));
  CHECK(throws(sycl::errc::invalid, [&] { second.update_range(sycl::range<2>(1, 1)); }));
  CHECK(throws(sycl::errc::invalid, [&] { copy.update_range(sycl::range<1>(1)); }));

  // A kernel over a range takes an nd_range, and the other way round: its work-groups divide the range, and are no larger than before.
  first.update_nd_range(sycl::nd_range<1>(8, 2));
  second.update_range(sycl::range<1>(6));
  executable.update(std::vector<ex::node>{first, second});
  clear();
  q.ext_oneapi_graph(executable).wait();
  CHECK(sum_of(m) == 8 + 6 * 3 && m[5] == 4 && m[7] == 1 && m[8] == 0);

  // All of it, from a graph that was made in the same way: other memory, other ranges.
  const auto made = [&](int *to, size_t items, bool longer) {
    ex::command_graph like(q);
    auto a = like.add([&](sycl::handler &h) { h.parallel_for<class whole>(sycl::range(items), [=](sycl::id<1> i) { to[i] += 7; }); });
    auto b = like.add([&](sycl::handler &h) { h.host_task([=] { to[0] += 100; }); }, {node::depends_on(a)});
    if (longer)
      like.add({node::depends_on(b)});
    return like;
  };
  auto all = made(m, count, false).finalize(of::updatable());
  clear();
  q.ext_oneapi_graph(all).wait();
  CHECK(sum_of(m) == 7 * int(count) + 100 && sum_of(n) == 0);
  all.update(made(n, count / 4, false));
  clear();
  q.ext_oneapi_graph(all);
  q.ext_oneapi_graph(all).wait();
  CHECK(sum_of(m) == 0 && sum_of(n) == 2 * (7 * int(count) / 4 + 100));
  CHECK(throws(sycl::errc::invalid, [&] { all.update(made(m, count, true)); }));
  CHECK(throws(sycl::errc::invalid, [&] { fixed.update(graph); }));
  CHECK(throws(sycl::errc::invalid, [&] { executable.update(made(m, count, true)); })); // other kernels
}

static void choices(sycl::queue &q, int *m) {
  ex::command_graph graph(q), other(q);
  const std::vector<std::function<void(sycl::handler &)>> all{
      [=](sycl::handler &h) { h.single_task<class one_of>([=] { m[0] += 1; }); },
      [=](sycl::handler &h) { h.parallel_for<class some_of>(sycl::range<2>(2, 4), [=](sycl::id<2> i) { m[i[0] * 4 + i[1]] += 10; }); }};
  ex::dynamic_command_group group(graph, all);
  auto chosen = graph.add(group);
  graph.add([&](sycl::handler &h) { h.single_task([=] { m[9] = m[0]; }); }, {node::depends_on(chosen)});
  auto executable = graph.finalize(of::updatable());
  for (size_t i = 0; i < count; ++i)
    m[i] = 0;
  q.ext_oneapi_graph(executable).wait();
  CHECK(group.get_active_index() == 0 && m[0] == 1 && m[7] == 0 && m[9] == 1 && chosen.get_type() == ex::node_type::kernel);
  group.set_active_index(1);
  q.ext_oneapi_graph(executable).wait();
  CHECK(m[0] == 2 && m[7] == 0); // not yet
  executable.update(chosen);
  q.ext_oneapi_graph(executable).wait();
  CHECK(m[0] == 12 && m[7] == 10 && m[9] == 12);
  chosen.update_range(sycl::range<2>(1, 4));
  executable.update(chosen);
  q.ext_oneapi_graph(executable).wait();
  CHECK(m[0] == 22 && m[7] == 10 && m[9] == 22);
  CHECK(throws(sycl::errc::invalid, [&] { group.set_active_index(2); }));
  CHECK(throws(sycl::errc::invalid, [&] { other.add(group); }));
  CHECK(throws(sycl::errc::invalid, [&] { ex::dynamic_command_group(graph, std::vector<std::function<void(sycl::handler &)>>{}); }));
  CHECK(throws(sycl::errc::invalid, [&] {
    ex::dynamic_command_group(graph, std::vector<std::function<void(sycl::handler &)>>{[=](sycl::handler &h) { h.memset(m, 0, 4); }});
  }));
  CHECK(throws(sycl::errc::invalid, [&] {
    const std::vector<std::function<void(sycl::handler &)>> mixed{all[0], [](sycl::handler &h) { h.host_task([] {}); }};
    ex::dynamic_command_group(graph, mixed);
  }));
}

/// The source says in which work-groups a kernel is launched, and then it is launched in others.
void other_groups(sycl::queue &q, int *m) {
  ex::command_graph graph(q.get_context(), q.get_device());
  auto mirrored = graph.add([&](sycl::handler &h) {
    sycl::local_accessor<int> tile(32, h);
    h.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> i) {
      const size_t l = i.get_local_id(0), in_group = i.get_local_range(0);
      tile[l] = int(l);
      sycl::group_barrier(i.get_group());
      m[i.get_global_id(0)] = tile[in_group - 1 - l] * 100 + int(in_group);
    });
  });
  auto runs = graph.finalize(ex::property::graph::updatable{});
  q.ext_oneapi_graph(runs).wait();
  CHECK(m[0] == 1516 && m[15] == 16 && m[31] == 16);
  mirrored.update_nd_range(sycl::nd_range<1>(24, 24));
  runs.update(mirrored);
  q.ext_oneapi_graph(runs).wait();
  CHECK(m[0] == 2324 && m[23] == 24);
}

int main() {
  sycl::queue q;
  int *const m = sycl::malloc_shared<int>(count, q), *const n = sycl::malloc_shared<int>(count, q);
  questions(q, m);
  edges_of_buffers(q);
  updates(q, m, n);
  choices(q, m);
  other_groups(q, m);
  sycl::free(m, q);
  sycl::free(n, q);
  return failures;
}
