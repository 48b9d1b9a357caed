// What SYCL 2020 deprecates of accessors and pointers, and what their constructors refuse. The device need not be the host's.
#include "check.hpp"
#include <sycl/sycl.hpp>

using sycl::access_mode;
using sycl::target;
template <class T, int D, access_mode M, target P> using legacy = sycl::accessor<T, D, M, P, sycl::access::placeholder::false_t>;

// Names that are other types in SYCL 2020.
static_assert(sizeof(sycl::cl_int) == 4 && sizeof(sycl::cl_ulong) == 8 && std::is_same_v<sycl::cl_half, sycl::half>);
static_assert(std::is_same_v<sycl::cl_half4, sycl::vec<sycl::half, 4>> && sizeof(sycl::cl_double16) == 128);
static_assert(std::is_same_v<sycl::multi_ptr<int, sycl::access::address_space::global_space>, sycl::global_ptr<int>>);
static_assert(std::is_same_v<sycl::global_ptr<int>::pointer_t, int *> && std::is_same_v<sycl::global_ptr<void>::const_pointer_t, const void *>);
static_assert(!std::is_same_v<sycl::local_accessor<int>::iterator, sycl::accessor<int>::iterator>);
static_assert(std::is_convertible_v<sycl::local_accessor<int, 2>, sycl::local_accessor<const int, 2>> &&
              !std::is_convertible_v<sycl::local_accessor<const int, 2>, sycl::local_accessor<int, 2>> &&
              std::is_convertible_v<sycl::local_accessor<int, 0>, sycl::local_accessor<const int, 0>>);

static void atomics(sycl::queue &q) {
  int counts[2] = {5, 0};
  long long wide = 1;
  {
    sycl::buffer<int, 1> b(counts, 2);
    sycl::buffer<long long, 1> w(&wide, 1);
    q.submit([&](sycl::handler &h) {
      legacy<int, 1, access_mode::atomic, target::device> a = b.get_access<access_mode::atomic>(h);
      auto eight = w.get_access<access_mode::atomic>(h);
      legacy<int, 0, access_mode::atomic, target::local> one(h);
      legacy<int, 2, access_mode::atomic, target::local> many(sycl::range<2>(2, 2), h);
      h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) {
        if (item.get_local_id(0) == 0) {
          sycl::atomic<int, sycl::access::address_space::local_space> first = one;
          first.store(0);
          many[1][1].store(10);
        }
        sycl::group_barrier(item.get_group());
        a[0].fetch_add(1);
        many[sycl::id<2>(1, 1)].fetch_add(1);
        sycl::atomic<int, sycl::access::address_space::local_space>(one).fetch_add(2);
        eight[0].fetch_add(1);
        sycl::group_barrier(item.get_group());
        sycl::atomic<int, sycl::access::address_space::local_space> first = one;
        if (item.get_local_id(0) == 0)
          a[1].store(many[1][1].load() * 100 + first.load());
      });
    });
  }
  CHECK(counts[0] == 9 && counts[1] == 1408);
  CHECK(wide == 5);
}

/// The type says that both are done, and the tag one of them; what the type says is done.
static void tags_that_say_less(sycl::queue &q) {
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  sycl::host_accessor<int, 1>(b, sycl::write_only)[0] = 3;
  q.submit([&](sycl::handler &h) {
    sycl::accessor<int, 1> from{b, h, sycl::read_only};
    sycl::accessor<int, 1> to{b, h, sycl::write_only, sycl::no_init};
    static_assert(std::is_same_v<decltype(from)::value_type, int>);
    h.single_task([=] { to[0] = from[0] + 1; });
  });
  CHECK(sycl::host_accessor<int, 1>(b, sycl::read_only)[0] == 4);
}

