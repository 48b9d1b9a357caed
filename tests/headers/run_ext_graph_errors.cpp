//! What command graphs refuse, and what of it they take all the same. Exit status 0: all right. Source: sycl_ext_oneapi_graph, "Throws".
#include "check.hpp"

#include <functional>
#include <sycl/sycl.hpp>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;
namespace of = ex::property::graph;
namespace node = ex::property::node;
using sycl::errc;
using groups = std::vector<std::function<void(sycl::handler &)>>;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void sets(int *to, int value) { *to = value; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void first_of(sycl::accessor<int, 1> of, int value) { of[0] = value; }
template <auto *Func> static sycl::kernel object(const sycl::queue &q) {
  return ex::get_kernel_bundle<Func, sycl::bundle_state::executable>(q.get_context()).template ext_oneapi_get_kernel<Func>();
}
template <class F> static bool refused(F f) { return throws(errc::invalid, f); }

static void recordings(sycl::queue &q) {
  sycl::queue other(q.get_context(), q.get_device()), elsewhere(sycl::context(q.get_device()), q.get_device());
  ex::command_graph graph(q), second(q);
  graph.begin_recording(q);
  CHECK(refused([&] { graph.begin_recording(q); }) && refused([&] { second.begin_recording(q); }));
  CHECK(refused([&] { graph.begin_recording(std::vector<sycl::queue>{other, other}); }));
  CHECK(refused([&] { graph.begin_recording(elsewhere); }));
  CHECK(refused([&] { second.end_recording(q); }) && refused([&] { second.end_recording(std::vector<sycl::queue>{q}); }));
  second.end_recording(); // of no queue
  CHECK(q.ext_oneapi_get_graph() == graph);
  CHECK(refused([&] { q.wait(); }) && refused([&] { graph.add(); }));
  graph.end_recording();
  graph.end_recording(q), second.end_recording(q); // which does not record
  second.begin_recording(q);
  // One that followed is recorded as if it had been named.
  const sycl::event e = q.single_task([] {});
  other.single_task(e, [] {});
  CHECK(refused([&] { second.begin_recording(other); }) && refused([&] { graph.end_recording(other); }));
  second.end_recording();
  CHECK(refused([&] { ex::command_graph(sycl::context(q.get_device()), q.get_device()).begin_recording(q); }));
}

static void events(sycl::queue &q, int *m) {
  sycl::queue other(q.get_context(), q.get_device()), elsewhere(sycl::context(q.get_device()), q.get_device());
  sycl::event made;
  {
    ex::command_graph graph(q), second(q);
    graph.begin_recording(q);
    made = q.single_task([=] { m[0] = 1; });
    CHECK(refused([&] { made.get_info<sycl::info::event::command_execution_status>(); }));
    CHECK(refused([&] { made.get_profiling_info<sycl::info::event_profiling::command_end>(); }) && refused([&] { made.wait(); }));
    CHECK(refused([&] { second.add([&](sycl::handler &h) { h.depends_on(made); }); }));
    CHECK(refused([&] { elsewhere.single_task(made, [] {}); }));
    CHECK(elsewhere.ext_oneapi_get_state() == ex::queue_state::executing);
    graph.end_recording();
    // Nodes may still wait for it, ordinary commands may not: it is of no command that runs.
    graph.add([&](sycl::handler &h) {
      h.depends_on(made);
      h.single_task([=] { m[0] += 1; });
    });
    CHECK(refused([&] { q.single_task(made, [] {}); }) && refused([&] { other.ext_oneapi_submit_barrier({made}); }));
    CHECK(q.ext_oneapi_get_state() == ex::queue_state::executing && graph.get_nodes().size() == 2);
    q.ext_oneapi_graph(graph.finalize()).wait();
    CHECK(m[0] == 2);
    CHECK(refused([&] { second.add({node::depends_on(ex::node::get_node_from_event(made))}); }));
  }
  CHECK(refused([&] { q.single_task(made, [] {}); }));
}

static void times(sycl::queue &q) {
  sycl::queue timed(q.get_context(), q.get_device(), sycl::property::queue::enable_profiling());
  ex::command_graph graph(q);
  graph.add([&](sycl::handler &h) { h.single_task([] {}); });
  const auto untold = timed.ext_oneapi_graph(graph.finalize()), told = timed.ext_oneapi_graph(graph.finalize(of::enable_profiling()));
  timed.wait();
  CHECK(refused([&] { untold.get_profiling_info<sycl::info::event_profiling::command_start>(); }));
  CHECK(refused([&] { sycl::event(untold).get_profiling_info<sycl::info::event_profiling::command_submit>(); }));
  CHECK(told.get_profiling_info<sycl::info::event_profiling::command_end>() >= told.get_profiling_info<sycl::info::event_profiling::command_start>());
  CHECK(untold.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  const auto unasked = q.ext_oneapi_graph(graph.finalize(of::enable_profiling()));
  CHECK(refused([&] { unasked.get_profiling_info<sycl::info::event_profiling::command_end>(); }));
}

static void buffers(sycl::queue &q) {
  int host[4] = {};
  sycl::buffer<int> plain{sycl::range<1>(4)}, written(host, 4);
  const auto writes = [](sycl::buffer<int> &b) {
    return [&b](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.single_task([=] { a[0] = 7; });
    };
  };
  const auto reads = [&](sycl::handler &h) {
    sycl::accessor a(written, h, sycl::read_only);
    sycl::accessor b(plain, h, sycl::write_only);
    h.single_task([=] { b[1] = a[1] + 1; });
  };
  ex::command_graph without(q), with(q, of::assume_buffer_outlives_graph());
  CHECK(refused([&] { without.add(writes(plain)); }) && without.empty());
  CHECK(refused([&] { ex::dynamic_command_group(without, groups{writes(plain)}); }));
  without.begin_recording(q);
  CHECK(refused([&] { q.submit(writes(plain)); }));
  CHECK(refused([&] { // also where the graph is known last
    sycl::queue follows(q.get_context(), q.get_device());
    const sycl::event e = q.single_task([] {});
    follows.submit([&](sycl::handler &h) {
      sycl::accessor a(plain, h, sycl::write_only);
      h.depends_on(e);
      h.single_task([=] { a[0] = 1; });
    });
  }));
  without.end_recording();
  // Memory that a command brings itself is no buffer of the program's.
  int *const sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  without.add([&](sycl::handler &h) { h.parallel_for(sycl::range(16), sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<1>, auto &s) { s += 1; }); });
  q.ext_oneapi_graph(without.finalize()).wait();
  CHECK(*sum == 16);
  sycl::free(sum, q);
  // What goes to the program's memory when the buffer ends cannot be captured; what is only read may be there.
  CHECK(refused([&] { with.add(writes(written)); }));
  with.add(writes(plain));
  // While commands that use a buffer are recorded, it has no content to be looked at.
  with.begin_recording(q);
  CHECK(refused([&] { q.submit(writes(written)); }));
  CHECK(sycl::host_accessor(written)[0] == 0 && sycl::host_accessor(plain).size() == 4);
  q.submit(reads);
  CHECK(refused([&] { sycl::host_accessor shown(plain); }) && refused([&] { sycl::host_accessor shown(written, sycl::read_only); }));
  with.end_recording();
  CHECK(sycl::host_accessor(written)[0] == 0 && sycl::host_accessor(plain).size() == 4);
  written.set_write_back(false);
  with.add(writes(written));
  q.ext_oneapi_graph(with.finalize()).wait();
  const sycl::host_accessor p(plain), w(written);
  CHECK(p[0] == 7 && p[1] == 1 && w[0] == 7);
}

static void parameters(sycl::queue &q, int *m) {
  ex::command_graph graph(q);
  ex::dynamic_parameter to(graph, m);
  ex::dynamic_parameter value(graph, 3);
  const sycl::kernel kernel = object<sets>(q);
  const auto launch = [&](sycl::handler &h) {
    h.set_args(to, value);
    h.single_task(kernel);
  };
  const auto sets_bytes = [&](sycl::handler &h) {
    h.set_arg(0, to);
    h.memset(m, 0, 4);
  };
  sycl::buffer<int> b{sycl::range<1>(4)};
  ex::dynamic_parameter<sycl::accessor<int, 1>> in(sycl::accessor<int, 1>{b});
  const auto requires_it = [&](sycl::handler &h) {
    h.require(in);
    h.set_args(in, 1);
    h.single_task(object<first_of>(q));
  };
  // Of commands that are executed, and of those that a queue records.
  CHECK(refused([&] { q.submit(launch); }) && refused([&] { q.submit(sets_bytes); }) && refused([&] { q.submit(requires_it); }));
  CHECK(refused([&] { q.submit([&](sycl::handler &h) { h.require(in); }); }));
  ex::command_graph buffered(q, of::assume_buffer_outlives_graph());
  buffered.begin_recording(q);
  CHECK(refused([&] { q.submit(launch); }) && refused([&] { q.submit(sets_bytes); }) && refused([&] { q.submit(requires_it); }));
  buffered.end_recording();
  // Of nodes that are no kernels.
  CHECK(refused([&] { graph.add(sets_bytes); }));
  CHECK(refused([&] {
    graph.add([&](sycl::handler &h) {
      h.set_args(to, value);
      h.host_task([] {});
    });
  }));
  CHECK(buffered.empty() && graph.empty());
  graph.add(launch), buffered.add(requires_it);
  q.ext_oneapi_graph(graph.finalize()).wait();
  CHECK(m[0] == 3);
}

static void choices(sycl::queue &q, int *m) {
  ex::command_graph graph(q, of::assume_buffer_outlives_graph());
  graph.begin_recording(q);
  const sycl::event before = q.single_task([] {}), other = q.single_task([] {});
  graph.end_recording();
  const auto waits = [=](std::vector<sycl::event> events, int value) {
    return [=](sycl::handler &h) {
      h.depends_on(events);
      h.single_task([=] { m[0] = value; });
    };
  };
  // They are told apart when they become a node.
  ex::dynamic_command_group same(graph, groups{waits({before, other}, 1), waits({other, before}, 2)});
  ex::dynamic_command_group different(graph, groups{waits({before}, 1), waits({other}, 2)});
  CHECK(graph.add(same).get_predecessors().size() == 2);
  CHECK(refused([&] { graph.add(different); }));
  sycl::buffer<int> a{sycl::range<1>(1)}, b{sycl::range<1>(1)};
  const auto writes = [](sycl::buffer<int> &to) {
    return [&to](sycl::handler &h) {
      sycl::accessor out(to, h, sycl::write_only);
      h.single_task([=] { out[0] = 1; });
    };
  };
  ex::dynamic_command_group by_buffers(graph, groups{writes(a), writes(b)});
  graph.add(by_buffers); // nobody has used them yet
  graph.add(writes(b));
  CHECK(refused([&] { graph.add(by_buffers); }));
}

static void updates(sycl::queue &q, int *m) {
  const auto kernel = [=](sycl::handler &h) { h.single_task<class updated>([=] { m[0] += 1; }); };
  const auto made = [&](const sycl::context &in, bool barrier, const std::function<void(sycl::handler &)> &last) {
    ex::command_graph graph(in, q.get_device());
    sycl::queue from(in, q.get_device(), sycl::property::queue::in_order());
    graph.begin_recording(from);
    from.submit(kernel);
    if (barrier)
      from.ext_oneapi_submit_barrier();
    from.submit([](sycl::handler &) {});
    from.submit(last);
    graph.end_recording();
    return graph;
  };
  const auto task = [=](sycl::handler &h) { h.host_task([=] { m[1] += 1; }); };
  const auto bytes = [=](sycl::handler &h) { h.memset(m + 2, 0, 4); };
  const sycl::context in = q.get_context();
  const auto graph = made(in, true, task), with_bytes = made(in, true, bytes);
  auto runs = graph.finalize(of::updatable()), runs_bytes = with_bytes.finalize(of::updatable());
  runs.update(made(in, true, task));
  for (ex::node one : graph.get_nodes()) // of these kinds, nodes of nothing among them
    runs.update(one);
  runs.update(graph.get_nodes());
  CHECK(refused([&] { runs_bytes.update(made(in, true, bytes)); }));
  CHECK(refused([&] { runs_bytes.update(with_bytes.get_nodes()); }));
  CHECK(refused([&] { runs.update(made(sycl::context(q.get_device()), true, task)); }));
  CHECK(refused([&] { runs.update(made(in, false, task)); }) && refused([&] { graph.finalize().update(graph); }));
  const ex::command_graph nested(q);
  auto sub = ex::command_graph(q);
  sub.add([&](sycl::handler &h) { h.ext_oneapi_graph(nested.finalize()); });
  CHECK(refused([&] { sub.finalize(of::updatable()).update(sub); }));
  m[0] = m[1] = 0;
  q.ext_oneapi_graph(runs).wait();
  CHECK(m[0] == 1 && m[1] == 1);
}

static void elsewhere(sycl::queue &q) {
  const sycl::context other(q.get_device());
  sycl::queue apart(other, q.get_device());
  ex::command_graph graph(q), whole(other, q.get_device());
  const auto runs = graph.finalize();
  CHECK(refused([&] { apart.ext_oneapi_graph(runs); }) && refused([&] { apart.submit([&](sycl::handler &h) { h.ext_oneapi_graph(runs); }); }));
  CHECK(refused([&] { whole.add([&](sycl::handler &h) { h.ext_oneapi_graph(runs); }); }));
  // Barriers are a matter of queues.
  CHECK(refused([&] { graph.add([](sycl::handler &h) { h.ext_oneapi_barrier(); }); }));
  q.ext_oneapi_graph(graph.finalize()).wait();
}

int main() {
  sycl::queue q;
  int *const m = sycl::malloc_shared<int>(16, q);
  recordings(q);
  events(q, m);
  times(q);
  buffers(q);
  parameters(q, m);
  choices(q, m);
  updates(q, m);
  elsewhere(q);
  sycl::free(m, q);
  return failures != 0;
}
