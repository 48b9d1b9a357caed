// Commands in a driver's queue need no thread of the host: with one thread, a host task runs while a kernel waits for it, and kernels that
// wait for each other are all submitted before the first one ends. Times of profiled commands are those of the device's one clock.
//# run: aspen++ -O2 {self} -o a.out
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: ok
//# run: ./a.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

static bool is_complete(const sycl::event &e) {
  return e.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete;
}

/// Without helping, as `wait` would.
static bool completes(const sycl::event &e) {
  for (int tenth = 0; tenth < 200 && !is_complete(e); ++tenth)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return is_complete(e);
}

static void flags(sycl::queue &q) {
  int *flag = sycl::malloc_host<int>(1, q), *value = sycl::malloc_shared<int>(3, q);
  *flag = 0;
  value[0] = value[1] = value[2] = 0;
  const sycl::event spin = q.submit([&](sycl::handler &h) {
    h.single_task<class waits_for_the_host>([=] {
      sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system> seen(*flag);
      while (seen.load(sycl::memory_order::acquire) == 0)
        ;
      value[0] = 1;
    });
  });
  sycl::event last = spin;
  for (int i = 0; i < 100; ++i)
    last = q.submit([&](sycl::handler &h) {
      h.depends_on(last);
      h.single_task<class counts>([=] { value[1] = value[0] == 1 && value[1] == i ? i + 1 : -1; });
    });
  const sycl::event copy = q.submit([&](sycl::handler &h) {
    h.depends_on(last);
    h.memcpy(&value[2], &value[1], sizeof(int));
  });
  expect("nothing is complete before the flag is set", !is_complete(spin) && !is_complete(last) && !is_complete(copy));
  const sycl::event set = q.submit([&](sycl::handler &h) {
    h.host_task([=] { sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>(*flag).store(1, sycl::memory_order::release); });
  });
  expect("a host task runs beside a kernel", completes(set));
  expect("the driver tells when commands are over", completes(copy) && is_complete(spin) && is_complete(last));
  expect("each kernel saw what the one before wrote", value[1] == 100 && value[2] == 100);
  sycl::free(flag, q);
  sycl::free(value, q);
}

/// Host tasks between kernels, by buffers that each of them changes.
static void mixed(sycl::queue &q) {
  constexpr int rounds = 30;
  std::vector<int> data(64, 0);
  {
    sycl::buffer<int> b(data.data(), sycl::range<1>(data.size()));
    for (int i = 0; i < rounds; ++i) {
      for (int twice = 0; twice < 2; ++twice)
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(b, h, sycl::read_write);
          h.parallel_for<class adds>(sycl::range<1>(64), [=](sycl::id<1> at) { a[at] = a[at] * 3 + 1; });
        });
      if (i % 3 == 0)
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(b, h, sycl::read_write_host_task);
          h.host_task([=] {
            for (size_t at = 0; at < 64; ++at)
              a[at] %= 1000;
          });
        });
      if (i % 5 == 0) {
        sycl::host_accessor a(b, sycl::read_write);
        a[7] += 1;
      }
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h, sycl::write_only);
        h.parallel_for<class never>(sycl::range<1>(0), [=](sycl::id<1> at) { a[at] = -1; });
      });
    }
  }
  unsigned wanted[2] = {0, 0};
  for (int i = 0; i < rounds; ++i)
    for (unsigned &value : wanted) {
      value = (value * 3 + 1) * 3 + 1;
      if (i % 3 == 0)
        value = unsigned(int(value) % 1000);
      if (i % 5 == 0 && &value == &wanted[1])
        value += 1;
    }
  expect("kernels and host tasks in turn", data[0] == int(wanted[0]) && data[7] == int(wanted[1]) && data[63] == int(wanted[0]));
}

static void times(const sycl::device &d) {
  sycl::queue q(d, sycl::property_list{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()});
  float *data = sycl::malloc_device<float>(1 << 16, q);
  q.fill(data, 1.f, 1 << 16);
  std::vector<sycl::event> events;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i)
    events.push_back(q.parallel_for<class works>(sycl::range<1>(1 << 16), [=](sycl::id<1> at) {
      float x = data[at];
      for (int n = 0; n < 200; ++n)
        x = x * 1.0001f + 0.5f;
      data[at] = x;
    }));
  q.wait();
  const auto took = std::chrono::steady_clock::now() - begin;
  unsigned long long before = 0, all = 0;
  for (const sycl::event &e : events) {
    const auto submit = e.get_profiling_info<sycl::info::event_profiling::command_submit>();
    const auto start = e.get_profiling_info<sycl::info::event_profiling::command_start>();
    const auto end = e.get_profiling_info<sycl::info::event_profiling::command_end>();
    expect("submitted, begun, ended in that order", submit <= start && start < end);
    expect("one clock: none of an in-order queue begins before the one before it ended", before <= start);
    before = end;
    all += end - start;
  }
  expect("not longer than it took the host to wait", all <= (unsigned long long)std::chrono::nanoseconds(took).count());
  sycl::free(data, q);
}

/// Far more commands than may be in flight at once.
static void many(sycl::queue &q) {
  int *count = sycl::malloc_shared<int>(1, q);
  *count = 0;
  sycl::queue ordered(q.get_device(), sycl::property::queue::in_order());
  for (int i = 0; i < 10000; ++i)
    ordered.single_task<class counts_on>([=] { *count += 1; });
  ordered.wait();
  expect("ten thousand kernels in a row", *count == 10000);
  sycl::free(count, q);
}

int main() {
  sycl::queue q;
  flags(q);
  mixed(q);
  times(q.get_device());
  many(q);
  if (!wrong)
    std::puts("ok");
  return wrong != 0;
}
