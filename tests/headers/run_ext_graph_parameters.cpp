//! Arguments of graphs' kernels that are updated: `dynamic_parameter`. Exit status 0: all right. Source: sycl_ext_oneapi_graph.
#include "check.hpp"

#include <functional>
#include <sycl/sycl.hpp>
#include <unordered_set>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;
namespace item = sycl::ext::oneapi::this_work_item;
using ex::property::graph::updatable;

constexpr size_t count = 64;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void fills(int *to, int value) {
  to[item::get_nd_item<1>().get_global_id(0)] += value;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void moves(int *to, const int *from, short by) {
  for (size_t i = 0; i < count; ++i)
    to[i] = from[i] + by;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void sums(sycl::accessor<int, 1> in, sycl::accessor<int, 1> out) {
  out[0] = 0;
  for (size_t i = 0; i < in.size(); ++i)
    out[0] += in[i];
}
template <auto *Func> static sycl::kernel object(const sycl::queue &q) {
  constexpr auto executable = sycl::bundle_state::executable;
  return ex::get_kernel_bundle<Func, executable>(q.get_context()).template ext_oneapi_get_kernel<Func>();
}
static bool all(const int *m, size_t n, int value) {
  for (size_t i = 0; i < n; ++i)
    if (m[i] != value)
      return false;
  return true;
}

static void pointers_and_values(sycl::queue &q, int *m, int *n) {
  ex::command_graph graph(q);
  ex::dynamic_parameter to(graph, m);
  ex::dynamic_parameter<int> value(3);
  static_assert(std::is_same_v<decltype(to), ex::dynamic_parameter<int *>>);
  CHECK(value == ex::dynamic_parameter(value) && value != ex::dynamic_parameter<int>(3));
  CHECK(std::unordered_set<ex::dynamic_parameter<int>>{value}.count(value) == 1);
  const sycl::kernel kernel = object<fills>(q);
  auto first = graph.add([&](sycl::handler &h) {
    h.set_arg(0, to);
    h.set_arg(1, value);
    h.parallel_for(sycl::nd_range<1>(count, 8), kernel);
  });
  auto second = graph.add([&](sycl::handler &h) {
    h.set_args(to, 10);
    h.parallel_for(sycl::nd_range<1>(count, 8), kernel);
  }, {ex::property::node::depends_on(first)});
  auto runs = graph.finalize(updatable()), other = graph.finalize(updatable());
  const auto clear = [&] { q.memset(m, 0, count * sizeof(int)), q.memset(n, 0, count * sizeof(int)), q.wait(); };
  clear();
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 13) && all(n, count, 0));
  // Nodes have it at once, executable graphs when they are updated.
  to.update(n);
  value.update(5);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 26) && all(n, count, 0));
  runs.update(first);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 36) && all(n, count, 5));
  runs.update(std::vector<ex::node>{first, second});
  clear();
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 0) && all(n, count, 15));
  q.ext_oneapi_graph(other).wait();
  CHECK(all(m, count, 13) && all(n, count, 15));
  clear();
  q.ext_oneapi_graph(graph.finalize()).wait();
  CHECK(all(m, count, 0) && all(n, count, 15));
  // With ranges, in either order; two updates at a time: the last one counts.
  first.update_nd_range(sycl::nd_range<1>(count / 2, 4));
  value.update(1);
  value.update(2);
  runs.update(first);
  clear();
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(n, count / 2, 12) && all(n + count / 2, count / 2, 10));
  first.update_nd_range(sycl::nd_range<1>(count / 4, 4));
  runs.update(first);
  clear();
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(n, count / 4, 12) && all(n + count / 4, 3 * count / 4, 10));
  // Of another graph, too.
  ex::command_graph another(q);
  auto node = another.add([&](sycl::handler &h) {
    h.set_args(to, value);
    h.parallel_for(sycl::nd_range<1>(count, 8), kernel);
  });
  auto again = another.finalize(updatable());
  to.update(m);
  again.update(node);
  clear();
  q.ext_oneapi_graph(again).wait();
  CHECK(all(m, count, 2) && all(n, count, 0));
  // Only of nodes, and of types that fit.
  CHECK(throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) {
      h.set_args(to, value);
      h.parallel_for(sycl::nd_range<1>(count, 8), kernel);
    });
  }));
  CHECK(throws(sycl::errc::kernel_argument, [&] {
    ex::command_graph wrong(q);
    wrong.add([&](sycl::handler &h) {
      h.set_args(value, to);
      h.parallel_for(sycl::nd_range<1>(count, 8), kernel);
    });
  }));
}

