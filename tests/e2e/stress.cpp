// What must hold when much happens at once: 1000 threads on one queue and on many, queues destroyed while they work, exceptions in host
// tasks, memory exhausted, a million launches.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -pthread -o a.out
//# run: ./a.out
//# stdout: one queue 1000000
//# stdout: many queues 1000000
//# stdout: destroyed 200 of 200
//# stdout: thrown 100, run 100, odd 1
//# stdout: exhausted: no memory, errc 9, then 5
//# stdout: launches 1000000, memory flat
#include <sycl/sycl.hpp>
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef LAUNCHES
#define LAUNCHES 1000000
#endif

template <class F> static void in_threads(int n, const F &f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t)
    threads.emplace_back([&f, t] { f(t); });
  for (std::thread &t : threads)
    t.join();
}

static void add(sycl::queue &q, int *sum, int by) {
  q.single_task<class adds>([=] { sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum) += by; });
}

static void threads(const char *name, bool own) {
  sycl::queue common;
  int *sum = sycl::malloc_shared<int>(1, common);
  *sum = 0;
  in_threads(1000, [&](int t) {
    sycl::queue q = own ? sycl::queue(t % 2 ? sycl::property_list{sycl::property::queue::in_order()} : sycl::property_list{}) : common;
    for (int i = 0; i < 10; ++i)
      add(q, sum, 100);
    if (t % 3 == 0)
      q.wait();
    if (own)
      q.wait();
  });
  common.wait();
  std::printf("%s %d\n", name, *sum);
  sycl::free(sum, common);
}

static void destroyed() {
  sycl::queue keep;
  int *done = sycl::malloc_shared<int>(200, keep);
  std::vector<sycl::event> events;
  for (int i = 0; i < 200; ++i) {
    done[i] = 0;
    sycl::queue q(sycl::property_list{sycl::property::queue::in_order()});
    q.parallel_for<class busy>(1 << 12, [=](sycl::id<1> at) {
      if (at[0] == 0)
        done[i] += 1;
    });
    events.push_back(q.single_task<class last>([=] { done[i] += 1; }));
  }
  sycl::event::wait(events);
  int right = 0;
  for (int i = 0; i < 200; ++i)
    right += done[i] == 2;
  std::printf("destroyed %d of 200\n", right);
  sycl::free(done, keep);
}

static void host_tasks() {
  std::atomic<int> thrown = 0, run = 0, odd = 0;
  sycl::queue q([&](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        thrown += std::string(e.what()).find("number ") != std::string::npos;
      } catch (int number) {
        odd += number == 42;
      }
    }
  });
  for (int i = 0; i < 100; ++i) {
    q.submit([&](sycl::handler &h) { h.host_task([i] { throw std::runtime_error("number " + std::to_string(i)); }); });
    q.submit([&](sycl::handler &h) { h.host_task([&] { ++run; }); });
  }
  q.submit([&](sycl::handler &h) { h.host_task([] { throw 42; }); });
  q.wait_and_throw();
  std::printf("thrown %d, run %d, odd %d\n", thrown.load(), run.load(), odd.load());
}

static void exhausted() {
  sycl::queue q;
  const bool none = !sycl::malloc_device(size_t(1) << 46, q);
  int code = 0;
  try {
    sycl::buffer<char> b(sycl::range<1>(size_t(1) << 46));
    q.submit([&](sycl::handler &h) {
       sycl::accessor a(b, h);
       h.single_task<class never>([=] { a[0] = 1; });
     }).wait_and_throw();
  } catch (const sycl::exception &e) {
    code = e.code().value();
  }
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class after>([=] { *p = 5; }).wait();
  std::printf("exhausted: %s, errc %d, then %d\n", none ? "no memory" : "memory", code, *p);
  sycl::free(p, q);
}

static long resident_kib() {
  std::ifstream status("/proc/self/statm");
  long pages = 0;
  status >> pages >> pages;
  return pages * 4;
}

static void launches() {
  sycl::queue q;
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  const auto many = [&](int n) {
    for (int i = 0; i < n; ++i) {
      add(q, sum, 1);
      if (i % 64 == 0)
        q.wait();
    }
    q.wait();
  };
  // A leak grows in every tenth, at least by an allocator's smallest block now and then. What threads cache and where the allocator puts
  // its heaps differs with the machine's load, but comes to an end: some tenth is flat.
  many(LAUNCHES / 10);
  const long first = resident_kib();
  long before = first, least = LONG_MAX;
  for (int tenth = 1; tenth < 10; ++tenth) {
    many(LAUNCHES / 10);
    const long now = resident_kib();
    least = std::min(least, now - before);
    before = now;
  }
  if (least < 64 && before - first < 8192)
    std::printf("launches %d, memory flat\n", *sum);
  else
    std::printf("launches %d, memory grew by %ld KiB, at least by %ld a tenth\n", *sum, before - first, least);
  sycl::free(sum, q);
}

int main() {
  threads("one queue", false);
  threads("many queues", true);
  destroyed();
  host_tasks();
  exhausted();
  launches();
}
