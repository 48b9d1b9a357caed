// Divisions behind a condition by what neighbouring lanes have in common (`lane / 8`): LLVM's vectoriser took the first lane's, whose condition may not hold, and read
// anywhere.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

template <class F> static int differences(sycl::queue &q, int group, F compute) {
  constexpr int count = 512;
  int *const out = sycl::malloc_shared<int>(count, q), *const when = sycl::malloc_shared<int>(count, q), *const table = sycl::malloc_shared<int>(4096, q);
  for (int i = 0; i < 4096; ++i)
    table[i] = i * 3;
  for (int i = 0; i < count; ++i)
    when[i] = i % 5 && i % 16 != 3 ? i % 7 : 0, out[i] = -1;
  q.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> it) {
     const unsigned i = it.get_global_id(0), l = it.get_local_id(0);
     out[i] = int(sycl::exp(float(when[i]))); // has the loop become vectors
     compute(out[i], table, when, i, l);
   }).wait();
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    int want = int(sycl::exp(float(when[i])));
    compute(want, table, when, unsigned(i), unsigned(i % group));
    wrong += out[i] != want;
  }
  for (int *p : {out, when, table})
    sycl::free(p, q);
  return wrong;
}

int main() {
  sycl::queue q;
  int wrong = 0;
  for (int group : {32, 64, 256}) {
    wrong += differences(q, group, [](int &out, const int *table, const int *when, unsigned i, unsigned l) {
      if (when[i] > 0)
        out = table[1000u / ((l >> 3) + 1)];
    });
    wrong += differences(q, group, [](int &out, const int *table, const int *when, unsigned i, unsigned l) {
      const unsigned by = (l >> 3) & 3;
      if (when[i] > 0 && by)
        out = table[1000u / by];
    });
    wrong += differences(q, group, [](int &out, const int *table, const int *when, unsigned i, unsigned l) {
      const int by = int(l / 4) - 3;
      if (when[i] > 2 && by != 0)
        out = table[2000 + 600 / by] + table[1000 + 77 % by];
    });
  }
  std::printf("wrong %d\n", wrong);
}
