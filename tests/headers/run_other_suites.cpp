//! What tests of other implementations found missing: sums of vectors that count up, properties of hierarchical kernels, numbers of errors of
//! backends, allocations with a location, host accessors as accessors, vectors of accessors' elements. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
class with_groups_size;

/// As Eigen's half: what is of no class of SYCL and gives a float.
struct own_half {
  operator float() const { return 1.5f; }
};
static_assert(std::is_constructible_v<sycl::half8, own_half> && !std::is_convertible_v<own_half, sycl::half8>);
static_assert(!std::is_constructible_v<sycl::half8, std::string>);

static void halves_of_others() {
  const sycl::half8 all(own_half{});
  CHECK(all[0] == 1.5f && all[7] == 1.5f);
}

static void counting_up(sycl::queue &q) {
  sycl::int2 *sum = sycl::malloc_shared<sycl::int2>(1, q);
  *sum = {3, 4};
  const auto count = [=](sycl::id<1>, auto &to) {
    ++to;
    to++;
  };
  q.parallel_for(64, sycl::reduction(sum, sycl::plus<>()), count).wait();
  CHECK((*sum)[0] == 131 && (*sum)[1] == 132);
  sycl::free(sum, q);
}

static void vectors_of_accessors(sycl::queue &q) {
  const float in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  float out[8] = {};
  {
    sycl::buffer<float> from(in, 8), to(out, 8);
    q.submit([&](sycl::handler &h) {
      const auto read = from.get_access<sycl::access::mode::read>(h);
      const auto write = to.get_access<sycl::access::mode::write>(h);
      const sycl::local_accessor<float> between(8, h);
      h.parallel_for(sycl::nd_range<1>(2, 2), [=](sycl::nd_item<1> i) {
        sycl::float4 v, w;
        v.load(i.get_local_linear_id(), read);
        (v * 2.0f).store(i.get_local_linear_id(), between);
        sycl::group_barrier(i.get_group());
        w.load(1 - i.get_local_linear_id(), between);
        w.store(1 - i.get_local_linear_id(), write);
      });
    });
  }
  for (int i = 0; i < 8; ++i)
    CHECK(out[i] == 2 * in[i]);
}

static void hierarchical_properties(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(32, q);
  const auto write = [=](sycl::group<1> g, int value) {
    g.parallel_for_work_item(sycl::range<1>(8), [&](sycl::h_item<1> i) { out[g.get_group_id(0) * 8 + i.get_logical_local_id(0)] = value; });
  };
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group<with_groups_size>(sycl::range<1>(4), sycl::range<1>(8), ex::properties{ex::work_group_size<8>},
                                                       [=](sycl::group<1> g) { write(g, 1); });
   }).wait();
  for (int i = 0; i < 32; ++i)
    CHECK(out[i] == 1);
  q.submit([&](sycl::handler &h) {
     const ex::properties hint{sycl::ext::intel::experimental::cache_config{sycl::ext::intel::experimental::large_slm}};
     h.parallel_for_work_group<class without>(sycl::range<1>(1), hint, [=](sycl::group<1> g) { write(g, 2); });
   }).wait();
  CHECK(out[0] == 2 && out[7] == 2);
  bool refused = false;
  try {
    q.submit([&](sycl::handler &h) {
      h.parallel_for_work_group<class of_wrong_size>(sycl::range<1>(4), sycl::range<1>(4), ex::properties{ex::work_group_size<8>},
                                                     [=](sycl::group<1> g) { write(g, 3); });
    });
  } catch (const sycl::exception &e) {
    refused = e.code() == sycl::errc::nd_range;
  }
  CHECK(refused);
  sycl::free(out, q);
}

