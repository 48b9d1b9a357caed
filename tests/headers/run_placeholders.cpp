//! Placeholder accessors that nobody required, and queues that may discard events. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
constexpr auto argument = sycl::errc::kernel_argument;

template <class A> struct writes {
  A out;
  void operator()(sycl::id<1> i) const { out[i] = static_cast<int>(i[0]) + 1; }
};

template <class F> static bool refused(sycl::queue &q, F f) {
  return throws(argument, [&] { q.submit([&](sycl::handler &h) { f(h); }); });
}

/// Objects with holes, where other objects have left what placeholders were, use none.
struct holes {
  explicit holes(int value) : first(value) {}
  int first;
  alignas(64) int second = 1;
};
__attribute__((noinline)) static void leave_placeholders(sycl::queue &q) {
  sycl::buffer<int, 1> b(4);
  sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t> all[16] = {b, b, b, b, b, b, b, b,
                                                                                                                              b, b, b, b, b, b, b, b};
  q.submit([&](sycl::handler &h) {
    h.require(all[0]);
    const auto out = all[0];
    h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { out[i] = 1; });
  });
}
__attribute__((noinline)) static void use_holes(sycl::queue &q, int *out) {
  const holes a(3), b(4), c(5), d(6);
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { out[i] = a.first + b.second + c.first + d.second; }).wait();
}
static void left_behind(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 3; ++i) {
    leave_placeholders(q);
    use_holes(q, out);
  }
  CHECK(out[3] == 10);
  sycl::free(out, q);

  using accessor = sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t>;
  alignas(accessor) std::array<unsigned char, sizeof(accessor)> storage{};
  sycl::buffer<int, 1> b(4);
  reinterpret_cast<accessor *>(new (storage.data()) accessor(b))->~accessor();
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { (void)storage[i]; }).wait();
}
static_assert(sycl::is_device_copyable_v<sycl::accessor<int, 1>> && sycl::is_device_copyable_v<sycl::accessor<int, 0, sycl::access_mode::read>>);

static void placeholders(sycl::queue &q) {
  sycl::buffer<int, 1> b(8), other(8);
  sycl::accessor place(b);
  sycl::accessor second(other, sycl::write_only, sycl::no_init);
  CHECK(place.is_placeholder() && second.is_placeholder() && second.has_property<sycl::property::no_init>());
  CHECK(!place.has_property<sycl::property::no_init>());

  CHECK(refused(q, [&](sycl::handler &h) { h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { place[i] = 1; }); }));
  CHECK(throws(argument, [&] { q.parallel_for(sycl::range<1>(8), [=](sycl::item<1> i) { place[i] = 1; }); }));
  CHECK(throws(argument, [&] { q.single_task([=] { second[1] = 1; }); }));
  CHECK(throws(argument, [&] { q.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) { place[i.get_global_id()] = 1; }); }));
  // One of two is not enough, nor an accessor of the command group's own.
  CHECK(refused(q, [&](sycl::handler &h) {
    h.require(place);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { place[i] = second[i] = 1; });
  }));
  CHECK(refused(q, [&](sycl::handler &h) {
    const sycl::accessor own(b, h);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { place[i] = own[i]; });
  }));
  int memory[8] = {};
  CHECK(refused(q, [&](sycl::handler &h) { h.copy(place, memory); }));
  CHECK(refused(q, [&](sycl::handler &h) { h.copy(memory, place); }));
  CHECK(refused(q, [&](sycl::handler &h) { h.fill(second, 3); }));
  CHECK(refused(q, [&](sycl::handler &h) { h.update_host(place); }));
  CHECK(refused(q, [&](sycl::handler &h) {
    h.require(place);
    h.copy(place, second);
  }));

  // Required, also after the function was made, and by copies.
  const writes<decltype(place)> function{place};
  q.submit([&](sycl::handler &h) {
    h.require(place);
    h.parallel_for(sycl::range<1>(8), function);
  });
  const auto copy = second;
  q.submit([&](sycl::handler &h) {
    h.require(copy);
    h.require(place);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { copy[i] = place[i] * 10; });
  });
  q.copy(sycl::accessor(other, sycl::read_only), memory).wait(); // requires by itself
  CHECK(memory[0] == 10 && memory[7] == 80);
  // Each command group anew.
  CHECK(refused(q, [&](sycl::handler &h) { h.parallel_for(sycl::range<1>(8), function); }));

  // One element, a part of a buffer, and what refers to nothing.
  sycl::accessor<int, 0, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t> one(b);
  CHECK(throws(argument, [&] { q.single_task([=] { one = 1; }); }));
  q.submit([&](sycl::handler &h) {
    h.require(one);
    h.single_task([=] { one = 5; });
  });
  CHECK(sycl::host_accessor(b)[0] == 5);
  sycl::buffer<int, 1> part(b, sycl::id<1>(0), sycl::range<1>(4));
  sycl::accessor of_part(part);
  CHECK(throws(argument, [&] { q.parallel_for(4, [=](sycl::id<1> i) { of_part[i] = 1; }); }));
  q.submit([&](sycl::handler &h) {
    h.require(of_part);
    h.parallel_for(4, [=](sycl::id<1> i) { of_part[i] = 9; });
  });
  CHECK(sycl::host_accessor(b)[3] == 9 && sycl::host_accessor(b)[4] == 5);
  const sycl::accessor<int, 1> none;
  q.single_task([=] { (void)none.size(); }).wait();
  sycl::accessor nothing(b, sycl::range<1>(0));
  CHECK(refused(q, [&](sycl::handler &h) { h.copy(nothing, memory); }));
}

