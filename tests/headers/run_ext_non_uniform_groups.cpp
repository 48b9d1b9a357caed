//! Groups that programs make of a sub-group: chunks, fragments, and those who are together, with all group functions and algorithms, also in
//! branches that only their members take. Results are compared with loops on the host. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS == 1 && SYCL_EXT_ONEAPI_TANGLE == 1);
static_assert(sycl::is_group_v<ex::fragment<sycl::sub_group>> && sycl::is_group_v<ex::chunk<4, sycl::sub_group>> && sycl::is_group_v<ex::tangle<sycl::sub_group>>);
static_assert(ex::is_fixed_topology_group_v<sycl::group<2>> && ex::is_fixed_topology_group_v<sycl::sub_group> && !ex::is_fixed_topology_group_v<ex::opportunistic_group>);
static_assert(ex::is_user_constructed_group_v<ex::ballot_group<sycl::sub_group>> && ex::is_user_constructed_group_v<ex::fixed_size_group<2, sycl::sub_group>> &&
              !ex::is_user_constructed_group_v<sycl::sub_group>);
static_assert(std::is_convertible_v<ex::chunk<4, sycl::sub_group>, ex::fragment<sycl::sub_group>>);

constexpr size_t width = 32, groups = 3, count = width * groups;

/// Larger than a register.
struct pair {
  long first;
  double second;
};

/// What a group says of one of its members.
struct answers {
  int sub_group; // the sub-group's first work-item in the kernel
  int key;       // members have the same
  unsigned group, groups, own, size;
  bool is_leader, any, all, none;
  int broadcast, from_last, left, right, permuted, selected;
  int sum, sum_from, before, up_to, largest, ends;
  double second;
  int joint, scanned_there, seen;
};

/// In a kernel: asks `g` everything. `there` is memory for each work-item of the kernel.
template <class G> answers ask(G g, int key, int v, const int *in, int *there, sycl::nd_item<1> item) {
  const int i = static_cast<int>(item.get_global_id(0)), lane = static_cast<int>(item.get_sub_group().get_local_linear_id());
  answers a = {};
  a.sub_group = i - lane;
  a.key = key;
  a.group = g.get_group_linear_id();
  a.groups = static_cast<unsigned>(g.get_group_range()[0]);
  a.own = g.get_local_linear_id();
  a.size = static_cast<unsigned>(g.get_local_range()[0]);
  a.is_leader = g.leader();
  a.any = sycl::any_of_group(g, v % 5 == 0);
  a.all = sycl::all_of_group(g, v, [](int x) { return x > 3; });
  a.none = sycl::none_of_group(g, v % 7 == 0);
  a.broadcast = sycl::group_broadcast(g, v);
  a.from_last = sycl::group_broadcast(g, v, a.size - 1);
  a.left = sycl::shift_group_left(g, v);
  a.right = sycl::shift_group_right(g, v, 1);
  a.permuted = sycl::permute_group_by_xor(g, v, 1);
  a.selected = sycl::select_from_group(g, v, sycl::id<1>((a.own + 2) % a.size));
  a.sum = sycl::reduce_over_group(g, v, sycl::plus<>());
  a.sum_from = sycl::reduce_over_group(g, v, 1000, sycl::plus<int>());
  a.before = sycl::exclusive_scan_over_group(g, v, sycl::plus<int>());
  a.up_to = sycl::inclusive_scan_over_group(g, v, sycl::plus<int>(), 7);
  a.largest = sycl::inclusive_scan_over_group(g, v, sycl::maximum<>());
  a.ends = sycl::reduce_over_group(g, v * 101, [](int x, int y) { return x / 100 * 100 + y % 100; }); // the first and the last
  a.second = sycl::select_from_group(g, pair{v, v * 0.5}, sycl::id<1>(a.size - 1 - a.own)).second;
  a.joint = sycl::joint_reduce(g, in, in + 40, sycl::plus<int>()) + sycl::joint_any_of(g, in, in + 40, [](int x) { return x == 17; }) * 100000;
  // Members see what the others wrote before a barrier.
  there[i] = v;
  sycl::group_barrier(g);
  const int other = sycl::select_from_group(g, i, sycl::id<1>((a.own + 1) % a.size));
  a.seen = there[other];
  sycl::group_barrier(g, sycl::memory_scope::work_group);
  return a;
}

