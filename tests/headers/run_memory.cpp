//! Runs buffers, accessors, USM, host tasks, events and errors on a device, and checks what the host sees. Exit status 0: all right.
#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <sycl/sycl.hpp>
#include <thread>

using namespace sycl;

static void ranged_accessors(queue &q) {
  std::vector<int> data(12, 1), last(12, 0);
  {
    buffer<int, 2> b(data.data(), range<2>(3, 4));
    b.set_final_data(last.data());
    q.submit([&](handler &h) {
      accessor a(b, h, range<2>(2, 2), id<2>(1, 1), write_only);
      h.fill(a, 9);
    });
    q.submit([&](handler &h) {
      accessor a(b, h);
      h.parallel_for(b.get_range(), [=](item<2> i) { a[i] += static_cast<int>(i.get_linear_id()); });
    });
    int part[4] = {};
    q.submit([&](handler &h) {
       accessor a(b, h, range<2>(2, 2), id<2>(1, 1), read_only);
       h.copy(a, part);
     }).wait();
    CHECK(part[0] == 14 && part[1] == 15 && part[2] == 18 && part[3] == 19);
    // Memory of another type, or of none, is bytes.
    unsigned char bytes[sizeof part] = {};
    void *const untyped = bytes;
    q.submit([&](handler &h) {
       accessor a(b, h, range<2>(2, 2), id<2>(1, 1), read_only);
       h.copy(a, untyped);
     }).wait();
    CHECK(std::equal(bytes, bytes + sizeof part, reinterpret_cast<unsigned char *>(part)));
    q.submit([&](handler &h) {
       accessor a(b, h, range<2>(2, 2), id<2>(1, 1), write_only);
       h.copy(bytes, a);
     }).wait();
    q.submit([&](handler &h) {
       accessor a(b, h, range<2>(2, 2), id<2>(1, 1), write_only);
       h.copy(static_cast<const void *>(bytes), a);
     }).wait();
    buffer<int, 2> row(b, id<2>(1, 0), range<2>(1, 4));
    q.submit([&](handler &h) {
      accessor a(row, h, write_only);
      h.parallel_for(range<1>(4), [=](int i) { a[0][i] = 77; });
    });
    host_accessor on_host(b, read_only);
    CHECK(on_host[0][0] == 1 && on_host[1][2] == 77 && on_host[id<2>(2, 2)] == 19);
  }
  CHECK(last[4] == 77 && last[10] == 19);
}

/// Iterators run through an accessor's range, and not through the memory between its rows.
static void iterators(queue &q) {
  int sums[2] = {};
  {
    std::vector<int> data(60);
    for (int i = 0; i < 60; ++i)
      data[size_t(i)] = i;
    buffer<int, 3> b(data.data(), range<3>(3, 4, 5));
    const range<3> extent(2, 2, 3);
    const id<3> offset(1, 1, 2);
    const host_accessor whole(b, read_only), part(b, extent, offset, read_only);
    using iterator = decltype(part)::iterator;
    static_assert(std::is_same_v<std::iterator_traits<iterator>::iterator_category, std::random_access_iterator_tag>);
    CHECK(whole.end() - whole.begin() == 60 && *(whole.begin() + 37) == 37 && std::equal(whole.begin(), whole.end(), data.begin()));
    std::vector<int> wanted;
    for (int z = 1; z < 3; ++z)
      for (int y = 1; y < 3; ++y)
        for (int x = 2; x < 5; ++x)
          wanted.push_back(z * 20 + y * 5 + x);
    CHECK(std::vector<int>(part.begin(), part.end()) == wanted && std::vector<int>(part.cbegin(), part.cend()) == wanted);
    CHECK(std::vector<int>(part.crbegin(), part.crend()) == std::vector<int>(wanted.rbegin(), wanted.rend()));
    iterator at = part.begin();
    CHECK(at++[4] == wanted[4] && *at == wanted[1] && *--at == wanted[0] && (3 + at)[-1] == wanted[2] && at < part.end() - 11);
    CHECK(at == part.cbegin() && part.end() - at == 12 && *std::lower_bound(part.begin(), part.end(), wanted[7]) == wanted[7]);
  }
  {
    std::vector<int> data(60, 1);
    buffer<int, 2> b(data.data(), range<2>(6, 10));
    buffer<int, 1> out(sums, range<1>(2));
    q.submit([&](handler &h) {
      accessor a(b, h, range<2>(4, 3), id<2>(2, 6));
      accessor sum(out, h);
      h.single_task([=] {
        int next = 0;
        for (int &element : a)
          element = next++;
        for (auto last = a.rbegin(); last != a.rend(); ++last)
          sum[0] += *last * (next-- + 1);
      });
    });
    q.submit([&](handler &h) {
      accessor a(b, h, read_only);
      accessor sum(out, h);
      h.single_task([=] {
        for (auto at = a.begin(); at != a.end(); ++at)
          sum[1] += *at;
      });
    });
  }
  // 0 to 11, each by two more than itself; the rest of the buffer is untouched.
  CHECK(sums[0] == 506 + 2 * 66 && sums[1] == 66 + 48);
}

