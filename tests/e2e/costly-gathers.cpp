// Kernels that read at many places and compute little are not made of gathers, which take longer than items one by one; those that compute enough are. All are right.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong
//# run: ./a.out
//# stdout: 0 wrong
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=x86_64_v4,native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
//# deep: in code for level 4, as a copy and alone
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=few few.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn few/* | grep -cE 'v(p)?gather'; test $? = 1
//# stdout: 0
//# run: aspen++ -O2 -fsycl-targets=x86_64_v4 -fsycl-dump-device-code=alone few.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn alone/* | grep -cE 'v(p)?gather'; test $? = 1
//# stdout: 0
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=much much.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn much/* | grep -cE 'v(p)?gather'
//# stdout~: ^[1-9][0-9]*$
#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr unsigned n = 5000, cells = 16;

struct particle {
  float x, y, z, mass;
  int kind;
  float speed, energy;
};

template <class T> static unsigned mix(unsigned x, const T *table) {
  for (int round = 0; round < 10; ++round)
    x = table[x & 255] ^ table[256 + (x >> 8 & 255)] ^ table[512 + (x >> 16 & 255)] ^ table[768 + (x >> 24)];
  return x;
}

static float corners(unsigned u, const float *c) {
  const float x = (u & 15) * 0.9f, y = (u >> 4 & 15) * 0.9f, z = (u >> 8 & 15) * 0.9f;
  const int i = x, j = y, k = z;
  const float fx = x - i, fy = y - j, fz = z - k;
  const auto between = [](float a, float b, float at) { return a + at * (b - a); };
  c += (k * cells + j) * cells + i;
  const auto row = [&](int at) { return between(c[at], c[at + 1], fx); };
  return between(between(row(0), row(cells), fy), between(row(cells * cells), row(cells * cells + cells), fy), fz);
}

static void move(particle &p) {
  const float d = p.x * p.x + p.y * p.y + p.z * p.z;
  p.speed = p.mass / (1 + sycl::sqrt(d));
  p.energy = p.kind + d;
}

int main() {
  sycl::queue q;
  auto *u = sycl::malloc_shared<unsigned>(n, q), *table = sycl::malloc_shared<unsigned>(1024, q), *mixed = sycl::malloc_shared<unsigned>(n, q);
  auto *grid = sycl::malloc_shared<float>(cells * cells * (cells + 1), q), *rows = sycl::malloc_shared<float>(n * 16 + 16, q);
  auto *cut = sycl::malloc_shared<float>(n, q), *sums = sycl::malloc_shared<float>(n, q), *some = sycl::malloc_shared<float>(n, q),
       *curves = sycl::malloc_shared<float>(n, q);
  auto *all = sycl::malloc_shared<particle>(n, q);
  std::vector<particle> want(n);
  for (unsigned i = 0; i < 1024; ++i)
    table[i] = i * 2654435761u;
  for (unsigned i = 0; i < cells * cells * (cells + 1); ++i)
    grid[i] = i % 17;
  for (unsigned i = 0; i < n * 16 + 16; ++i)
    rows[i] = i % 100;
  for (unsigned i = 0; i < n; ++i) {
    u[i] = i * 2246822519u;
    want[i] = all[i] = {float(i % 50), float(i % 3), 1, 2, int(i & 3), 0, 0};
  }
  q.parallel_for(n, [=](sycl::id<1> i) { mixed[i] = mix(u[i], table); });
  q.parallel_for(n, [=](sycl::id<1> i) { cut[i] = corners(u[i], grid); });
  q.parallel_for(n, [=](sycl::id<1> i) { move(all[i]); });
  q.parallel_for(n, [=](sycl::id<1> i) {
    float sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += rows[i * 16 + k];
    sums[i] = sum;
  });
  // A counter that may wrap around.
  q.parallel_for(n, [=](sycl::id<1> row) {
    float sum = 0;
    for (unsigned i = row[0] * 16; i < row[0] * 16 + 16; ++i)
      sum += rows[i] * grid[u[i % n] % cells];
    some[row] = sum;
  });
  // Mathematical functions of vectors beside such a loop, in one kernel that is made for one level.
  q.wait();
  std::vector<unsigned> before(u, u + n);
  q.parallel_for(sycl::nd_range<1>(n, 250), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_global_id(0);
     const float v = i * 0.001f;
     curves[i] = sycl::exp(v) + sycl::sin(v) * sycl::pow(v, 0.3f);
     sycl::group_barrier(it.get_group());
     u[i] = mix(u[i], table);
   }).wait();
  int wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    const float v = i * 0.001f, want = std::exp(v) + std::sin(v) * std::pow(v, 0.3f);
    wrong += !(std::fabs(curves[i] - want) <= 1e-4f * (1 + want)) || u[i] != mix(before[i], table);
    u[i] = before[i];
  }
  for (unsigned i = 0; i < n; ++i) {
    move(want[i]);
    float sum = 0, part = 0;
    for (unsigned k = 0; k < 16; ++k) {
      sum += rows[i * 16 + k];
      part += rows[i * 16 + k] * grid[u[(i * 16 + k) % n] % cells];
    }
    wrong += mixed[i] != mix(u[i], table);
    wrong += std::fabs(cut[i] - corners(u[i], grid)) > 1e-4f;
    wrong += std::fabs(all[i].speed - want[i].speed) > 1e-5f || std::fabs(all[i].energy - want[i].energy) > 1e-2f;
    wrong += sums[i] != sum;
    wrong += std::fabs(some[i] - part) > 1e-2f;
  }
  std::printf("%d wrong\n", wrong);
}
//# file: few.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  auto *x = sycl::malloc_shared<unsigned>(4096, q), *table = sycl::malloc_shared<unsigned>(1024, q);
  q.parallel_for(4096, [=](sycl::id<1> i) {
     unsigned value = x[i];
     for (int round = 0; round < 10; ++round)
       value = table[value & 255] ^ table[256 + (value >> 8 & 255)] ^ table[512 + (value >> 16 & 255)] ^ table[768 + (value >> 24)];
     x[i] = value;
   }).wait();
}
//# file: much.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(4096, q), *at = sycl::malloc_shared<float>(4096, q);
  int *where = sycl::malloc_shared<int>(4096, q);
  q.parallel_for(4096, [=](sycl::id<1> i) {
     const int own = where[i];
     const float a = at[own], b = at[own + 1], c = at[own + 5];
     x[i] = sycl::exp(a) * sycl::sin(b) + sycl::log(1 + c * c);
   }).wait();
}
