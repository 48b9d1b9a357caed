// What the conformance suite found missing or wrong, one check each: properties with values, the default context, comparisons and hashes,
// SYCL 1.2.1's host accessors, allocators, and ids of hierarchical kernels.
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <sycl/sycl.hpp>
#include <unordered_set>
#include <vector>

static_assert(std::is_same_v<sycl::async_handler, std::function<void(sycl::exception_list)>>);

static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

static void properties(sycl::queue &q) {
  std::mutex mutex;
  const sycl::context in = q.get_context();
  const sycl::property_list both{sycl::property::buffer::use_mutex(mutex), sycl::property::buffer::context_bound(in)};
  int data[4] = {1, 2, 3, 4};
  {
    sycl::buffer<int> b(data, sycl::range<1>(4), both);
    expect("properties are kept", b.has_property<sycl::property::buffer::use_mutex>() && !b.has_property<sycl::property::buffer::use_host_ptr>() &&
                                      b.get_property<sycl::property::buffer::use_mutex>().get_mutex_ptr() == &mutex &&
                                      b.get_property<sycl::property::buffer::context_bound>().get_context() == in);
    expect("what takes no property says so", !in.has_property<sycl::property::queue::in_order>() &&
                                                 !sycl::usm_allocator<int, sycl::usm::alloc::shared>(q).has_property<sycl::property::no_init>() &&
                                                 !sycl::local_accessor<int>().has_property<sycl::property::no_init>());
    for (int which = 0; which < 3; ++which)
      try {
        which == 0   ? (void)in.get_property<sycl::property::queue::in_order>()
        : which == 1 ? (void)sycl::usm_allocator<int, sycl::usm::alloc::shared>(q).get_property<sycl::property::no_init>()
                     : (void)sycl::local_accessor<int>().get_property<sycl::property::no_init>();
        expect("and has none", false);
      } catch (const sycl::exception &e) {
        expect("by a code", e.code() == sycl::errc::invalid);
      }
    {
      // The host may use its memory under the mutex while the kernel has a copy.
      const std::lock_guard<std::mutex> own(mutex);
      q.submit([&](sycl::handler &h) {
         sycl::accessor a(b, h);
         h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { a[i] *= 10; });
       }).wait();
      expect("nothing is written under somebody's lock", data[0] == 1 && data[3] == 4);
    }
  }
  expect("written back when it goes", data[0] == 10 && data[3] == 40 && mutex.try_lock());
  mutex.unlock();
}

static void contexts() {
  sycl::queue a, b{sycl::default_selector_v}, c{a.get_device(), sycl::property::queue::in_order()};
  const std::vector<sycl::device> all = a.get_device().get_platform().get_devices();
  expect("queues share the default context", a.get_context() == b.get_context() && a.get_context() == c.get_context());
  expect("which has all devices of the platform", a.get_context().get_devices() == all);
  expect("a context that is made is another", sycl::context() != a.get_context());
}

static void comparisons(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(8)}, other{sycl::range<1>(8)};
  const sycl::buffer<int> copy = b;
  std::unordered_set<sycl::buffer<int>> set{b, copy, other};
  expect("buffers are hashed", set.size() == 2 && set.count(copy) == 1);
  sycl::host_accessor one(b), two = one;
  expect("host accessors", one == two && std::hash<decltype(one)>()(one) == std::hash<decltype(one)>()(two) && *one.rbegin() == one[7]);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> l(4, h), m(4, h), n = l;
    sycl::accessor d(other, h);
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::local> old(4, h);
    expect("local accessors", old.size() == 4 && l == n && l != m && std::hash<decltype(l)>()(l) == std::hash<decltype(l)>()(n));
    expect("accessors", std::hash<decltype(d)>()(d) == std::hash<decltype(d)>()(d));
    h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) {
      l[i.get_local_id()] = int(i.get_local_id(0));
      sycl::group_barrier(i.get_group());
      d[i.get_global_id()] = l.rbegin()[i.get_local_id(0)] + (l.rend() - l.rbegin()) * 10;
    });
  });
  sycl::host_accessor seen(other);
  expect("reverse iterators of local memory", seen[0] == 43 && seen[3] == 40);
}

static void old_accessors() {
  sycl::buffer<int, 2> b{sycl::range<2>(2, 3)};
  {
    auto whole = b.get_access<sycl::access_mode::write>();
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 3; ++c)
        whole[r][c] = r * 10 + c;
  }
  auto part = b.get_access<sycl::access_mode::read>(sycl::range<2>(1, 2), sycl::id<2>(1, 1));
  sycl::queue().submit([&](sycl::handler &h) {
    auto read = b.get_access(h, sycl::read_only);
    static_assert(std::is_same_v<decltype(read), sycl::accessor<int, 2, sycl::access_mode::read>>);
    auto host = b.get_access<sycl::access_mode::read, sycl::target::host_task>(h);
    expect("accessors by tags", read.size() == 6 && host.size() == 6);
  });
  expect("host accessors of SYCL 1.2.1", part.get_range() == sycl::range<2>(1, 2) && part[sycl::id<2>(0, 0)] == 11);
}

