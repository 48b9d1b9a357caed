//! Runs free functions by `syclcompat::launch` over every kind of sizes, with and without local memory, properties and a queue; asks where
//! work-items are; and has `local_mem` give each call memory of its own. Exit status 0: all right.
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <syclcompat.hpp>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

namespace sc = syclcompat;
namespace scx = syclcompat::experimental;
namespace ex = sycl::ext::oneapi::experimental;

void add_one(int *to) { sc::atomic_fetch_add(to, 1); }
void add(int *to, int value, bool twice) { sc::atomic_fetch_add(to, twice ? 2 * value : value); }
/// By way of the work-group's memory.
void turn_round(int *values, char *memory) {
  int *const other = reinterpret_cast<int *>(memory);
  const size_t id = sc::local_id::x(), size = sc::local_range::x(), begin = sc::work_group_id::x() * size;
  other[id] = values[begin + id];
  sc::wg_barrier();
  values[begin + id] = other[size - 1 - id];
}
template <class T, int N> void own_memory(T *to) {
  auto *first = sc::local_mem<T[N]>();
  auto *second = sc::local_mem<T[N]>();
  auto square = sc::local_mem<T[2][N]>();
  T *one = sc::local_mem<T>();
  const int id = static_cast<int>(sc::local_id::x());
  first[id] = T(id);
  second[id] = T(100 + id);
  square[id & 1][id] = T(200 + id);
  if (id == 0)
    *one = T(300);
  sc::wg_barrier();
  const int from = N - 1 - id;
  to[sc::global_id::x()] = first[from] + second[from] + square[from & 1][from] + *one;
}
struct place {
  size_t local[3], locals[3], group[3], groups[3], global[3], globals[3];
};
void where(place *to) {
  to[(sc::global_id::z() * sc::global_range::y() + sc::global_id::y()) * sc::global_range::x() + sc::global_id::x()] = {
      {sc::local_id::x(), sc::local_id::y(), sc::local_id::z()},
      {sc::local_range::x(), sc::local_range::y(), sc::local_range::z()},
      {sc::work_group_id::x(), sc::work_group_id::y(), sc::work_group_id::z()},
      {sc::work_group_range::x(), sc::work_group_range::y(), sc::work_group_range::z()},
      {sc::global_id::x(), sc::global_id::y(), sc::global_id::z()},
      {sc::global_range::x(), sc::global_range::y(), sc::global_range::z()}};
}
void sub_group_size(int *to) {
  if (sc::get_global_linear_id() == 0)
    *to = static_cast<int>(sycl::ext::oneapi::this_work_item::get_sub_group().get_max_local_range()[0]);
}

void sizes() {
  CHECK(sycl::range<3>(sc::dim3(4, 3, 2)) == sycl::range<3>(2, 3, 4));
  CHECK(sycl::range<2>(sc::dim3(4, 3)) == sycl::range<2>(3, 4));
  CHECK(sycl::range<1>(sc::dim3(4)) == sycl::range<1>(4));
  CHECK(sc::dim3(sycl::range<2>(3, 4)) == sc::dim3(4, 3));
  CHECK(sc::dim3(2, 3, 4) * sc::dim3(1, 2, 3) + sc::dim3(1, 1, 1) - sc::dim3(0, 0, 2) == sc::dim3(3, 7, 11));
  CHECK(sc::dim3(2, 3, 4).size() == 24);
  try {
    (void)sycl::range<2>(sc::dim3(1, 1, 2));
    CHECK(false);
  } catch (const std::invalid_argument &) {
  }
  CHECK(sc::compute_nd_range(10, 4).get_global_range() == sycl::range<1>(12));
  CHECK(sc::compute_nd_range(sycl::range<2>(5, 6), sycl::range<2>(2, 3)).get_global_range() == sycl::range<2>(6, 6));
  for (const int local : {0, 11})
    CHECK(throws(sycl::errc::invalid, [&] { (void)sc::compute_nd_range(10, local); }));
}

