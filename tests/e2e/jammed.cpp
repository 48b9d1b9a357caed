// Items that go together through loops in which each waits for itself do what they did one by one, to the last bit: sums in order of one kind and more, at places
// and in variables, what is written on the way, loops in loops, ways that all take or none, private arrays, and items that are left over.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 432
//# run: ./a.out
//# stdout: 0 wrong of 432
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 432
//# deep: further levels of optimisation
//# run: aspen++ -O3 -ffp-contract=off -fsycl-targets=native_cpu,x86_64_v3 -fsycl-id-queries-fit-in-int {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 432
//# deep: a product of a matrix and a vector has eight sums at a time
//# run: aspen++ -O2 -fsycl-targets=x86_64_v3 -fsycl-dump-device-code=images product.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vfmadd231(s|p)s'
//# stdout~: ^([89]|[1-9][0-9]+)$
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr int most = 100, width = 40;

struct given {
  const float *a, *x;
  const double *d;
  int n, flag;
};

// What item i does, by itself; run by the host, too.
template <int Case> void work(size_t i, const given &g, float *y, double *z, float *way) {
  const float *row = g.a + i * width;
  if constexpr (Case == 0) { // one sum
    float sum = 0;
    for (int k = 0; k < g.n; ++k)
      sum += row[k] * g.x[k];
    y[i] = sum;
  } else if constexpr (Case == 1) { // two sums of two types, and what comes of both
    float sum = 1;
    double other = 0;
    for (int k = 0; k < g.n; ++k) {
      sum = sum * 0.75f + row[k];
      other += g.d[i * width + k] - row[k];
    }
    y[i] = sum + float(other);
    z[i] = other * sum;
  } else if constexpr (Case == 2) { // at a place
    for (int k = 0; k < g.n; ++k)
      y[i] += row[k] * g.x[k];
  } else if constexpr (Case == 3) { // what is written on the way
    float sum = y[i];
    for (int k = 0; k < g.n; ++k) {
      sum += row[k] / (1 + g.x[k]);
      way[i * width + k] = sum;
    }
    y[i] = -sum;
  } else if constexpr (Case == 4) { // a loop in a loop, and a way that all take
    float sum = 0;
    for (int j = 0; j < 3; ++j) {
      if (g.flag > j)
        for (int k = j; k < g.n; ++k)
          sum += row[k] * float(j + 1);
      else
        sum = sum * 0.5f + float(i);
    }
    y[i] = sum;
  } else if constexpr (Case == 5) { // the place of the greatest, which is a chain, too
    float best = -1e30f;
    int where = -1;
    for (int k = 0; k < g.n; ++k)
      if (row[k] - g.x[k] > best) {
        best = row[k] - g.x[k];
        where = k;
      }
    y[i] = best;
    z[i] = where;
  } else if constexpr (Case == 6) { // private memory that is found by data
    float kept[4] = {1, 2, 3, 4};
    float sum = 0;
    for (int k = 0; k < g.n; ++k) {
      sum += kept[k & 3] * row[k];
      kept[(int(row[k]) + k) & 3] = sum;
    }
    y[i] = sum + kept[g.flag & 3];
  } else { // a way that is the item's own
    float sum = 0;
    for (int k = 0; k < g.n; ++k) {
      sum += row[k];
      if (row[k] > 50)
        sum -= g.x[k];
    }
    if (i % 3)
      y[i] = sum;
  }
}

struct checker {
  sycl::queue q;
  float *a = sycl::malloc_shared<float>(most * width, q), *x = sycl::malloc_shared<float>(width, q);
  double *d = sycl::malloc_shared<double>(most * width, q);
  float *y = sycl::malloc_shared<float>(most, q), *way = sycl::malloc_shared<float>(most * width, q);
  double *z = sycl::malloc_shared<double>(most, q);
  int wrong = 0, tried = 0;

  template <int Case> void compare(const char *how, size_t items, int n, int flag) {
    std::vector<float> own_y(most), own_way(most * width);
    std::vector<double> own_z(most);
    for (int i = 0; i < most; ++i)
      own_y[i] = y[i] = i * 0.5f, own_z[i] = z[i] = i;
    std::fill(way, way + most * width, 0.0f);
    const given g{a, x, d, n, flag};
    const auto kernel = [g, y = y, z = z, way = way](size_t i) { work<Case>(i, g, y, z, way); };
    if (*how == 'r')
      q.parallel_for(items, [=](sycl::id<1> i) { kernel(i[0]); }).wait();
    else
      q.parallel_for(sycl::nd_range<1>(128, 64), [=](sycl::nd_item<1> it) {
         const size_t i = it.get_global_id(0);
         if (i < items)
           kernel(i);
       }).wait();
    for (size_t i = 0; i < items; ++i)
      work<Case>(i, g, own_y.data(), own_z.data(), own_way.data());
    ++tried;
    if (!std::equal(y, y + most, own_y.begin()) || !std::equal(z, z + most, own_z.begin()) || !std::equal(way, way + most * width, own_way.begin())) {
      ++wrong;
      std::printf("case %d, %s, %zu items, %d turns, %d\n", Case, how, items, n, flag);
    }
  }

  template <int Case> void check() {
    for (size_t items : {1, 7, 8, 9, 64, 100})
      for (int n : {0, 1, 13, 40})
        compare<Case>("range", items, n, 2);
    for (size_t items : {3, 16, 65, 100})
      for (int n : {0, 5, 40})
        for (int flag : {0, 2})
          compare<Case>("groups", items, n, flag);
    for (int flag : {0, 1, 3, 7, 5, 6})
      compare<Case>("range", 50, 20, flag);
  }
};

int main() {
  checker c;
  for (int i = 0; i < most * width; ++i) {
    c.a[i] = float(unsigned(i) * 2654435761u >> 22) * 0.1f;
    c.d[i] = unsigned(i) * 40503u % 1000 * 0.01;
  }
  for (int i = 0; i < width; ++i)
    c.x[i] = i * 0.3f;
  c.check<0>();
  c.check<1>();
  c.check<2>();
  c.check<3>();
  c.check<4>();
  c.check<5>();
  c.check<6>();
  c.check<7>();
  std::printf("%d wrong of %d\n", c.wrong, c.tried);
}
//# file: product.cpp
#include <sycl/sycl.hpp>

int main() {
  constexpr int n = 100;
  sycl::queue q;
  float *a = sycl::malloc_shared<float>(n * n, q), *x = sycl::malloc_shared<float>(n, q), *y = sycl::malloc_shared<float>(n, q);
  const int turns = int(y[0]) + n;
  q.parallel_for(n, [=](sycl::id<1> i) {
     float sum = 0;
     for (int k = 0; k < turns; ++k)
       sum += a[i * turns + k] * x[k];
     y[i] = sum;
   }).wait();
}