/// Those of `all` in the same sub-group with the same key are i's group.
static void check(const std::vector<int> &in, const answers *all, size_t i, unsigned group, unsigned parts) {
  const answers &a = all[i];
  std::vector<int> v;
  size_t own = 0;
  for (size_t k = 0; k < count; ++k)
    if (all[k].sub_group == a.sub_group && all[k].key == a.key) {
      own = k == i ? v.size() : own;
      v.push_back(in[k]);
    }
  const size_t size = v.size(), last = size - 1;
  int sum = 0, before = 0, largest = 0, joint = 0;
  bool any = false, all_of = true, none = true, joint_any = false;
  for (size_t k = 0; k < size; ++k) {
    sum += v[k];
    before += k < own ? v[k] : 0;
    largest = k <= own && v[k] > largest ? v[k] : largest;
    any = any || v[k] % 5 == 0;
    all_of = all_of && v[k] > 3;
    none = none && v[k] % 7 != 0;
  }
  for (size_t k = 0; k < 40; ++k) {
    joint += in[k];
    joint_any = joint_any || in[k] == 17;
  }
  CHECK(a.own == own && a.size == size && a.is_leader == (own == 0) && a.group == group && a.groups == parts);
  CHECK(a.any == any && a.all == all_of && a.none == none);
  CHECK(a.broadcast == v[0] && a.from_last == v[last]);
  CHECK((own == last || a.left == v[own + 1]) && (own == 0 || a.right == v[own - 1]));
  CHECK(((own ^ 1) >= size || a.permuted == v[own ^ 1]) && a.selected == v[(own + 2) % size]);
  CHECK(a.sum == sum && a.sum_from == sum + 1000 && a.before == before && a.up_to == 7 + before + v[own] && a.largest == largest);
  CHECK(a.ends == v[0] * 100 + v[last]);
  CHECK(a.second == v[last - own] * 0.5);
  CHECK(a.joint == joint + joint_any * 100000);
  CHECK(a.seen == v[(own + 1) % size]);
}

template <unsigned Size> static void chunks(sycl::queue &q, const int *in, int *there, answers *out, const std::vector<int> &host) {
  const auto check_all = [&](unsigned size, unsigned parts) {
    q.wait();
    for (size_t i = 0; i < count; ++i)
      check(host, out, i, static_cast<unsigned>(i - static_cast<size_t>(out[i].sub_group)) / size % parts, parts);
  };
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const auto g = ex::chunked_partition<4>(item.get_sub_group());
    out[i] = ask(g, static_cast<int>(g.get_group_linear_id()), in[i], in, there, item);
  });
  check_all(4, Size / 4);
  // In a branch, and as the fragment that it is.
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const auto g = ex::get_fixed_size_group<2>(item.get_sub_group());
    const int key = static_cast<int>(g.get_group_linear_id());
    if (key % 2 == 0)
      out[i] = ask(g, key, in[i], in, there, item);
    else
      out[i] = ask(ex::fragment<sycl::sub_group>(g), key, in[i], in, there, item);
  });
  check_all(2, Size / 2);
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const auto g = ex::chunked_partition<2>(ex::chunked_partition<4>(item.get_sub_group()));
    out[i] = ask(g, static_cast<int>(i / 2), in[i], in, there, item);
  });
  check_all(2, 2);
}