static void discarded() {
  using sycl::errc;
  using sycl::ext::oneapi::property::queue::discard_events;
  namespace property = sycl::property::queue;
  CHECK(throws(errc::invalid, [] { sycl::queue q({discard_events(), property::enable_profiling()}); }));
  int *const n = sycl::malloc_shared<int>(1, sycl::queue());
  sycl::queue other;
  for (const bool ordered : {false, true}) {
    sycl::queue q(ordered ? sycl::property_list{discard_events(), property::in_order()} : sycl::property_list{discard_events()});
    const sycl::event e = q.single_task([=] { *n = 1; });
    q.wait();
    CHECK(*n == 1);
    // Queues keep their events all the same, so that what programs do with them works.
    other.submit([&](sycl::handler &h) {
      h.depends_on(e);
      h.memset(n, 0, 4);
    }).wait();
    e.wait();
    CHECK(*n == 0 && e.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  }
  sycl::free(n, other);
}

/// Commands that copy and fill take accessors of no dimensions too.
static void of_one_element(sycl::queue &q) {
  sycl::buffer<int, 1> b(4), other(4);
  q.submit([&](sycl::handler &h) { h.fill(sycl::accessor(b, h), 7); });
  q.submit([&](sycl::handler &h) { h.fill(sycl::accessor<int, 0>(b, h), 3); });
  int one[2] = {0, 0};
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor<int, 0, sycl::access_mode::read>(b, h), one); }).wait();
  one[1] = 5;
  q.submit([&](sycl::handler &h) { h.copy(one + 1, sycl::accessor<int, 0, sycl::access_mode::write>(other, h)); }).wait();
  CHECK(one[0] == 3 && sycl::host_accessor(b)[1] == 7 && sycl::host_accessor(other)[0] == 5);
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor<int, 0>(other, h), sycl::accessor(b, h)); });
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor(b, h, sycl::range<1>(1), sycl::id<1>(1)), sycl::accessor<int, 0>(other, h)); });
  CHECK(sycl::host_accessor(b)[0] == 5 && sycl::host_accessor(other)[0] == 7);
  int memory[2] = {1, 2};
  sycl::buffer<int, 1> there(memory, 2, sycl::property::buffer::use_host_ptr());
  sycl::accessor<int, 0, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t> place(there);
  q.fill(place, 9);
  q.update_host(place).wait();
  q.copy(place, one).wait();
  CHECK(memory[0] == 9 && memory[1] == 2 && one[0] == 9);
}

/// What was made without a buffer is of no elements, to commands too.
static void of_nothing(sycl::queue &q) {
  int one = 7;
  q.submit([&](sycl::handler &h) { h.update_host(sycl::accessor<int, 1>()); });
  q.submit([&](sycl::handler &h) { h.fill(sycl::accessor<int, 1>(), 3); });
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor<int, 1>(), &one); });
  q.submit([&](sycl::handler &h) { h.copy(&one, sycl::accessor<int, 0>()); });
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor<int, 1>(), sycl::accessor<int, 1>()); });
  q.wait_and_throw();
  CHECK(one == 7);
}

int main() {
  sycl::queue q;
  of_nothing(q);
  left_behind(q);
  placeholders(q);
  of_one_element(q);
  discarded();
  return failures != 0;
}