static void other_buffers(queue &q) {
  auto owned = std::make_shared<int>(3);
  {
    buffer<int, 1> b(owned, range<1>(1));
    q.submit([&](handler &h) {
      accessor a(b, h);
      h.single_task([=]() { a[0] = 5; });
    });
  }
  CHECK(*owned == 5);

  const std::vector<int> constant(4, 2);
  buffer from(constant);
  int out = 0;
  {
    accessor later(from);
    buffer to(&out, range<1>(1));
    q.submit([&](handler &h) {
      h.require(later);
      accessor a(to, h, write_only, no_init);
      h.single_task([=]() { a[0] = later[0] + later[3]; });
    });
  }
  CHECK(out == 4);
}

/// Accessors to one element, buffers of constants, and what update_host brings while the buffer lives.
static void single_elements(queue &q) {
  const auto owned = std::make_shared<int>(3);
  const int constants[] = {40, 50};
  std::mutex mutex;
  buffer<int, 1> b(owned, range<1>(1), property_list{property::buffer::use_mutex{mutex}});
  buffer<const int, 1> fixed(constants, range<1>(2));
  q.submit([&](handler &h) {
    accessor<int, 0> one(b, h);
    accessor<int, 0, access_mode::read> same(one);
    accessor<const int, 0> first(fixed, h);
    accessor all(fixed, h);
    static_assert(std::is_same_v<decltype(all), accessor<const int, 1, access_mode::read>>);
    local_accessor<int, 0> own(h);
    CHECK(one.size() == 1 && first.size() == 1 && all.size() == 2 && !one.is_placeholder() && !one.has_property<property::no_init>());
    h.parallel_for(nd_range<1>(1, 1), [=](nd_item<1>) {
      own = 2;
      own += first + all[1];
      one = same * 100 + own;
    });
  });
  CHECK(*owned == 3);
  q.submit([&](handler &h) { h.update_host(accessor(b, h, read_only)); }).wait();
  CHECK(*owned == 392);
  host_accessor<int, 0> here(b, no_init);
  here = here + 1;
  CHECK(here == 393 && here.has_property<property::no_init>());
  accessor placeholder(fixed, read_only);
  CHECK(placeholder.is_placeholder() && accessor<int>().empty() && (accessor<int, 0>().empty()));
  const auto is_invalid = [](auto make) {
    try {
      make();
    } catch (const exception &e) {
      return e.code() == errc::invalid;
    }
    return false;
  };
  auto later = fixed.get_access();
  auto to_read = fixed.get_access(read_only);
  CHECK(later.is_placeholder() && to_read.is_placeholder());
  CHECK(is_invalid([&] { host_accessor reads(fixed, read_only, no_init); }));
  CHECK(is_invalid([&] { accessor reads(fixed, read_only, property_list{no_init}); }));
}

