//! DPC++'s extensions of queues and devices, bfloat16 and dot products. Exit status 0: all right.
#include "check.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;
namespace intel = sycl::ext::intel;
using oneapi::bfloat16;

static_assert(SYCL_EXT_ONEAPI_BFLOAT16 >= 1 && SYCL_EXT_ONEAPI_ENQUEUE_BARRIER >= 1 && SYCL_EXT_ONEAPI_FILTER_SELECTOR >= 1);
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16> && sycl::is_device_copyable_v<bfloat16>);
static_assert(float(bfloat16(1.0f)) == 1.0f && float(bfloat16(1.00390625f)) == 1.0f && float(bfloat16(1.01171875f)) == 1.015625f); // to even
static_assert(bfloat16(sycl::half(1.5f)) == sycl::half(1.5f) && sycl::half(1.0f) < bfloat16(1.5f) && float(bfloat16(1.5f) + sycl::half(1.5f)) == 3.0f);
static_assert(std::is_assignable_v<bfloat16 &, sycl::half> && std::is_same_v<decltype(bfloat16() * sycl::half()), bfloat16>);
static_assert(std::is_same_v<decltype(bfloat16() + bfloat16()), bfloat16> && std::is_same_v<decltype(1.0f * bfloat16()), bfloat16>);
static_assert(bfloat16(2.0f) > bfloat16(1.0f) && 2.0f == bfloat16(2.0f) && -bfloat16(3.0f) == -3.0f && !bfloat16(0.0f));
static_assert(std::numeric_limits<bfloat16>::epsilon() == 0.0078125f && std::numeric_limits<bfloat16>::infinity() > std::numeric_limits<bfloat16>::max());

static void numbers(sycl::queue &q) {
  bfloat16 *b = sycl::malloc_shared<bfloat16>(64, q);
  float *f = sycl::malloc_shared<float>(64, q);
  q.parallel_for(sycl::range(64), [=](sycl::id<1> i) {
     const bfloat16 x = static_cast<float>(i[0]) * 1.1f;
     bfloat16 y = x * bfloat16(2.0f) + 1;
     y += 0.5f;
     ++y;
     b[i] = oneapi::experimental::fma(x, y, oneapi::experimental::fmax(x, bfloat16(7.0f)));
     f[i] = oneapi::experimental::sqrt(y) - static_cast<float>(oneapi::experimental::fabs(-x));
   }).wait();
  const auto round = [](float v) { return static_cast<float>(bfloat16(v)); };
  for (int i = 0; i < 64; ++i) {
    const float x = round(static_cast<float>(i) * 1.1f), y = round(round(round(round(x * 2) + 1) + 0.5f) + 1);
    CHECK(static_cast<float>(b[i]) == round(std::fma(x, y, x > 7 ? x : 7)));
    CHECK(std::fabs(f[i] - (std::sqrt(y) - x)) <= 0.5f && round(f[i]) == f[i]);
  }
  sycl::marray<bfloat16, 3> three{bfloat16(1.0f), bfloat16(4.0f), bfloat16(9.0f)};
  CHECK(oneapi::experimental::sqrt(three)[2] == 3.0f && !oneapi::experimental::isnan(three)[0]);
  CHECK(oneapi::experimental::isnan(bfloat16(NAN)) && static_cast<float>(bfloat16(sycl::half(2.5f))) == 2.5f);
  {
    namespace math = oneapi::experimental;
    sycl::vec<bfloat16, 4> v{bfloat16(1.0f), bfloat16(-2.0f), bfloat16(3.0f), bfloat16(NAN)};
    const sycl::vec<std::int16_t, 4> none = math::isnan(v);
    CHECK(none[0] == 0 && none[3] == -1 && math::isnan(v.swizzle<3, 0>())[0] == -1);
    v[3] = bfloat16(-4.5f);
    const sycl::vec<bfloat16, 4> made = math::fma(math::fabs(v), v, math::fmin(v, math::ceil(v)));
    CHECK(made[1] == -6.0f && made[2] == 12.0f && math::fmax(v.swizzle<0, 1>(), v.swizzle<2, 3>())[1] == -2.0f && math::sqrt(v)[0] == 1.0f);
  }
  sycl::vec<bfloat16, 4> four(bfloat16(1.5f));
  CHECK(static_cast<float>((four + four)[3]) == 3.0f);
  CHECK(oneapi::dot_acc(0x01020304, 0x01010101, 5) == 15 && oneapi::dot_acc(-1, ~0u, 0) == -1020);
  CHECK(oneapi::dot_acc(sycl::vec<signed char, 4>(1, 2, 3, -4), sycl::vec<unsigned char, 4>(1, 1, 1, 200), 1) == -793);
  sycl::free(b, q);
  sycl::free(f, q);
}

