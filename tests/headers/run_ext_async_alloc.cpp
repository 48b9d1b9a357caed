//! Memory that commands allocate and free, and its pools. Exit status 0: all right. Source: sycl_ext_oneapi_async_memory_alloc.
#include "check.hpp"

#include <sycl/sycl.hpp>
#include <vector>

namespace ex = sycl::ext::oneapi::experimental;
using sycl::usm::alloc;

static_assert(SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC == 1);

constexpr size_t count = 256;

/// Fills and adds up memory of the queue's, in the queue's order.
static int sum_in(sycl::queue &q, int *memory, int value) {
  int *const out = sycl::malloc_shared<int>(1, q);
  q.parallel_for(sycl::range(count), [=](sycl::id<1> i) { memory[i] = value; });
  q.single_task([=] {
    *out = 0;
    for (size_t i = 0; i < count; ++i)
      *out += memory[i];
  });
  q.wait();
  const int sum = *out;
  sycl::free(out, q);
  return sum;
}

static void by_queue_and_handler(sycl::queue &q) {
  for (alloc kind : {alloc::device, alloc::shared, alloc::host}) {
    int *const memory = static_cast<int *>(ex::async_malloc(q, kind, count * sizeof(int)));
    CHECK(sycl::get_pointer_type(memory, q.get_context()) == kind);
    CHECK(sum_in(q, memory, 3) == 3 * int(count));
    ex::async_free(q, memory);
  }
  q.wait_and_throw();
  CHECK(throws(sycl::errc::invalid, [&] { ex::async_malloc(q, alloc::unknown, 4); }));
  sycl::queue any(q.get_context(), q.get_device()); // not in order
  int *memory = nullptr, *const out = sycl::malloc_shared<int>(1, q);
  const sycl::event made = ex::submit_with_event(any, [&](sycl::handler &h) {
    memory = static_cast<int *>(ex::async_malloc(h, alloc::device, sizeof(int)));
  });
  const sycl::event used = any.submit([&](sycl::handler &h) {
    h.depends_on(made);
    h.single_task([=] { *out = (*memory = 7) + 1; });
  });
  any.submit([&](sycl::handler &h) {
    h.depends_on(used);
    ex::async_free(h, memory);
  });
  any.wait_and_throw();
  CHECK(*out == 8);
  sycl::free(out, q);
}

