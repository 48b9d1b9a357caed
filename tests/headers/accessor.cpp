//! accessor, local_accessor, host_accessor: deduction, constness, layout.
#include <sycl/accessor.hpp>
#include <sycl/queue.hpp>
#include <sycl/device_copyable.hpp>

using sycl::access_mode;
using sycl::accessor;
static_assert(sycl::is_device_copyable_v<accessor<int, 3>> && sycl::is_device_copyable_v<sycl::local_accessor<int, 2>>);
static_assert(!sycl::is_device_copyable_v<sycl::host_accessor<int>>);
static_assert(std::is_same_v<accessor<int, 1, access_mode::read>::reference, const int &>);
static_assert(std::is_same_v<accessor<const int>::reference, const int &> && std::is_same_v<accessor<int>::reference, int &>);

void ways(sycl::buffer<int, 2> &b, sycl::handler &h) {
  accessor a(b, h);
  accessor r(b, h, sycl::read_only);
  accessor w(b, h, sycl::write_only, sycl::no_init);
  accessor part(b, h, sycl::range<2>(1, 1), sycl::id<2>(1, 1), sycl::read_only);
  accessor later(b, sycl::read_only);
  accessor<int, 2, access_mode::read_write> typed{b, h};
  static_assert(decltype(a)::mode == access_mode::read_write && decltype(r)::mode == access_mode::read);
  static_assert(decltype(w)::mode == access_mode::write && decltype(part)::mode == access_mode::read);
  h.require(later);
  auto old = b.get_access<sycl::access::mode::read>(h);
  static_assert(std::is_same_v<decltype(old), decltype(r)>);
  (void)(a[sycl::id<2>(0, 1)] + a[0][1] + r[1][0] + part[0][0] + typed[0][0] + later.is_placeholder() + a.get_range()[0] + a.size());
  (void)(a.get_pointer().get() == a.get_multi_ptr<sycl::access::decorated::no>().get() && a.begin() == a.end());
  sycl::local_accessor<float> l(16, h);
  sycl::local_accessor<float, 2> m({2, 3}, h);
  (void)(l[0] + m[1][2] + m[sycl::id<2>(0, 0)] + l.size());
  sycl::host_accessor on_host(b, sycl::read_only);
  static_assert(std::is_same_v<decltype(on_host[0][0]), const int &>);
}

/// Lists in braces in the place of ranges, offsets and properties, with and without the template's arguments.
void braces(sycl::queue &q) {
  using namespace sycl;
  buffer<int> b(8);
  buffer<int, 2> b2({4, 4});
  const property_list properties = {no_init};
  q.submit([&](handler &h) {
    accessor a(b, h, write_only, {no_init});
    accessor c{b, h, {property::no_init{}}};
    accessor<int, 1, access_mode::write> d(b, h, write_only, {no_init});
    accessor e(b2, h, {2, 1}, {0, 1}, write_only);
    accessor f(b2, h, {2, 1}, {0, 1}, write_only, {no_init});
    accessor g(b2, h, {2, 1}, write_only, {no_init});
    accessor i(b2, h, {2, 1}, read_only);
    accessor j(b2, h, {2, 1}, {1, 1});
    accessor k(b2, h, {2, 1}, {1, 1}, {no_init});
    accessor l(b, h, range<1>(4), {no_init});
    accessor m(b, h, range(4), id(2), read_only_host_task);
    accessor n(b, h, write_only, properties);
    accessor o(b, write_only, {no_init});
    accessor p(b2, {2, 2}, {1, 1}, read_only);
    accessor r(b2, {2, 2}, write_only, {no_init});
    accessor<int, 2, access_mode::read> s(b2, h, {2, 1}, {0, 1}, read_only), t(b2, {2, 1});
    static_assert(decltype(a)::mode == access_mode::write && decltype(c)::mode == access_mode::read_write);
    static_assert(decltype(e)::mode == access_mode::write && decltype(f)::mode == access_mode::write && decltype(i)::mode == access_mode::read);
    static_assert(std::is_same_v<decltype(m), accessor<int, 1, access_mode::read, target::host_task>>);
    static_assert(std::is_same_v<decltype(r), accessor<int, 2, access_mode::write, target::device, access::placeholder::true_t>>);
    static_assert(std::is_same_v<decltype(o), accessor<int, 1, access_mode::write, target::device, access::placeholder::true_t>>);
  });
  host_accessor u(b2, {2, 1}, {0, 1}, read_only);
  host_accessor v(b2, {2, 1}, {1, 1});
  host_accessor w(b2, write_only, {no_init});
  host_accessor<int> x(b, {no_init});
  host_accessor y(b2, {2, 1}, {1, 1}, write_only, {no_init}), z(b2, {2, 1}, write_only);
  static_assert(std::is_same_v<decltype(u), host_accessor<int, 2, access_mode::read>>);
  static_assert(std::is_same_v<decltype(y), host_accessor<int, 2, access_mode::write>> && std::is_same_v<decltype(z), decltype(y)>);
  buffer<const int> of_constants{range<1>(1)};
  static_assert(std::is_same_v<decltype(of_constants.get_host_access()), host_accessor<const int, 1, access_mode::read>>);
}
