//! buffer: the ways to make one and what is deduced.
#include <memory>
#include <sycl/buffer.hpp>

void ways(int *p, const int *c, std::vector<float> &v, const std::vector<float> &k, std::shared_ptr<int> s) {
  sycl::buffer a(p, sycl::range<1>(4));
  sycl::buffer b(c, sycl::range<2>(2, 2));
  sycl::buffer d(v);
  sycl::buffer e(k);
  sycl::buffer f(v.begin(), v.end());
  sycl::buffer g(s, sycl::range<1>(1));
  sycl::buffer<int, 3> h(sycl::range<3>(1, 2, 3));
  sycl::buffer<int> i{p, 4, sycl::property::buffer::use_host_ptr()};
  static_assert(std::is_same_v<decltype(a), sycl::buffer<int, 1>> && std::is_same_v<decltype(b), sycl::buffer<int, 2>>);
  static_assert(std::is_same_v<decltype(d), sycl::buffer<float, 1>> && std::is_same_v<decltype(e), sycl::buffer<float, 1>>);
  static_assert(std::is_same_v<decltype(f), sycl::buffer<float, 1>> && std::is_same_v<decltype(g), sycl::buffer<int, 1>>);
  a.set_final_data(p);
  a.set_final_data(std::weak_ptr<int>(s));
  a.set_final_data(v.begin());
  a.set_final_data();
  a.set_write_back(false);
  auto r = h.reinterpret<float>();
  static_assert(std::is_same_v<decltype(r), sycl::buffer<float, 3>>);
  auto bytes = h.reinterpret<char, 1>(sycl::range<1>(24));
  static_assert(std::is_same_v<decltype(bytes), sycl::buffer<char, 1>>);
  sycl::buffer<int, 3> part(h, sycl::id<3>(0, 0, 0), sycl::range<3>(1, 2, 3));
  const bool flags[] = {true, false, true};
  sycl::buffer of_flags(std::begin(flags), std::end(flags), std::allocator<bool>());
  static_assert(std::is_same_v<decltype(of_flags), sycl::buffer<bool, 1, std::allocator<bool>>>);
  (void)(part.is_sub_buffer() && part == h && part.size() == h.byte_size());
}
static_assert(!std::is_trivially_copyable_v<sycl::buffer<int>>, "a buffer is no kernel argument");