void launches(sycl::queue q) {
  int *const n = sc::malloc_shared<int>(1);
  *n = 0;
  const size_t groups = 2, items = 8;
  sc::launch<add_one>(groups, items, n);
  sc::launch<add_one>(sc::dim3(2, 2), sc::dim3(2, 2, 2), q, n);
  sc::launch<add_one>(sycl::nd_range<1>(8, 4), n);
  sc::launch<add_one>(sycl::nd_range<2>({4, 4}, {2, 2}), q, n);
  sc::launch<add>(sycl::nd_range<3>({2, 2, 2}, {1, 1, 2}), n, 10, true);
  sc::wait();
  q.wait();
  CHECK(*n == 16 + 32 + 8 + 16 + 160);

  int *const values = sc::malloc_shared<int>(64);
  const auto is_turned = [&] {
    bool right = true;
    for (int i = 0; i < 64; ++i) {
      right = right && values[i] == i / 16 * 16 + 15 - i % 16;
      values[i] = i;
    }
    return right;
  };
  is_turned();
  sc::launch<turn_round>(4, 16, 64, values).wait(); // the form before launch_policy: bytes first
  CHECK(is_turned());
  sc::launch<turn_round>(sycl::nd_range<1>(64, 16), 64, q, values).wait();
  CHECK(is_turned());
  scx::launch<turn_round>(scx::launch_policy(sycl::nd_range<1>(64, 16), scx::local_mem_size(64)), values).wait();
  CHECK(is_turned());
  const scx::kernel_properties kernel{ex::sub_group_size<8>};
  const scx::launch_policy policy(sc::dim3(4), sc::dim3(16), kernel, scx::local_mem_size(64), scx::launch_properties{});
  static_assert(decltype(policy)::HasLocalMem && std::is_same_v<decltype(policy)::RangeT, sycl::nd_range<3>>);
  static_assert(std::is_same_v<decltype(policy)::KPropsT, decltype(ex::properties{ex::sub_group_size<8>})>);
  const std::vector<size_t> known = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (std::find(known.begin(), known.end(), 8) != known.end()) {
    scx::launch<turn_round>(policy, q, values).wait();
    CHECK(is_turned());
    *n = 0;
    scx::launch<sub_group_size>(scx::launch_policy(sycl::nd_range<1>(64, 16), kernel), n).wait();
    CHECK(*n == 8);
  }
  *n = 0;
  scx::launch<add_one>(scx::launch_policy(sycl::range<2>(3, 4)), n).wait();
  scx::launch<add_one>(scx::launch_policy(sc::dim3(3, 4)), q, n).wait();
  CHECK(*n == 24);
  sc::free(values);
  sc::free(n);
}

template <class T> void memory_of_groups() {
  T *const to = sc::malloc_shared<T>(64);
  sc::launch<own_memory<T, 32>>(2, 32, to).wait();
  bool right = true;
  for (int i = 0; i < 64; ++i)
    right = right && to[i] == T(3 * (31 - i % 32) + 600);
  CHECK(right);
  sc::free(to);
}

void places() {
  place *const to = sc::malloc_shared<place>(2 * 6 * 8);
  sc::launch<where>(sc::dim3(4, 3, 2), sc::dim3(2, 2, 1), to).wait();
  const place &one = to[(1 * 6 + 3) * 8 + 5];
  CHECK(one.global[0] == 5 && one.global[1] == 3 && one.global[2] == 1);
  CHECK(one.globals[0] == 8 && one.globals[1] == 6 && one.globals[2] == 2);
  CHECK(one.local[0] == 1 && one.local[1] == 1 && one.local[2] == 0);
  CHECK(one.locals[0] == 2 && one.locals[1] == 2 && one.locals[2] == 1);
  CHECK(one.group[0] == 2 && one.group[1] == 1 && one.group[2] == 1);
  CHECK(one.groups[0] == 4 && one.groups[1] == 3 && one.groups[2] == 2);
  sc::launch<where>(sycl::nd_range<1>(16, 4), to).wait(); // fewer dimensions: x is still the one that runs fastest
  CHECK(to[9].global[0] == 9 && to[9].local[0] == 1 && to[9].group[0] == 2 && to[9].globals[1] == 1 && to[9].group[2] == 0);
  sc::free(to);
}

} // namespace

int main() {
  sizes();
  launches(sc::create_queue());
  memory_of_groups<int>();
  memory_of_groups<float>();
  places();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
