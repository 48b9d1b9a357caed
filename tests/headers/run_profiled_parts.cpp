//! Times of commands that consist of several: reductions, kernels with streams, graphs. Exit status 0: all right. Source: SYCL
//! 2020 §4.6.6.1.
//!
//! The first part waits until the program has seen another command begin and end, so the command's time holds that of the other.
#include "check.hpp"

#include <sycl/sycl.hpp>

using namespace sycl;
namespace ours = sycl::ext::oneapi::experimental;

template <class T> static std::uint64_t at(const event &e) { return e.get_profiling_info<T>(); }
using begin = info::event_profiling::command_start;
using end = info::event_profiling::command_end;
using given = info::event_profiling::command_submit;

int main() {
  const property_list profiled{property::queue::enable_profiling()};
  queue q{profiled}, other{profiled};
  int *const signal = malloc_shared<int>(2, q);
  int *const sum = malloc_shared<int>(1, q);
  const auto meet = [=] {
    atomic_ref<int, memory_order::acq_rel, memory_scope::system> here(signal[0]), go(signal[1]);
    here.store(1);
    while (go.load() == 0)
      continue;
  };
  const auto holds = [&](const auto &submit) {
    signal[0] = signal[1] = 0;
    const event e = submit();
    atomic_ref<int, memory_order::acq_rel, memory_scope::system> here(signal[0]), go(signal[1]);
    while (here.load() == 0)
      continue;
    const event between = other.submit([](handler &h) { h.host_task([] {}); });
    between.wait();
    go.store(1);
    CHECK(at<given>(e) <= at<begin>(e) && at<begin>(e) <= at<begin>(between) && at<end>(between) <= at<end>(e));
  };
  holds([&] { return q.parallel_for<class plain>(range<1>(1), [=](id<1>) { meet(); }); });
  holds([&] { return q.parallel_for<class folded>(range<1>(1), reduction(sum, plus<>()), [=](id<1>, auto &r) { meet(), r += 1; }); });
  holds([&] {
    return q.submit([&](handler &h) {
      stream out(100, 100, h);
      h.single_task<class printed>([=] {
        meet();
        out << "";
      });
    });
  });
  ours::command_graph graph(q.get_context(), q.get_device());
  const auto first = graph.add([&](handler &h) { h.single_task<class node>([=] { meet(); }); });
  graph.add([&](handler &h) { h.single_task<class behind>([=] { sum[0] += 1; }); }, {ours::property::node::depends_on(first)});
  auto executable = graph.finalize(ours::property::graph::enable_profiling());
  holds([&] { return q.ext_oneapi_graph(executable); });
  CHECK(sum[0] == 2);
  free(signal, q);
  free(sum, q);
  return failures != 0;
}