/// A thread does not wait for host accessors of its own; commands wait for all of them, whichever ends first.
static void host_accessors_of_one_thread(queue &q) {
  buffer<int> b{range<1>(8)};
  std::optional<host_accessor<int>> first(std::in_place, b);
  (*first)[0] = 1;
  {
    host_accessor second(b);
    const host_accessor third(b, read_only);
    second[1] = third[0] + 1;
    CHECK((*first)[1] == 2 && host_accessor(b)[1] == host_accessor(b)[0] + 1);
  }
  std::atomic<bool> ended = false;
  const event reads = q.submit([&](handler &h) {
    accessor a(b, h, read_only_host_task);
    h.host_task([=, &ended] { CHECK(ended && a[0] == 3 && a[1] == 2); });
  });
  const event writes = q.submit([&](handler &h) {
    accessor a(b, h);
    h.single_task([=] { a[1] += 40; });
  });
  CHECK(reads.get_info<info::event::command_execution_status>() != info::event_command_status::complete);
  (*first)[0] = 3;
  ended = true;
  first.reset();
  CHECK(host_accessor(b, read_only)[1] == 42);
}

/// Threads that read at the same time; who writes waits for the other's accessor, and takes none of its own for it.
static void host_accessors_of_two_threads() {
  buffer<int> b{range<1>(1)};
  std::optional<host_accessor<int, 1, access_mode::read>> mine(std::in_place, b, read_only);
  std::atomic<bool> ended = false, begun = false;
  std::thread other([&] {
    { const host_accessor theirs(b, read_only); }
    begun = true;
    host_accessor writes(b);
    CHECK(ended);
    writes[0] = 7;
  });
  while (!begun)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ended = true;
  mine.reset();
  other.join();
  CHECK(host_accessor(b, read_only)[0] == 7);
}

/// When its destructor waits, the data of the thread itself is gone.
static int last_content[1];
struct last_look {
  ~last_look() {
    if (last_content[0] != 2)
      std::_Exit(3);
  }
};
static last_look look;
static std::optional<buffer<int>> last_buffer;

static void a_static_buffer(queue &q) {
  { host_accessor(last_buffer.emplace(last_content, range<1>(1)))[0] = 1; }
  q.submit([&](handler &h) {
    accessor a(*last_buffer, h, read_write_host_task);
    h.host_task([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      a[0] = 2;
    });
  });
}

/// What a call fails with.
template <class F> std::error_code code_of(F f) {
  try {
    f();
  } catch (const exception &e) {
    return e.code();
  }
  return std::error_code();
}

static void errors() {
  int seen = 0;
  queue q([&](exception_list list) {
    for (const std::exception_ptr &e : list) {
      try {
        std::rethrow_exception(e);
      } catch (const std::runtime_error &x) {
        seen += std::string(x.what()) == "boom";
      }
    }
  });
  int *p = malloc_shared<int>(1, q);
  const event first = q.submit([&](handler &h) { h.host_task([=]() { *p = 42; }); });
  q.submit([&](handler &h) {
    h.depends_on(first);
    h.host_task([]() { throw std::runtime_error("boom"); });
  });
  q.wait_and_throw();
  CHECK(*p == 42 && seen == 1);

  CHECK(code_of([] { queue none(aspect_selector(aspect::accelerator, aspect::gpu, aspect::custom)); }) == errc::runtime);
  CHECK(code_of([&] { q.single_task([]() {}).get_profiling_info<info::event_profiling::command_end>(); }) == errc::invalid);
  CHECK(code_of([&] {
          q.submit([&](handler &h) {
            h.memset(p, 0, 1);
            h.memset(p, 0, 1);
          });
        }) == errc::invalid);
  CHECK(code_of([&] { q.parallel_for(nd_range<1>(65, 32), [=](nd_item<1>) {}); }) == errc::nd_range);
  q.wait();
  CHECK(*p == 42); // a command group that throws submits nothing
  free(p, q);
}

