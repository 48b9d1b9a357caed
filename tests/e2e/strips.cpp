// Items that wait for nobody, with loops that all run alike: in strips, with what they keep in registers; what is left over at a row's end, short
// rows, and strips in which some items end keep theirs in memory.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr size_t Size = 1 << 14;

struct result {
  unsigned a, b;
  double c;
};

// What an item comes to, for the host as well. `shape` has states of several sizes, loops behind guards, loops in loops, and early ends.
template <int Shape> void one(size_t i, size_t l, size_t row, unsigned n, const unsigned *in, result *out) {
  if constexpr (Shape == 0) {
    unsigned a = unsigned(i), b = 1;
    for (unsigned k = 0; k < n; ++k)
      a += in[k] ^ b, b = b * 3 + a;
    out[i] = {a, b, 0};
  } else if constexpr (Shape == 1) {
    if (i % 1000 >= 900)
      return;
    double c = 1;
    unsigned a = 0;
    for (unsigned k = 0; k < n; ++k)
      c = c * 0.5 + in[(k + i) % 4096], a += in[k * 2 + 1];
    out[i] = {a, n, c};
  } else if constexpr (Shape == 2) {
    unsigned a = 0, b = 0;
    if (i >= n)
      for (unsigned k = 0; k < n; ++k)
        a = a * 5 + in[k + l];
    if (l > n)
      for (unsigned k = 0; k < n % 7; ++k)
        b = b * 7 + in[k * 64 + l];
    out[i] = {a, b, 0};
  } else if constexpr (Shape == 3) {
    unsigned a = 0;
    unsigned char b = (unsigned char)i;
    bool odd = false;
    for (unsigned k = 0; k < n % 9; ++k) {
      for (unsigned j = 0; j < n % 5; ++j)
        a += in[k * 16 + j] * unsigned(row + 1), b = (unsigned char)(b + in[j + l % 2]), odd = !odd;
      if (a % 13 == 5)
        return;
      a ^= odd ? b : 3;
    }
    out[i] = {a, b, double(odd)};
  } else if constexpr (Shape == 4) {
    for (unsigned v = unsigned(l) + 4; v < n; v += 64)
      for (unsigned j = 0; j < n % 3; ++j)
        out[i].a += in[v + j * 9];
    unsigned b = 0;
    for (unsigned v = unsigned(l); v < n; v += 128)
      for (unsigned j = 0; j < n % 4; ++j)
        b += in[v + j * 5] ^ b;
    out[i].b = b;
  } else {
    // Much that is kept, and places of which vectors know nothing.
    unsigned t[18] = {};
    for (unsigned k = 0; k < n; ++k) {
      const unsigned x = in[k * 2 + (i & 63)], y = in[(i * 2) % 512 + k];
      for (unsigned j = 0; j < 9; ++j)
        t[j] += (x >> j) & y, t[j + 9] ^= (y >> j) | x;
    }
    unsigned a = 0, b = 0;
    for (unsigned j = 0; j < 9; ++j)
      a = a * 3 + t[j], b = b * 5 + t[j + 9];
    out[i] = {a, b, 0};
  }
}

int main() {
  sycl::queue q;
  auto *in = sycl::malloc_shared<unsigned>(8192, q);
  auto *out = sycl::malloc_shared<result>(Size, q);
  for (size_t i = 0; i < 8192; ++i)
    in[i] = unsigned(i * 2654435761u >> 7);
  unsigned wrong = 0;
  std::vector<result> want(Size);
  const auto compare = [&](const char *how, int shape, size_t rows, size_t columns, unsigned n) {
    unsigned here = 0;
    for (size_t i = 0; i < Size; ++i)
      here += out[i].a != want[i].a || out[i].b != want[i].b || out[i].c != want[i].c;
    if (here)
      std::printf("%s, shape %d, %zu x %zu, n %u: %u wrong\n", how, shape, rows, columns, n, here);
    wrong += here;
    for (size_t i = 0; i < Size; ++i)
      out[i] = want[i] = {7, 7, 7};
  };
  const auto all = [&]<int Shape>(std::integral_constant<int, Shape>) {
    for (unsigned n : {0u, 1u, 6u, 200u}) {
      for (auto [rows, columns] : {std::pair<size_t, size_t>{1, 256}, {2, 128}, {1, 1000}, {3, 77}, {16, 16}, {1, 64}, {4, 100}, {5, 1}, {1, 200}}) {
        q.parallel_for(sycl::nd_range<2>({rows * 3, columns * 2}, {rows, columns}), [=](sycl::nd_item<2> it) {
           one<Shape>(it.get_global_linear_id(), it.get_local_id(1), it.get_local_id(0), n, in, out);
         }).wait();
        for (size_t r = 0; r < rows * 3; ++r)
          for (size_t c = 0; c < columns * 2; ++c)
            one<Shape>(r * columns * 2 + c, c % columns, r % rows, n, in, want.data());
        compare("any group", Shape, rows, columns, n);
      }
      q.parallel_for(sycl::nd_range<1>(1024, 256), [=](sycl::nd_item<1> it) {
         one<Shape>(it.get_global_id(0), it.get_local_id(0), 0, n, in, out);
       }).wait();
      for (size_t i = 0; i < 1024; ++i)
        one<Shape>(i, i % 256, 0, n, in, want.data());
      compare("a known group", Shape, 1, 256, n);
      for (size_t range : {size_t(1), size_t(63), size_t(500), size_t(4099)}) {
        q.parallel_for(sycl::range<1>(range), [=](sycl::id<1> i) { one<Shape>(i[0], i[0] % 128, 0, n, in, out); }).wait();
        for (size_t i = 0; i < range; ++i)
          one<Shape>(i, i % 128, 0, n, in, want.data());
        compare("a range", Shape, 1, range, n);
      }
    }
  };
  for (size_t i = 0; i < Size; ++i)
    out[i] = want[i] = {7, 7, 7};
  all(std::integral_constant<int, 0>());
  all(std::integral_constant<int, 1>());
  all(std::integral_constant<int, 2>());
  all(std::integral_constant<int, 3>());
  all(std::integral_constant<int, 4>());
  all(std::integral_constant<int, 5>());
  std::printf("wrong %u\n", wrong);
}
