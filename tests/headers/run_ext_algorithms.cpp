//! Sorts and reductions of groups with scratch memory, annotated pointers, prefetches. Exit status 0: all right.
#include "check.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_GROUP_SORT >= 2 && SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS >= 1 && SYCL_EXT_ONEAPI_ANNOTATED_PTR >= 1 &&
              SYCL_EXT_ONEAPI_PREFETCH >= 1);

constexpr size_t count = 128, width = 32, odd = 45;

struct pair {
  int key;
  int value;
};
struct by_key {
  bool operator()(const pair &a, const pair &b) const { return a.key > b.key; }
};
/// Not trivially copyable, and copied to devices all the same.
struct copied_by_hand {
  int value;
  copied_by_hand(const copied_by_hand &other) : value(other.value) {}
};
template <> struct sycl::is_device_copyable<copied_by_hand> : std::true_type {};
/// A class whose operators are templates, which look for no conversion.
template <class T> struct sum_of {
  T value;
};
template <class T> sum_of<T> operator+(const sum_of<T> &a, const sum_of<T> &b) { return {a.value + b.value}; }
/// No operation that groups know.
struct digits {
  int operator()(int a, int b) const { return (a + b) % 1000; }
};

/// Keys with values, and arrays of both. In a group of `width` that has `N` of each, what is at place i of the group is the key of number i.
constexpr size_t each = 3;
using places = ex::group_algorithm_data_placement;
template <class Group> static size_t place(const Group &g, bool striped, size_t element) {
  return striped ? element * g.get_local_linear_range() + g.get_local_linear_id() : g.get_local_linear_id() * each + element;
}
static void keys_and_values(sycl::queue &q) {
  using one = ex::default_sorters::group_key_value_sorter<int, char>;
  using down = ex::radix_sorters::group_key_value_sorter<float, short, ex::sorting_order::descending>;
  using several = ex::radix_sorters::group_key_value_sorter<int, int, ex::sorting_order::ascending, each>;
  using masked = ex::radix_sorters::group_sorter<unsigned, ex::sorting_order::ascending, each>;
  const size_t bytes = one::memory_required(q.get_device(), sycl::memory_scope::work_group, width) +
                       several::memory_required(sycl::memory_scope::work_group, width) +
                       ex::default_sorters::joint_sorter<>::memory_required<int>(q.get_device(), sycl::memory_scope::work_group, width);
  constexpr size_t all = width * each;
  constexpr size_t lists = 2 * 4; // of both groups, sorted in each way
  int *wrong = sycl::malloc_shared<int>(1, q), *found = sycl::malloc_shared<int>(lists * 2 * all, q);
  *wrong = 0;
  // In kernels of their own: all in one take a minute to compile.
  const auto in_groups = [&](auto sorts) {
    q.submit([&](sycl::handler &h) {
       sycl::local_accessor<std::byte> scratch(bytes, h);
       h.parallel_for(sycl::nd_range<2>({4, width / 2}, {2, width / 2}), [=](sycl::nd_item<2> item) {
         if (!sorts(item.get_group(), sycl::span<std::byte>(&scratch[0], bytes)))
           sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*wrong) += 1;
       });
     }).wait();
  };
  in_groups([=](const sycl::group<2> &g, sycl::span<std::byte> memory) {
    const ex::group_with_scratchpad with(g, memory);
    const int id = static_cast<int>(g.get_local_linear_id()), mixed = id * 11 % static_cast<int>(width);
    bool good = true;

    const auto [key, value] = ex::sort_key_value_over_group(with, mixed, static_cast<char>(mixed + 1));
    good = good && key == id && value == id + 1;
    std::tuple<int, char> by = ex::sort_key_value_over_group(g, mixed % 4, static_cast<char>(id), one(memory));
    good = good && std::get<0>(by) == id / 8 && std::get<1>(by) * 11 % 4 == id / 8;
    const char before = sycl::shift_group_right(sycl::ext::oneapi::this_work_item::get_sub_group(), std::get<1>(by), 1);
    good = good && (id % 8 == 0 || sycl::ext::oneapi::this_work_item::get_sub_group().get_local_linear_id() == 0 || before < std::get<1>(by)); // equal keys keep their order
    const auto [real, small] = ex::sort_key_value_over_group(g, static_cast<float>(mixed) - 7.5f, static_cast<short>(mixed), down(memory));
    good = good && real == static_cast<float>(width) - 8.5f - static_cast<float>(id) && small == static_cast<short>(width) - 1 - id;
    const auto least = ex::sort_key_value_over_group(with, mixed, id, std::greater<>());
    good = good && std::get<0>(least) == static_cast<int>(width) - 1 - id;
    return good;
  });
  in_groups([=](const sycl::group<2> &g, sycl::span<std::byte> memory) {
    const ex::group_with_scratchpad with(g, memory);
    bool good = true;
    unsigned bits[each];
    for (size_t e = 0; e < each; ++e)
      bits[e] = static_cast<unsigned>(place(g, false, e) % 4 * 256 + (all - place(g, false, e)));
    ex::sort_over_group(g, sycl::span{bits}, masked(memory, 0x300));
    for (size_t e = 0; e < each; ++e) {
      const size_t rank = place(g, false, e);
      good = good && bits[e] / 256 == rank / (all / 4) && bits[e] % 256 == all - (rank % (all / 4) * 4 + rank / (all / 4));
    }
    int more[each];
    for (size_t e = 0; e < each; ++e)
      more[e] = -static_cast<int>(place(g, false, e));
    ex::sort_over_group(with, sycl::span{more});
    good = good && more[1] == static_cast<int>(place(g, false, 1)) - static_cast<int>(all) + 1;
    ex::sort_over_group(with, sycl::span{more}, std::greater<>(), ex::properties(ex::output_data_placement<places::striped>));
    good = good && more[1] == -static_cast<int>(place(g, true, 1));
    return good;
  });
  in_groups([=](const sycl::group<2> &g, sycl::span<std::byte> memory) {
    const ex::group_with_scratchpad with(g, memory);
    int keys[each], values[each];
    for (const bool in : {false, true})
      for (const bool out : {false, true}) {
        for (size_t e = 0; e < each; ++e) {
          const int n = static_cast<int>(place(g, in, e));
          keys[e] = n * 7 % static_cast<int>(all) / 2 - 5; // each twice
          values[e] = n;
        }
        const sycl::span k{keys}, v{values};
        if (!in && !out)
          ex::sort_key_value_over_group(with, k, v);
        else if (!in)
          ex::sort_key_value_over_group(g, k, v, several(memory), ex::properties(ex::output_data_placement<places::striped>));
        else if (!out)
          ex::sort_key_value_over_group(with, k, v, ex::properties(ex::input_data_placement<places::striped>));
        else
          ex::sort_key_value_over_group(with, k, v, std::less<>(),
                                        ex::properties(ex::input_data_placement<places::striped>, ex::output_data_placement<places::striped>));
        int *const to = found + (g.get_group_linear_id() * 4 + in * 2 + out) * 2 * all;
        for (size_t e = 0; e < each; ++e) {
          to[place(g, out, e)] = keys[e];
          to[all + place(g, out, e)] = values[e];
        }
      }
    return true;
  });
  CHECK(*wrong == 0);
  // Of the two with the same key, the one that came first.
  std::vector<int> order(all);
  std::iota(order.begin(), order.end(), 0);
  const auto key_of = [](int n) { return n * 7 % static_cast<int>(all) / 2 - 5; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::pair(key_of(a), a) < std::pair(key_of(b), b); });
  for (size_t list = 0; list < lists; ++list)
    for (size_t rank = 0; rank < all; ++rank)
      CHECK(found[list * 2 * all + rank] == key_of(order[rank]) && found[(list * 2 + 1) * all + rank] == order[rank]);
  sycl::free(wrong, q);
  sycl::free(found, q);
}

