//! Reductions over ranges and nd_ranges, into buffers, USM and spans, compared with loops on the host. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <sycl/sycl.hpp>

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

/// Functions that lie beside a value's type, and take anything, are not the library's own of these names (RAJA has a `zip`).
namespace beside {
struct number {
  int value;
};
struct adds {
  number operator()(const number &a, const number &b) const { return {a.value + b.value}; }
};
template <class... A> void zip(A &&...) { static_assert(sizeof...(A) == 0, "taken for the library's"); }
template <class... A> void with_reducers(A &&...) { static_assert(sizeof...(A) == 0, "taken for the library's"); }
} // namespace beside
static void functions_beside_types(sycl::queue &q) {
  beside::number *const sum = sycl::malloc_shared<beside::number>(1, q);
  *sum = {0};
  q.parallel_for(sycl::range<1>(100), sycl::reduction(sum, beside::number{0}, beside::adds()),
                 [=](sycl::id<1>, auto &r) { r.combine(beside::number{1}); }).wait();
  q.parallel_for(sycl::range<2>(10, 10), sycl::reduction(sum, beside::adds()), [=](sycl::id<2>, auto &r) { r.combine(beside::number{2}); }).wait();
  q.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(sum, beside::number{0}, beside::adds()),
                 [=](sycl::nd_item<1>, auto &r) { r.combine(beside::number{3}); }).wait();
  q.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(sum, beside::adds()),
                 [=](sycl::nd_item<1>, auto &r) { r.combine(beside::number{4}); }).wait();
  CHECK(sum->value == 100 + 200 + 192 + 256);
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

/// Many variables over an nd_range, where keeping them for each work-item would take most of the memory; with and without an identity.
static void histograms(sycl::queue &q) {
  constexpr size_t bins = 200;
  unsigned *of = sycl::malloc_shared<unsigned>(2 * bins, q);
  const auto largest = [](unsigned a, unsigned b) { return a < b ? b : a; };
  for (const auto &[groups, size] : {std::pair<size_t, size_t>(0, 8), {1, 1}, {1, 7}, {3, 64}, {40, 33}, {5000, 4}}) {
    const size_t items = groups * size;
    for (size_t bin = 0; bin < 2 * bins; ++bin)
      of[bin] = 5;
    q.parallel_for(sycl::nd_range<1>(items, size), sycl::reduction(sycl::span<unsigned, bins>(of, bins), sycl::plus<>()),
                   sycl::reduction(sycl::span<unsigned, bins>(of + bins, bins), largest), [=](sycl::nd_item<1> at, auto &count, auto &last) {
                     const size_t i = at.get_global_linear_id();
                     ++count[i % bins];
                     last[i % bins].combine(static_cast<unsigned>(i));
                   }).wait();
    bool same = true;
    for (size_t bin = 0; bin < bins; ++bin) {
      const size_t count = items / bins + (bin < items % bins), last = count > 0 ? (count - 1) * bins + bin : 0;
      same = same && of[bin] == 5 + count && of[bins + bin] == (last < 5 ? 5 : last);
    }
    CHECK(same);
  }
  sycl::free(of, q);
}

/// A sum with its own type, larger than the slots in which groups exchange values.
struct moments {
  double count = 0, sum = 0, squares = 0;
  double unused[40] = {};
};
struct add_moments {
  moments operator()(const moments &a, const moments &b) const {
    moments out;
    out.count = a.count + b.count, out.sum = a.sum + b.sum, out.squares = a.squares + b.squares;
    return out;
  }
};