/// A command group is submitted when its function ends: whatever it says counts, in any order, and what throws leaves nothing behind.
static void command_groups(queue &q) {
  int *p = malloc_shared<int>(2, q);
  p[0] = p[1] = 1;
  bool open = false;
  const event gate = q.submit([&](handler &h) {
    h.host_task([=, &open] {
      while (!__atomic_load_n(&open, __ATOMIC_ACQUIRE))
        ;
      p[0] = 20;
    });
  });
  const event after = q.submit([&](handler &h) {
    h.single_task([=]() { p[1] = p[0] + 1; });
    h.depends_on(gate);
  });
  const std::vector<event> waits = after.get_wait_list();
  CHECK(waits.size() == 1 && waits[0] == gate && p[1] == 1);
  __atomic_store_n(&open, true, __ATOMIC_RELEASE);
  q.wait();
  CHECK(p[1] == 21);

  const auto kept = std::make_shared<int>(0);
  const auto abandoned = [&](auto command) {
    try {
      q.submit([&](handler &h) {
        command(h);
        throw 7;
      });
    } catch (int thrown) {
      return thrown == 7;
    }
    return false;
  };
  CHECK(abandoned([&](handler &h) { h.single_task([=]() { p[0] = 5; }); }));
  CHECK(abandoned([&](handler &h) { h.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> i) { p[i.get_global_id(0)] = 6; }); }));
  CHECK(abandoned([&](handler &h) { h.fill(p, 7, 2); }));
  CHECK(abandoned([&](handler &h) { h.memcpy(p, p + 1, sizeof(int)); }));
  CHECK(abandoned([&](handler &h) { h.host_task([=] { p[*kept] = 8; }); }));
  q.wait();
  CHECK(p[0] == 20 && p[1] == 21 && kept.use_count() == 1);
  free(p, q);
}

static void unified(queue &q) {
  // No power of two is an alignment that nothing supports. Source: SYCL 2020 §4.8.3.
  CHECK(!aligned_alloc_device(3, 10, q) && !aligned_alloc_host<int>(24, 10, q) && !aligned_alloc(17, 10, q, usm::alloc::shared));
  // An alignment below that of the type is that of the type.
  struct alignas(256) wide {
    char bytes[256];
  };
  wide *const some[] = {aligned_alloc_shared<wide>(64, 1, q), aligned_alloc_device<wide>(1, 1, q.get_device(), q.get_context()),
                        aligned_alloc_host<wide>(2, 1, q.get_context()), aligned_alloc<wide>(16, 1, q, usm::alloc::host),
                        usm_allocator<wide, usm::alloc::shared, 16>(q).allocate(1)};
  for (wide *one : some) {
    CHECK(one && reinterpret_cast<std::uintptr_t>(one) % 256 == 0);
    free(one, q);
  }
  CHECK(!aligned_alloc_shared<wide>(3, 1, q));
  float *f = malloc_shared<float>(16, q);
  q.parallel_for(16, [=](auto i) { f[i] = sycl::sin(0.1f * static_cast<float>(i[0])); }).wait();
  for (int i = 0; i < 16; ++i)
    CHECK(sycl::fabs(f[i] - sycl::sin(0.1f * static_cast<float>(i))) < 1e-5f);
  event e = q.fill(f, 2.5f, 16);
  q.memset(f, 0, 4, e).wait();
  CHECK(f[0] == 0 && f[15] == 2.5f);
  q.single_task([=]() {
     const float4 a(1, 2, 3, 4);
     a.store(1, f);
     (a * 2.0f + a.swizzle<3, 2, 1, 0>()).store(2, f);
   }).wait();
  CHECK(f[7] == 4 && f[8] == 6 && f[11] == 9);
  q.parallel_for(1000, [=](id<1>) {
     atomic_ref<float, memory_order::acq_rel, memory_scope::device> r(f[0]);
     r += 1.0f;
     atomic_ref<float, memory_order::relaxed, memory_scope::device>(f[1]).fetch_max(7.0f);
   }).wait();
  CHECK(f[0] == 1000.0f && f[1] == 7.0f);
  CHECK(get_pointer_type(f, q.get_context()) == usm::alloc::shared && get_pointer_type(&f, q.get_context()) == usm::alloc::unknown);
  free(f, q);

  std::vector<int, usm_allocator<int, usm::alloc::shared>> v(8, 1, usm_allocator<int, usm::alloc::shared>(q));
  int *p = v.data();
  q.parallel_for(8, [=](int i) { p[i] += i; }).wait();
  CHECK(v[7] == 8);
}