/// Two ranges as one, as oneDPL's zip_iterator: what it refers to are references.
struct zipped {
  using value_type = std::tuple<int, char>;
  using reference = std::tuple<int &, char &>;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  int *keys;
  char *values;
  reference operator[](size_t i) const { return {keys[i], values[i]}; }
  friend std::ptrdiff_t operator-(const zipped &a, const zipped &b) { return a.keys - b.keys; }
};
static void keys_and_values_of_ranges(sycl::queue &q) {
  int *keys = sycl::malloc_shared<int>(odd, q);
  char *values = sycl::malloc_shared<char>(odd, q);
  for (size_t i = 0; i < odd; ++i)
    keys[i] = static_cast<int>(i * 7 % odd), values[i] = static_cast<char>(keys[i] + 2);
  q.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
     std::byte none[1];
     const ex::group_with_scratchpad with(item.get_group(), sycl::span<std::byte>(none, 1));
     ex::joint_sort(with, zipped{keys, values}, zipped{keys + odd, values + odd}, [](const auto &a, const auto &b) { return std::get<0>(a) < std::get<0>(b); });
   }).wait();
  for (size_t i = 0; i < odd; ++i)
    CHECK(keys[i] == static_cast<int>(i) && values[i] == static_cast<char>(i + 2));
  sycl::free(keys, q);
  sycl::free(values, q);
}

