//! Command graphs, made by function and by recording queues, and the free functions that submit commands. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
namespace node = ex::property::node;

static_assert(SYCL_EXT_ONEAPI_GRAPH >= 1 && SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS >= 1 && SYCL_EXT_ONEAPI_GET_KERNEL_INFO >= 1);

constexpr size_t count = 64;

/// m = 2, then m = (m + by) * 3 in a diamond, whose edges are stated in another order than the nodes.
static void by_function(sycl::queue &q, int *m) {
  ex::command_graph graph(q.get_context(), q.get_device());
  int by = 5;
  const auto last = graph.add([&](sycl::handler &h) { h.parallel_for<class times>(sycl::range(count), [=](sycl::id<1> i) { m[i] *= 3; }); });
  const auto first = graph.add([&](sycl::handler &h) { h.fill(m, 2, count); });
  const auto middle = graph.add([&](sycl::handler &h) { h.parallel_for<class plus>(sycl::range(count / 2), [=](sycl::id<1> i) { m[i] += by; }); }, {node::depends_on(first)});
  const auto other = graph.add([&](sycl::handler &h) { h.parallel_for<class plus2>(sycl::range(count / 2), [=](sycl::id<1> i) { m[i + count / 2] += by; }); },
                               node::depends_on(first));
  const auto join = graph.add({node::depends_on(middle, other)});
  graph.make_edge(join, last);
  CHECK(throws(sycl::errc::invalid, [&] { graph.make_edge(last, first); }));
  CHECK(graph.get_nodes().size() == 5 && graph.get_root_nodes().size() == 1 && graph.get_root_nodes()[0] == first);
  CHECK(join.get_type() == ex::node_type::empty && first.get_type() == ex::node_type::memfill && join.get_predecessors().size() == 2);
  auto executable = graph.finalize();
  by = 1000; // too late
  for (size_t i = 0; i < count; ++i)
    m[i] = 0;
  for (int round = 0; round < 3; ++round) {
    q.ext_oneapi_graph(executable).wait();
    bool right = true;
    for (size_t i = 0; i < count; ++i) {
      right = right && m[i] == 21;
      m[i] = -round;
    }
    CHECK(right);
  }
  // Later nodes do not concern what is executable, and are last in what is made of it next.
  graph.add([&](sycl::handler &h) { h.memset(m, 0, sizeof(int)); }, node::depends_on_all_leaves());
  q.ext_oneapi_graph(executable).wait();
  CHECK(m[0] == 21);
  auto longer = graph.finalize();
  q.ext_oneapi_graph(longer).wait();
  CHECK(m[0] == 0 && m[1] == 21);

  ex::command_graph whole(q);
  whole.add([&](sycl::handler &h) { h.ext_oneapi_graph(longer); });
  const auto sub = whole.get_nodes()[0];
  CHECK(sub.get_type() == ex::node_type::subgraph);
  whole.add([&](sycl::handler &h) { h.single_task<class after>([=] { m[0] += 100; }); }, node::depends_on(sub));
  auto nested = whole.finalize();
  ex::execute_graph(q, nested);
  ex::execute_graph(q, nested);
  q.wait();
  CHECK(m[0] == 100 && m[63] == 21);
}

static void by_recording(sycl::queue &q, int *m) {
  for (const bool in_order : {true, false}) {
    sycl::queue one(q.get_context(), q.get_device(), in_order ? sycl::property_list(sycl::property::queue::in_order()) : sycl::property_list());
    ex::command_graph graph(one);
    for (size_t i = 0; i < count; ++i)
      m[i] = 1;
    int ran = 0;
    int sum = 0;
    graph.begin_recording(one);
    CHECK(one.ext_oneapi_get_state() == ex::queue_state::recording && q.ext_oneapi_get_state() == ex::queue_state::executing);
    sycl::event e = one.parallel_for<class rec1>(sycl::range(count), [=](sycl::id<1> i) { m[i] += 1; });
    e = one.submit([&](sycl::handler &h) {
      h.depends_on(e);
      sycl::local_accessor<int> local(8, h);
      h.parallel_for<class rec2>(sycl::nd_range<1>(count, 8), [=](sycl::nd_item<1> i) {
        local[i.get_local_id(0)] = m[i.get_global_id(0)];
        sycl::group_barrier(i.get_group());
        m[i.get_global_id(0)] = local[7 - i.get_local_id(0)] * 10;
      });
    });
    e = one.submit([&](sycl::handler &h) {
      h.depends_on(e);
      h.host_task([&ran, m] { ran += m[5]; });
    });
    e = one.memcpy(&sum, m, sizeof(int), e);
    if (!in_order)
      CHECK(throws(sycl::errc::invalid, [&] { one.single_task(q.single_task([] {}), [] {}); }));
    CHECK(throws(sycl::errc::invalid, [&] { one.wait(); }) && throws(sycl::errc::invalid, [&] { one.wait_and_throw(); }));
    graph.end_recording();
    CHECK(one.ext_oneapi_get_state() == ex::queue_state::executing);
    CHECK(throws(sycl::errc::invalid, [&] { e.wait(); }) && throws(sycl::errc::invalid, [&] { sycl::event(e).wait_and_throw(); }));
    one.wait();
    CHECK(m[0] == 1 && ran == 0); // nothing has run
    auto executable = graph.finalize();
    one.ext_oneapi_graph(executable);
    sycl::event end = one.ext_oneapi_graph(executable);
    end.wait();
    CHECK(m[0] == 210 && m[63] == 210 && sum == 210 && ran == 20 + 210);
    graph.begin_recording(std::vector<sycl::queue>{one});
    one.single_task<class rec3>([=] { m[1] = 7; });
    graph.end_recording(one);
    CHECK(graph.get_nodes().size() == 5);
  }
}

