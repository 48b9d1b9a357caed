// Buffers, host tasks, sub-buffers and USM on an OpenCL driver, whether it shares the host's memory or not; launches of every kind.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

static void buffers(sycl::queue &q) {
  std::vector<int> v(100, 1);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(100));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for<class add_id>(sycl::range<1>(100), [=](sycl::id<1> i) { a[i] += int(i[0]); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([=] {
        for (int i = 0; i < 100; ++i)
          a[i] *= 2;
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for<class add_one>(sycl::range<1>(100), [=](sycl::id<1> i) { a[i] += 1; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.update_host(a);
    });
    q.wait();
    expect("update_host", v[3] == 9 && v[99] == 201);
    sycl::buffer<int> s(b, sycl::id<1>(50), sycl::range<1>(10));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(s, h, sycl::write_only);
      h.fill(a, -7);
    });
    sycl::host_accessor seen(b, sycl::read_only);
    expect("a filled sub-buffer", seen[49] == 101 && seen[50] == -7 && seen[59] == -7 && seen[60] == 123);
  }
  expect("what a buffer writes back", v[0] == 3 && v[55] == -7 && v[99] == 201);
}

struct three {
  char c[3];
};

static void usm(sycl::queue &q) {
  constexpr int n = 1000;
  int *d = sycl::malloc_device<int>(n, q), *h = sycl::malloc_host<int>(n, q), *s = sycl::malloc_shared<int>(n, q);
  three *odd = sycl::malloc_device<three>(n, q);
  std::vector<three> back(n);
  q.fill(d, 5, n).wait();
  q.fill(odd, three{{1, 2, 3}}, n).wait();
  q.parallel_for<class use_usm>(sycl::range<1>(n), [=](sycl::id<1> i) {
     s[i] = d[i] * 2;
     h[i] = d[i] + int(i[0]);
   }).wait();
  q.memcpy(d, h, n * sizeof(int)).wait();
  q.memcpy(s, d, n / 2 * sizeof(int)).wait();
  q.memcpy(back.data(), odd, n * sizeof(three)).wait();
  expect("copies of USM", s[0] == 5 && s[499] == 504 && s[500] == 10 && h[999] == 1004);
  bool right = true;
  for (const three &t : back)
    right = right && t.c[0] == 1 && t.c[1] == 2 && t.c[2] == 3;
  expect("a pattern of three bytes", right);
  for (void *p : {(void *)d, (void *)h, (void *)s, (void *)odd})
    sycl::free(p, q);
}

/// Its required size is that of the logical group.
struct sized_group {
  sycl::accessor<int, 1, sycl::access_mode::write> out;
  [[sycl::reqd_work_group_size(8)]] void operator()(sycl::group<1> g) const {
    g.parallel_for_work_item([&](sycl::h_item<1> i) { out[i.get_global_id(0)] = int(i.get_local_range(0) * 100 + i.get_local_id(0)); });
  }
};

static void launches(sycl::queue &q) {
  std::vector<int> grid(64), box(64), offset(20), sized(32);
  {
    sycl::buffer<int> bs(sized.data(), sycl::range<1>(32));
    sycl::buffer<int, 2> bg(grid.data(), sycl::range<2>(8, 8));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bg, h, sycl::write_only);
      h.parallel_for_work_group<class hierarchy>(sycl::range<2>(2, 4), sycl::range<2>(4, 2), [=](sycl::group<2> g) {
        int base = int(g.get_group_id(0) * 10 + g.get_group_id(1)) * 100;
        g.parallel_for_work_item(
            [&](sycl::h_item<2> i) { a[i.get_global_id()] = base + int(i.get_local_id(0) * 10 + i.get_local_id(1)); });
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bs, h, sycl::write_only);
      h.parallel_for_work_group<class sized_hierarchy>(sycl::range<1>(4), sized_group{a});
    });
    sycl::buffer<int, 3> bb(box.data(), sycl::range<3>(4, 4, 4));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bb, h, sycl::write_only);
      sycl::local_accessor<int, 1> shared(8, h);
      h.parallel_for<class three_dimensions>(sycl::nd_range<3>({4, 4, 4}, {2, 1, 4}), [=](sycl::nd_item<3> i) {
        size_t own = i.get_local_linear_id();
        shared[own] = int(i.get_group(0) * 1000 + i.get_group(1) * 100 + i.get_local_id(2) * 10 + i.get_local_id(0));
        sycl::group_barrier(i.get_group());
        a[i.get_global_id()] = shared[7 - own];
      });
    });
    sycl::buffer<int> bo(offset.data(), sycl::range<1>(20));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bo, h, sycl::write_only);
      h.parallel_for<class with_offset>(sycl::range<1>(10), sycl::id<1>(5), [=](sycl::id<1> i) { a[i] = int(i[0]); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bo, h, sycl::write_only);
      h.parallel_for<class of_nothing>(sycl::range<1>(0), [=](sycl::id<1> i) { a[i] = -1; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(bo, h, sycl::write_only);
      h.single_task<class single>([=] { a[19] = 19; });
    });
  }
  bool right = true;
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      right = right && grid[r * 8 + c] == (r / 4 * 10 + c / 2) * 100 + r % 4 * 10 + c % 2;
  expect("hierarchical kernels", right);
  right = true;
  for (int i = 0; i < 32; ++i)
    right = right && sized[i] == 800 + i % 8;
  expect("a hierarchical kernel with a required size", right);
  right = true;
  for (int i = 0; i < 64; ++i)
    right = right && box[i] == i / 32 * 1000 + i / 4 % 4 * 100 + (3 - i % 4) * 10 + (1 - i / 16 % 2);
  expect("nd_range in three dimensions, with local memory", right);
  right = true;
  for (int i = 0; i < 20; ++i)
    right = right && offset[i] == ((i >= 5 && i < 15) || i == 19 ? i : 0);
  expect("an offset, a range of nothing, a single task", right);
}

int main() {
  sycl::queue q;
  if (q.get_device().get_backend() != sycl::backend::opencl)
    std::puts("not an OpenCL device"), ++wrong;
  buffers(q);
  usm(q);
  launches(q);
  if (!wrong)
    std::puts("ok");
  return wrong != 0;
}