/// Complex numbers, whose sums and products have known identities.
static void complex_numbers(sycl::queue &q) {
  static_assert(SYCL_EXT_ONEAPI_COMPLEX_ALGORITHMS >= 1);
  using number = std::complex<float>;
  static_assert(sycl::known_identity_v<sycl::plus<number>, number> == number(0) && sycl::known_identity_v<sycl::multiplies<>, number> == number(1));
  number *out = sycl::malloc_shared<number>(width * 5, q);
  q.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
     const auto g = item.get_group();
     const size_t i = item.get_global_id(0);
     const number x(static_cast<float>(i), -1.0f), turn(0.0f, i % 2 ? 1.0f : -1.0f);
     out[i] = sycl::reduce_over_group(g, x, sycl::plus<number>());
     out[width + i] = sycl::exclusive_scan_over_group(g, x, sycl::plus<>());
     out[2 * width + i] = sycl::inclusive_scan_over_group(g, turn, sycl::multiplies<number>(), number(2.0f, 0.0f));
     sycl::group_barrier(g);
     out[3 * width + i] = sycl::joint_reduce(g, out, out + width, number(1.0f), sycl::plus<number>());
     sycl::joint_inclusive_scan(g, out + width, out + 2 * width, out + 4 * width, sycl::plus<number>());
   }).wait();
  number product(2.0f, 0.0f), sum = 0, total = 0;
  for (size_t i = 0; i < width; ++i) {
    const number all(width * (width - 1) / 2.0f, -static_cast<float>(width));
    product *= number(0.0f, i % 2 ? 1.0f : -1.0f);
    total += sum;
    CHECK(out[i] == all && out[width + i] == sum && out[2 * width + i] == product);
    CHECK(out[3 * width + i] == static_cast<float>(width) * all + 1.0f && out[4 * width + i] == total);
    sum += number(static_cast<float>(i), -1.0f);
  }
  sycl::free(out, q);
}

/// Ranges of all lengths, merged where there is scratch memory for it, and exchanged in place where not; equal keys keep their order.
static void whole_ranges(sycl::queue &q) {
  struct pair {
    short key;
    int was;
  };
  const auto by_key = [](const pair &a, const pair &b) { return a.key < b.key; };
  for (const size_t count : {1, 4, 5, 17, 64, 100, 1000})
    for (const bool is_short : {false, true})
      for (const size_t width : {1, 7, 32}) {
        pair *const all = sycl::malloc_shared<pair>(count, q);
        for (size_t i = 0; i < count; ++i)
          all[i] = {static_cast<short>(i * 37 % 13), static_cast<int>(i)};
        const size_t bytes = is_short ? 2 : 1 + ex::default_sorters::joint_sorter<>::memory_required<pair>(sycl::memory_scope::work_group, count);
        q.submit([&](sycl::handler &h) {
           sycl::local_accessor<std::byte> scratch(bytes, h);
           h.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
             const sycl::span<std::byte> odd(&scratch[1], bytes - 1);
             ex::joint_sort(ex::group_with_scratchpad(item.get_group(), odd), all, all + count, by_key);
           });
         }).wait();
        bool sorted = true;
        for (size_t i = 1; i < count; ++i)
          sorted = sorted && (all[i - 1].key < all[i].key || (all[i - 1].key == all[i].key && all[i - 1].was < all[i].was));
        CHECK(sorted);
        sycl::free(all, q);
      }
}

int main() {
  sycl::queue q;
  whole_ranges(q);
  keys_and_values(q);
  keys_and_values_of_ranges(q);
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
     // The first form of that.
     const int least = ex::sort_over_group(g, in[i], ex::radix_sorter<int>(memory));
     if (least != sorted[i])
       sums[i] = ~sums[i];
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

  static_assert(SYCL_EXT_ONEAPI_ANNOTATED_ARG >= 1);
  const ex::annotated_arg to(sums, ex::alignment<4>);
  const ex::annotated_arg three = 3;
  const ex::annotated_arg<pair *> whole{pairs};
  const ex::annotated_arg five = sum_of<int>{5};
  q.single_task([=] {
    to[0] = three + 4;
    whole->key = to[0];
    sums[1] = (five + sum_of<int>{2}).value + (five + five).value + (sum_of<int>{1} + five).value + (three << 1);
  }).wait();
  CHECK(sums[0] == 7 && sums[1] == 7 + 10 + 6 + 6 && pairs[0].key == 7 && ex::annotated_arg<long>(three) == 3 && !ex::annotated_arg<int *>());
  static_assert(sycl::is_device_copyable_v<ex::annotated_arg<int>> && sycl::is_device_copyable_v<ex::annotated_arg<copied_by_hand>> &&
                !sycl::is_device_copyable_v<ex::annotated_arg<std::string>>);
  static_assert(to.has_property<ex::alignment_key>() && to.get_property<ex::alignment_key>().value == 4 && !three.has_property<ex::alignment_key>());
  static_assert(std::is_same_v<decltype(ex::annotated_arg(to, ex::properties(ex::alignment<4>))), std::remove_const_t<decltype(to)>>);
  complex_numbers(q);
  sycl::free(in, q);
  sycl::free(sorted, q);
  sycl::free(sums, q);
  sycl::free(pairs, q);
  return failures;
}
