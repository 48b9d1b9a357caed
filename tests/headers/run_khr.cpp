//! Khronos' extensions of SYCL 2020. Exit status 0: all right.
#include "check.hpp"

#include <memory>
#include <numeric>
#include <vector>
#include <sycl/sycl.hpp>

namespace khr = sycl::khr;

static_assert(SYCL_KHR_DEFAULT_CONTEXT == 1 && SYCL_KHR_QUEUE_EMPTY_QUERY == 1 && SYCL_KHR_QUEUE_FLUSH == 1);
static_assert(SYCL_KHR_WORK_ITEM_QUERIES == 1 && SYCL_KHR_STATIC_ADDRSPACE_CAST == 1 && SYCL_EXT_ONEAPI_ADDRESS_CAST == 1 && SYCL_KHR_MAX_WORK_GROUP_QUERIES == 1);
static_assert(SYCL_KHR_GROUP_INTERFACE == 1 && SYCL_KHR_FREE_FUNCTION_COMMANDS == 1 && SYCL_KHR_SPLIT_HEADERS == 1 && SYCL_KHR_DYNAMIC_ADDRSPACE_CAST == 1);

using global_int = sycl::multi_ptr<int, sycl::access::address_space::global_space, sycl::access::decorated::no>;
using generic_int = sycl::multi_ptr<int, sycl::access::address_space::generic_space, sycl::access::decorated::yes>;
static_assert(std::is_same_v<decltype(khr::static_addrspace_cast<sycl::access::address_space::global_space>((int *)nullptr)), global_int>);
static_assert(std::is_same_v<khr::member_item<khr::work_group<2>>::id_type, sycl::id<2>>);
static_assert(khr::member_item<khr::sub_group>::fence_scope == sycl::memory_scope::work_item && khr::work_group<3>::dimensions == 3);

/// Called without an argument that says which work-item runs.
static void add(const int *a, const int *b, int *to) {
  const size_t i = khr::this_nd_item<1>().get_global_linear_id();
  to[i] = a[i] + b[i];
}

static void work_items(sycl::queue &q) {
  int *a = sycl::malloc_shared<int>(64, q), *b = sycl::malloc_shared<int>(64, q), *c = sycl::malloc_shared<int>(64, q);
  std::iota(a, a + 64, 0);
  std::iota(b, b + 64, 1000);
  q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1>) { add(a, b, c); }).wait();
  for (int i = 0; i < 64; ++i)
    CHECK(c[i] == 1000 + 2 * i);
  q.parallel_for(sycl::nd_range<2>({8, 8}, {2, 8}), [=](sycl::nd_item<2> it) {
     const bool same = it.get_group() == khr::this_group<2>() && it.get_sub_group() == khr::this_sub_group() && it == khr::this_nd_item<2>();
     int x = same ? 1 : 0;
     *khr::static_addrspace_cast<sycl::access::address_space::private_space>(&x) += 1;
     khr::static_addrspace_cast<sycl::access::address_space::global_space>(generic_int(c))[it.get_global_linear_id()] = x;
   }).wait();
  for (int i = 0; i < 64; ++i)
    CHECK(c[i] == 2);
  for (int *memory : {a, b, c})
    sycl::free(memory, q);
}

/// Which of the three spaces an address lies in, by a bit each.
template <class T> static int spaces_of(T *memory) {
  namespace access = sycl::access;
  const generic_int generic{sycl::multi_ptr<int, access::address_space::generic_space, access::decorated::no>(memory)};
  const bool global = khr::dynamic_addrspace_cast<access::address_space::global_space>(memory).get() == memory;
  const bool local = khr::dynamic_addrspace_cast<access::address_space::local_space>(generic).get_raw() == memory;
  const bool own = khr::dynamic_addrspace_cast<access::address_space::private_space>(memory).get() == memory;
  // The names that they had first.
  namespace ex = sycl::ext::oneapi::experimental;
  constexpr access::decorated no = access::decorated::no;
  const bool same = (ex::dynamic_address_cast<ex::global_space, no>(memory).get() == memory) == global &&
                    (ex::dynamic_address_cast<ex::local_space>(generic).get_raw() == memory) == local &&
                    (ex::dynamic_address_cast<ex::private_space>(memory).get() == memory) == own &&
                    ex::static_address_cast<ex::generic_space>(memory).get() == memory && ex::static_address_cast<ex::global_space>(generic);
  return (global ? 1 : 0) + (local ? 2 : 0) + (own ? 4 : 0) + (same ? 0 : 1 << 20);
}

