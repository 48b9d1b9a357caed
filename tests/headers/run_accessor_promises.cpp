//! What accessors promise of their memory is part of their type, and changes nothing else. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

using sycl::ext::oneapi::accessor_property_list, sycl::ext::oneapi::no_alias, sycl::ext::oneapi::no_offset;
using sycl::ext::intel::buffer_location;
namespace property = sycl::ext::oneapi::property;
using location = sycl::ext::intel::property::buffer_location;
using offset_instance = property::no_offset::instance<true>;
using alias_instance = property::no_alias::instance<true>;

template <int D, sycl::access_mode M, class... P>
using promising = sycl::accessor<int, D, M, sycl::target::device, sycl::access::placeholder::false_t, accessor_property_list<P...>>;

// The list is the last of accessors' template arguments, and none by default.
static_assert(std::is_same_v<sycl::accessor<int>, promising<1, sycl::access_mode::read_write>>);
static_assert(sycl::ext::oneapi::is_compile_time_property<property::no_alias>::value);
static_assert(sycl::ext::oneapi::is_compile_time_property<property::no_offset>::value);
static_assert(sycl::ext::oneapi::is_compile_time_property<location>::value);
static_assert(!sycl::ext::oneapi::is_compile_time_property<sycl::property::no_init>::value);
static_assert(!accessor_property_list<offset_instance>::has_property<property::no_alias>());
static_assert(!sycl::accessor<int>::has_property<property::no_alias>());
static_assert(accessor_property_list<alias_instance, location::instance<3>>::get_property<location>() == buffer_location<3>);
static_assert(accessor_property_list<location::instance<3>>::get_property<location>() != buffer_location<4>);
static_assert(accessor_property_list<offset_instance>::get_property<property::no_offset>() == no_offset);
static_assert(sycl::is_property_of_v<property::no_alias, sycl::accessor<int>> && sycl::is_property_of_v<location, promising<2, sycl::access_mode::read>>);
static_assert(sycl::is_device_copyable_v<promising<1, sycl::access_mode::read, alias_instance>>);

/// Of those only that promise to have no alias.
template <class A, std::enable_if_t<A::template has_property<property::no_alias>(), int> = 0> static bool without_alias(A) { return true; }
template <class A, std::enable_if_t<!A::template has_property<property::no_alias>(), int> = 0> static bool without_alias(A) { return false; }
/// As programs write it that know of no promises.
template <class T, int D, sycl::access_mode M, sycl::target P, sycl::access::placeholder H> static size_t count(sycl::accessor<T, D, M, P, H> a) {
  return a.size();
}

static void deduced(sycl::queue &q) {
  sycl::buffer<int, 1> b(8);
  const accessor_property_list both{no_offset, no_alias};
  static_assert(both.has_property<property::no_alias>());
  q.submit([&](sycl::handler &h) {
    const sycl::accessor a(b, h, sycl::write_only, accessor_property_list{no_alias, sycl::no_init});
    static_assert(std::is_same_v<decltype(a), const promising<1, sycl::access_mode::write, alias_instance>>);
    const sycl::accessor all(b, h, both);
    static_assert(std::is_same_v<decltype(all), const promising<1, sycl::access_mode::read_write, offset_instance, alias_instance>>);
    const accessor_property_list<alias_instance> one(no_alias);
    const sycl::accessor part(b, h, sycl::range<1>(4), sycl::read_only, one);
    const sycl::accessor placed(b, h, sycl::range<1>(4), sycl::id<1>(2), accessor_property_list{buffer_location<5>, no_alias});
    static_assert(decltype(placed)::has_property<location>() && placed.get_property<location>() == buffer_location<5>);
    static_assert(a.has_property<property::no_alias>() && !a.has_property<property::no_offset>() && part.has_property<property::no_alias>());
    CHECK(a.has_property<sycl::property::no_init>() && !all.has_property<sycl::property::no_init>() && !all.is_placeholder());
    CHECK(part.size() == 4 && placed.get_offset()[0] == 2 && without_alias(all) && count(placed) == 4);
    CHECK(!without_alias(sycl::accessor(b, h)) && !without_alias(sycl::accessor(b, h, accessor_property_list{no_offset})));
    // Order does not matter; a reading accessor reads what another writes.
    promising<1, sycl::access_mode::read_write, alias_instance, offset_instance> other;
    other = all;
    const sycl::accessor<const int, 1, sycl::access_mode::read> reading = all;
    CHECK(other == all && reading.size() == 8 && std::hash<std::decay_t<decltype(all)>>()(all) == std::hash<sycl::accessor<int>>()(all));
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] = 3; });
  });
  // Commands of accessors.
  q.submit([&](sycl::handler &h) { h.copy(sycl::accessor(b, h, sycl::read_only, both), sycl::accessor(b, h, sycl::write_only)); });
  sycl::accessor place(b, both);
  CHECK(place.is_placeholder() && place.has_property<property::no_offset>() && sycl::host_accessor(b)[7] == 3);
  CHECK(throws(sycl::errc::kernel_argument, [&] { q.single_task([=] { place[0] = 1; }); }));
  CHECK(throws(sycl::errc::invalid, [&] { sycl::accessor(b, sycl::read_only, accessor_property_list{sycl::no_init}); }));
  q.submit([&](sycl::handler &h) {
    h.require(place);
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) { place[i.get_global_id()] += 1; });
  });
  CHECK(sycl::host_accessor(b)[0] == 4 && sycl::host_accessor(b)[7] == 4);
}

/// Types said in full, as members of function objects have them.
struct adds {
  promising<2, sycl::access_mode::read, location::instance<1>> in;
  promising<2, sycl::access_mode::write, offset_instance, location::instance<2>> out;
  void operator()(sycl::item<2> i) const { out[i] = in[i] + 1; }
};

static void named(sycl::queue &q) {
  sycl::buffer<int, 2> from(sycl::range<2>(4, 4)), to(sycl::range<2>(4, 4));
  q.submit([&](sycl::handler &h) { h.fill(sycl::accessor(from, h, sycl::write_only), 6); });
  q.submit([&](sycl::handler &h) {
    adds kernel{{from, h, sycl::read_only, accessor_property_list{buffer_location<1>}},
                {to, h, sycl::write_only, accessor_property_list{no_offset, buffer_location<2>, sycl::no_init}}};
    h.parallel_for(sycl::range<2>(4, 4), kernel);
  });
  const sycl::host_accessor result(to);
  for (const int each : result)
    CHECK(each == 7);
  // Of the older form, and of none.
  sycl::buffer<int, 1> one(1);
  q.submit([&](sycl::handler &h) {
    sycl::accessor<int, 0, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::false_t, accessor_property_list<>> a(one, h);
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::local, sycl::access::placeholder::false_t, accessor_property_list<>> l(4, h);
    h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) {
      l[i.get_local_id()] = 2;
      sycl::group_barrier(i.get_group());
      if (i.get_local_id(0) == 0)
        a = l[0] + l[3];
    });
  });
  CHECK(sycl::host_accessor(one)[0] == 4);
}

int main() {
  sycl::queue q;
  deduced(q);
  named(q);
  return failures != 0;
}
