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

/// Bytes count where elements differ in size. Source: SYCL 2020 §4.9.4.3.
static void of_other_elements(queue &q) {
  buffer<int, 2> ints({2, 4});
  buffer<unsigned char, 2> bytes({4, 8});
  {
    host_accessor a(ints, write_only);
    host_accessor b(bytes, write_only);
    for (int i = 0; i < 8; ++i)
      a[i / 4][i % 4] = i;
    std::fill(b.begin(), b.end(), static_cast<unsigned char>(0xee));
  }
  // Two rows of two of them into three rows of six bytes.
  q.submit([&](handler &h) {
    accessor from(ints, h, range<2>(2, 2), id<2>(0, 1), read_only);
    accessor to(bytes, h, range<2>(3, 6), id<2>(1, 1), write_only);
    h.copy(from, to);
  });
  {
    host_accessor b(bytes, read_only);
    const int expected[] = {1, 2, 5, 6};
    for (size_t i = 0; i < 18; ++i)
      CHECK(b[1 + i / 6][1 + i % 6] == (i >= 16 ? 0xee : i % 4 ? 0 : expected[i / 4]));
    CHECK(b[1][0] == 0xee && b[1][7] == 0xee && b[0][1] == 0xee);
  }
  CHECK(throws(errc::invalid, [&] {
    q.submit([&](handler &h) { h.copy(accessor(ints, h, read_only), accessor(bytes, h, range<2>(3, 8), write_only)); });
  }));
  buffer<int> back{range<1>(8)};
  q.submit([&](handler &h) { h.copy(accessor(bytes, h, read_only), accessor(back, h, write_only)); });
  CHECK(host_accessor{back}[id<1>(0)] == static_cast<int>(0xeeeeeeee));
}

int main() {
  queue q;
  of_other_elements(q);
  of_buffers(q);
  of_queues_in_order(q.get_device());
  return failures != 0;
}
