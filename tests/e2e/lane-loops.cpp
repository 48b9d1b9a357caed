// Loops that end after another number of turns in each item become loops over vectors of items, with the results that each has alone.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: all right
// A loop that leaves by several ways, of which each tells something else, in a kernel over a range is vectors.
//# deep: what became vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images mandelbrot.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vfmadd.*ps.*zmm'
//# stdout~: ^[1-9]
//# deep: further levels of optimisation
//# run: aspen++ -O3 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: all right
//# run: aspen++ -O1 -g -ffp-contract=off -fno-unroll-loops -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: all right
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
#include <vector>

using word = unsigned long long;
constexpr int N = 1003, M = 1056;
static sycl::queue q;
static int failures;

// Runs an item's function over a range, over groups, behind a condition, beside sub-groups, and on the host.
template <class F> static void same(const char *what, F item) {
  std::vector<word> expected(M);
  for (int i = 0; i < M; ++i)
    expected[i] = item(i);
  word *p = sycl::malloc_shared<word>(M, q);
  auto check = [&](const char *how) {
    for (int i = 0; i < N; ++i)
      if (p[i] != expected[i]) {
        std::printf("%s, %s: item %d has %llx instead of %llx\n", what, how, i, p[i], expected[i]);
        ++failures;
        break;
      }
    std::memset(p, 0, M * sizeof *p);
  };
  q.parallel_for(N, [=](sycl::id<1> i) { p[i] = item(int(i[0])); }).wait();
  check("range");
  q.parallel_for(sycl::range<2>(17, 59), [=](sycl::item<2> i) { p[i.get_linear_id()] = item(int(i.get_linear_id())); }).wait();
  check("rows");
  q.parallel_for(sycl::nd_range<1>(M, 96), [=](sycl::nd_item<1> i) {
     const int at = i.get_global_id(0);
     if (at < N)
       p[at] = item(at);
   }).wait();
  check("groups");
  q.parallel_for(sycl::nd_range<1>(M, 96), [=](sycl::nd_item<1> i) {
     const int at = i.get_global_id(0);
     const word mine = item(at);
     const word next = sycl::select_from_group(i.get_sub_group(), mine, 0);
     sycl::group_barrier(i.get_group());
     p[at] = next == 0x123456789abcdefULL ? 0 : mine;
   }).wait();
  check("sub-groups");
  sycl::free(p, q);
}

// What items read and write decides how many make a vector: of bytes more than of words. A loop behind a condition with two results.
template <class T> static void narrow(const char *what) {
  const auto item = [](int i, T given) {
    unsigned a = i, n = 0;
    if (i % 3 == 1)
      while (a > 1 && n < 50) {
        a = a % 2 ? 3 * a + 1 : a / 2;
        ++n;
      }
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      given = T(given * 5 ^ given >> 3);
      given = T(given + (given << 2));
    }
    return T(given + a * 64 + n);
  };
  T *in = sycl::malloc_shared<T>(N, q), *out = sycl::malloc_shared<T>(N, q);
  unsigned *wide = sycl::malloc_shared<unsigned>(N, q);
  for (int i = 0; i < N; ++i)
    in[i] = T(i * 7);
  q.parallel_for(N, [=](sycl::id<1> i) { out[i] = item(int(i[0]), in[i]); }).wait();
  q.parallel_for(N, [=](sycl::id<1> i) { wide[i] = item(int(i[0]), in[i]); }).wait();
  for (int i = 0; i < N; ++i)
    if (out[i] != item(i, in[i]) || wide[i] != out[i]) {
      std::printf("%s: item %d has %u and %u instead of %u\n", what, i, unsigned(out[i]), wide[i], unsigned(item(i, in[i])));
      ++failures;
      break;
    }
}

template <class T> static word bits(T v) {
  word out = 0;
  std::memcpy(&out, &v, sizeof v);
  return out;
}

