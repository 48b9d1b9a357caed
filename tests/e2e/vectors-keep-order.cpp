// What becomes vectors keeps the order of each item's own accesses, whatever pointers they go through, the conditions of its divisions, and its
// results: in vectors and in what is left over at a loop's end.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: all right
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: all right
//# run: aspen++ -O1 -g -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: all right
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
#include <vector>

struct pair {
  int x, y;
};
static int failures;
static void check(const char *what, bool right) {
  if (!right) {
    std::printf("%s: wrong\n", what);
    ++failures;
  }
}

constexpr int N = 1003;
static sycl::queue q;
static int *numbers, *indices;

// Runs an item's function over a range, over groups, and on the host; all three must leave the same behind.
template <class F> static void same(const char *what, F item) {
  std::vector<int> expected(2 * N);
  auto fill = [](int *to) {
    for (int i = 0; i < 2 * N; ++i)
      to[i] = i * 7 % 13;
  };
  fill(expected.data());
  for (int i = 0; i < N; ++i)
    item(i, expected.data(), expected.data(), indices);
  int *p = numbers, *r = numbers, *at = indices;
  fill(p);
  q.parallel_for(N, [=](sycl::id<1> i) { item(int(i[0]), p, r, at); }).wait();
  check(what, std::memcmp(p, expected.data(), sizeof(int) * 2 * N) == 0);
  fill(p);
  q.parallel_for(sycl::nd_range<1>(N, 17), [=](sycl::nd_item<1> i) { item(int(i.get_global_id(0)), p, r, at); }).wait();
  check(what, std::memcmp(p, expected.data(), sizeof(int) * 2 * N) == 0);
}

// What a function gives is the same wherever a launch is cut.
template <class F> static void everywhere(const char *what, F function) {
  float *in = sycl::malloc_shared<float>(N, q), *out = sycl::malloc_shared<float>(N, q);
  for (int i = 0; i < N; ++i)
    in[i] = 0.37f * 12 + 0.1f;
  auto equal = [&](int count) {
    bool same = true;
    for (int i = 1; i < count; ++i)
      same &= std::memcmp(out, out + i, sizeof(float)) == 0;
    check(what, same);
  };
  for (int count : {1, 7, 16, 17, 31, 33, N}) {
    q.parallel_for(count, [=](sycl::id<1> i) { out[i] = function(in[i]); }).wait();
    equal(count);
    q.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> i) { out[i.get_global_id(0)] = function(in[i.get_global_id(0)]); })
        .wait();
    equal(count);
  }
  for (int width : {5, 7, 19}) {
    q.parallel_for(sycl::range<2>(50, width), [=](sycl::item<2> i) { out[i.get_linear_id()] = function(in[i.get_linear_id()]); }).wait();
    equal(50 * width);
  }
  sycl::free(in, q);
  sycl::free(out, q);
}

int main() {
  numbers = sycl::malloc_shared<int>(2 * N, q);
  indices = sycl::malloc_shared<int>(N, q);
  for (int i = 0; i < N; ++i)
    indices[i] = i;
  same("a store that a load meets", [](int i, int *p, int *r, int *) {
    p[2 * i] = i;
    int t = r[2 * i];
    p[2 * i + 1] = t + 1;
  });
  same("loads that a store parts", [](int i, int *p, int *r, int *) {
    int t = r[2 * i];
    p[2 * i + 1] = t + 1;
    int u = r[2 * i + 1];
    p[2 * i] = u * 3;
  });
  same("stores that meet", [](int i, int *p, int *r, int *) {
    p[2 * i] = i;
    r[2 * i] = i + 5;
    p[2 * i + 1] = i - 5;
    r[2 * i + 1] += 2;
  });
  same("members", [](int i, int *p, int *r, int *) {
    pair *a = reinterpret_cast<pair *>(p), *b = reinterpret_cast<pair *>(r);
    a[i].x += i;
    a[i].y += b[i].x;
    a[i].x -= b[i].y;
  });
  same("an index out of memory", [](int i, int *p, int *, int *at) {
    p[2 * i] = 3 * i;
    int t = p[2 * at[i]];
    p[2 * i + 1] = t - i;
  });
  same("a volatile load", [](int i, int *p, int *r, int *) {
    p[2 * i] = i;
    int t = static_cast<volatile int *>(r)[2 * i];
    p[2 * i + 1] = t;
  });
  same("an inner loop", [](int i, int *p, int *r, int *) {
    for (int k = 0; k < 5; ++k) {
      p[2 * i] = k + i;
      int t = r[2 * i];
      p[2 * i + 1] += t * k;
    }
  });
  // Accessors of one buffer.
  {
    std::vector<pair> pairs(N);
    for (int i = 0; i < N; ++i)
      pairs[i] = {i % 5, i % 7};
    {
      sycl::buffer<pair> b(pairs);
      q.submit([&](sycl::handler &h) {
        sycl::accessor first(b, h, sycl::read_write), second(b, h, sycl::read_write);
        h.parallel_for(N, [=](sycl::id<1> i) {
          first[i].x = int(i[0]) * 2;
          int t = second[i].x;
          first[i].y = t + second[i].y;
        });
      });
    }
    bool right = true;
    for (int i = 0; i < N; ++i)
      right &= pairs[i].x == 2 * i && pairs[i].y == 2 * i + i % 7;
    check("two accessors", right);
  }
  // Divisions by what is the same for all items, where only some of them divide.
  const unsigned by = 5, none = 0;
  const int minus = -1, least = -2147483647 - 1;
  same("a guarded remainder as an index", [=](int i, int *p, int *r, int *at) {
    int t = -1;
    if (at[i] % 8 > 2)
      t = at[7u % by];
    p[2 * i] = t;
    (void)r;
  });
  same("a remainder in a loop of its own length", [=](int i, int *p, int *, int *at) {
    int sum = 0;
    for (unsigned k = 0; k < unsigned(at[i] & 7); ++k)
      sum += at[k % by];
    p[2 * i] = sum;
  });
  same("divisions that nobody does", [=](int i, int *p, int *, int *at) {
    int t = 1;
    if (at[i] > 2 * N)
      t = int(7u / none) + least / minus + at[least % minus];
    p[2 * i] = t;
  });
  everywhere("sin", [](float x) { return sycl::sin(x); });
  everywhere("exp", [](float x) { return sycl::exp(x); });
  everywhere("log", [](float x) { return sycl::log(x); });
  everywhere("pow", [](float x) { return sycl::pow(x, 1.7f); });
  everywhere("atan2", [](float x) { return sycl::atan2(x, 3.3f); });
  everywhere("vec<float, 3>", [](float x) { return sycl::dot(sycl::cos(sycl::float3(x, x + 1, x + 2)), sycl::float3(1, 2, 3)); });
  std::puts(failures ? "wrong" : "all right");
  sycl::free(numbers, q);
  sycl::free(indices, q);
}