static void targets(sycl::queue &q) {
  int data[4] = {1, 2, 3, 4};
  {
    sycl::buffer<int, 1> b(data, 4);
    auto host = b.get_access<access_mode::read_write>();
    static_assert(std::is_same_v<decltype(host), legacy<int, 1, access_mode::read_write, target::host_buffer>>);
    CHECK(host.get_size() == 16 && host.get_count() == 4 && !host.is_placeholder());
    host[1] = 20;
    CHECK(std::hash<decltype(host)>()(host) == std::hash<decltype(host)>()(host));
  }
  {
    sycl::buffer<int, 1> b(data, 4);
    const legacy<int, 0, access_mode::write, target::host_buffer> first(b);
    first = 10;
  }
  {
    sycl::buffer<int, 1> b(data, 4);
    sycl::range<1> two(2); // no handler, though it could be one by its place
    const sycl::id<1> one(1);
    auto part = b.get_access<access_mode::read>(two, one);
    static_assert(std::is_same_v<decltype(part), legacy<int, 1, access_mode::read, target::host_buffer>>);
    CHECK(part.get_count() == 2 && part[0] == 20);
    auto named = b.get_access<access_mode::read, target::host_buffer>(two, one);
    static_assert(std::is_same_v<decltype(named), decltype(part)> &&
                  std::is_same_v<decltype(b.get_access<access_mode::read, target::host_buffer>()), decltype(part)>);
    CHECK(named[1] == part[1]);
  }
  CHECK(data[0] == 10 && data[1] == 20);
  {
    sycl::buffer<int, 1> b(data, 4);
    q.submit([&](sycl::handler &h) {
      legacy<int, 1, access_mode::read, target::constant_buffer> constants(b, h);
      legacy<int, 2, access_mode::read_write, target::local> shared(sycl::range<2>(2, 2), h);
      CHECK(shared.get_size() == 16 && shared.get_count() == 4 && !shared.is_placeholder());
      CHECK(std::hash<decltype(shared)>()(shared) == std::hash<sycl::local_accessor<int, 2>>()(shared));
      sycl::accessor to(b, h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        const sycl::constant_ptr<int> from = constants.get_pointer();
        const sycl::constant_ptr<const void> nothing(constants);
        shared[1][1] = from[1];
        const sycl::local_accessor<const int, 2> looks = shared;
        to[3] = looks.begin()[3] + (from == nothing.get() ? 1 : 0);
      });
    });
  }
  CHECK(data[3] == 21);
}

static void comparisons() {
  int x = 0;
  void *const nowhere = &x;
  const sycl::global_ptr<void> p(nowhere);
  CHECK(p == nowhere && nowhere == p && p == static_cast<const void *>(&x) && !(p < nowhere) && p != nullptr);
}

static void refusals(sycl::queue &q) {
  sycl::buffer<int, 1> b(4);
  CHECK(throws(sycl::errc::invalid, [&] { sycl::host_accessor(b, sycl::range<1>(3), sycl::id<1>(2)); }));
  CHECK(throws(sycl::errc::invalid, [&] { q.submit([&](sycl::handler &h) { sycl::accessor(b, h, sycl::range<1>(5)); }); }));
  CHECK(throws(sycl::errc::invalid, [&] { sycl::accessor(b, sycl::range<1>(3), sycl::id<1>(2)); }));
  CHECK(throws(sycl::errc::kernel_argument, [&] {
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<int> l(1, h);
      h.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) { l[0] = 1; });
    });
  }));
  CHECK(throws(sycl::errc::kernel_argument, [&] {
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<int> l(1, h);
      h.single_task([=] { l[0] = 1; });
    });
  }));
}

// A command group may make a local accessor that its kernel does not hold.
static void unused(sycl::queue &q) {
  int *x = sycl::malloc_shared<int>(1, q);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> l(size_t(1) << 28, h); // nor does it need that much
     h.single_task([=] { *x = 3; });
   }).wait();
  CHECK(*x == 3);
  sycl::free(x, q);
}

static void bundles(sycl::queue &q) {
  const sycl::context in = q.get_context();
  const bool compiles = q.get_device().has(sycl::aspect::online_compiler), links = q.get_device().has(sycl::aspect::online_linker);
  CHECK(sycl::has_kernel_bundle<sycl::bundle_state::input>(in, {q.get_device()}) == compiles);
  CHECK(sycl::has_kernel_bundle<sycl::bundle_state::object>(in, {q.get_device()}, sycl::get_kernel_ids()) == links);
  CHECK(throws(sycl::errc::invalid, [&] { sycl::has_kernel_bundle<sycl::bundle_state::input>(in, std::vector<sycl::device>{}); }));
}

// Sums have the type of what is written.
static void scans(sycl::queue &q) {
  const int in[4] = {1, -1, 3, 2};
  long long out[8] = {};
  {
    sycl::buffer<int, 1> from(in, 4);
    sycl::buffer<long long, 1> to(out, 8);
    q.submit([&](sycl::handler &h) {
      sycl::accessor read(from, h, sycl::read_only);
      sycl::accessor write(to, h);
      h.parallel_for(sycl::nd_range<1>(2, 2), [=](sycl::nd_item<1> item) {
        const int *first = read.get_multi_ptr<sycl::access::decorated::no>().get();
        long long *result = write.get_multi_ptr<sycl::access::decorated::no>().get();
        sycl::joint_exclusive_scan(item.get_group(), first, first + 4, result, sycl::minimum<long long>());
        sycl::joint_inclusive_scan(item.get_group(), first, first + 4, result + 4, sycl::maximum<long long>());
      });
    });
  }
  CHECK(out[0] == std::numeric_limits<long long>::max() && out[1] == 1 && out[2] == -1 && out[3] == -1);
  CHECK(out[4] == 1 && out[5] == 1 && out[6] == 3 && out[7] == 3);
}

int main() {
  sycl::queue q;
  atomics(q);
  targets(q);
  tags_that_say_less(q);
  comparisons();
  refusals(q);
  unused(q);
  bundles(q);
  scans(q);
  return failures != 0;
}