static void pools(sycl::queue &q) {
  ex::memory_pool pool(q.get_context(), q.get_device(), alloc::device, ex::properties{ex::zero_init(), ex::initial_threshold(1 << 20)});
  CHECK(pool.get_alloc_kind() == alloc::device && pool.get_device() == q.get_device() && pool.get_context() == q.get_context());
  CHECK(pool.get_threshold() == 1 << 20 && pool.get_used_size_current() == 0 && pool.get_reserved_size_current() == 0);
  const ex::memory_pool copy = pool;
  CHECK(std::hash<ex::memory_pool>()(copy) == std::hash<ex::memory_pool>()(pool));
  pool.increase_threshold_to(100);
  CHECK(pool.get_threshold() == 1 << 20);
  void *const first = ex::async_malloc_from_pool(q, 4096, pool);
  std::vector<char> content(4096, 'x');
  q.memcpy(content.data(), first, 4096).wait();
  CHECK(content == std::vector<char>(4096, 0));
  CHECK(pool.get_used_size_current() >= 4096 && pool.get_reserved_size_current() >= 4096);
  ex::async_free(q, first);
  q.wait();
  CHECK(pool.get_used_size_current() == 0 && pool.get_reserved_size_current() >= 4096);
  const ex::memory_pool same = pool;
  void *const again = ex::async_malloc_from_pool(q, 4000, same);
  CHECK(same == pool && again == first); // it was kept
  ex::async_free(q, again);
  // One that keeps nothing, and may not grow.
  ex::memory_pool small(q, alloc::shared, ex::properties{ex::maximum_size(1024)});
  void *const fits = ex::async_malloc_from_pool(q, 1000, small);
  CHECK(fits && small.get_used_size_current() == 1000);
  int errors = 0;
  sycl::queue told(q.get_context(), q.get_device(), [&](sycl::exception_list all) {
    for (const std::exception_ptr &one : all)
      errors += throws(sycl::errc::memory_allocation, [&] { std::rethrow_exception(one); });
  });
  CHECK(!ex::async_malloc_from_pool(told, 1000, small));
  told.wait_and_throw();
  CHECK(errors == 1);
  ex::async_free(q, fits);
  q.wait();
  CHECK(small.get_reserved_size_current() == 0);
  // What is kept gives way to what does not fit beside it.
  ex::memory_pool keeps(q, alloc::shared, ex::properties{ex::maximum_size(1024), ex::initial_threshold(1024)});
  ex::async_free(q, ex::async_malloc_from_pool(q, 300, keeps));
  q.wait();
  CHECK(keeps.get_reserved_size_current() == 300);
  void *const greater = ex::async_malloc_from_pool(q, 1000, keeps);
  CHECK(greater && keeps.get_reserved_size_current() == 1000 && keeps.get_used_size_current() == 1000);
  ex::async_free(q, greater);
  q.wait();
  // The program's own memory.
  char *const own = sycl::malloc_device<char>(1024, q);
  {
    ex::memory_pool of_own(q.get_context(), own, 1024);
    CHECK(of_own.get_alloc_kind() == alloc::device && of_own.get_threshold() == 1024);
    void *a = ex::async_malloc_from_pool(q, 100, of_own), *b = ex::async_malloc_from_pool(q, 512, of_own);
    CHECK(a >= own && b >= own && a != b && static_cast<char *>(b) + 512 <= own + 1024);
    CHECK(!of_own.aspen_state()->take(512) && !of_own.aspen_state()->take(~size_t(0)));
    ex::async_free(q, a), ex::async_free(q, b);
    q.wait();
    void *const all = ex::async_malloc_from_pool(q, 1024, of_own);
    CHECK(all == own);
    ex::async_free(q, all);
    q.wait();
  }
  sycl::free(own, q);
  CHECK(q.get_context().ext_oneapi_get_default_memory_pool(q.get_device(), alloc::device).get_used_size_current() == 0);
  CHECK(q.get_context().ext_oneapi_get_default_memory_pool(alloc::host) == q.get_context().ext_oneapi_get_default_memory_pool(alloc::host));
  CHECK(throws(sycl::errc::invalid, [&] { q.get_context().ext_oneapi_get_default_memory_pool(alloc::shared); }));
  CHECK(throws(sycl::errc::invalid, [&] { ex::memory_pool(q.get_context(), q.get_device(), alloc::host); }));
  CHECK(throws(sycl::errc::invalid, [&] { ex::memory_pool(q.get_context(), alloc::device); }));
}

/// A graph may be executed again, so what it allocates is its own, and lasts as long.
static void graphs(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(1, q);
  *out = 0;
  const auto of_device = q.get_context().ext_oneapi_get_default_memory_pool(q.get_device(), alloc::device);
  const size_t before = of_device.get_used_size_current() + of_device.get_reserved_size_current();
  {
    ex::command_graph graph(q);
    graph.begin_recording(q);
    int *const memory = static_cast<int *>(ex::async_malloc(q, alloc::device, sizeof(int)));
    q.single_task([=] { *memory = 5; });
    q.single_task([=] { *out += *memory; });
    ex::async_free(q, memory);
    graph.end_recording(q);
    auto runs = graph.finalize();
    for (int i = 0; i < 3; ++i)
      q.ext_oneapi_graph(runs);
    q.wait();
    CHECK(*out == 15);
    CHECK(sycl::get_pointer_type(memory, q.get_context()) == alloc::device);
    const auto nodes = graph.get_nodes();
    CHECK(nodes.size() == 4 && nodes[0].get_type() == ex::node_type::async_malloc && nodes[3].get_type() == ex::node_type::async_free);
  }
  CHECK(of_device.get_used_size_current() + of_device.get_reserved_size_current() == before);
  sycl::free(out, q);
}

