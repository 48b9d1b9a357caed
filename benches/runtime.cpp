// What the runtime costs, and how fast kernels run: our side of `cargo xtask bench runtime`. benches/opencl.c is the other side, with the
// same labels, sizes and loops. Times are nanoseconds, the best of several rounds. With the argument `first`, only the time of the first
// launch, which loads the image.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

static const auto now = [] { return std::chrono::steady_clock::now(); };

/// The best time of a call of `f` out of so many rounds of `calls` calls.
template <class F> static double best(int rounds, int calls, const F &f) {
  double out = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = now();
    for (int call = 0; call < calls; ++call)
      f();
    out = std::min(out, std::chrono::duration<double, std::nano>(now() - start).count() / calls);
  }
  return out;
}

static void line(const char *label, double ns) { std::printf("%s ns=%.1f\n", label, ns); }

class empty;
class saxpy;
class bodies;
class stencil;
class product;

int main(int count, char **words) {
  sycl::queue q{sycl::property::queue::in_order{}};
  const auto launch = [&] { q.single_task<empty>([] {}).wait(); };
  if (count > 1 && std::strcmp(words[1], "first") == 0) {
    // The driver's own start is not what is measured: a copy makes context and queue.
    int *p = sycl::malloc_device<int>(1, q);
    q.memset(p, 0, sizeof(int)).wait();
    line("first-launch", best(1, 1, launch));
    return 0;
  }
  launch();
  line("empty", best(20, 2000, launch));
  const sycl::device device = q.get_device();
  volatile bool answer = false;
  line("check", best(20, 20000, [&] { answer = sycl::is_compatible<empty>(device); }));

  constexpr int n = 1 << 22;
  float *x = sycl::malloc_device<float>(n, q), *y = sycl::malloc_device<float>(n, q), *z = sycl::malloc_device<float>(n, q);
  q.fill(x, 1.5f, n).wait();
  q.fill(y, 0.5f, n).wait();
  line("saxpy", best(20, 1, [&] { q.parallel_for<saxpy>(n, [=](sycl::id<1> i) { y[i] = 1.0001f * x[i] + y[i]; }).wait(); }));

  constexpr int m = 4096;
  line("n-body", best(7, 1, [&] {
         q.parallel_for<bodies>(m, [=](sycl::id<1> i) {
            const float px = x[i], py = y[i];
            float fx = 0, fy = 0;
            for (int j = 0; j < m; ++j) {
              const float dx = x[j] - px, dy = y[j] - py, d = dx * dx + dy * dy + 0.01f;
              const float w = 1.0f / (d * sycl::sqrt(d));
              fx += dx * w;
              fy += dy * w;
            }
            z[i] = fx + fy;
          }).wait();
       }));

  constexpr int side = 2048;
  line("stencil", best(20, 1, [&] {
         q.parallel_for<stencil>(sycl::range<2>(side - 2, side - 2), [=](sycl::id<2> at) {
            const size_t i = (at[0] + 1) * side + at[1] + 1;
            z[i] = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - side] + x[i + side]);
          }).wait();
       }));

  constexpr int dim = 512, tile = 16;
  line("matmul", best(7, 1, [&] {
         q.submit([&](sycl::handler &h) {
            sycl::local_accessor<float, 2> a(sycl::range<2>(tile, tile), h), b(sycl::range<2>(tile, tile), h);
            h.parallel_for<product>(sycl::nd_range<2>({dim, dim}, {tile, tile}), [=](sycl::nd_item<2> it) {
              const size_t r = it.get_local_id(0), c = it.get_local_id(1), row = it.get_global_id(0), column = it.get_global_id(1);
              float sum = 0;
              for (int t = 0; t < dim; t += tile) {
                a[r][c] = x[row * dim + t + c];
                b[r][c] = y[(t + r) * dim + column];
                sycl::group_barrier(it.get_group());
                for (int k = 0; k < tile; ++k)
                  sum += a[r][k] * b[k][c];
                sycl::group_barrier(it.get_group());
              }
              z[row * dim + column] = sum;
            });
          }).wait();
       }));
  for (float *p : {x, y, z})
    sycl::free(p, q);
}
