//! Runs SYCLcompat's atomics, what the work-items of sub-groups and work-groups do with each other's values, and its barriers; and bits on
//! the host. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <cstring>
#include <syclcompat.hpp>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

namespace {

namespace sc = syclcompat;

using sycl::access::address_space;
namespace scx = syclcompat::experimental;
namespace groups = syclcompat::group;

template <class T> void arithmetic() {
  T *const n = sc::malloc_shared<T>(4);
  for (int i = 0; i < 4; ++i)
    n[i] = T(100);
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<1>(64, 32),
                    [=](sycl::nd_item<1> item) {
                      sc::atomic_fetch_add(n, 2.0);
                      sc::atomic_fetch_sub<address_space::global_space>(n + 1, T(1));
                      sc::atomic_fetch_min(n + 2, T(item.get_global_id(0)), sycl::memory_order::relaxed);
                      sc::atomic_fetch_max<address_space::generic_space, sycl::memory_order::acq_rel, sycl::memory_scope::device>(
                          n + 3, T(item.get_global_id(0) + 100));
                    })
      .wait();
  CHECK(n[0] == T(228) && n[1] == T(36) && n[2] == T(0) && n[3] == T(163));
  sc::free(n);
}

void bits_and_bounds() {
  unsigned *const n = sc::malloc_shared<unsigned>(8);
  int **const pointer = sc::malloc_shared<int *>(1);
  int numbers[100];
  *pointer = numbers;
  const unsigned first[] = {~0u, 0, 0, 0, 0, 7, 0, 5};
  std::memcpy(n, first, sizeof first);
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<1>(64, 32),
                    [=](sycl::nd_item<1> item) {
                      const unsigned id = static_cast<unsigned>(item.get_global_id(0));
                      sc::atomic_fetch_and(n, ~(1u << id % 32));
                      sc::atomic_fetch_or(n + 1, 1u << id % 32);
                      sc::atomic_fetch_xor(n + 2, 1u << id % 32, sycl::memory_order::acq_rel);
                      sc::atomic_fetch_compare_inc(n + 3, 9);
                      sc::atomic_fetch_compare_dec(n + 4, 9);
                      if (sc::atomic_exchange(n + 5, 100 + id) == 7)
                        sc::atomic_fetch_add(n + 6, 1);
                      if (sc::atomic_compare_exchange_strong(n + 7, 5u, 6u) == 5)
                        sc::atomic_fetch_add(n + 6, 10);
                      sc::atomic_fetch_add(pointer, 1);
                    })
      .wait();
  CHECK(n[0] == 0 && n[1] == ~0u && n[2] == 0 && n[3] == 4 && n[4] == 6 && n[6] == 11 && n[7] == 6);
  CHECK(*pointer == numbers + 64);
  sc::free(n);
  sc::free(pointer);
}

void values_of_a_class() {
  using counter = sc::atomic<int>;
  counter *const n = sc::malloc_shared<counter>(1);
  new (n) counter(10);
  int *const won = sc::malloc_shared<int>(1);
  *won = 0;
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<1>(64, 32),
                    [=](sycl::nd_item<1>) {
                      n->fetch_add(3);
                      n->fetch_sub(1, sycl::memory_order::relaxed);
                      int expected = 10 + 128;
                      if (n->compare_exchange_strong(expected, 0))
                        sc::atomic_fetch_add(won, 1);
                    })
      .wait();
  CHECK((*won == 1 && n->load() < 128) || (*won == 0 && n->load() == 138));
  n->store(5);
  CHECK(n->exchange(6) == 5 && n->load() == 6);
  sc::free(n);
  sc::free(won);
}

