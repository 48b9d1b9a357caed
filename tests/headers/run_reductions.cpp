//! Reductions over ranges and nd_ranges, into buffers, USM and spans, compared with loops on the host. Exit status 0: all right.
#include <cstdio>
#include <sycl/sycl.hpp>

static int failures = 0;
#define CHECK(...)                                                                                                                         \
  do                                                                                                                                       \
    if (!(__VA_ARGS__)) {                                                                                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                                                        \
      ++failures;                                                                                                                          \
    }                                                                                                                                      \
  while (0)

struct pair {
  int low, high;
};
/// No identity is known.
struct wider {
  pair operator()(const pair &a, const pair &b) const { return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; }
};

static_assert(!std::is_copy_constructible_v<sycl::reducer<int, sycl::plus<>>>);
static_assert(std::is_same_v<sycl::reducer<int, sycl::plus<>>::value_type, int> && sycl::reducer<int, sycl::plus<>>::dimensions == 0);

/// Ranges as programs write them, and both forms of ++.
static void spellings(sycl::queue &q) {
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(4, sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<1>, auto &r) { r++; }).wait();
  q.parallel_for({4, 2}, sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<2>, auto &r) { ++r; }).wait();
  q.submit([&](sycl::handler &h) {
     h.parallel_for({2, 2, 2}, sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<3>, auto &r) { r += 1; });
   }).wait();
  CHECK(*sum == 4 + 8 + 8);
  sycl::free(sum, q);
}

static void sizes(sycl::queue &q) {
  for (size_t n : {size_t(1), size_t(7), size_t(1000), size_t(100003)}) {
    int sum = 5, most = -1;
    long expected = 5;
    for (size_t i = 0; i < n; ++i)
      expected += static_cast<long>(i % 17);
    {
      sycl::buffer<int, 1> sums(&sum, sycl::range<1>(1)), mosts(&most, sycl::range<1>(1));
      q.submit([&](sycl::handler &h) {
        auto s = sycl::reduction(sums, h, sycl::plus<>());
        auto m = sycl::reduction(mosts, h, sycl::maximum<int>());
        h.parallel_for(sycl::range<1>(n), s, m, [=](sycl::id<1> i, auto &a, auto &b) {
          a += static_cast<int>(i[0] % 17);
          b.combine(static_cast<int>(i[0] * 2));
        });
      });
    }
    CHECK(sum == expected && most == static_cast<int>(2 * (n - 1)));
  }
}

static void nd_ranges(sycl::queue &q) {
  long *sum = sycl::malloc_shared<long>(1, q);
  float *product = sycl::malloc_shared<float>(1, q);
  for (size_t groups : {1, 3, 700}) {
    *sum = 1000, *product = 3;
    const size_t n = groups * 16;
    q.parallel_for(sycl::nd_range<2>({groups, 16}, {1, 16}), sycl::reduction(sum, sycl::plus<long>(), {sycl::property::reduction::initialize_to_identity()}),
                   sycl::reduction(product, sycl::multiplies<float>()),
                   [=](sycl::nd_item<2> i, auto &s, sycl::reducer<float, sycl::multiplies<float>> &p) {
                     sycl::group_barrier(i.get_group());
                     s += static_cast<long>(i.get_global_linear_id());
                     if (i.get_global_linear_id() == 5)
                       p *= 2.0f;
                   })
        .wait();
    CHECK(*sum == static_cast<long>(n * (n - 1) / 2) && *product == 6);
  }
  sycl::free(sum, q);
  sycl::free(product, q);
}

static void without_identity(sycl::queue &q) {
  pair *hull = sycl::malloc_shared<pair>(1, q);
  *hull = {50, 50};
  q.parallel_for(sycl::range<2>(40, 50), sycl::reduction(hull, wider()), [=](sycl::item<2> i, auto &r) {
     if (i.get_linear_id() % 3 == 0) // some work-items have nothing to say
       r.combine(pair{static_cast<int>(i.get_id(0)) + 7, static_cast<int>(i.get_id(1))});
   }).wait();
  CHECK(hull->low == 7 && hull->high == 50);
  *hull = {60, 60};
  q.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(hull, pair{1000, -1000}, wider()), [=](sycl::nd_item<1> i, auto &r) {
     r.combine(pair{static_cast<int>(i.get_global_id(0)), 61});
   }).wait();
  CHECK(hull->low == 0 && hull->high == 61);
  *hull = {1, 2};
  q.parallel_for(sycl::range<1>(9), sycl::reduction(hull, wider()), [=](sycl::id<1>, auto &) {}).wait();
  CHECK(hull->low == 1 && hull->high == 2);
  sycl::free(hull, q);
}

static void spans(sycl::queue &q) {
  unsigned *bins = sycl::malloc_shared<unsigned>(4, q);
  for (int i = 0; i < 4; ++i)
    bins[i] = 100;
  const sycl::event first = q.fill(bins, 1u, 4);
  q.parallel_for(sycl::range<1>(1003), first, sycl::reduction(sycl::span<unsigned, 4>(bins, 4), sycl::plus<>()), [=](sycl::item<1> i, auto &r) {
     r[i.get_id(0) % 4] += 2;
     ++r[0];
   }).wait();
  CHECK(bins[0] == 1 + 251 * 2 + 1003 && bins[1] == 1 + 251 * 2 && bins[2] == 1 + 251 * 2 && bins[3] == 1 + 250 * 2);
  sycl::free(bins, q);
}

static void errors(sycl::queue &q) {
  sycl::buffer<int, 1> two{sycl::range<1>(2)};
  bool thrown = false;
  try {
    q.submit([&](sycl::handler &h) { (void)sycl::reduction(two, h, sycl::plus<>()); });
  } catch (const sycl::exception &e) {
    thrown = e.code() == sycl::errc::invalid;
  }
  CHECK(thrown);
}

int main() {
  sycl::queue q;
  spellings(q);
  sizes(q);
  nd_ranges(q);
  without_identity(q);
  spans(q);
  errors(q);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
