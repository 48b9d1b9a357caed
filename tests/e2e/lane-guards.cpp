// Loops of another number of turns in each item that lead to several values, of which one lane alone goes on with: at each level of the processor.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: 0 wrong
//# run: ./a.out
//# stdout: 0 wrong
//# deep: the same with -O3
//# run: aspen++ -O3 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
#include <cstdio>
#include <sycl/sycl.hpp>

template <class F> static int check(sycl::queue &q, int rows, int columns, F make) {
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(columns);
  int *const from = sycl::malloc_shared<int>(count, q), *const to = sycl::malloc_shared<int>(count, q), *const wanted = sycl::malloc_shared<int>(count, q);
  for (size_t i = 0; i < count; ++i)
    from[i] = static_cast<int>(i * 37 % 101), to[i] = wanted[i] = -1;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      make(i, j, from, wanted);
  q.parallel_for(sycl::range<2>(rows, columns), [=](sycl::item<2> at) { make(static_cast<int>(at[0]), static_cast<int>(at[1]), from, to); }).wait();
  int wrong = 0;
  for (size_t i = 0; i < count; ++i)
    wrong += to[i] != wanted[i];
  sycl::free(from, q), sycl::free(to, q), sycl::free(wanted, q);
  return wrong;
}

int main() {
  sycl::queue q;
  int wrong = 0;
  // Strides of the range, as programs have them whose grid is the whole: one turn, which LLVM sees.
  constexpr int m = 120;
  wrong += check(q, m, m, [](int i, int first, const int *from, int *to) {
    for (int j = first; j < m - 1; j += m)
      if (i > 0 && j > 0)
        to[i * m + j] = from[i * m + j];
  });
  wrong += check(q, m, m, [](int i, int first, const int *from, int *to) {
    for (int j = first; j < m - 1; j += m)
      if (i > 0 && j > 3 && from[j] > 50)
        to[i * m + j] = from[i * m + j] + j;
      else if (i == 7)
        to[i * m + j] = -j;
  });
  // Values of a search, where not each lane has found something.
  wrong += check(q, 40, m, [](int i, int first, const int *from, int *to) {
    int at = first, steps = 0;
    while (at > i && from[at] != i) {
      at -= 1 + (at & 1);
      ++steps;
    }
    if (from[at < 0 ? 0 : at] == i)
      to[i * m + first] = at * 100 + steps;
    else if (steps > 20)
      to[i * m + first] = steps;
  });
  std::printf("%d wrong\n", wrong);
}