/// What each work-item of a sub-group of 32 gets, in parts of eight.
void sub_groups() {
  int *const out = sc::malloc_shared<int>(9 * 64);
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<1>(64, 32),
                    [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(32)]] {
                      const sycl::sub_group g = item.get_sub_group();
                      const int id = static_cast<int>(g.get_local_linear_id());
                      int *const to = out + 9 * item.get_global_id(0);
                      to[0] = sc::select_from_sub_group(g, id, 11, 8);
                      to[1] = sc::shift_sub_group_left(g, id, 3, 8);
                      to[2] = sc::shift_sub_group_right(g, id, 3, 8);
                      to[3] = sc::permute_sub_group_by_xor(g, id, 5, 8);
                      to[4] = sc::shift_sub_group_left(g, id, 30);
                      to[5] = static_cast<int>(sc::match_any_over_sub_group(g, 0xffff, id % 4));
                      int same = 0, other = 0;
                      to[6] = sc::match_all_over_sub_group(g, ~0u, 7, &same) == ~0u;
                      to[6] += sc::match_all_over_sub_group(g, ~0u, id / 31, &other) == 0;
                      to[7] = same + 10 * other;
                      to[8] = scx::select_from_sub_group(~0u, g, id, 11, 8) == to[0] && scx::shift_sub_group_left(~0u, g, id, 3, 8) == to[1] &&
                              scx::shift_sub_group_right(~0u, g, id, 3, 8) == to[2] && scx::permute_sub_group_by_xor(~0u, g, id, 5, 8) == to[3];
                    })
      .wait();
  for (int i = 0; i < 64; ++i) {
    const int id = i % 32, part = id / 8 * 8, *const got = out + 9 * i;
    CHECK(got[0] == part + 3 && got[1] == (id % 8 < 5 ? id + 3 : id) && got[2] == (id % 8 < 3 ? id : id - 3));
    CHECK(got[3] == part + (id % 8 ^ 5) && got[4] == (id < 2 ? id + 30 : id));
    CHECK(got[5] == (id < 16 ? 0x1111 << id % 4 : 0) && got[6] == 2 && got[7] == 1 && got[8] == 1);
  }
  sc::free(out);
}

void parts_and_barriers() {
  unsigned *const out = sc::malloc_shared<unsigned>(10);
  sc::memset(out, 0, 10 * sizeof(unsigned));
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<3>({1, 1, 52}, {1, 1, 52}),
                    [=](sycl::nd_item<3> item) {
                      const scx::logical_group<3> part(item, item.get_group(), 8);
                      const scx::group<scx::logical_group<3>> as_group(part, item);
                      const scx::group<sycl::group<3>> whole(item.get_group(), item);
                      whole.barrier();
                      if (item.get_local_id(2) == 50) {
                        out[0] = part.get_local_linear_id();
                        out[1] = part.get_group_linear_id();
                        out[2] = part.get_local_linear_range();
                        out[3] = part.get_group_linear_range();
                        out[4] = static_cast<unsigned>(as_group.get_local_linear_range());
                        out[5] = static_cast<unsigned>(whole.get_local_linear_id());
                      }
                    })
      .wait();
  CHECK(out[0] == 2 && out[1] == 6 && out[2] == 4 && out[3] == 7 && out[4] == 4 && out[5] == 50);
  // As many work-groups as surely run at once.
  const size_t count = sc::get_current_device().get_max_compute_units() > 1 ? 2 : 1;
  sc::get_default_queue()
      .parallel_for(sycl::nd_range<1>(4 * count, 4),
                    [=](sycl::nd_item<1> item) {
                      using barrier_ref =
                          sycl::atomic_ref<unsigned, scx::barrier_memory_order, sycl::memory_scope::device, address_space::global_space>;
                      barrier_ref all(out[6]);
                      for (unsigned round = 0; round < 5; ++round) {
                        sc::atomic_fetch_add(out + 7, 1u);
                        scx::nd_range_barrier(item, all);
                        if (sc::atomic_fetch_add(out + 7, 0u) != 4 * count * (round + 1))
                          out[8] = 1;
                        scx::nd_range_barrier(item, all);
                      }
                    })
      .wait();
  CHECK(out[7] == 20 * count && out[8] == 0);
  sc::free(out);
}

template <class T> void sorts(bool falls, bool striped, int begin, int end) {
  constexpr int each = 3, items = 40, all = each * items;
  using sorter = groups::group_radix_sort<T, each>;
  T *const values = sc::malloc_shared<T>(all);
  std::vector<T> expected(all);
  unsigned seed = 12345;
  for (int i = 0; i < all; ++i) {
    seed = seed * 1664525 + 1013904223;
    expected[i] = values[i] = static_cast<T>(static_cast<int>(seed >> 8) - (1 << 23));
  }
  sc::get_default_queue()
      .submit([&](sycl::handler &command) {
        const sycl::local_accessor<std::uint8_t, 1> memory(sorter::get_local_memory_size(items), command);
        command.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
          T own[each];
          groups::load_direct_blocked(item, values, own);
          const sorter with(&memory[0]);
          if (falls)
            striped ? with.sort_descending_blocked_to_striped(item, own, begin, end) : with.sort_descending(item, own, begin, end);
          else
            striped ? with.sort_blocked_to_striped(item, own, begin, end) : with.sort(item, own, begin, end);
          groups::store_direct_blocked(item, values, own);
        });
      })
      .wait();
  const auto key = [&](T value) {
    if (end - begin == int(8 * sizeof(T)))
      return static_cast<double>(value);
    return static_cast<double>(static_cast<std::uint64_t>(value) >> begin & ((std::uint64_t(1) << (end - begin)) - 1));
  };
  for (int i = 1; i < all; ++i) // by insertion, which keeps the order of what is equal
    for (int j = i; j > 0 && (falls ? key(expected[j - 1]) < key(expected[j]) : key(expected[j]) < key(expected[j - 1])); --j)
      std::swap(expected[j - 1], expected[j]);
  bool right = true;
  for (int i = 0; i < all; ++i)
    right = right && values[i] == (striped ? expected[i % each * items + i / each] : expected[i]);
  CHECK(right);
  sc::free(values);
}