template <unsigned Size> static void fragments(sycl::queue &q, const int *in, int *there, answers *out, const std::vector<int> &host) {
  const auto check_all = [&] {
    q.wait();
    for (size_t i = 0; i < count; ++i)
      check(host, out, i, host[i] % 3 == 0, 2);
  };
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const bool predicate = in[i] % 3 == 0;
    out[i] = ask(ex::binary_partition(item.get_sub_group(), predicate), predicate, in[i], in, there, item);
  });
  check_all();
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const bool predicate = in[i] % 3 == 0;
    const auto g = ex::get_ballot_group(item.get_sub_group(), predicate);
    if (predicate)
      out[i] = ask(g, 1, in[i], in, there, item);
    sycl::group_barrier(item.get_group());
    if (!predicate)
      out[i] = ask(g, 0, in[i], in, there, item);
  });
  check_all();
  // A part of a part.
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const bool even = in[i] % 2 == 0, predicate = in[i] % 3 == 0;
    out[i] = ask(ex::binary_partition(ex::binary_partition(item.get_sub_group(), even), predicate), predicate + 2 * even, in[i], in, there, item);
  });
  check_all();
  // A part of a chunk.
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    const bool predicate = in[i] % 3 == 0;
    const ex::fragment<ex::chunk<8, sycl::sub_group>> g = ex::binary_partition(ex::chunked_partition<8>(item.get_sub_group()), predicate);
    out[i] = ask(g, predicate + 2 * static_cast<int>(i / 8), in[i], in, there, item);
  });
  check_all();
}

/// The specification's example: one atomic operation for all that are together.
static int next(int &counter) {
  const auto active = ex::this_kernel::get_opportunistic_group();
  int old = 0;
  if (active.leader())
    old = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(counter).fetch_add(static_cast<int>(active.get_local_linear_range()));
  return sycl::group_broadcast(active, old) + static_cast<int>(active.get_local_linear_id());
}

static void opportunistic(sycl::queue &q, const int *in, int *there, const std::vector<int> &host) {
  int *counter = sycl::malloc_shared<int>(1, q);
  *counter = 0;
  q.fill(there, -1, count).wait();
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     if (in[item.get_global_id(0)] % 3 == 0)
       there[next(*counter)] = static_cast<int>(item.get_global_id(0));
   }).wait();
  int thirds = 0, found = 0;
  for (size_t i = 0; i < count; ++i) {
    thirds += host[i] % 3 == 0;
    if (there[i] >= 0) {
      ++found;
      CHECK(host[static_cast<size_t>(there[i])] % 3 == 0);
      for (size_t k = 0; k < i; ++k)
        CHECK(there[k] != there[i]);
    }
  }
  CHECK(thirds == *counter && thirds == found);
  // One alone is the whole group, on every device.
  q.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
     if (item.get_local_linear_id() == 5) {
       const auto g = sycl::ext::oneapi::this_work_item::get_opportunistic_group();
       sycl::group_barrier(g);
       *counter = sycl::reduce_over_group(g, 40, sycl::plus<>()) + static_cast<int>(g.get_local_range()[0] + g.get_group_range()[0]);
     }
   }).wait();
  CHECK(*counter == 42);
  sycl::free(counter, q);
}

/// Those who take the same branch; each does something else, so that branches stay apart.
template <unsigned Size> static void tangles(sycl::queue &q, const int *in, int *there, answers *out, const std::vector<int> &host) {
  const auto kernel = [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const size_t i = item.get_global_id(0);
    if (in[i] % 3 == 0)
      out[i] = ask(ex::entangle(item.get_sub_group()), 1, in[i], in, there, item);
    else
      out[i] = ask(ex::get_tangle_group(item.get_sub_group()), 0, in[i], in, there, item);
  };
  const sycl::nd_range<1> range(count, width);
  if (!q.get_device().has(sycl::aspect::ext_oneapi_tangle)) {
    sycl::errc code = sycl::errc::success;
    try {
      q.parallel_for(range, kernel);
    } catch (const sycl::exception &e) {
      code = static_cast<sycl::errc>(e.code().value());
    }
    CHECK(code == sycl::errc::kernel_not_supported);
    return;
  }
  q.parallel_for(range, kernel).wait();
  for (size_t i = 0; i < count; ++i)
    check(host, out, i, 0, 1);
}