/// Several arguments of one kernel, bytes, and kernels of which a node is one.
static void mixed(sycl::queue &q, int *m, int *n) {
  ex::command_graph graph(q);
  ex::dynamic_parameter to(m);
  ex::dynamic_parameter from(static_cast<const int *>(n));
  short by = 7;
  ex::dynamic_parameter raw(ex::raw_kernel_arg(&by, sizeof by));
  ex::dynamic_parameter times(1);
  ex::dynamic_command_group group(graph, std::vector<std::function<void(sycl::handler &)>>{
                                             [&](sycl::handler &h) {
                                               h.set_args(to, from, raw);
                                               h.single_task(object<moves>(q));
                                             },
                                             [&](sycl::handler &h) {
                                               h.set_args(to, times);
                                               h.parallel_for(sycl::nd_range<1>(count, 16), object<fills>(q));
                                             }});
  auto node = graph.add(group);
  auto runs = graph.finalize(updatable());
  for (size_t i = 0; i < count; ++i)
    m[i] = 0, n[i] = 1;
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 8) && all(n, count, 1));
  by = 20;
  raw.update(ex::raw_kernel_arg(&by, sizeof by));
  to.update(n);
  from.update(m);
  runs.update(node);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 8) && all(n, count, 28));
  times.update(100);
  group.set_active_index(1);
  runs.update(node);
  q.ext_oneapi_graph(runs).wait();
  CHECK(all(m, count, 8) && all(n, count, 128));
}

static void accessors(sycl::queue &q) {
  std::vector<int> ones(count, 1), twos(count / 2, 2);
  sycl::buffer<int> a(ones.data(), count), b(twos.data(), count / 2), sum{sycl::range<1>(1)}, other{sycl::range<1>(1)};
  a.set_write_back(false), b.set_write_back(false);
  {
    ex::command_graph graph(q, {ex::property::graph::assume_buffer_outlives_graph()});
    ex::dynamic_parameter in(sycl::accessor<int, 1>{a});
    ex::dynamic_parameter out(graph, sycl::accessor<int, 1>{sum});
    auto node = graph.add([&](sycl::handler &h) {
      h.require(in);
      h.require(out);
      h.set_args(in, out);
      h.single_task(object<sums>(q));
    });
    auto runs = graph.finalize(updatable());
    q.ext_oneapi_graph(runs).wait();
    CHECK(sycl::host_accessor(sum)[0] == int(count));
    in.update(sycl::accessor<int, 1>{b});
    runs.update(node);
    q.ext_oneapi_graph(runs).wait();
    CHECK(sycl::host_accessor(sum)[0] == int(count));
    out.update(sycl::accessor<int, 1>{other});
    in.update(sycl::accessor<int, 1>{a});
    runs.update(node);
    // What it uses is what others wait for.
    q.submit([&](sycl::handler &h) {
      sycl::accessor to(a, h);
      h.single_task([=] { to[0] = 101; });
    });
    q.ext_oneapi_graph(runs);
    CHECK(sycl::host_accessor(other)[0] == int(count) + 100);
  }
}

int main() {
  sycl::queue q;
  int *const m = sycl::malloc_shared<int>(count, q), *const n = sycl::malloc_shared<int>(count, q);
  pointers_and_values(q, m, n);
  mixed(q, m, n);
  accessors(q);
  sycl::free(m, q);
  sycl::free(n, q);
  return failures != 0;
}