/// Whole and broken warps, one group and several, over ranges and groups of all sizes.
static void shapes(sycl::queue &q) {
  double *sum = sycl::malloc_shared<double>(1, q);
  moments *all = sycl::malloc_shared<moments>(1, q);
  for (size_t n : {1, 2, 31, 32, 33, 255, 256, 257, 511, 5000, 300001}) {
    const double expected = 0.5 * static_cast<double>(n) * static_cast<double>(n + 1);
    *sum = 7, *all = {};
    q.parallel_for(sycl::range<1>(n), sycl::reduction(sum, sycl::plus<double>()), [=](sycl::id<1> i, auto &r) { r += static_cast<double>(i[0] + 1); }).wait();
    CHECK(*sum == 7 + expected);
    q.parallel_for(sycl::range<1>(n), sycl::reduction(all, add_moments()), [=](sycl::id<1> i, auto &r) {
       moments one;
       one.count = 1, one.sum = static_cast<double>(i[0] + 1), one.squares = static_cast<double>(i[0] % 3);
       r.combine(one);
     }).wait();
    CHECK(all->count == static_cast<double>(n) && all->sum == expected && all->squares == static_cast<double>(n / 3 * 3 + (n % 3 == 2)));
  }
  for (size_t local : {1, 7, 32, 33, 64, 96, 160, 256})
    for (size_t groups : {1, 2, 33, 300}) {
      const size_t n = local * groups;
      unsigned *most = sycl::malloc_shared<unsigned>(1, q);
      *most = 0, *sum = 100;
      q.parallel_for(sycl::nd_range<1>(n, local), sycl::reduction(sum, sycl::plus<double>(), {sycl::property::reduction::initialize_to_identity()}),
                     sycl::reduction(most, sycl::maximum<unsigned>()),
                     [=](sycl::nd_item<1> i, auto &r, auto &m) {
                       r += static_cast<double>(i.get_global_id(0) + 1);
                       m.combine(static_cast<unsigned>(i.get_global_id(0) * 7 % 1009));
                     })
          .wait();
      unsigned expected = 0;
      for (size_t i = 0; i < n; ++i)
        expected = expected > i * 7 % 1009 ? expected : static_cast<unsigned>(i * 7 % 1009);
      CHECK(*sum == 0.5 * static_cast<double>(n) * static_cast<double>(n + 1) && *most == expected);
      sycl::free(most, q);
    }
  sycl::free(sum, q);
  sycl::free(all, q);
}

/// Every item once, at its own place, in rows that do not divide what a group takes.
static void dimensions(sycl::queue &q) {
  long *sum = sycl::malloc_shared<long>(1, q);
  for (size_t a : {1, 3, 700})
    for (size_t b : {1, 17, 523})
      for (size_t c : {1, 5, 64}) {
        long expected = 0, flat = 0;
        for (size_t i = 0; i < a; ++i)
          for (size_t j = 0; j < b; ++j)
            for (size_t k = 0; k < c; ++k) {
              expected += static_cast<long>(i * 1000000 + j * 1000 + k);
              flat += k == 0 ? static_cast<long>(i * 1000 + j) : 0;
            }
        *sum = 0;
        q.parallel_for(sycl::range<3>(a, b, c), sycl::reduction(sum, sycl::plus<>()), [=](sycl::id<3> i, auto &r) {
           r += static_cast<long>(i[0] * 1000000 + i[1] * 1000 + i[2]);
         }).wait();
        CHECK(*sum == expected);
        *sum = 0;
        q.parallel_for(sycl::range<2>(a, b), sycl::reduction(sum, sycl::plus<>()), [=](sycl::item<2> i, auto &r) {
           r += static_cast<long>(i.get_id(0) * 1000 + i.get_id(1)) + (i.get_range(1) == b ? 0 : 1);
         }).wait();
        CHECK(*sum == flat);
      }
  sycl::free(sum, q);
}

/// So many groups that a kernel of its own folds what they leave.
static void many_groups(sycl::queue &q) {
  unsigned long *sum = sycl::malloc_shared<unsigned long>(1, q);
  pair *hull = sycl::malloc_shared<pair>(1, q);
  for (size_t groups : {4096, 4097, 5000, 70001}) {
    *sum = 1, *hull = {0, 0};
    const size_t n = groups * 4;
    q.parallel_for(sycl::nd_range<1>(n, 4), sycl::reduction(sum, sycl::plus<unsigned long>()), sycl::reduction(hull, wider()),
                   [=](sycl::nd_item<1> i, auto &s, auto &h) {
                     s += i.get_global_id(0);
                     if (i.get_group(0) % 3 == 1)
                       h.combine({-static_cast<int>(i.get_global_id(0)), static_cast<int>(i.get_global_id(0))});
                   })
        .wait();
    const int last = static_cast<int>((groups - 2) / 3 * 3 + 1) * 4 + 3;
    CHECK(*sum == 1 + n * (n - 1) / 2 && hull->low == -last && hull->high == last);
  }
  sycl::free(sum, q);
  sycl::free(hull, q);
}

/// No work-items: what is left is the variable, or the identity.
static void nothing(sycl::queue &q) {
  int *sum = sycl::malloc_shared<int>(2, q);
  sum[0] = 5, sum[1] = 6;
  const sycl::property_list from_identity = {sycl::property::reduction::initialize_to_identity()};
  q.parallel_for(sycl::range<2>(0, 3), sycl::reduction(sum, sycl::plus<>()), [=](sycl::id<2>, auto &r) { r += 1; }).wait();
  q.parallel_for(sycl::range<2>(0, 3), sycl::reduction(sum + 1, sycl::plus<>(), from_identity), [=](sycl::id<2>, auto &r) { r += 1; }).wait();
  CHECK(sum[0] == 5 && sum[1] == 0);
  sycl::free(sum, q);
}

