//! Sorts and reductions of groups with scratch memory, annotated pointers, prefetches. Exit status 0: all right.
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_GROUP_SORT >= 1 && SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS >= 1 && SYCL_EXT_ONEAPI_ANNOTATED_PTR >= 1 &&
              SYCL_EXT_ONEAPI_PREFETCH >= 1);

constexpr size_t count = 128, width = 32, odd = 45;

struct pair {
  int key;
  int value;
};
struct by_key {
  bool operator()(const pair &a, const pair &b) const { return a.key > b.key; }
};
/// No operation that groups know.
struct digits {
  int operator()(int a, int b) const { return (a + b) % 1000; }
};

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(count, q);
  int *sorted = sycl::malloc_shared<int>(count, q);
  int *sums = sycl::malloc_shared<int>(count * 3, q);
  pair *pairs = sycl::malloc_shared<pair>(odd, q);
  for (size_t i = 0; i < count; ++i)
    in[i] = static_cast<int>(i * 89 % 71);
  std::vector<pair> expected(odd);
  for (size_t i = 0; i < odd; ++i)
    expected[i] = pairs[i] = {static_cast<int>(i * 7 % 10), static_cast<int>(i)};
  std::sort(expected.begin(), expected.end(), [](const pair &a, const pair &b) { return a.key != b.key ? a.key > b.key : a.value < b.value; });

  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<std::byte> scratch(ex::default_sorter<>::memory_required<int>(sycl::memory_scope::work_group, count), h);
     h.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
       const auto g = item.get_group();
       const size_t i = item.get_global_id(0);
       const sycl::span<std::byte> memory(&scratch[0], 1);
       const ex::group_with_scratchpad with(g, memory);
       const ex::annotated_ptr value(in, ex::alignment<4>);
       ex::prefetch(value.get() + i, ex::properties{ex::prefetch_hint_L1});
       ex::joint_prefetch(g, in);
       sorted[i] = ex::sort_over_group(with, value[static_cast<std::ptrdiff_t>(i)]);
       sums[i] = ex::reduce_over_group(with, in[i], digits());
       sums[count + i] = ex::joint_reduce(with, in, in + count, digits());
       sums[2 * count + i] = ex::joint_reduce(with, in, in + odd, 5, digits());
       if (g.get_group_id(0) == 0)
         ex::joint_sort(g, pairs, pairs + odd, ex::default_sorter<by_key>(memory));
     });
   }).wait();

  int all = 0, some = 5;
  for (size_t i = 0; i < count; ++i) {
    all = digits()(all, in[i]);
    some = i < odd ? digits()(some, in[i]) : some;
  }
  for (size_t group = 0; group < count; group += width) {
    std::vector<int> own(in + group, in + group + width);
    int sum = 0;
    for (int v : own)
      sum = digits()(sum, v);
    std::sort(own.begin(), own.end());
    CHECK(std::equal(own.begin(), own.end(), sorted + group));
    for (size_t i = group; i < group + width; ++i)
      CHECK(sums[i] == sum && sums[count + i] == all && sums[2 * count + i] == some);
  }
  for (size_t i = 0; i < odd; ++i)
    CHECK(pairs[i].key == expected[i].key && pairs[i].value == expected[i].value);

  // Sorters by namespace.
  int *down = sycl::malloc_shared<int>(count, q);
  std::copy(in, in + count, down);
  q.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
     using radix = ex::radix_sorters::group_sorter<int, ex::sorting_order::descending>;
     const auto g = item.get_group();
     const size_t i = item.get_global_id(0);
     std::byte none[radix::memory_required(sycl::memory_scope::work_group, width)];
     const sycl::span memory(none, 1);
     sorted[i] = ex::sort_over_group(g, in[i], ex::default_sorters::group_sorter<int>(memory));
     sums[i] = ex::sort_over_group(g, in[i], radix(memory));
     ex::joint_sort(g, down, down + odd, ex::radix_sorters::joint_sorter<int, ex::sorting_order::descending>(memory));
     ex::joint_sort(g, down + odd, down + count, ex::default_sorters::joint_sorter(memory));
   }).wait();
  CHECK(ex::default_sorters::joint_sorter<>::memory_required<int>(sycl::memory_scope::sub_group, 8) > 0);
  std::vector<int> first(in, in + width), before(in, in + odd), behind(in + odd, in + count);
  std::sort(first.begin(), first.end());
  std::sort(before.rbegin(), before.rend());
  std::sort(behind.begin(), behind.end());
  CHECK(std::equal(first.begin(), first.end(), sorted) && std::equal(first.rbegin(), first.rend(), sums));
  CHECK(std::equal(before.begin(), before.end(), down) && std::equal(behind.begin(), behind.end(), down + odd));
  sycl::free(down, q);

  // A sub-group sorts too.
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const auto s = item.get_sub_group();
     std::byte none[1];
     const int least = ex::sort_over_group(s, in[item.get_global_id(0)], ex::default_sorter<>(sycl::span<std::byte>(none, 1)));
     const int minimum = sycl::reduce_over_group(s, in[item.get_global_id(0)], sycl::minimum<>());
     sums[item.get_global_id(0)] = !s.leader() || least == minimum;
   }).wait();
  CHECK(std::count(sums, sums + count, 1) == static_cast<std::ptrdiff_t>(count));

  ex::annotated_ptr p(in);
  CHECK(*p == in[0] && p[3] == in[3] && *(p + 2) == in[2] && *++p == in[1] && p - ex::annotated_ptr(in) == 1 && p);
  static_assert(decltype(ex::annotated_ptr(in, ex::alignment<4>))::has_property<ex::alignment_key>());
  sycl::free(in, q);
  sycl::free(sorted, q);
  sycl::free(sums, q);
  sycl::free(pairs, q);
  return failures;
}
