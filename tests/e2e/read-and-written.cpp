// One item alone gets behind `if (id < n)`, and what it reads there it writes over before it goes on: what it has read stays what it was, in steps and in
// loops that all items run along (docs/decisions/0069, 0076).
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
//# deep: further levels of optimisation
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
#include <sycl/sycl.hpp>
#include <cstdio>

static int wrong = 0;
constexpr size_t items = 256;
constexpr int turns = 9;

// `f` adds up p[0] as it was, and some of `in`, into out[0], and writes p[0].
template <class F> static void check(sycl::queue &q, F f) {
  int *const p = sycl::malloc_shared<int>(items * (turns + 3), q), *const out = p + items, *const rest = p + 2 * items, *const in = p + 3 * items;
  for (size_t i = 0; i < items; ++i)
    p[i] = 7, out[i] = rest[i] = 0;
  for (size_t i = 0; i < items * turns; ++i)
    in[i] = static_cast<int>(i);
  f(p, p, in, out, rest);
  q.wait();
  int sum = 7;
  for (int k = 0; k < turns; ++k)
    sum += in[k * items];
  for (size_t i = 0; i < items; ++i)
    wrong += rest[i] != 1;
  wrong += out[0] != sum || p[0] != 5;
  sycl::free(p, q);
}

// Up to 100 numbers in steps of all items, of which there is one.
static void steps(sycl::queue &q, size_t n) {
  int *const p = sycl::malloc_shared<int>(300, q), *const out = p + 100, *const in = p + 200;
  for (int i = 0; i < 100; ++i)
    p[i] = 7, out[i] = 0, in[i] = i;
  const int *const again = p;
  const auto step = [=](size_t g, size_t by) {
    if (g < n) {
      const int x = *again;
      p[g] = 5;
      for (size_t i = g; i < n; i += by)
        out[i] = in[i] + x;
    }
  };
  q.parallel_for<class steps_of_a_range>(sycl::range<1>(1), [=](sycl::item<1> it) { step(it.get_id(0), it.get_range(0)); }).wait();
  for (size_t i = 0; i < n; ++i)
    wrong += out[i] != in[i] + 7;
  p[0] = 7;
  q.parallel_for<class steps_of_groups>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1> it) { step(it.get_global_id(0), it.get_global_range(0)); }).wait();
  for (size_t i = 0; i < n; ++i)
    wrong += out[i] != in[i] + 7;
  sycl::free(p, q);
}

int main() {
  sycl::queue q;
  const sycl::nd_range<1> shape(items, items / 2);
  const size_t n = 1;
  const int m = turns;
  steps(q, 1);
  steps(q, 100);
  check(q, [&](int *p, const int *again, const int *in, int *out, int *rest) {
    q.parallel_for<class straight>(shape, [=](sycl::nd_item<1> it) {
      const size_t g = it.get_global_id(0);
      if (g < n) {
        const int x = *again;
        p[g] = 5;
        int sum = 0;
        for (int k = 0; k < m; ++k)
          sum += in[k * items + g];
        out[g] = sum + x;
      }
      sycl::group_barrier(it.get_group());
      rest[g] = 1;
    });
  });
  check(q, [&](int *p, const int *again, const int *in, int *out, int *rest) {
    q.parallel_for<class behind_an_if>(shape, [=](sycl::nd_item<1> it) {
      const size_t g = it.get_global_id(0);
      if (g < n) {
        int sum = 0;
        if (in[g + 1] > 100000)
          sum += in[g + 3] / in[g + 7];
        const int x = *again * 3;
        p[g] = 5;
        for (int k = 0; k < m; ++k)
          sum += in[k * items + g];
        out[g] = sum + x / 3;
      }
      sycl::group_barrier(it.get_group());
      rest[g] = 1;
    });
  });
  check(q, [&](int *p, const int *again, const int *in, int *out, int *rest) {
    q.parallel_for<class between_loops>(shape, [=](sycl::nd_item<1> it) {
      const size_t g = it.get_global_id(0);
      if (g < n) {
        int sum = 0, more = 0;
        for (int k = 0; k < m; ++k)
          sum += in[k * items + g] * 3;
        if (in[g + 1] > 100000)
          sum += in[g + 3] / in[g + 7];
        const int x = *again;
        p[g] = 5;
        for (int k = 0; k < m; ++k)
          more += in[k * items + g] * 2;
        out[g] = sum - more + x;
      }
      sycl::group_barrier(it.get_group());
      rest[g] = 1;
    });
  });
  std::printf("%d wrong\n", wrong);
}
