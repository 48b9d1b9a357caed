// Vectors of more than 128 bits by value, between functions for different processors: a group's function for its level and one for every
// processor, through pointers, and images of one level that call those of another.
//# run: aspen++ -O2 -fsycl-targets=native_cpu main.cpp library.cpp -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./a.out
//# stdout: ok
//# deep: further levels on both sides
//# run: aspen++ -O1 -fsycl-targets=native_cpu,x86_64_v3 -fPIC -shared library.cpp -o liblibrary.so
//# run: aspen++ -O2 -fsycl-targets=native_cpu main.cpp -L. -llibrary -Wl,-rpath,. -o b.out
//# run: ./b.out
//# stdout: ok
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fPIC -shared library.cpp -o liblibrary.so
//# run: aspen++ -O0 -fsycl-targets=native_cpu,x86_64_v3 main.cpp -L. -llibrary -Wl,-rpath,. -o c.out
//# run: ./c.out
//# stdout: ok
//# run: aspen++ -O0 -fsycl-targets=native_cpu,x86_64_v3 -fPIC -shared library.cpp -o liblibrary.so
//# run: ./b.out
//# stdout: ok
//# file: vectors.hpp
#include <sycl/sycl.hpp>

typedef float f8 __attribute__((ext_vector_type(8)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef double d3 __attribute__((ext_vector_type(3)));
typedef short s16 __attribute__((ext_vector_type(16)));
typedef int i4 __attribute__((ext_vector_type(4)));
struct held {
  f8 v;
};

/// Of each kind one, where it has to be counted which registers are left.
SYCL_EXTERNAL f8 turned(f8 a, int by, f8 b);
SYCL_EXTERNAL f16 doubled(f16 a);
SYCL_EXTERNAL d3 summed(float first, d3 a, i4 b, double last, d3 c);
SYCL_EXTERNAL s16 mixed(s16 a, long b, held c);
SYCL_EXTERNAL held packed(held a, float b);
//# file: library.cpp
#include "vectors.hpp"

SYCL_EXTERNAL f8 turned(f8 a, int by, f8 b) {
  f8 out;
  for (int i = 0; i < 8; ++i)
    out[i] = a[(i + by) & 7] + 2 * b[i];
  return out;
}
SYCL_EXTERNAL f16 doubled(f16 a) { return a + a; }
SYCL_EXTERNAL d3 summed(float first, d3 a, i4 b, double last, d3 c) { return a * double(first) + c * double(b[3]) + last; }
SYCL_EXTERNAL s16 mixed(s16 a, long b, held c) {
  for (int i = 0; i < 16; ++i)
    a[i] = short(a[i] * 3 + b + int(c.v[i & 7]));
  return a;
}
SYCL_EXTERNAL held packed(held a, float b) { return {a.v * b}; }
//# file: main.cpp
#include "vectors.hpp"
#include <cstdio>
#include <vector>

__attribute__((noinline)) f8 own(f8 a, f8 b) { return a * 2.0f + b; }
__attribute__((noinline)) f8 other(f8 a, f8 b) { return a + b * 3.0f; }

/// Every function once; a number for each item.
inline float all(unsigned g, f8 (*which)(f8, f8)) {
  f8 a;
  f16 c;
  s16 s;
  for (int i = 0; i < 16; ++i) {
    a[i & 7] = float(g + i % 8);
    c[i] = float(i) + g;
    s[i] = short(i + g);
  }
  const d3 d = {double(g), 1.0, 2.0};
  const f8 t = turned(a, int(g % 5), which(a, a + 1.0f));
  const held p = packed({t}, 0.5f);
  const f16 e = doubled(c);
  const d3 f = summed(2.0f, d, i4{1, 2, 3, int(g & 3)}, 7.0, d + 1.0);
  s = mixed(s, 100, p);
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += p.v[i & 7] * float(i + 1) + e[i] * 3 + float(f[i % 3]) * 5 + float(s[i]);
  return sum;
}

class kernel;

int main() {
  constexpr unsigned size = 32, count = 4 * size;
  sycl::queue q;
  float *out = sycl::malloc_shared<float>(count, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<float, 1> m(size, h);
    h.parallel_for<kernel>(sycl::nd_range<1>(count, size), [=](sycl::nd_item<1> it) {
      const unsigned g = it.get_global_id(0), l = it.get_local_id(0);
      m[l] = all(g, g % 3 ? own : other);
      sycl::group_barrier(it.get_group());
      out[g] = m[(l + 1) % size];
    });
  }).wait();
  int wrong = 0;
  for (unsigned g = 0; g < count; ++g) {
    const unsigned from = g / size * size + (g + 1) % size;
    wrong += out[g] != all(from, from % 3 ? own : other);
  }
  std::puts(wrong ? "wrong" : "ok");
  sycl::free(out, q);
}