template <class F> static bool refused(F f) { return throws(sycl::errc::invalid, f); }

/// By function: memory that is zero when the graph is made executable, which is once at a time. Source: sycl_ext_oneapi_graph.
static void one_executable_graph(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(2, q);
  const ex::memory_pool zeros(q, alloc::device, ex::properties{ex::zero_init(), ex::maximum_size(1)}); // of which only the first counts
  ex::command_graph graph(q), other(q);
  auto empty = graph.finalize();
  CHECK(empty.get_required_mem_size() == 0);
  int *memory = nullptr, *more = nullptr;
  auto made = graph.add([&](sycl::handler &h) { memory = static_cast<int *>(ex::async_malloc_from_pool(h, count * sizeof(int), zeros)); });
  graph.add([&](sycl::handler &h) { more = static_cast<int *>(ex::async_malloc(h, alloc::device, 1024)); });
  auto used = graph.add([&](sycl::handler &h) {
    h.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
      memory[i] += int(i);
      if (i == count - 1)
        out[0] = memory[i], more[0] = 5, out[1] = more[0];
    });
  }, ex::property::node::depends_on_all_leaves());
  auto freed = graph.add([&](sycl::handler &h) { ex::async_free(h, memory); }, ex::property::node::depends_on(used));
  CHECK(made.get_type() == ex::node_type::async_malloc && freed.get_type() == ex::node_type::async_free);
  CHECK(refused([&] { graph.finalize(); })); // one is there, though it was made before
  empty = other.finalize();
  {
    auto runs = graph.finalize(ex::property::graph::updatable());
    const auto same = runs;
    CHECK(runs.get_required_mem_size() >= count * sizeof(int) + 1024);
    for (int i = 1; i < 3; ++i) {
      q.ext_oneapi_graph(runs).wait();
      CHECK(out[0] == i * int(count - 1) && out[1] == 5);
    }
    CHECK(refused([&] { graph.finalize(); }));
    CHECK(refused([&] { runs.update(made); }) && refused([&] { runs.update(std::vector<ex::node>{used, freed}); }));
    CHECK(refused([&] { runs.update(graph); }));
    CHECK(refused([&] { other.add([&](sycl::handler &h) { h.ext_oneapi_graph(runs); }); }));
    other.begin_recording(q);
    CHECK(refused([&] { q.ext_oneapi_graph(runs); }) && refused([&] { q.submit([&](sycl::handler &h) { h.ext_oneapi_graph(same); }); }));
    other.end_recording();
    CHECK(other.empty());
    q.ext_oneapi_graph(runs); // which still runs when it goes
  }
  {
    auto again = graph.finalize();
    CHECK(out[0] == 3 * int(count - 1));
    q.ext_oneapi_graph(again).wait();
    CHECK(out[0] == int(count - 1));
  }
  // Memory of devices only, and what a node of the graph has allocated.
  for (alloc kind : {alloc::shared, alloc::host})
    CHECK(refused([&] { graph.add([&](sycl::handler &h) { ex::async_malloc(h, kind, 64); }); }));
  const ex::memory_pool shared(q, alloc::shared);
  other.begin_recording(q);
  CHECK(refused([&] { ex::async_malloc_from_pool(q, 64, shared); }) && refused([&] { ex::async_malloc(q, alloc::host, 64); }));
  CHECK(refused([&] { ex::async_free(q, memory); }));
  other.end_recording();
  void *const plain = ex::async_malloc(q, alloc::device, 64);
  CHECK(refused([&] { graph.add([&](sycl::handler &h) { ex::async_free(h, plain); }); }));
  ex::async_free(q, plain);
  q.wait();
  CHECK(graph.get_nodes().size() == 4 && other.empty());
  // An executable graph has the memory when the graph that it was made of is gone.
  auto lasts = [&] { return std::exchange(graph, other).finalize(); }();
  q.ext_oneapi_graph(lasts).wait();
  CHECK(out[0] == int(count - 1));
  sycl::free(out, q);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  by_queue_and_handler(q);
  pools(q);
  graphs(q);
  one_executable_graph(q);
  return failures != 0;
}