/// Commands of one queue at the same time; and floats have the same bits each time.
static void at_once(sycl::queue &q) {
  constexpr int count = 40;
  float *sums = sycl::malloc_shared<float>(count, q);
  for (int i = 0; i < count; ++i) {
    sums[i] = 0;
    if (i % 2)
      q.parallel_for(sycl::range<1>(30011), sycl::reduction(sums + i, sycl::plus<>()), [=](sycl::id<1> at, auto &r) { r += 1.f / static_cast<float>(at[0] + 1); });
    else
      q.parallel_for(sycl::nd_range<1>(32 * 1000, 32), sycl::reduction(sums + i, sycl::plus<>()),
                     [=](sycl::nd_item<1> at, auto &r) { r += 1.f / static_cast<float>(at.get_global_id(0) + 1); });
  }
  q.wait();
  for (int i = 0; i < count; ++i)
    CHECK(sums[i] == sums[i % 2] && sums[i] > 10.8f && sums[i] < 11.f);
  sycl::free(sums, q);
}

/// More work-items than 31 bits count.
static void large(sycl::queue &q) {
  unsigned long *sum = sycl::malloc_shared<unsigned long>(1, q);
  const size_t n = (size_t(1) << 31) + 1;
  *sum = 0;
  q.parallel_for(sycl::range<1>(n), sycl::reduction(sum, sycl::plus<>()), [=](sycl::id<1> i, auto &r) { r += i[0]; }).wait();
  CHECK(*sum == n / 2 * n);
  *sum = 0;
  q.parallel_for(sycl::nd_range<1>(n + 31, 32), sycl::reduction(sum, sycl::plus<>()), [=](sycl::nd_item<1> i, auto &r) { r += i.get_global_id(0) < n; }).wait();
  CHECK(*sum == n);
  sycl::free(sum, q);
}

/// A buffer of one element has any dimensions; an identity may be of another type than the variable.
static void buffers_of_one(sycl::queue &q) {
  sycl::buffer<int, 2> masks({1, 1});
  sycl::buffer<float, 3> sums({1, 1, 1});
  const sycl::property_list afresh{sycl::property::reduction::initialize_to_identity()};
  q.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(100), sycl::reduction(masks, h, sycl::bit_or<>(), afresh), sycl::reduction(sums, h, 0, sycl::plus<>(), afresh),
                   [=](sycl::id<1> i, auto &mask, auto &sum) { mask |= 1 << i[0] % 5, sum += 0.5f; });
  });
  sycl::host_accessor mask(masks, sycl::read_only);
  sycl::host_accessor sum(sums, sycl::read_only);
  CHECK(mask[0][0] == 31 && sum[0][0][0] == 50.f);
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
  pair *const both = sycl::malloc_shared<pair>(1, q);
  const sycl::property_list first{sycl::property::reduction::initialize_to_identity()};
  CHECK(throws(sycl::errc::invalid, [&] { (void)sycl::reduction(both, wider(), first); }) && !throws(sycl::errc::invalid, [&] { (void)sycl::reduction(both, pair{}, wider(), first); }));
  sycl::free(both, q);
}

/// A bundle of the user's kernel has all that its launch needs.
class bundled;
void in_a_bundle(sycl::queue &q) {
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {sycl::get_kernel_id<bundled>()});
  q.submit([&](sycl::handler &h) {
     h.use_kernel_bundle(bundle);
     h.parallel_for<bundled>(sycl::range<1>(100000), sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<1>, auto &to) { to += 1; });
   }).wait();
  CHECK(*sum == 100000);
  sycl::free(sum, q);
}

/// The standard library's function objects are as well known as ours.
void standard_operations(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(3, q);
  out[0] = 5, out[1] = 1, out[2] = 0;
  q.parallel_for(sycl::nd_range<1>(64, 16), sycl::reduction(out, 0, std::plus<int>()), [=](sycl::nd_item<1>, auto &sum) { sum += 1; }).wait();
  q.parallel_for(sycl::range<1>(5), sycl::reduction(out + 1, std::multiplies<>()), [=](sycl::id<1> i, auto &product) {
     product *= static_cast<int>(i[0]) + 1;
   }).wait();
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
     const int all = sycl::reduce_over_group(item.get_group(), 1 << item.get_local_id(0), std::bit_or<int>());
     if (item.get_local_id(0) == 0)
       out[2] = all;
   }).wait();
  CHECK(out[0] == 69 && out[1] == 120 && out[2] == 255);
  static_assert(sycl::has_known_identity_v<std::plus<float>, float> && sycl::known_identity_v<std::bit_and<int>, int> == -1);
  sycl::free(out, q);
}

