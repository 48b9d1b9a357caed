//! Commands that the runtime does in parts (copies of rows, reductions) are one for all others, of other threads too. Exit status 0: all right.
//! Source: SYCL 2020 §3.8.1.
#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

using namespace sycl;

constexpr size_t rows = 64, columns = 16;
constexpr int rounds = 100;

/// Submits what changes all elements, until nobody looks any more.
template <class F> static std::thread changes(std::atomic<bool> &looked, F submit) {
  return std::thread([&looked, submit]() mutable {
    for (int i = 0; i < 20000 && !looked; ++i)
      submit();
  });
}

static void of_buffers(queue &q) {
  buffer<int, 2> b({rows, columns});
  q.submit([&](handler &h) { h.fill(accessor(b, h, write_only, no_init), 0); });
  std::atomic<bool> looked{false};
  std::thread other = changes(looked, [q, b]() mutable {
    q.submit([&](handler &h) {
      accessor a(b, h);
      h.parallel_for<class adds_to_buffer>(a.get_range(), [=](id<2> i) { a[i] += 1; });
    });
  });
  int mixed = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> seen(rows * columns / 2);
    q.submit([&](handler &h) { h.copy(accessor(b, h, range<2>(rows, columns / 2), id<2>(0, 2), read_only), seen.data()); }).wait();
    mixed += std::any_of(seen.begin(), seen.end(), [&](int x) { return x != seen[0]; });
  }
  looked = true;
  other.join();
  CHECK(mixed == 0);
}

static void of_queues_in_order(const device &d) {
  queue q(d, property::queue::in_order());
  constexpr size_t n = rows * columns;
  int *const x = malloc_shared<int>(n, q), *const seen = malloc_shared<int>(n, q), *const sum = malloc_shared<int>(1, q);
  q.fill(x, 0, n).wait();
  std::atomic<bool> looked{false};
  std::thread other = changes(looked, [q, x]() mutable { q.parallel_for<class adds_to_memory>(n, [=](id<1> i) { x[i] += 1; }); });
  int mixed = 0;
  for (int round = 0; round < rounds; ++round) {
    q.ext_oneapi_copy2d(x, columns, seen, columns, columns / 2, rows).wait();
    for (size_t row = 1; row < rows; ++row)
      mixed += seen[row * columns] != seen[0];
    *sum = 0;
    q.parallel_for<class adds_up>(n, reduction(sum, plus<int>()), [=](id<1> i, auto &all) { all += x[i]; }).wait();
    mixed += *sum % int(n) != 0;
  }
  looked = true;
  other.join();
  q.wait();
  CHECK(mixed == 0);
  for (int *one : {x, seen, sum})
    sycl::free(one, q);
}

int main() {
  queue q;
  of_buffers(q);
  of_queues_in_order(q.get_device());
  return failures != 0;
}
