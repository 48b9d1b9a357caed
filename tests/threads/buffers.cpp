// Threads that share queues, buffers and events, each doing what comes to its mind: kernels, host tasks, host accessors, copies, queues that
// go while they work, host tasks that throw, that launch and that wait. At any time all elements of a buffer are equal.
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu {self} -pthread -o a.out
//# run: ./a.out
//# stdout: 0 wrong, 0 lost, errors as thrown
//# stderr!~: ThreadSanitizer
//# run: ASPEN_CPU_THREADS=8 ./a.out
//# stdout: 0 wrong, 0 lost, errors as thrown
//# stderr!~: ThreadSanitizer
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: 0 wrong, 0 lost, errors as thrown
//# stderr!~: ThreadSanitizer
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

constexpr int threads = 16, rounds = 150, buffers = 6, size = 300;
using buffer = sycl::buffer<int>;

static std::atomic<int> wrong = 0, thrown = 0, caught = 0;
static std::atomic<long> added[buffers];

static void handler(sycl::exception_list errors) { caught += int(errors.size()); }

template <class A> static bool all_equal(const A &a) {
  for (int i = 1; i < size; ++i)
    if (a[i] != a[0])
      return false;
  return true;
}

struct shared {
  std::vector<buffer> all;
  std::vector<sycl::queue> queues;
  std::mutex mutex;
  std::vector<sycl::event> events;

  shared() : events(8) {
    for (int i = 0; i < buffers; ++i)
      all.emplace_back(sycl::range<1>(size));
    for (int i = 0; i < 4; ++i)
      queues.emplace_back(handler, i % 2 ? sycl::property_list{sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()}
                                         : sycl::property_list{sycl::property::queue::enable_profiling()});
    for (buffer &b : all)
      queues[0].submit([&](sycl::handler &h) { h.fill(sycl::accessor(b, h, sycl::write_only), 0); });
  }
};

static sycl::event add_by_kernel(sycl::queue &q, buffer &b) {
  return q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h);
    h.parallel_for<class adds>(size, [=](sycl::id<1> i) { a[i] += 1; });
  });
}

static sycl::event add_by_groups(sycl::queue &q, buffer &from, buffer &to) {
  return q.submit([&](sycl::handler &h) {
    sycl::accessor in(from, h, sycl::read_only);
    sycl::accessor out(to, h);
    sycl::local_accessor<int> shared(10, h);
    h.parallel_for<class groups>(sycl::nd_range<1>(size, 10), [=](sycl::nd_item<1> i) {
      shared[i.get_local_id()] = in[i.get_global_id()];
      sycl::group_barrier(i.get_group());
      out[i.get_global_id()] += 1 + shared[9 - i.get_local_id(0)] - shared[i.get_local_id(0)];
    });
  });
}

static sycl::event add_by_host_task(sycl::queue &q, buffer &b) {
  return q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_write_host_task);
    h.host_task([=] {
      wrong += !all_equal(a);
      for (int i = 0; i < size; ++i)
        a[i] += 1;
    });
  });
}

/// It waits for two commands, and must see what both did.
static sycl::event add_by_host_task(sycl::queue &q, buffer &from, buffer &to) {
  return q.submit([&](sycl::handler &h) {
    sycl::accessor in(from, h, sycl::read_only_host_task);
    sycl::accessor out(to, h, sycl::read_write_host_task);
    h.host_task([=] {
      wrong += !all_equal(in) || !all_equal(out);
      for (int i = 0; i < size; ++i)
        out[i] += 1 + in[0] - in[i];
    });
  });
}

/// A host task that launches, and waits for what it launched: it must find a thread also when all of them do this.
static sycl::event nested(sycl::queue &q, sycl::queue other, int *out) {
  return q.submit([&](sycl::handler &h) {
    h.host_task([=]() mutable {
      sycl::event first = other.single_task<class inner>([=] { out[0] = 1; });
      other.submit([&](sycl::handler &inner) {
             inner.depends_on(first);
             inner.host_task([=] { out[1] = out[0] + 1; });
           })
          .wait();
      wrong += out[1] != 2;
    });
  });
}

static sycl::event throws(sycl::queue &q) {
  ++thrown;
  return q.submit([&](sycl::handler &h) { h.host_task([] { throw std::runtime_error("of a host task"); }); });
}

static void thread(shared &s, int number) {
  std::mt19937 random(unsigned(number) * 7919 + 1);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  int *own = sycl::malloc_shared<int>(2, s.queues[0]);
  std::vector<int> copied(size);
  for (int round = 0; round < rounds; ++round) {
    sycl::queue &q = s.queues[size_t(below(int(s.queues.size())))];
    const int x = below(buffers), y = (x + 1 + below(buffers - 1)) % buffers;
    buffer &b = s.all[size_t(x)];
    sycl::event made;
    switch (below(12)) {
    case 0:
    case 1: ++added[x], made = add_by_kernel(q, b); break;
    case 2: ++added[y], made = add_by_groups(q, b, s.all[size_t(y)]); break;
    case 3:
    case 4: ++added[x], made = add_by_host_task(q, b); break;
    case 5: {
      sycl::host_accessor a(b);
      wrong += !all_equal(a);
      for (int i = 0; i < size; ++i)
        a[i] += 1;
      ++added[x];
      break;
    }
    case 6: {
      q.submit([&](sycl::handler &h) { h.copy(sycl::accessor(b, h, sycl::read_only), copied.data()); }).wait();
      wrong += !all_equal(copied);
      break;
    }
    case 7: {
      sycl::queue brief(handler, sycl::property::queue::in_order{});
      ++added[x], add_by_kernel(brief, b);
      ++added[y], made = add_by_host_task(brief, s.all[size_t(y)]);
      break;
    }
    case 8: nested(q, s.queues[0], own).wait(); break;
    case 9: made = throws(q); break;
    case 10: ++added[y], made = add_by_host_task(q, b, s.all[size_t(y)]); break;
    default: {
      sycl::event other;
      {
        const std::lock_guard<std::mutex> locked(s.mutex);
        other = s.events[size_t(below(8))];
      }
      (void)other.get_info<sycl::info::event::command_execution_status>();
      (void)other.get_wait_list();
      made = q.submit([&](sycl::handler &h) {
        h.depends_on(other);
        h.depends_on(other.get_wait_list());
        h.host_task([] {});
      });
      if (below(2))
        made.wait_and_throw();
      if (below(4) == 0)
        wrong += made.get_profiling_info<sycl::info::event_profiling::command_end>() <
                 made.get_profiling_info<sycl::info::event_profiling::command_submit>();
    }
    }
    const std::lock_guard<std::mutex> locked(s.mutex);
    s.events[size_t(below(8))] = made;
  }
  sycl::free(own, s.queues[0]);
}

int main() {
  shared s;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&s, t] { thread(s, t); });
  for (std::thread &t : running)
    t.join();
  int lost = 0;
  for (int b = 0; b < buffers; ++b) {
    sycl::host_accessor a(s.all[size_t(b)], sycl::read_only);
    wrong += !all_equal(a);
    lost += a[0] != added[b];
  }
  for (sycl::queue &q : s.queues)
    q.wait_and_throw();
  std::printf("%d wrong, %d lost, %s\n", wrong.load(), lost, caught == thrown ? "errors as thrown" : "errors lost");
}
