//! Graphs that several threads make and execute, executions that fail halfway, and executions that use buffers of their command group.
//! Exit status 0: all right.
#include "check.hpp"

#include <atomic>
#include <chrono>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;

constexpr int threads = 4, times = 50;

template <class F> static void at_once(F f) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] { f(t); });
  for (std::thread &one : all)
    one.join();
}

/// Each execution comes after the one before, so that what a kernel reads and writes without atomics adds up.
static void executed_by_threads(sycl::queue &q, int *m) {
  m[0] = m[1] = 0;
  ex::command_graph graph(q);
  const auto first = graph.add([&](sycl::handler &h) { h.single_task<class first>([=] { m[0] += 1; }); });
  graph.add([&](sycl::handler &h) { h.single_task<class second>([=] { m[1] += m[0]; }); }, ex::property::node::depends_on(first));
  const auto ready = graph.finalize();
  at_once([&](int) {
    sycl::queue own(q.get_context(), q.get_device());
    for (int i = 0; i < times; ++i)
      own.ext_oneapi_graph(ready);
    own.wait();
  });
  const int all = threads * times;
  CHECK(m[0] == all && m[1] == all * (all + 1) / 2);
}

/// Half of the threads record queues of their own, the others add nodes to another graph; no node is lost.
static void made_by_threads(sycl::queue &q, int *m) {
  ex::command_graph recorded(q), added(q);
  for (int t = 0; t < threads; ++t)
    m[t] = 0;
  at_once([&](int t) {
    sycl::queue own(q.get_context(), q.get_device(), sycl::property::queue::in_order());
    if (t % 2)
      recorded.begin_recording(own);
    for (int i = 0; i < times; ++i) {
      if (t % 2)
        own.single_task<class recorded_one>([=] { m[t] += 1; });
      else
        added.add([&](sycl::handler &h) { h.single_task<class added_one>([=] { sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(m[t]) += 1; }); });
    }
    if (t % 2)
      recorded.end_recording(own);
  });
  CHECK(recorded.get_nodes().size() == threads / 2 * times && added.get_nodes().size() == threads / 2 * times);
  q.ext_oneapi_graph(recorded.finalize());
  q.ext_oneapi_graph(added.finalize());
  q.wait();
  for (int t = 0; t < threads; ++t)
    CHECK(m[t] == times);
}

/// A queue whose recording begins and ends while others submit to it.
static void recorded_meanwhile(sycl::queue &q, int *m) {
  m[0] = 0;
  std::atomic<int> submitted{0};
  ex::command_graph graph(q);
  at_once([&](int t) {
    for (int i = 0; i < times; ++i) {
      if (t == 0) {
        graph.begin_recording(q);
        graph.end_recording(q);
      } else {
        q.single_task<class meanwhile>([=] { sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(m[0]) += 1; });
        ++submitted;
      }
    }
  });
  q.wait();
  const int ran = m[0];
  CHECK(ran + static_cast<int>(graph.get_nodes().size()) == submitted);
}

/// A graph that is updated while others execute it: each execution is of one state.
static void updated_meanwhile(sycl::queue &q, int *m) {
  m[0] = m[1] = m[2] = 0;
  ex::command_graph graph(q);
  const auto with = [&](int value) {
    return ex::dynamic_command_group(graph, {[=](sycl::handler &h) { h.single_task<class plain>([=] { m[0] = value; }); },
                                             [=](sycl::handler &h) { h.single_task<class other>([=] { m[0] = value + 10; }); }});
  };
  auto choice = with(1);
  const auto set = graph.add(choice);
  const auto wide = graph.add([&](sycl::handler &h) { h.parallel_for<class wide>(sycl::range<1>(2), [=](sycl::id<1> i) { m[1 + 2 * i[0]] = m[0]; }); },
                              ex::property::node::depends_on(set));
  graph.add([&](sycl::handler &h) { h.single_task<class checked>([=] { m[2] += m[1] != 1 && m[1] != 11; }); }, ex::property::node::depends_on(wide));
  auto ready = graph.finalize(ex::property::graph::updatable());
  at_once([&](int t) {
    auto changed = wide;
    for (int i = 0; i < times; ++i) {
      if (t == 0) {
        choice.set_active_index(static_cast<size_t>(i % 2));
        ready.update(std::vector{set, wide});
      } else if (t == 1) {
        changed.update_range(sycl::range<1>(static_cast<size_t>(1 + i % 2)));
        ready.update(changed);
        CHECK(changed.get_type() == ex::node_type::kernel && choice.get_active_index() < 2);
      } else {
        q.ext_oneapi_graph(ready);
      }
    }
  });
  q.wait();
  CHECK(m[2] == 0);
}