static void barriers(sycl::queue &q) {
  CHECK(q.ext_oneapi_empty());
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  const auto slow = [&](sycl::handler &h) {
    h.host_task([&] {
      while (!go)
        std::this_thread::yield();
      ++done;
    });
  };
  q.submit(slow);
  CHECK(!q.ext_oneapi_empty());
  sycl::event barrier = q.ext_oneapi_submit_barrier();
  int before = -1;
  sycl::event after = q.submit([&](sycl::handler &h) { h.host_task([&] { before = done; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(barrier.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  CHECK(after.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  go = true;
  after.wait();
  CHECK(before == 1);
  q.wait();
  CHECK(q.ext_oneapi_empty());

  // For all, and besides for what the command group depends on.
  go = false;
  done = 0;
  sycl::event over = q.single_task([] {});
  over.wait();
  q.submit(slow);
  barrier = q.submit([&](sycl::handler &h) {
    h.depends_on(over);
    h.ext_oneapi_barrier();
  });
  after = q.submit([&](sycl::handler &h) { h.host_task([&] { before = done; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(barrier.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  go = true;
  after.wait();
  CHECK(before == 1);

  // For some events: what it is not told of goes on, what comes later waits for those events.
  go = false;
  done = 0;
  sycl::event one = q.single_task([] {});
  sycl::event waits = q.submit(slow);
  one.wait();
  q.ext_oneapi_submit_barrier({one}).wait();
  CHECK(done == 0);
  sycl::queue other(q.get_context(), q.get_device());
  sycl::event there = other.submit([&](sycl::handler &h) { h.ext_oneapi_barrier({waits}); });
  sycl::event last = other.submit([&](sycl::handler &h) { h.host_task([&] { before = done + 10; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(last.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  go = true;
  last.wait();
  CHECK(before == 11);
  q.wait();
}

static void in_order() {
  sycl::queue q({sycl::property::queue::in_order(), oneapi::property::queue::discard_events(), oneapi::property::queue::priority_high(),
                 intel::property::queue::compute_index(3), intel::property::queue::no_immediate_command_list()});
  CHECK(q.has_property<oneapi::property::queue::priority_high>() && !q.has_property<oneapi::property::queue::priority_low>());
  CHECK(q.get_property<intel::property::queue::compute_index>().get_index() == 3);
  sycl::queue other;
  std::atomic<bool> go{false};
  const sycl::event outside = other.submit([&](sycl::handler &h) {
    h.host_task([&] {
      while (!go)
        std::this_thread::yield();
    });
  });
  int seen = 0;
  CHECK(!sycl::queue(sycl::property::queue::in_order()).ext_oneapi_get_last_event().has_value());
  q.ext_oneapi_set_external_event(outside);
  q.submit([&](sycl::handler &h) { h.host_task([&] { seen = go; }); });
  const auto last = q.ext_oneapi_get_last_event();
  go = true;
  CHECK(last.has_value());
  last->wait();
  CHECK(seen == 1);
  CHECK(throws(sycl::errc::invalid, [&] { other.ext_oneapi_get_last_event(); }));
  q.ext_oneapi_prod();
}

/// The last event is that of the last command, with its times.
static void last_events() {
  sycl::queue q({sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
  int *p = sycl::malloc_shared<int>(1 << 12, q);
  const auto time = [](const sycl::event &of) {
    using namespace sycl::info::event_profiling;
    return of.get_profiling_info<command_end>() - of.get_profiling_info<command_start>();
  };
  const sycl::event first = q.parallel_for(sycl::range<1>(1 << 12), [=](sycl::id<1> i) { p[i] = static_cast<int>(i[0]); });
  const auto known = q.ext_oneapi_get_last_event();
  CHECK(known == first && q.ext_oneapi_get_last_event() == first);
  known->wait();
  CHECK(p[77] == 77 && time(*known) == time(first) && time(first) > 0);
  oneapi::experimental::memset(q, p, 0, 8);
  const auto second = q.ext_oneapi_get_last_event();
  CHECK(second.has_value() && second != first);
  CHECK(throws(sycl::errc::runtime, [&] { q.submit([](sycl::handler &) { throw sycl::exception(sycl::errc::runtime); }); }));
  CHECK(q.ext_oneapi_get_last_event() == second);

  // Of several threads at once: behind all of them, and of one command again as soon as that is alone.
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n)
        q.host_task([&] { ++count; });
    });
  for (std::thread &thread : threads)
    thread.join();
  q.ext_oneapi_get_last_event()->wait();
  CHECK(count == 400);
  const sycl::event alone = q.host_task([&] { ++count; });
  CHECK(q.ext_oneapi_get_last_event() == alone);
  q.wait();
  CHECK(alone.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::ext_oneapi_unknown);
  sycl::free(p, q);
}

static void rows(sycl::queue &q) {
  int *m = sycl::malloc_shared<int>(100, q);
  std::vector<int> host(24);
  for (int i = 0; i < 24; ++i)
    host[static_cast<size_t>(i)] = i;
  q.fill(m, -1, 100).wait();
  q.ext_oneapi_memcpy2d(m + 11, 10 * sizeof(int), host.data(), 6 * sizeof(int), 4 * sizeof(int), 3).wait();
  q.ext_oneapi_fill2d(m + 55, 10, 7, 2, 2).wait();
  q.ext_oneapi_memset2d(m + 90, 10 * sizeof(int), 0, 2 * sizeof(int), 1).wait();
  for (int i = 0; i < 100; ++i) {
    const int row = i / 10, column = i % 10;
    int right = -1;
    if (row >= 1 && row < 4 && column >= 1 && column < 5)
      right = (row - 1) * 6 + column - 1;
    if ((row == 5 || row == 6) && (column == 5 || column == 6))
      right = 7;
    if (row == 9 && column < 2)
      right = 0;
    CHECK(m[i] == right || (std::printf("%d: %d\n", i, m[i]), false));
  }
  std::vector<int> back(12);
  q.ext_oneapi_copy2d(m + 11, 10, back.data(), 4, 4, 3).wait();
  CHECK(back[0] == 0 && back[5] == 7 && back[11] == 15);
  CHECK(throws(sycl::errc::invalid, [&] { q.ext_oneapi_memcpy2d(m, 4, host.data(), 24, 8, 2); }));
  sycl::free(m, q);
}

static void devices(sycl::queue &q) {
  CHECK(throws(sycl::errc::feature_not_supported, [&] { q.get_device().get_info<intel::info::device::free_memory>(); }));
  CHECK(!q.get_device().has(sycl::aspect::ext_intel_free_memory));
  CHECK(sycl::device(oneapi::filter_selector("gpu:77,cpu,accelerator,gpu")).get_info<sycl::info::device::name>().size() > 0);
  CHECK(throws(sycl::errc::runtime, [] { sycl::device d(oneapi::filter_selector("level_zero:gpu:99")); }));
  CHECK(throws(sycl::errc::runtime, [] { oneapi::filter_selector s("cpu:nonsense"); }));
}

static void chosen_sizes_and_devices(sycl::queue &q) {
  namespace experimental = oneapi::experimental;
  int *sizes = sycl::malloc_shared<int>(600, q);
  const sycl::nd_range<2> shape({20, 30}, experimental::auto_range<2>());
  q.parallel_for(shape, [=](sycl::nd_item<2> it) { sizes[it.get_global_linear_id()] = int(it.get_local_range().size()); }).wait();
  for (int i = 0; i < 600; ++i)
    CHECK(sizes[i] == int(shape.get_local_range().size()));
  CHECK(sizes[0] == 150 && sycl::nd_range<1>(0, experimental::auto_range<1>()).get_local_range()[0] == 1);
  sycl::free(sizes, q);
  CHECK(experimental::this_thread::get_current_device() == sycl::device());
  experimental::this_thread::set_current_device(q.get_device());
  CHECK(experimental::this_thread::get_current_device() == q.get_device());
  bool is_own = false; // of each thread
  std::thread([&] { is_own = experimental::this_thread::get_current_device() == sycl::device(); }).join();
  CHECK(is_own);
}

int main() {
  sycl::queue q;
  numbers(q);
  chosen_sizes_and_devices(q);
  barriers(q);
  in_order();
  last_events();
  rows(q);
  devices(q);
  return failures;
}