static void spaces(sycl::queue &q) {
  constexpr int items = 64;
  int *found = sycl::malloc_shared<int>(items, q), *global = sycl::malloc_device<int>(items, q);
  const auto all_are = [&](int expected) {
    for (int i = 0; i < items; ++i)
      CHECK(found[i] == expected);
  };
  q.parallel_for(sycl::range(items), [=](sycl::id<1> i) {
     int own[3] = {1, 2, int(i)};
     found[i] = spaces_of(global + i) + 8 * spaces_of(&own[i % 3]);
   }).wait();
  all_are(1 + 8 * 4);
  // With variables that need a stack of their own; memory on either side of it stays global.
  int *const large = sycl::malloc_device<int>(1 << 22, q);
  found[0] = found[1] = 5;
  q.single_task([=] {
     int own[200000];
     for (int i = 0; i < 200000; ++i)
       own[i] = i + found[0];
     found[0] = spaces_of(large + own[77]) + 8 * spaces_of(&own[found[1]]) + 64 * spaces_of(global);
   }).wait();
  CHECK(found[0] == 1 + 8 * 4 + 64 * 1);
  sycl::free(large, q);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> shared(16, h);
     h.parallel_for(sycl::nd_range<1>(items, 16), [=](sycl::nd_item<1> it) {
       const int lane = int(it.get_local_linear_id());
       int own[4] = {lane, 0, 0, lane};
       shared[lane] = lane;
       sycl::group_barrier(it.get_group());
       own[lane % 4] += shared[15 - lane];
       const int of_own = spaces_of(&own[lane % 4]);
       sycl::group_barrier(it.get_group());
       found[it.get_global_linear_id()] = spaces_of(global + lane) + 8 * spaces_of(&own[lane % 4]) + 64 * spaces_of(&shared[lane]) + 512 * of_own;
     });
   }).wait();
  all_are(1 + 8 * 4 + 64 * 2 + 512 * 4);
  sycl::free(found, q);
  sycl::free(global, q);
}

static void groups(sycl::queue &q) {
  bool *ok = sycl::malloc_shared<bool>(96, q);
  q.parallel_for(sycl::nd_range<3>({2, 6, 8}, {1, 2, 8}), [=](sycl::nd_item<3> it) {
     const khr::work_group<3> g = it.get_group();
     const khr::sub_group s = it.get_sub_group();
     const khr::member_item of_group = get_member_item(g);
     const khr::member_item of_sub_group = get_member_item(s);
     bool same = g.id() == it.get_group().get_group_id() && g.linear_id() == it.get_group_linear_id() && g.size() == 16;
     same = same && g.range() == sycl::range<3>(2, 3, 1) && sycl::group<3>(g) == it.get_group() && g == khr::work_group(it.get_group());
     same = same && of_group.id() == it.get_local_id() && of_group.linear_id() == it.get_local_linear_id() && of_group.size() == 1;
     same = same && of_group.range() == it.get_local_range() && leader_of(g) == (of_group.linear_id() == 0) && leader_of(of_group);
     same = same && of_sub_group.linear_id() == it.get_sub_group().get_local_linear_id() && s.size() <= s.max_size();
     same = same && leader_of(s) == it.get_sub_group().leader() && s.range()[0] == it.get_sub_group().get_group_linear_range();
#ifdef __cpp_lib_mdspan
     same = same && g.extent(2) == 8 && g.extents().extent(1) == 2 && g.rank() == 3 && g.static_extent(0) == std::dynamic_extent;
     same = same && s.extent(0) == s.size() && of_group.extents() == std::extents<size_t, 1, 1, 1>() && of_sub_group.rank_dynamic() == 0;
#endif
     ok[it.get_global_linear_id()] = same;
   }).wait();
  for (int i = 0; i < 96; ++i)
    CHECK(ok[i]);
  sycl::free(ok, q);
}

