// Loops of arrays in SYCL and, compiled with -DOPENMP by clang alone, in OpenMP: both sides of `cargo xtask bench openmp`. Kernels, sizes, labels
// and memory are the same. Times are nanoseconds, the best of several rounds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#if defined(OPENMP)
struct device {
  static double *doubles(size_t n) { return static_cast<double *>(std::aligned_alloc(64, n * sizeof(double))); }
  static float *floats(size_t n) { return static_cast<float *>(std::aligned_alloc(64, n * sizeof(float))); }
  template <class Name, class F> static void each(size_t n, const F &f) {
#pragma omp parallel for simd
    for (size_t i = 0; i < n; ++i)
      f(i);
  }
  template <class Name, class F> static void each(size_t rows, size_t columns, const F &f) {
#pragma omp parallel for
    for (size_t row = 0; row < rows; ++row) {
#pragma omp simd
      for (size_t column = 0; column < columns; ++column)
        f(row, column);
    }
  }
  template <class Name, class F> static void sum(size_t n, double *to, const F &f) {
    double all = 0;
#pragma omp parallel for simd reduction(+ : all)
    for (size_t i = 0; i < n; ++i)
      all += f(i);
    *to = all;
  }
};
#else
#include <sycl/sycl.hpp>
struct device {
  static sycl::queue &queue() {
    static sycl::queue q{sycl::property::queue::in_order{}};
    return q;
  }
  static double *doubles(size_t n) { return sycl::aligned_alloc_device<double>(64, n, queue()); }
  static float *floats(size_t n) { return sycl::aligned_alloc_device<float>(64, n, queue()); }
  template <class Name, class F> static void each(size_t n, const F &f) {
    queue().parallel_for<Name>(n, [=](sycl::id<1> i) { f(i[0]); }).wait();
  }
  template <class Name, class F> static void each(size_t rows, size_t columns, const F &f) {
    queue().parallel_for<Name>(sycl::range<2>(rows, columns), [=](sycl::id<2> at) { f(at[0], at[1]); }).wait();
  }
  template <class Name, class F> static void sum(size_t n, double *to, const F &f) {
    const auto all = sycl::reduction(to, sycl::plus<double>(), sycl::property::reduction::initialize_to_identity{});
    queue().parallel_for<Name>(sycl::range<1>(n), all, [=](sycl::id<1> i, auto &sum) { sum += f(i[0]); }).wait();
  }
};
#endif

template <class F> static void line(const char *label, int rounds, const F &f) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%s ns=%.1f\n", label, best);
}

int main() {
  // More than the caches hold.
  constexpr size_t n = 1 << 24;
  double *a = device::doubles(n), *b = device::doubles(n), *c = device::doubles(n), *total = device::doubles(1);
  device::each<struct fill>(n, [=](size_t i) { a[i] = 0.1, b[i] = 0.2, c[i] = 0; });
  line("copy", 15, [&] { device::each<struct copy>(n, [=](size_t i) { c[i] = a[i]; }); });
  line("mul", 15, [&] { device::each<struct mul>(n, [=](size_t i) { b[i] = 0.4 * c[i]; }); });
  line("add", 15, [&] { device::each<struct add>(n, [=](size_t i) { c[i] = a[i] + b[i]; }); });
  line("triad", 15, [&] { device::each<struct triad>(n, [=](size_t i) { a[i] = b[i] + 0.4 * c[i]; }); });
  line("dot", 15, [&] { device::sum<struct dot>(n, total, [=](size_t i) { return a[i] * b[i]; }); });

  constexpr size_t side = 2048;
  float *x = device::floats(side * side), *y = device::floats(side * side), *z = device::floats(side * side);
  device::each<struct start>(side * side, [=](size_t i) { x[i] = float(i % 1000) / 1000, y[i] = float(i % 77) / 77, z[i] = 0; });
  line("stencil", 15, [&] {
    device::each<struct stencil>(side - 2, side - 2, [=](size_t row, size_t column) {
      const size_t i = (row + 1) * side + column + 1;
      z[i] = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - side] + x[i + side]);
    });
  });
  constexpr size_t bodies = 4096;
  line("n-body", 7, [&] {
    device::each<struct bodies_name>(bodies, [=](size_t i) {
      const float px = x[i], py = y[i];
      float fx = 0, fy = 0;
      for (size_t j = 0; j < bodies; ++j) {
        const float dx = x[j] - px, dy = y[j] - py, d = dx * dx + dy * dy + 0.01f;
        const float w = 1.0f / (d * std::sqrt(d));
        fx += dx * w;
        fy += dy * w;
      }
      z[i] = fx + fy;
    });
  });
  constexpr size_t dim = 512;
  line("matmul", 7, [&] {
    device::each<struct matmul>(dim, dim, [=](size_t row, size_t column) {
      float sum = 0;
      for (size_t k = 0; k < dim; ++k)
        sum += x[row * dim + k] * y[k * dim + column];
      z[row * dim + column] = sum;
    });
  });
}
