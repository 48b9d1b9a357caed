// Parts of the embedded CPU device: how many compute units they have, that no more of their groups run at once, and what is refused with which
// code. Source: SYCL 2020 §4.6.4.3.
//# run: aspen++ -O1 {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu:0 ASPEN_CPU_THREADS=7 ./a.out
//# stdout: ok
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <thread>

namespace info = sycl::info;
using how = info::partition_property;
static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}
template <class F> static void refused(const char *what, sycl::errc code, F call) {
  try {
    call();
    expect(what, false);
  } catch (const sycl::exception &e) {
    expect(e.what(), e.code() == code);
  }
}
static unsigned units(const sycl::device &d) { return d.get_info<info::device::max_compute_units>(); }

/// Sums `items` numbers on the device; gives the most groups that ran at once.
static int most_at_once(sycl::queue q) {
  int *seen = sycl::malloc_shared<int>(3, q);
  seen[0] = seen[1] = seen[2] = 0;
  for (int round = 0; round < 3; ++round)
    q.parallel_for(sycl::nd_range<1>(64, 1), [=](sycl::nd_item<1> item) {
      using shared = sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device>;
      const int now = shared(seen[0]).fetch_add(1) + 1;
      shared(seen[1]).fetch_max(now);
      for (int i = 0; i < 20000; ++i) // long enough for others to come
        shared(seen[2]).fetch_add(static_cast<int>(item.get_global_id(0)) & 1);
      shared(seen[0]).fetch_sub(1);
    });
  // Not by a wait, which would lend the device this thread.
  while (!q.ext_oneapi_empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int most = seen[1];
  expect("every group ran", seen[2] == 3 * 32 * 20000);
  sycl::free(seen, q);
  return most;
}

int main() {
  const sycl::device whole;
  expect("units", units(whole) == 7 && whole.get_info<info::device::partition_max_sub_devices>() == 7);
  const std::vector<how> ways = whole.get_info<info::device::partition_properties>();
  expect("ways", std::count(ways.begin(), ways.end(), how::partition_equally) == 1 &&
                     std::count(ways.begin(), ways.end(), how::partition_by_counts) == 1);
  expect("whole", whole.get_info<info::device::partition_type_property>() == how::no_partition);
  refused("no parent", sycl::errc::invalid, [&] { (void)whole.get_info<info::device::parent_device>(); });

  const std::vector<sycl::device> thirds = whole.create_sub_devices<how::partition_equally>(3);
  expect("two of three units", thirds.size() == 2 && units(thirds[0]) == 3 && units(thirds[1]) == 3 && thirds[0] != thirds[1]);
  expect("the same part is the same", whole.create_sub_devices<how::partition_equally>(3) == thirds);
  const sycl::device part = thirds[1];
  expect("parent", part.get_info<info::device::parent_device>() == whole && part != whole && part.get_platform() == whole.get_platform());
  expect("how", part.get_info<info::device::partition_type_property>() == how::partition_equally &&
                    part.get_info<info::device::partition_type_affinity_domain>() == info::partition_affinity_domain::not_applicable);
  expect("what it says", part.get_info<info::device::name>() == whole.get_info<info::device::name>() &&
                             part.get_info<info::device::aspects>() == whole.get_info<info::device::aspects>() && part.is_cpu());
  const std::vector<sycl::device> counted = whole.create_sub_devices<how::partition_by_counts>({1, 0, 2, 4});
  expect("counted", counted.size() == 3 && units(counted[0]) == 1 && units(counted[1]) == 2 && units(counted[2]) == 4);
  expect("a single unit has no ways", counted[0].get_info<info::device::partition_properties>().empty() &&
                                          counted[0].get_info<info::device::partition_max_sub_devices>() == 0);
  refused("a single unit", sycl::errc::feature_not_supported, [&] { (void)counted[0].create_sub_devices<how::partition_equally>(1); });
  expect("a part's part", units(counted[2].create_sub_devices<how::partition_equally>(2)[1]) == 2);

  refused("more than there is", sycl::errc::invalid, [&] { (void)whole.create_sub_devices<how::partition_equally>(8); });
  refused("none", sycl::errc::invalid, [&] { (void)whole.create_sub_devices<how::partition_equally>(0); });
  refused("sum", sycl::errc::invalid, [&] { (void)whole.create_sub_devices<how::partition_by_counts>({4, 4}); });
  refused("more than a part has", sycl::errc::invalid, [&] { (void)part.create_sub_devices<how::partition_equally>(4); });
  refused("caches", sycl::errc::feature_not_supported,
          [&] { (void)whole.create_sub_devices<how::partition_by_affinity_domain>(info::partition_affinity_domain::L2_cache); });
  // How many threads there are was said, so where they are is not.
  refused("nodes", sycl::errc::feature_not_supported,
          [&] { (void)whole.create_sub_devices<how::partition_by_affinity_domain>(info::partition_affinity_domain::numa); });

  expect("one at a time", most_at_once(sycl::queue(counted[0])) == 1);
  const int most = most_at_once(sycl::queue(counted[1]));
  expect("two at a time", most >= 1 && most <= 2);

  // In a context of the whole device, in one of its own, with buffers between them and bundles of either.
  const sycl::context of_whole(whole), of_part(part);
  sycl::queue a(of_whole, part), b(of_part, part), c(whole);
  refused("another part's context", sycl::errc::invalid, [&] { sycl::queue(of_part, thirds[0]); });
  refused("the whole in a part's context", sycl::errc::invalid, [&] { sycl::queue(of_part, whole); });
  refused("memory of another part's device", sycl::errc::invalid, [&] { sycl::usm_allocator<int, sycl::usm::alloc::shared>(of_part, thirds[0]); });
  sycl::usm_allocator<int, sycl::usm::alloc::host> of_host(of_part, thirds[0]); // which takes no device
  int *const on_host = of_host.allocate(1);
  expect("host memory of an allocator is of its context", sycl::get_pointer_device(on_host, of_part) == part);
  of_host.deallocate(on_host, 1);
  sycl::buffer<int> numbers(100);
  for (sycl::queue *q : {&c, &a, &b, &c})
    q->submit([&](sycl::handler &h) {
      if (q == &a)
        h.use_kernel_bundle(sycl::get_kernel_bundle<sycl::bundle_state::executable>(of_whole));
      sycl::accessor out(numbers, h);
      h.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { out[i] = out[i] * 2 + 1; });
    });
  const sycl::host_accessor seen(numbers, sycl::read_only);
  expect("buffers", std::all_of(seen.begin(), seen.end(), [](int n) { return n % 16 == 15; }));
  std::puts(wrong ? "failed" : "ok");
}