static void launches(sycl::queue &any) {
  sycl::queue q(any.get_context(), any.get_device(), sycl::property::queue::in_order());
  int *p = sycl::malloc_shared<int>(64, q);
  khr::launch(q, sycl::range(8, 8), [=](sycl::item<2> it) { p[it.get_linear_id()] = int(it.get_linear_id()); });
  khr::launch_grouped(q, {64}, {16}, [=](sycl::nd_item<1> it) { p[it.get_global_linear_id()] += int(it.get_group_linear_id()); });
  khr::launch_task(q, [=] { p[0] += 5; });
  q.wait();
  for (int i = 1; i < 64; ++i)
    CHECK(p[i] == i + i / 16);
  CHECK(p[0] == 5);
  int *sum = sycl::malloc_shared<int>(2, q);
  sum[0] = sum[1] = 0;
  khr::launch_reduce(q, sycl::range(64), [=](sycl::item<1> it, auto &all) { all += p[it]; }, sycl::reduction(sum, sycl::plus<>()));
  khr::launch_grouped_reduce(q, {4, 16}, {2, 8}, [=](sycl::nd_item<2> it, auto &all) { all += p[it.get_global_linear_id()]; },
                             sycl::reduction(sum + 1, sycl::plus<>()));
  q.wait();
  CHECK(sum[0] == std::accumulate(p, p + 64, 0) && sum[1] == sum[0]);
  bool done = false;
  const sycl::event after = khr::submit_tracked(q, [&](sycl::handler &h) {
    khr::launch_task(h, [=] { sum[0] = 7; });
    done = true;
  });
  khr::event_barrier(q, {after});
  khr::command_barrier(q);
  khr::submit(q, [&](sycl::handler &h) { khr::launch(h, sycl::range(2), [=](sycl::id<1> i) { sum[i] += 1; }); });
  q.wait();
  CHECK(done && sum[0] == 8);
  sycl::free(p, q);
  sycl::free(sum, q);
}

static void memory(sycl::queue &q) {
  int *p = sycl::malloc_shared<int>(16, q), *r = sycl::malloc_shared<int>(16, q);
  sycl::queue in_order(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  khr::fill(in_order, p, 3, 16);
  khr::copy(in_order, p, r, 16);
  khr::memset(in_order, p, 0, 4);
  khr::memcpy(in_order, r + 1, p, 4);
  khr::prefetch(in_order, r, 64);
  khr::mem_advise(in_order, r, 64, 0);
  khr::submit(in_order, [&](sycl::handler &h) { khr::fill(h, p + 8, 9, 2); });
  in_order.wait();
  CHECK(r[0] == 3 && r[1] == 0 && r[15] == 3 && p[0] == 0 && p[1] == 3 && p[8] == 9 && p[9] == 9 && p[10] == 3);
  sycl::free(p, q);
  sycl::free(r, q);

  // Accessors, which may be placeholders.
  int host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  const std::shared_ptr<int[]> shared(new int[8]());
  {
    sycl::buffer<int> a{sycl::range(8)}, b{sycl::range(8)};
    using writes = sycl::accessor<int, 1, sycl::access_mode::write>;
    using reads = sycl::accessor<int, 1, sycl::access_mode::read>;
    khr::copy(q, host, writes(a));
    khr::copy(q, reads(a), writes(b));
    khr::copy(q, reads(b), back);
    q.submit([&](sycl::handler &h) {
      writes to(a, h);
      khr::fill(h, to, 4);
    });
    khr::copy(q, reads(a), shared);
    khr::fill(q, writes(b), 6);
    khr::copy(q, shared, writes(b, sycl::range(8)));
    q.wait();
    CHECK(sycl::host_accessor(b)[7] == 4);
  }
  for (int i = 0; i < 8; ++i)
    CHECK(back[i] == i + 1 && shared[i] == 4);
  {
    sycl::buffer<int> c(host, 8);
    khr::submit(q, [&](sycl::handler &h) { khr::fill(h, sycl::accessor<int, 1, sycl::access_mode::write>(c, h), 11); });
    khr::update_host(q, sycl::accessor<int, 1, sycl::access_mode::read>(c));
    q.wait();
    CHECK(host[3] == 11);
  }
}

int main() {
  sycl::queue q;
  CHECK(q.khr_empty());
  q.khr_flush();
  namespace of_device = khr::info::device;
  const sycl::range<3> most = q.get_device().get_info<of_device::max_work_group_range<>>();
  CHECK(most[0] >= 1 && most[1] >= 1 && most[2] >= most[0] && q.get_device().get_info<of_device::max_work_group_range<1>>()[0] >= 1);
  CHECK(q.get_device().get_info<of_device::max_work_group_range_size>() >= most[2]);
  work_items(q);
  if (q.get_backend() != sycl::backend::opencl) // Intel's drivers for processors take all memory to lie in every address space
    spaces(q);
  groups(q);
  launches(q);
  memory(q);
  CHECK(q.khr_empty());
  return failures != 0;
}