template <unsigned Size> static void with_size(sycl::queue &q, const int *in, int *there, answers *out, const std::vector<int> &host) {
  const sycl::device d = q.get_device();
  bool has_size = false;
  for (size_t size : d.get_info<sycl::info::device::sub_group_sizes>())
    has_size = has_size || size == Size;
  if (has_size && d.has(sycl::aspect::ext_oneapi_chunk))
    chunks<Size>(q, in, there, out, host);
  if (has_size && d.has(sycl::aspect::ext_oneapi_fragment))
    fragments<Size>(q, in, there, out, host);
  if (has_size)
    tangles<Size>(q, in, there, out, host);
}

/// Without a constructor that takes nothing.
struct number {
  explicit number(int of) : of(of) {}
  int of;
};

/// Work-items that are not there, or have ended, are missed by nobody. On the embedded CPU alone: elsewhere this is not defined.
void without_some(sycl::queue &q) {
  constexpr size_t items = 44, here = 36;
  int *out = sycl::malloc_shared<int>(items * 6, q);
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(16)]] {
     const auto parent = item.get_sub_group();
     const int i = static_cast<int>(item.get_global_id(0));
     int *own = out + i * 6;
     const auto last = ex::chunked_partition<8>(parent); // of four, in the last sub-group
     sycl::group_barrier(last);
     own[0] = sycl::reduce_over_group(last, 1, sycl::plus<>());
     const auto odd = ex::binary_partition(parent, i % 2 == 1);
     if (i >= static_cast<int>(here)) {
       for (int k = 1; k < 6; ++k)
         own[k] = 0;
       return;
     }
     own[1] = sycl::reduce_over_group(odd, i, sycl::plus<>());
     own[2] = sycl::inclusive_scan_over_group(last, 1, sycl::plus<>());
     own[3] = sycl::exclusive_scan_over_group(last, 10, 5, sycl::minimum<>());
     own[4] = sycl::any_of_group(last, i == static_cast<int>(here) - 1);
     own[5] = sycl::select_from_group(last, number(i), 0).of;
   }).wait_and_throw();
  for (size_t i = 0; i < items; ++i) {
    const int *own = out + i * 6;
    CHECK(own[0] == (i < 40 ? 8 : 4));
    if (i >= here)
      continue;
    int sum = 0;
    for (size_t k = i / 16 * 16; k < here && k < i / 16 * 16 + 16; ++k)
      sum += k % 2 == i % 2 ? static_cast<int>(k) : 0;
    CHECK(own[1] == sum);
    CHECK(own[2] == static_cast<int>(i % 8) + 1 && own[3] == 5);
    CHECK(own[4] == (i / 8 == (here - 1) / 8) && own[5] == static_cast<int>(i / 8 * 8));
  }
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  if (q.get_backend() == sycl::backend::native_cpu)
    without_some(q);
  int *in = sycl::malloc_shared<int>(count, q);
  int *there = sycl::malloc_shared<int>(count, q);
  answers *out = sycl::malloc_shared<answers>(count, q);
  std::vector<int> host(count);
  for (size_t i = 0; i < count; ++i)
    host[i] = in[i] = static_cast<int>(1 + i * 7 % 19);
  with_size<8>(q, in, there, out, host);
  with_size<16>(q, in, there, out, host);
  with_size<32>(q, in, there, out, host);
  if (q.get_device().has(sycl::aspect::ext_oneapi_fragment))
    opportunistic(q, in, there, host);
  sycl::free(in, q);
  sycl::free(there, q);
  sycl::free(out, q);
  return failures;
}