// What the common headers of DPC++'s tests name of its `sycl::detail`.
static_assert(std::is_same_v<sycl::detail::get_elem_type_t<sycl::vec<float, 3>>, float>);
static_assert(std::is_same_v<sycl::detail::get_elem_type_t<sycl::marray<bool, 2>>, bool>);
static_assert(std::is_same_v<sycl::detail::get_elem_type_t<decltype(sycl::int4().swizzle<0, 1>())>, int>);
static_assert(std::is_same_v<sycl::detail::get_elem_type_t<sycl::half>, sycl::half>);
constexpr size_t sum_below_four() {
  size_t sum = 0;
  sycl::detail::loop<4>([&](auto i) { sum += decltype(i)::value; });
  return sum;
}
static_assert(sum_below_four() == 6);
struct test_queue : sycl::queue {
  test_queue(const sycl::detail::DSelectorInvocableType &selector, const sycl::property_list &properties = {})
      : sycl::queue(selector, [](sycl::exception_list) {}, properties) {}
};

/// A host_accessor is an accessor with DPC++: SYCL-CTS' tests of extensions and sycl-tla have it so.
static void host_accessors_as_accessors() {
  sycl::buffer<int, 2> of{sycl::range<2>(3, 4)};
  { sycl::accessor writes = of.get_host_access(); writes[1][2] = 7; }
  { sycl::accessor reads(of.get_host_access(sycl::read_only)); CHECK((reads[{1, 2}] == 7 && reads.get_range() == of.get_range())); }
  auto first = of.get_access<sycl::access::mode::read_write>();
  sycl::accessor copy = first;
  CHECK(copy == first && copy.get_multi_ptr<sycl::access::decorated::no>()[6] == 7);
}

/// Of a command group, a host_accessor is the host task's with DPC++: the command waits for the buffer, not who submits it.
static void host_accessors_of_commands() {
  sycl::queue q;
  sycl::buffer<double> ones{sycl::range<1>(25)}, other{sycl::range<1>(25)};
  q.submit([&](sycl::handler &h) { h.fill(ones.get_access<sycl::access_mode::write>(h), 1.0); });
  q.submit([&](sycl::handler &h) { h.fill(other.get_access<sycl::access_mode::write>(h), -1.0); });
  sycl::buffer<double> part(ones, sycl::id<1>(0), ones.get_range());
  q.submit([&](sycl::handler &h) {
    auto from = part.get_host_access(h, sycl::read_only);
    sycl::host_accessor to(other, h, sycl::range<1>(2), sycl::id<1>(3));
    sycl::host_accessor<double, 0> first(other, h);
    h.host_task([=] { to[1] = 3.0 - from[0], first = 9.0; });
  });
  q.submit([&](sycl::handler &h) {
    auto from = other.get_host_access(h, sycl::read_only);
    auto to = part.get_host_access(h);
    h.host_task([=] { to[7] = 1.0 + from[4] + from[0]; });
  });
  sycl::host_accessor ends(ones), others(other);
  CHECK(ends[7] == 12.0 && ends[6] == 1.0 && others[3] == -1.0 && others[4] == 2.0);
}

/// sycl-tla launches functions by the name that DPC++ has for kernels without one.
template <auto Function, class Name = sycl::detail::auto_name> static void launched(sycl::queue &q, int *out) {
  q.single_task<Name>([=] { *out += Function(); }).wait();
}
static int three() { return 3; }
static int four() { return 4; }