static void questions() {
  queue q{property_list{property::queue::enable_profiling(), property::queue::in_order()}};
  const event e = q.single_task<class timed>([]() {});
  e.wait();
  CHECK(e.get_profiling_info<info::event_profiling::command_submit>() <= e.get_profiling_info<info::event_profiling::command_start>());
  CHECK(e.get_profiling_info<info::event_profiling::command_start>() <= e.get_profiling_info<info::event_profiling::command_end>());
  CHECK(e.get_info<info::event::command_execution_status>() == info::event_command_status::complete);
  const device d = q.get_device();
  CHECK(!d.get_info<info::device::name>().empty() && d.get_info<info::device::max_work_group_size>() > 0);
  CHECK(!d.get_info<info::device::aspects>().empty() && d.get_platform().get_devices()[0] == d);
  CHECK(get_kernel_ids().size() > 5);
}

// What is short and waits for nothing is over when its submission is, so that programs may copy from what ends with the statement. Only where
// memory is the host's.
static void from_what_ends(queue &q) {
  if (!q.get_device().is_cpu() || q.get_backend() == backend::opencl)
    return;
  queue ordered(q.get_context(), q.get_device(), property::queue::in_order());
  int *numbers = malloc_device<int>(1000, ordered);
  bool over = true;
  for (int i = 0; i < 1000; ++i) {
    const int number = 3 * i;
    const event copied = ordered.memcpy(numbers + i, &number, sizeof number);
    over &= copied.get_info<info::event::command_execution_status>() == info::event_command_status::complete;
  }
  CHECK(over);
  CHECK(numbers[999] == 2997 && numbers[1] == 3);
  sycl::free(numbers, ordered);
}