void exchanges() {
  constexpr int each = 4, items = 16;
  int *const values = sc::malloc_shared<int>(each * items * 2);
  sc::get_default_queue()
      .submit([&](sycl::handler &command) {
        const sycl::local_accessor<std::uint8_t, 1> memory(groups::exchange<int, each>::get_local_memory_size(items), command);
        command.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
          int own[each], ranks[each];
          for (int i = 0; i < each; ++i)
            own[i] = int(item.get_local_id(0)) * each + i;
          const groups::exchange<int, each> with(&memory[0]);
          with.blocked_to_striped(item, own, own);
          groups::group_store<int, each, groups::group_store_algorithm::striped>(nullptr).store(item, values, own);
          with.striped_to_blocked(item, own, own);
          for (int i = 0; i < each; ++i)
            ranks[i] = each * items - 1 - own[i];
          with.scatter_to_blocked(item, own, ranks);
          groups::group_store<int, each>(nullptr).store(item, values + each * items, own);
        });
      })
      .wait();
  bool right = true;
  for (int i = 0; i < each * items; ++i)
    right = right && values[i] == i && values[each * items + i] == each * items - 1 - i;
  CHECK(right);
  sc::free(values);
}

using kernel = void(int, float, char, double, short);

void on_the_host() {
  const double both = sc::cast_ints_to_double(-5, 77);
  CHECK(sc::cast_double_to_int(both) == -5 && sc::cast_double_to_int(both, false) == 77);
  CHECK(sc::reverse_bits<unsigned>(1) == 0x80000000 && sc::reverse_bits<unsigned char>(0x12) == 0x48);
  CHECK(sc::byte_level_permute(0x03020100, 0x07060504, 0x7a30) == 0x07020300);
  CHECK(sc::ffs(0) == 0 && sc::ffs(8) == 4 && sc::ffs(-1) == 1 && sc::ffs(1ll << 40) == 41 && sc::ffs(short(-32768)) == 16);
  CHECK(sc::ternary_logic_op(0xf0, 0xcc, 0xaa, 0x96) == (0xf0 ^ 0xcc ^ 0xaa) && sc::ternary_logic_op(1, 2, 3, 0xff) == ~0u);
  CHECK(sc::get_sycl_language_version() >= 202001 && sc::err0(3) == 3);
  // The function's third parameter is not the caller's.
  int a = 4;
  float b = 2.5f;
  double c = 7;
  short d = 9;
  void *pointers[] = {&a, &b, &c, &d};
  using chosen = sc::args_selector<2, 2, kernel>;
  chosen by_pointer(pointers, nullptr);
  CHECK(by_pointer.get<0>() == 4 && by_pointer.get<1>() == 2.5f && by_pointer.get<2>() == 7 && by_pointer.get<3>() == 9);
  struct {
    int a;
    float b;
    double c;
    short d;
  } buffer = {4, 2.5f, 7, 9};
  void *extra[] = {reinterpret_cast<void *>(1), &buffer, nullptr};
  chosen by_place(nullptr, extra);
  CHECK(by_place.get<1>() == 2.5f && by_place.get<2>() == 7 && by_place.get<3>() == 9);
  int n = 0;
  CHECK(throws(sycl::errc::feature_not_supported, [&] { scx::calculate_max_active_wg_per_xecore(&n, 128); }));
}

} // namespace

int main() {
  arithmetic<int>();
  arithmetic<unsigned long>();
  arithmetic<float>();
  if (sc::get_current_device().has(sycl::aspect::atomic64))
    arithmetic<double>();
  bits_and_bounds();
  values_of_a_class();
  sub_groups();
  parts_and_barriers();
  for (const bool falls : {false, true})
    for (const bool striped : {false, true}) {
      sorts<int>(falls, striped, 0, 32);
      sorts<float>(falls, striped, 0, 32);
    }
  sorts<unsigned>(false, false, 4, 15);
  sorts<unsigned>(true, false, 4, 15);
  sorts<std::uint64_t>(false, true, 0, 64);
  exchanges();
  on_the_host();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