int main() {
  same("escape", [](int i) {
    float x = 0, y = 0;
    const float cx = i % 61 / 20.0f - 2, cy = i / 61 / 8.0f - 1;
    unsigned turn = 0;
    for (; turn < 300 && x * x + y * y < 4; ++turn) {
      const float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return bits(x + y) << 32 | turn;
  });
  same("collatz", [](int i) {
    word n = i, turns = 0;
    while (n > 1) {
      n = n % 2 ? 3 * n + 1 : n / 2;
      ++turns;
    }
    return turns << 8 | n;
  });
  same("common divisor", [](int i) {
    unsigned a = 5040, b = i;
    while (b) {
      const unsigned rest = a % b;
      a = b;
      b = rest;
    }
    return word(a);
  });
  same("root", [](int i) {
    double x = 1 + i, previous = 0;
    int turns = 0;
    while (true) {
      previous = x;
      x = 0.5 * (x + i / x);
      if (x == previous)
        return bits(x) ^ turns;
      if (++turns > 40)
        return word(-turns);
    }
  });
  same("loop in loop", [](int i) {
    unsigned sum = 0;
    for (int a = 0; a < i % 23; ++a) {
      int b = a * 7 + i;
      while (b > 3) {
        sum += b & 5;
        b = b / 2 - 1;
      }
      sum = sum * 3 + b;
    }
    return word(sum);
  });
  same("only some", [](int i) {
    float v = i;
    if (i % 3 == 1)
      for (int k = 0; k < i % 50; ++k)
        v = v * 0.5f + k;
    else if (i % 5 == 2)
      do
        v -= 3;
      while (v > 10);
    return bits(v);
  });
  same("conditions", [](int i) {
    int a = i, b = 0, left = 1000;
    while (a != 1 && --left) {
      if (a % 3 == 0) {
        a /= 3;
        continue;
      }
      if (a % 7 == 5) {
        b += 2;
        a += 2;
      } else if (b > 40)
        break;
      else
        a += a > 500 ? -17 : 1;
      b ^= a;
    }
    return word(unsigned(a)) << 32 | unsigned(b);
  });
  same("widths", [](int i) {
    unsigned char c = i;
    short s = i * 3;
    bool odd = false;
    long l = 1;
    while (c > 3 && s != 77) {
      c = c * 5 + 1;
      s -= c;
      odd = odd != ((c & 1) != 0);
      l = l * 3 + (odd ? s : c);
      if (l > 1000000000000)
        break;
    }
    return word(l) * 8 + c + (odd ? 2 : 0);
  });
  same("functions", [](int i) {
    float v = i * 0.25f;
    unsigned bits_set = 0;
    for (int k = i; k > 0; k -= 1 + k % 5) {
      v = sycl::fmin(sycl::fabs(sycl::floor(v) - k), sycl::sqrt(v + 4));
      bits_set += sycl::popcount(unsigned(k)) + sycl::max(k, 7);
    }
    return bits(v) << 32 | bits_set;
  });
  same("one behind the other", [](int i) {
    unsigned a = i, b = 1;
    while (a > 9)
      a = a / 3 + b++;
    unsigned c = a;
    while (c < 500)
      c = c * 2 + b;
    return word(a) << 40 | word(b) << 20 | c;
  });
  same("no turn for most", [](int i) {
    word v = 7;
    for (int k = 990; k < i; ++k)
      v = v * 31 + k;
    return v;
  });
  same("ways out", [](int i) {
    unsigned v = i * 2654435761u;
    for (int k = 0; k < 60; ++k) {
      v ^= v << 13;
      v ^= v >> 17;
      v ^= v << 5;
      if (v % 11 == 3)
        return word(v) << 8 | 1;
      if (v % 13 == 4)
        return word(k) << 8 | 2;
      if (v % 29 == 5)
        return word(v + k) << 8 | 3;
    }
    return word(v);
  });
  same("ways out of a loop in a loop", [](int i) {
    float v = 2, w = 1.5f / (0.25f + float(i));
    for (int k = 0; k < 60; ++k) {
      if (k * i % 77 < 5)
        return bits(v) << 8 | 1;
      unsigned u = k * 2654435761u + i;
      for (int j = 0; j < k % 7; ++j) {
        u = u * 1664525u + 1013904223u;
        if (u % 41 == 7)
          return word(u) << 8 | 2;
        if (u % 37 == 6)
          goto next;
        if (u % 31 == 5)
          return word(j) << 8 | 3;
      }
      v = float(u % 1000);
    next:
      if (w < v)
        continue;
      v = -2;
    }
    return bits(v);
  });
  same("choice of many", [](int i) {
    unsigned v = i, n = 0;
    while (v > 3 && n < 90) {
      ++n;
      switch (v % 6) {
      case 0:
        v /= 3;
        break;
      case 1:
      case 4:
        v += 7;
        break;
      case 2:
        n += 5;
        [[fallthrough]];
      case 3:
        v = v * 5 / 9;
        break;
      default:
        v -= 2;
      }
    }
    return word(v) << 32 | n;
  });
  same("nothing goes in", [](int i) {
    unsigned s = i;
    while (s > 10) {
      unsigned v = 1;
      while (v % 10003 != 77)
        v = v * 1664525u + 1013904223u;
      s = s / 2 ^ (v & 1);
    }
    return word(s);
  });
  same("two ways in", [](int i) {
    unsigned v = i * 2654435761u + 1, n = 0;
    while (v > 5) {
      if (v & 1)
        goto second;
    first:
      v = v / 3;
      n++;
    second:
      v = v - v / 4 - 1;
      n += 2;
      if ((v & 7) != 0 && v > 9)
        goto first;
    }
    return word(v) << 32 | n;
  });
  same("a sum", [](int i) {
    unsigned sum = 0;
    for (unsigned k = 0; k < (i % 100 + 3) * 10u; ++k)
      sum += (k * k) ^ (k >> 3);
    return word(sum);
  });
  narrow<unsigned char>("bytes");
  narrow<signed char>("signed bytes");
  narrow<unsigned short>("half words");
  if (failures == 0)
    std::puts("all right");
}
//# file: mandelbrot.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  unsigned *out = sycl::malloc_device<unsigned>(64 * 64, q);
  q.parallel_for(sycl::range<2>(64, 64), [=](sycl::id<2> at) {
     const float cx = at[1] / 32.0f - 1.5f, cy = at[0] / 32.0f - 1.0f;
     float x = 0, y = 0;
     unsigned turn = 0;
     for (; turn < 200 && x * x + y * y < 4; ++turn) {
       const float next = x * x - y * y + cx;
       y = 2 * x * y + cy;
       x = next;
     }
     out[at[0] * 64 + at[1]] = turn;
   }).wait();
}