template <class T> struct named_allocator {
  using value_type = T;
  int name = 0;
  explicit named_allocator(int name) : name(name) {}
  named_allocator &operator=(const named_allocator &) = delete; // as std::pmr::polymorphic_allocator
  template <class U> named_allocator(const named_allocator<U> &other) : name(other.name) {}
  named_allocator(const named_allocator &) = default;
  T *allocate(std::size_t n) { return std::allocator<T>{}.allocate(n); }
  void deallocate(T *p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
};

/// Allocators go where the buffer goes, as the types of what it becomes say.
void allocators() {
  buffer<int, 1, named_allocator<int>> whole(range<1>(16), named_allocator<int>(7));
  buffer<float, 1, named_allocator<float>> floats = whole.reinterpret<float>();
  buffer<short, 2, named_allocator<short>> shorts = whole.reinterpret<short>(range<2>(4, 8));
  buffer<int, 1, named_allocator<int>> part(whole, id<1>(4), range<1>(8));
  CHECK(whole.get_allocator().name == 7 && floats.get_allocator().name == 7 && shorts.get_allocator().name == 7 && part.get_allocator().name == 7);
  static_assert(std::is_same_v<decltype(std::declval<buffer<int>>().reinterpret<const float>()), buffer<const float>>);
  CHECK(code_of([&] { buffer<int, 1, named_allocator<int>> inner(part, id<1>(0), range<1>(4)); }) == errc::invalid);
}

/// With a mutex the program and the buffer share memory, if the program lets the buffer work there.
void behind_a_mutex(queue &q) {
  for (bool there : {false, true}) {
    std::mutex mutex;
    std::vector<int> data(10, 1);
    const property_list both{property::buffer::use_mutex(mutex), property::buffer::use_host_ptr()}, one{property::buffer::use_mutex(mutex)};
    {
      buffer<int> b(data.data(), 10, there ? both : one);
      {
        std::lock_guard<std::mutex> held(mutex);
        data[0] = 5;
      }
      q.submit([&](handler &h) {
        accessor a(b, h);
        h.parallel_for(10, [=](id<1> i) { a[i] += 1; });
      });
    }
    CHECK(data[0] == (there ? 6 : 2) && data[9] == 2);
  }
  // What nobody wrote is not written back: the program's own changes stay.
  std::mutex mutex;
  std::vector<int> data(10, 1);
  const auto owned = std::make_shared<int>(1);
  int sum = 0;
  {
    buffer<int> b(data.data(), 10, property_list{property::buffer::use_mutex(mutex)}), one(owned, 1), out(&sum, 1);
    q.submit([&](handler &h) {
      accessor from(b, h, read_only), last(one, h, read_only);
      accessor to(out, h, write_only);
      h.single_task([=] { to[0] = from[9] + last[0]; });
    });
    data[0] = *owned = 5;
  }
  CHECK(data[0] == 5 && *owned == 5 && sum == 2);
}

/// Requiring what needs it not.
void required_for_nothing(queue &q) {
  int *out = malloc_shared<int>(1, q);
  accessor<int> none;
  buffer<int> b(range<1>(4));
  q.submit([&](handler &h) {
     accessor a(b, h, write_only, no_init);
     h.require(none);
     h.require(a);
     h.single_task([=] { *out = (a[0] = none.empty() ? 3 : 4); });
   }).wait();
  CHECK(*out == 3);
  free(out, q);
}

static void pointers_to_no_type(queue &q) {
  int data[4] = {};
  {
    buffer<int> b(range<1>(4));
    b.set_final_data(static_cast<void *>(data));
    q.submit([&](handler &h) {
      accessor a(b, h, write_only);
      h.parallel_for(4, [=](id<1> i) { a[i] = static_cast<int>(i) + 1; });
    });
  }
  CHECK(data[0] == 1 && data[3] == 4);
  buffer<int> nowhere(range<1>(4));
  nowhere.set_final_data(static_cast<void *>(nullptr));
  q.submit([&](handler &h) { h.fill(accessor(nowhere, h, write_only), 9); });
}

/// No memory is not an error, and neither is memory of no kind.
static void no_memory(queue &q) {
  const device d = q.get_device();
  const context c = q.get_context();
  for (usm::alloc kind : {usm::alloc::host, usm::alloc::device, usm::alloc::shared, usm::alloc::unknown})
    CHECK(!malloc(~size_t(0), q, kind) && !aligned_alloc(0, ~size_t(0), d, c, kind) && !malloc<double>(~size_t(0) / 16, d, c, kind));
  CHECK(!malloc(8, q, usm::alloc::unknown) && !malloc(8, d, c, usm::alloc::unknown) && !malloc<int>(1, q, usm::alloc::unknown));
  CHECK(!aligned_alloc<int>(64, 1, q, usm::alloc::unknown));
}

/// Memory of the host that is not there: the buffer has its own (oneDPL makes empty ones so).
static void of_no_memory(queue &q) {
  buffer<int, 1> none = {nullptr, range{0}}, some(nullptr, range<1>(4), property::buffer::use_host_ptr());
  CHECK(none.size() == 0);
  q.submit([&](handler &h) { h.fill(accessor(some, h, write_only, no_init), 7); });
  CHECK(host_accessor(some, read_only)[3] == 7);
}

/// Allocators give nothing for nothing, as containers may ask, and no less than is asked for. Copies and local memory are no smaller either.
static void nothing_and_too_much(queue &q) {
  usm_allocator<int, usm::alloc::shared> shared(q);
  int *const nothing = shared.allocate(0);
  shared.deallocate(nothing, 0);
  const size_t wraps = ~size_t(0) / sizeof(int) + 2; // bytes by which 4 are left
  CHECK(throws(errc::memory_allocation, [&] { shared.allocate(wraps); }));
  CHECK(!malloc_device<int>(wraps, q) && !malloc_shared<int>(wraps, q) && !aligned_alloc_host<int>(64, wraps, q));
  CHECK(throws(errc::memory_allocation, [&] { buffer<int>{range<1>(wraps)}; }) && throws(errc::memory_allocation, [&] { buffer<char, 2>{{1ull << 40, 1ull << 24}}; }));
  int four[4] = {1, 2, 3, 4};
  CHECK(throws(errc::invalid, [&] { q.copy(four, four + 2, wraps); }) && throws(errc::invalid, [&] { q.copy(four, four + 2, 1ull << 62); }));
  CHECK(throws(errc::invalid, [&] { q.ext_oneapi_copy2d(four, 1ull << 62, four + 2, 1ull << 62, 1, 1); }));
  CHECK(throws(errc::invalid, [&] { q.ext_oneapi_memcpy2d(four, 1ull << 32, four + 2, 1ull << 32, 1ull << 32, 1ull << 32); }) && four[2] == 3);
  CHECK(throws(errc::memory_allocation, [&] { q.submit([&](handler &h) { local_accessor<int>(range<1>(wraps), h); }); }));
  CHECK(throws(errc::memory_allocation, [&] { q.submit([&](handler &h) { local_accessor<char, 2>({1ull << 40, 1ull << 24}, h); }); }));
  CHECK(throws(errc::memory_allocation, [&] {
    q.submit([&](handler &h) {
      for (int i = 0; i < 4; ++i)
        local_accessor<char>(range<1>(1ull << 62), h);
    });
  }));
}

/// A mistake that DPC++ forgives: on the embedded CPU device the memory lives until the commands have ended. What is written meanwhile to memory that
/// is allocated afterwards stays.
void freed_while_it_is_used(queue &q) {
  if (q.get_backend() != backend::native_cpu)
    return;
  constexpr int rounds = 100, bytes = 64;
  unsigned char *kept[rounds];
  for (int round = 0; round < rounds; ++round) {
    unsigned char *const used = malloc_device<unsigned char>(bytes, q);
    for (int i = 0; i < 3; ++i)
      q.single_task([=] {
        for (int k = 0; k < 2000; ++k)
          const_cast<volatile unsigned char *>(used)[k % bytes] = 1;
      });
    sycl::free(used, q);
    kept[round] = malloc_shared<unsigned char>(bytes, q);
    std::memset(kept[round], 7, bytes);
  }
  q.wait();
  for (unsigned char *const memory : kept) {
    CHECK(std::count(memory, memory + bytes, 7) == bytes);
    sycl::free(memory, q);
  }
}

int main() {
  queue q;
  freed_while_it_is_used(q);
  of_no_memory(q);
  nothing_and_too_much(q);
  pointers_to_no_type(q);
  no_memory(q);
  allocators();
  behind_a_mutex(q);
  required_for_nothing(q);
  ranged_accessors(q);
  iterators(q);
  other_buffers(q);
  single_elements(q);
  host_accessors_of_one_thread(q);
  host_accessors_of_two_threads();
  errors();
  command_groups(q);
  unified(q);
  from_what_ends(q);
  questions();
  a_static_buffer(q);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