static void of_buffers(sycl::queue &q) {
  std::vector<int> v(count, 1);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(count));
    b.set_write_back(false);
    ex::command_graph graph(q, {ex::property::graph::assume_buffer_outlives_graph()});
    graph.begin_recording(q);
    for (int round = 0; round < 2; ++round)
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for<class buffered>(sycl::range(count), [=](sycl::id<1> i) { a[i] = a[i] * 2 + 1; });
      });
    graph.end_recording(q);
    auto executable = graph.finalize();
    q.submit([&](sycl::handler &h) { h.ext_oneapi_graph(executable); });
    q.ext_oneapi_graph(executable);
    const sycl::host_accessor content(b);
    CHECK(content[0] == 31 && content[63] == 31);
  }
  CHECK(v[0] == 1);
}

static void free_functions(sycl::queue &q, int *m) {
  sycl::queue o(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  ex::fill(o, m, 3, count);
  ex::parallel_for(o, sycl::range<1>(count), [=](sycl::id<1> i) { m[i] += 1; });
  ex::nd_launch(o, sycl::nd_range<1>(count, 8), [=](sycl::nd_item<1> i) { m[i.get_global_id(0)] += 10; });
  ex::single_task(o, [=] { m[0] = 1; });
  ex::nd_launch<class sized>(o, ex::launch_config(sycl::nd_range<1>(count, 8), ex::properties{ex::work_group_size<8>}),
                             [=](sycl::nd_item<1> i) { m[i.get_global_id(0)] += 100; });
  int sum = 0;
  {
    sycl::buffer<int> to(&sum, 1);
    ex::submit(o, [&](sycl::handler &h) {
      ex::parallel_for(h, sycl::range<1>(count), [=](sycl::id<1> i, auto &s) { s += m[i]; }, sycl::reduction(to, h, sycl::plus<int>()));
    });
  }
  CHECK(sum == 63 * 114 + 101);
  std::vector<int> host(count);
  ex::copy(o, m, host.data(), count);
  ex::barrier(o);
  ex::memset(o, m, 0, 4);
  const sycl::event e = ex::submit_with_event(o, ex::properties{}, [&](sycl::handler &h) { ex::memcpy(h, m + 1, m, 4); });
  ex::partial_barrier(o, {e});
  ex::prefetch(o, m, 4);
  ex::mem_advise(o, m, 4, 0);
  o.wait();
  CHECK(host[0] == 101 && host[1] == 114 && m[0] == 0 && m[1] == 0 && m[2] == 114);
  CHECK(throws(sycl::errc::nd_range, [&] {
    ex::nd_launch<class sized2>(o, ex::launch_config(sycl::nd_range<1>(count, 16), ex::properties{ex::work_group_size<8>}), [=](sycl::nd_item<1>) {});
  }));
  const auto size = sycl::ext::oneapi::get_kernel_info<class sized, sycl::info::kernel_device_specific::compile_work_group_size>(q);
  CHECK(size == sycl::range<3>(8, 1, 1) || size == sycl::range<3>(1, 1, 8));
}

/// A queue whose command waits for one of a queue that is recorded is recorded itself.
static void queues_that_follow(sycl::queue &q, int *m) {
  const sycl::property_list in_order{sycl::property::queue::in_order()};
  sycl::queue first(q.get_context(), q.get_device(), in_order), second(q.get_context(), q.get_device(), in_order), third(q.get_context(), q.get_device());
  ex::command_graph graph(q.get_context(), q.get_device());
  m[0] = m[1] = m[2] = 0;
  graph.begin_recording(first);
  const sycl::event a = first.single_task([=] { m[0] = 1; });
  CHECK(second.ext_oneapi_get_state() == ex::queue_state::executing);
  second.ext_oneapi_submit_barrier({a});
  CHECK(second.ext_oneapi_get_state() == ex::queue_state::recording && second.ext_oneapi_get_graph() == graph);
  const sycl::event b = second.single_task([=] { m[1] = m[0] + 1; });
  third.submit([&](sycl::handler &h) {
    h.depends_on(b);
    h.single_task([=] { m[2] = m[1] + 1; });
  });
  CHECK(throws(sycl::errc::invalid, [&] {
    sycl::queue late(q.get_context(), q.get_device());
    late.submit([&](sycl::handler &h) {
      h.single_task([] {});
      h.depends_on(b);
    });
  }));
  graph.end_recording();
  for (const sycl::queue &one : {first, second, third})
    CHECK(one.ext_oneapi_get_state() == ex::queue_state::executing);
  CHECK(m[0] == 0 && m[2] == 0 && graph.get_nodes().size() == 4);
  const auto exec = graph.finalize();
  q.ext_oneapi_graph(exec).wait();
  CHECK(m[0] == 1 && m[1] == 2 && m[2] == 3);
  // Once the graph does not record, nobody follows it: the node does not run by itself.
  CHECK(throws(sycl::errc::invalid, [&] { third.single_task(b, [] {}); }));
  CHECK(third.ext_oneapi_get_state() == ex::queue_state::executing && graph.get_nodes().size() == 4);
}

/// What is called when a graph and the executable ones that were made of it are gone.
static void last_words(sycl::queue &q, int *m) {
  struct moved {
    moved(int *count) : count(count) {}
    moved(const moved &other) : count(other.count) { ++*count; }
    moved(moved &&other) : count(other.count) {}
    int *count;
  };
  int copies = 0, calls = 0, size = 3;
  {
    std::vector<ex::command_graph<ex::graph_state::executable>> kept;
    {
      ex::command_graph graph(q);
      ex::submit(graph, [&](sycl::handler &h) { h.single_task([=] { m[0] = 5; }); });
      ex::submit(graph, ex::properties{}, [&](sycl::handler &h) { h.single_task([=] { m[1] = m[0]; }); });
      CHECK(graph.get_root_nodes().size() == 1);
      graph.set_destruction_callback([](int &copied, int *to, const moved &, const moved &) { *to += copied; }, size, &calls, moved(&copies),
                                     moved(&copies));
      size = 100;
      kept.push_back(graph.finalize());
      graph.set_destruction_callback([](int *to) { *to += 10; }, &calls);
    }
    CHECK(calls == 10 && copies == 0);
    q.ext_oneapi_graph(kept[0]).wait();
    CHECK(m[0] == 5 && m[1] == 5);
  }
  CHECK(calls == 13);
}

/// A graph that nobody has any more records nothing; one that is still had does.
static void gone_while_recording(sycl::queue &q, int *m) {
  sycl::queue recorded(q.get_context(), q.get_device());
  {
    ex::command_graph graph(q.get_context(), q.get_device());
    ex::command_graph copy(graph), moved(std::move(graph));
    moved.begin_recording(recorded);
    { const ex::command_graph other(recorded.ext_oneapi_get_graph()); }
    copy = ex::command_graph(q.get_context(), q.get_device());
    CHECK(recorded.ext_oneapi_get_state() == ex::queue_state::recording);
    recorded.single_task([=] { m[0] = 99; });
  }
  CHECK(recorded.ext_oneapi_get_state() == ex::queue_state::executing);
  recorded.single_task([=] { m[0] = 5; }).wait();
  CHECK(m[0] == 5);
  ex::command_graph elsewhere(sycl::context(q.get_device()), q.get_device());
  CHECK(throws(sycl::errc::invalid, [&] { elsewhere.begin_recording(recorded); }));
}

int main() {
  sycl::queue q;
  int *m = sycl::malloc_shared<int>(count, q);
  by_function(q, m);
  by_recording(q, m);
  of_buffers(q);
  free_functions(q, m);
  queues_that_follow(q, m);
  last_words(q, m);
  gone_while_recording(q, m);
  sycl::free(m, q);
  return failures;
}