/// What was submitted before the error has run when the next execution begins, whichever node failed, also one of a graph in the graph.
static void failing(sycl::queue &q, int *m) {
  for (const bool whole : {false, true})
    for (const bool first : {false, true}) {
      m[0] = m[1] = 0;
      ex::command_graph inner(q), outer(q);
      const auto slow = [&](ex::command_graph<> &graph) {
        return graph.add([&](sycl::handler &h) {
          h.host_task([=] {
            const int seen = m[0];
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            m[0] = seen + 1;
          });
        });
      };
      const auto faulty = [&] {
        return inner.add([&](sycl::handler &h) { h.parallel_for<class faulty>(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1>) {}); });
      };
      std::vector<ex::node> nodes;
      if (first)
        nodes.push_back(faulty());
      slow(inner);
      if (!first)
        nodes.push_back(faulty());
      auto ready = inner.finalize(ex::property::graph::updatable());
      outer.add([&](sycl::handler &h) { h.ext_oneapi_graph(ready); });
      auto around = outer.finalize();
      const auto execute = [&] { return q.ext_oneapi_graph(whole ? around : ready); };
      const auto size = [&](size_t global) {
        nodes[0].update_nd_range(sycl::nd_range<1>(global, 2));
        ready.update(nodes);
      };
      execute();
      size(3);
      bool thrown = false;
      try {
        execute();
      } catch (const sycl::exception &error) {
        thrown = error.code() == sycl::errc::nd_range;
      }
      CHECK(thrown);
      size(4);
      execute().wait();
      CHECK(m[0] == (first ? 2 : 3));
    }
}

/// A command group that adds a node itself.
static void added_within(sycl::queue &q, int *m) {
  m[0] = 0;
  ex::command_graph graph(q);
  const auto first = graph.add([&](sycl::handler &h) { h.single_task<class zeroth>([=] { m[0] = 1; }); });
  const auto outer = graph.add(
      [&](sycl::handler &h) {
        graph.add([&](sycl::handler &within) { within.host_task([] {}); });
        h.single_task<class outer>([=] { m[0] *= 5; });
      },
      ex::property::node::depends_on(first));
  CHECK(graph.get_nodes().size() == 3 && outer.get_type() == ex::node_type::kernel && outer.get_predecessors().size() == 1);
  q.ext_oneapi_graph(graph.finalize()).wait();
  CHECK(m[0] == 5);
}

/// All of the graph comes after those who used the command group's buffers, and those who use them next after all of it.
static void between_buffers(sycl::queue &q, int *m) {
  m[0] = m[1] = m[2] = m[3] = 0;
  const auto slow = [=](int from, int to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    m[to] = m[from] + 1;
  };
  ex::command_graph graph(q);
  graph.add([&](sycl::handler &h) { h.host_task([=] { slow(1, 2); }); });
  const auto ready = graph.finalize();
  sycl::buffer<int> shared{sycl::range<1>(1)};
  const auto with_buffer = [&](auto command) {
    q.submit([&](sycl::handler &h) {
      sycl::accessor use(shared, h);
      command(h);
    });
  };
  with_buffer([&](sycl::handler &h) { h.host_task([=] { slow(0, 1); }); });
  with_buffer([&](sycl::handler &h) { h.ext_oneapi_graph(ready); });
  with_buffer([&](sycl::handler &h) { h.host_task([=] { slow(2, 3); }); });
  q.wait();
  CHECK(m[1] == 1 && m[2] == 2 && m[3] == 3);
}

int main() {
  sycl::queue q;
  int *m = sycl::malloc_shared<int>(8, q);
  executed_by_threads(q, m);
  made_by_threads(q, m);
  recorded_meanwhile(q, m);
  updated_meanwhile(q, m);
  failing(q, m);
  added_within(q, m);
  between_buffers(q, m);
  sycl::free(m, q);
  return failures;
}