static void allocators(sycl::queue &q) {
  using shared = sycl::usm_allocator<int, sycl::usm::alloc::shared, 16>;
  const shared a(q), b(q.get_context(), q.get_device());
  const sycl::usm_allocator<int, sycl::usm::alloc::host, 16> host(q);
  const sycl::usm_allocator<float, sycl::usm::alloc::shared, 32> wide(q);
  expect("allocators of one kind and device", a == b && a == wide && !(a == host) && a != host);

  const std::allocator<int> own;
  std::vector<int> v = {1, 2, 3};
  const std::shared_ptr<int[]> p(new int[2]{7, 8});
  {
    sycl::buffer from_vector(v, own);
    sycl::buffer from_iterators(v.begin(), v.end(), own, sycl::property_list{});
    sycl::buffer from_pointer(v.data(), sycl::range<1>(2), own);
    sycl::buffer<int> from_shared(p, sycl::range<1>(2), own);
    static_assert(std::is_same_v<decltype(from_vector), sycl::buffer<int, 1, std::allocator<int>>>);
    static_assert(std::is_same_v<decltype(from_iterators), sycl::buffer<int, 1, std::allocator<int>>>);
    sycl::host_accessor w(from_shared);
    w[1] = 80;
    from_vector.set_final_data(std::shared_ptr<int>(new int[3], std::default_delete<int[]>()));
  }
  expect("buffers with allocators", p[0] == 7 && p[1] == 80);
  // A smart pointer may own what holds the elements, too.
  const auto kept = std::make_shared<std::array<int, 3>>(), watched = std::make_shared<std::array<int, 3>>();
  {
    sycl::buffer to_kept(v), to_watched(v);
    to_kept.set_final_data(kept);
    to_watched.set_final_data(std::weak_ptr<std::array<int, 3>>(watched));
    // What nobody writes goes nowhere.
    sycl::host_accessor{to_kept}[0] = 5;
    sycl::host_accessor{to_watched}[0] = 6;
  }
  expect("final data in what a smart pointer owns", (*kept)[0] == 5 && (*kept)[2] == 3 && (*watched)[1] == 2);
}

/// Without a size the groups have one work-item, by which programs index memory.
static void hierarchy(sycl::queue &q) {
  std::vector<int> ids(8, -1);
  {
    sycl::buffer<int> b(ids.data(), sycl::range<1>(8));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for_work_group(sycl::range<1>(8), [=](sycl::group<1> g) {
        g.parallel_for_work_item(sycl::range<1>(1), [&](sycl::h_item<1> i) { a[i.get_global_id()] = int(i.get_global_id(0)); });
      });
    });
  }
  for (int i = 0; i < 8; ++i)
    expect("ids of hierarchical kernels", ids[size_t(i)] == i);
}

/// Between accessors whose rows differ, and of another number of dimensions.
static void copies(sycl::queue &q) {
  std::vector<int> from(24), to(40, -1), line(24, -1);
  for (int i = 0; i < 24; ++i)
    from[size_t(i)] = i;
  {
    sycl::buffer<int, 2> source(from.data(), sycl::range<2>(4, 6)), wide(to.data(), sycl::range<2>(5, 8));
    sycl::buffer<int> flat(line.data(), sycl::range<1>(24));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(source, h, sycl::read_only);
      sycl::accessor b(wide, h, sycl::range<2>(4, 6), sycl::id<2>(1, 2), sycl::write_only);
      h.copy(a, b);
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(wide, h, sycl::range<2>(4, 6), sycl::id<2>(1, 2), sycl::read_only);
      sycl::accessor b(flat, h, sycl::write_only);
      h.copy(a, b);
    });
  }
  bool right = true;
  for (int i = 0; i < 40; ++i)
    right = right && to[size_t(i)] == (i / 8 >= 1 && i % 8 >= 2 ? (i / 8 - 1) * 6 + i % 8 - 2 : -1);
  expect("a copy into a part of a buffer", right);
  expect("a copy into one of fewer dimensions", line == from);
}

/// Groups that lie in a buffer, where another kernel and the host compare them.
static void groups_in_memory(sycl::queue &q) {
  std::vector<std::byte> kept(2 * sizeof(sycl::group<1>));
  auto *groups = reinterpret_cast<sycl::group<1> *>(kept.data());
  int same[2] = {-1, -1};
  {
    sycl::buffer<sycl::group<1>> b(groups, sycl::range<1>(2));
    sycl::buffer<int> answers(same, sycl::range<1>(2));
    q.submit([&](sycl::handler &h) {
      sycl::accessor to(b, h);
      h.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> item) {
        if (item.get_local_id(0) == 0)
          to[item.get_group(0)] = item.get_group();
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor from(b, h);
      sycl::accessor to(answers, h);
      h.single_task([=] {
        to[0] = from[0] == from[0];
        to[1] = from[0] == from[1];
      });
    });
  }
  expect("groups are compared elsewhere", same[0] == 1 && same[1] == 0 && groups[0] != groups[1] && groups[1] == groups[1]);
}

/// Without any aspect the default device is found.
static void selectors() {
  const sycl::device chosen(sycl::default_selector_v);
  expect("aspect_selector of nothing", sycl::device(sycl::aspect_selector<>()) == chosen && sycl::device(sycl::aspect_selector()) == chosen);
  // Whose operator is not const is copied, as with DPC++.
  struct {
    int calls = 0;
    int operator()(const sycl::device &) { return ++calls; }
  } counts;
  int last = 0;
  const sycl::queue counted(counts, sycl::property::queue::in_order());
  const sycl::device other([last](const sycl::device &) mutable { return ++last; });
  expect("selectors that change", counted.is_in_order() && sycl::device(counts) == counted.get_device() && other == counted.get_device() &&
                                      sycl::platform(counts) == other.get_platform() && counts.calls == 0);
}

int main() {
  sycl::queue q;
  groups_in_memory(q);
  selectors();
  copies(q);
  properties(q);
  contexts();
  comparisons(q);
  old_accessors();
  allocators(q);
  hierarchy(q);
  if (!wrong)
    std::puts("ok");
  return wrong != 0;
}