struct pair_of_int {
  int a, b;
  constexpr pair_of_int(int a, int b) : a(a), b(b) {} // not made of nothing
};
struct sum_below {
  const int limit; // neither made of nothing nor assigned
  explicit sum_below(int limit) : limit(limit) {}
  int operator()(int a, int b) const { return (a + b) % limit; }
};

/// Operations and types that are copied, and no more than that.
void only_copied(sycl::queue &q) {
  struct place {
    float value;
    int index;
  };
  auto larger = [](place a, place b) { return a.value > b.value ? a : b; };
  place *most = sycl::malloc_shared<place>(3, q);
  most[0] = most[1] = most[2] = {-1, -1};
  const auto hill = [](size_t i) { return place{-(float(i) - 7) * (float(i) - 7) + 50, int(i)}; };
  q.parallel_for(sycl::range<1>(16), sycl::reduction(most, larger), [=](sycl::id<1> i, auto &r) { r.combine(hill(i)); }).wait();
  q.parallel_for(sycl::nd_range<1>(16, 4), sycl::reduction(most + 1, place{-1, -1}, larger), [=](sycl::nd_item<1> i, auto &r) {
     r.combine(hill(i.get_global_id(0)));
   }).wait();
  int sign = -1;
  auto least = [sign](place a, place b) { return sign * a.index > sign * b.index ? a : b; };
  q.parallel_for(sycl::range<1>(16), sycl::reduction(most + 2, place{0, 99}, least, sycl::property::reduction::initialize_to_identity{}),
                 [=](sycl::id<1> i, auto &r) { r.combine(hill(i + 3)); }).wait();
  CHECK(most[0].index == 7 && most[1].index == 7 && most[2].index == 3);

  auto *pairs = static_cast<pair_of_int *>(sycl::malloc_shared(sizeof(pair_of_int), q));
  new (pairs) pair_of_int(1, 2);
  const auto add = [](const pair_of_int &a, const pair_of_int &b) { return pair_of_int(a.a + b.a, a.b + b.b); };
  q.parallel_for(sycl::range<1>(10), sycl::reduction(pairs, pair_of_int(0, 0), add), [=](sycl::id<1> i, auto &r) { r.combine({int(i), 1}); }).wait();
  q.parallel_for(sycl::nd_range<1>(16, 4), sycl::reduction(pairs, add), [=](sycl::nd_item<1>, auto &r) { r.combine({1, 1}); }).wait();
  CHECK(pairs->a == 1 + 45 + 16 && pairs->b == 2 + 26);

  int *rest = sycl::malloc_shared<int>(1, q);
  *rest = 0;
  q.parallel_for(sycl::nd_range<1>(16, 4), sycl::reduction(rest, 0, sum_below(7)), [=](sycl::nd_item<1> i, auto &r) {
     r.combine(int(i.get_global_id(0)));
   }).wait();
  CHECK(*rest == 120 % 7);
  sycl::free(most, q);
  sycl::free(pairs, q);
  sycl::free(rest, q);
}

/// What is no number does not hide the others.
void largest(sycl::queue &q) {
  float *out = sycl::malloc_shared<float>(2, q);
  out[0] = -1e30f, out[1] = 1e30f;
  const auto value = [](size_t i) { return i == 500 ? 1000.0f : i == 700 ? -1000.0f : float(i % 100); };
  q.parallel_for(sycl::range<1>(1001), sycl::reduction(out, sycl::maximum<>()), sycl::reduction(out + 1, sycl::minimum<>()),
                 [=](sycl::id<1> i, auto &most, auto &least) {
                   most.combine(value(i));
                   least.combine(value(i));
                 }).wait();
  CHECK(out[0] == 1000.0f && out[1] == -1000.0f);
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  standard_operations(q);
  only_copied(q);
  largest(q);
  functions_beside_types(q);
  spellings(q);
  in_a_bundle(q);
  sizes(q);
  nd_ranges(q);
  without_identity(q);
  spans(q);
  histograms(q);
  shapes(q);
  dimensions(q);
  many_groups(q);
  nothing(q);
  at_once(q);
  if (q.get_device().is_gpu()) // seconds elsewhere
    large(q);
  buffers_of_one(q);
  errors(q);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