/// Reductions into accessors, as in SYCL 2020's drafts; one that only writes begins with the identity.
static void reductions_of_accessors() {
  sycl::queue q;
  int sum = 3, product = 50, least = 7;
  {
    sycl::buffer<int> sums(&sum, 1), products(&product, 1), all_least(&least, 1);
    q.submit([&](sycl::handler &h) {
      sycl::accessor into(sums, h);
      sycl::accessor other(products, h, sycl::write_only);
      auto third = all_least.get_access<sycl::access::mode::read_write>(h);
      h.parallel_for(sycl::range<1>(10), sycl::reduction(into, sycl::plus<int>()), sycl::reduction(other, 1, sycl::multiplies<int>()),
                     sycl::reduction(third, sycl::minimum<>()), [=](sycl::id<1> i, auto &a, auto &b, auto &c) {
                       a += static_cast<int>(i[0]);
                       b *= i[0] < 3 ? 2 : 1;
                       c.combine(static_cast<int>(i[0]) + 5);
                     });
    });
  }
  CHECK(sum == 48 && product == 8 && least == 5);
  sycl::buffer<int> two(2);
  CHECK(throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) {
      sycl::accessor into(two, h);
      h.parallel_for(sycl::range<1>(10), sycl::reduction(into, sycl::plus<int>()), [=](sycl::id<1>, auto &a) { a += 1; });
    });
  }));
}

/// Smart pointers that are empty bring no memory, and none is written in the end. Source: SYCL 2020 §4.7.2.1.
static void empty_pointers() {
  sycl::queue q;
  const std::shared_ptr<int> none;
  sycl::buffer<int> a(none, sycl::range<1>(4)), b(std::unique_ptr<int[]>(), sycl::range<1>(4)), c(4);
  c.set_final_data(none);
  for (sycl::buffer<int> *one : {&a, &b, &c}) {
    q.submit([&](sycl::handler &h) {
      sycl::accessor to(*one, h, sycl::write_only);
      h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { to[i] = 7; });
    });
    CHECK(sycl::host_accessor(*one)[3] == 7);
  }
}

int main() {
  halves_of_others();
  reductions_of_accessors();
  empty_pointers();
  sycl::queue q;
  host_accessors_as_accessors();
  host_accessors_of_commands();
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  launched<three>(q, sum);
  launched<four>(q, sum);
  CHECK(*sum == 7);
  sycl::free(sum, q);
  test_queue like_theirs(sycl::default_selector_v);
  // Selectors are functions: one of two is chosen, and a variable holds one after the other.
  for (const bool other : {false, true}) {
    int (*by)(const sycl::device &) = other ? &sycl::accelerator_selector_v : &sycl::cpu_selector_v;
    auto later = sycl::default_selector_v;
    if (other)
      later = sycl::gpu_selector_v;
    const sycl::device one = like_theirs.get_device();
    CHECK(by(one) >= -1 && (other ? later(one) < 1000 : later(one) >= 0));
    CHECK(sycl::queue(by(one) < 0 ? sycl::default_selector_v : by, sycl::property::queue::in_order()).is_in_order());
  }
  CHECK(like_theirs.get_device() == q.get_device());
  CHECK(test_queue([](const sycl::device &) { return 1; }, {sycl::property::queue::in_order()}).is_in_order());
  counting_up(q);
  vectors_of_accessors(q);
  hierarchical_properties(q);

  sycl::backend_traits<sycl::backend::opencl>::errc one{1};
  sycl::errc_for<sycl::backend::ext_oneapi_hip> other{1};
  CHECK(one == other);

  using location = sycl::ext::intel::experimental::property::usm::buffer_location;
  const sycl::property_list hints{location(3), sycl::ext::oneapi::property::usm::device_read_only()};
  CHECK(hints.get_property<location>().get_buffer_location() == 3);
  int *placed = sycl::malloc_device<int>(1, q, hints);
  CHECK(placed);
  sycl::free(placed, q);

  // CUDA's primary context is the only one that there is, so programs that ask for it have it.
  using primary = sycl::property::context::cuda::use_primary_context;
  static_assert(sycl::is_property_v<primary> && sycl::is_property_of_v<primary, sycl::context>);
  const sycl::context with_property(q.get_device(), primary());
  CHECK(sycl::queue(with_property, q.get_device()).get_device() == q.get_device());

  const sycl::kernel_id id = sycl::get_kernel_id<with_groups_size>();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {id});
  CHECK(bundle.get_kernel(id).get_info<sycl::info::kernel::context>() == q.get_context());
  return failures;
}
