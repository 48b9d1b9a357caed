//! Kernels with a required work-group size over plain ranges: they run where the size divides the range, and are refused where it does not.
//! Exit status 0: all right.
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

static int failures = 0;

static void check(bool good, const char *what) {
  if (!good) {
    std::printf("wrong: %s\n", what);
    ++failures;
  }
}

/// The launch throws errc::nd_range at once, and names both sizes.
template <class F> static void refused(const char *size, const char *range, F f) {
  try {
    f();
    check(false, range);
  } catch (const sycl::exception &e) {
    check(e.code() == sycl::errc::nd_range && std::strstr(e.what(), size) && std::strstr(e.what(), range), e.what());
  }
}

int main() {
  sycl::queue q;
  int *r = sycl::malloc_shared<int>(128, q);
  const auto clear = [&] {
    for (int i = 0; i < 128; ++i)
      r[i] = 0;
  };
  const auto filled = [&](int from, int to) {
    for (int i = 0; i < 128; ++i)
      if (r[i] != (i >= from && i < to))
        return false;
    return true;
  };
  const auto one = [=](sycl::item<1> i) [[sycl::reqd_work_group_size(8)]] { r[i] += 1; };
  const auto two = [=](sycl::item<2> i) [[sycl::reqd_work_group_size(4, 2)]] { r[i.get_linear_id()] += 1; };
  const auto three = [=](sycl::id<3> i) [[sycl::reqd_work_group_size(1, 4, 2)]] { r[i[0] * 32 + i[1] * 4 + i[2]] += 1; };

  clear();
  q.parallel_for<class A>(sycl::range(64), one).wait();
  check(filled(0, 64), "64");
  clear();
  q.parallel_for<class B>(sycl::range(8, 6), two).wait();
  check(filled(0, 48), "8x6");
  clear();
  q.parallel_for<class C>(sycl::range(2, 8, 4), three).wait();
  check(filled(0, 64), "2x8x4");
  clear();
  q.submit([&](sycl::handler &h) { h.parallel_for<class D>(sycl::range<1>(32), sycl::id<1>(3), one); }).wait();
  check(filled(3, 35), "32 with an offset");
  clear();
  q.parallel_for<class E>(sycl::range(0), one).wait();
  check(filled(0, 0), "0");
  refused("8", "60", [&] { q.parallel_for<class F>(sycl::range(60), one); });
  refused("8", "4", [&] { q.parallel_for<class G>(sycl::range(4), one); });
  refused("4x2", "8x7", [&] { q.parallel_for<class H>(sycl::range(8, 7), two); });
  refused("4x2", "2x8", [&] { q.parallel_for<class I>(sycl::range(2, 8), two); });
  refused("1x4x2", "8x2x4", [&] { q.parallel_for<class J>(sycl::range(8, 2, 4), three); });
  check(filled(0, 0), "what is refused does not run");

  const auto sum = [=](sycl::item<2> i, auto &s) [[sycl::reqd_work_group_size(4, 2)]] { s += 1 + i.get_linear_id(); };
  q.parallel_for<class K>(sycl::range(8, 8), sycl::reduction(r, sycl::plus<int>()), sum).wait();
  check(*r == 2080, "a reduction over 8x8");
  q.parallel_for<class L>(sycl::range(200, 300), sycl::reduction(r, sycl::plus<int>()), [=](sycl::item<2> i, auto &s) [[sycl::reqd_work_group_size(4, 2)]] {
     s += i.get_id(0) % 4;
   }).wait();
  check(*r == 2080 + 90000, "a reduction over 200x300");
  refused("4x2", "9x8", [&] { q.parallel_for<class M>(sycl::range(9, 8), sycl::reduction(r, sycl::plus<int>()), sum); });
  sycl::free(r, q);
  return failures;
}
