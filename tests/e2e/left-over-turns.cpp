// Steps that a turn takes several of, written out, and a loop over what is left: `for (; i + 3 * step < n; i += 4 * step) …; for (; i < n; i += step) …`.
// Numbers of 32 and 64 bits, bounds that are negative, and numbers near their ends.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0
// Where the number is asked for in 32 bits, too, the first loop is vectors.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images shape.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vcmp[a-z]*ps.*[yzk]'
//# stdout~: ^[1-9]
#include <climits>
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int Items = 192, Local = 64;
unsigned wrong = 0;

// What an item sums up: `at` is called with each number.
template <class Number, class Step, class End> struct summed {
  End end;
  Number first = 0;
  const unsigned *in;
  unsigned operator()(size_t local, size_t locals) const {
    unsigned sum = 0;
    const Step t = Step(locals);
    Number i = Number(Number(local) + first);
    for (; i + 3 * t < end; i += 4 * t) {
      sum += in[(i + 0 * t) & 4095] ^ unsigned(i);
      sum = sum * 3 + in[(i + t) & 4095];
      sum += in[(i + 2 * t) & 4095] > 7 ? 1 : 0;
      sum ^= in[(i + 3 * t) & 4095];
    }
    for (; i < Number(end); i += t)
      sum += in[i & 4095] * 5;
    return sum + unsigned(i);
  }
};

template <class Number, class Step, class End> void check(sycl::queue &q, const unsigned *in, const char *name, Number first, End end) {
  unsigned *out = sycl::malloc_shared<unsigned>(Items, q);
  const summed<Number, Step, End> work{end, first, in};
  q.parallel_for(sycl::nd_range<1>(Items, Local), [=](sycl::nd_item<1> it) {
    const unsigned mine = work(it.get_local_id(0), it.get_local_range(0));
    out[it.get_global_id(0)] = sycl::reduce_over_group(it.get_group(), mine, sycl::plus<>()) * 3 + mine;
  }).wait();
  unsigned all = 0;
  for (int l = 0; l < Local; ++l)
    all += work(l, Local);
  for (int i = 0; i < Items; ++i)
    if (out[i] != all * 3 + work(i % Local, Local) && ++wrong < 9)
      std::printf("%s: item %d is wrong for %lld\n", name, i, static_cast<long long>(end));
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  unsigned *in = sycl::malloc_shared<unsigned>(4096, q);
  for (int i = 0; i < 4096; ++i)
    in[i] = i * 2654435761u >> 9;
  for (int n : {0, 1, 63, 64, 65, 191, 192, 193, 255, 256, 257, 1000, 4000}) {
    check<int, size_t>(q, in, "int by size_t", 0, n);
    check<int, int>(q, in, "int by int", 0, n);
    check<unsigned, size_t>(q, in, "unsigned by size_t", 0u, n);
    check<size_t, size_t>(q, in, "size_t by size_t", size_t(0), size_t(n));
    check<long, int>(q, in, "long by int", 0L, long(n));
  }
  // below zero, and no number is below
  for (int n : {-1, -100, INT_MIN + 1000}) {
    check<int, int>(q, in, "int below zero", 0, n);
    check<long, int>(q, in, "long below zero", 0L, long(n));
  }
  check<int, int>(q, in, "from below zero", -1000, 500);
  check<int, long>(q, in, "from below zero by long", -1000, 500L);
  // near the end of what there is
  check<int, size_t>(q, in, "near the end", INT_MAX - 3000, INT_MAX - 500);
  check<int, long>(q, in, "near the end by long", INT_MAX - 3000, long(INT_MAX - 500));
  check<unsigned, unsigned>(q, in, "near the unsigned end", UINT_MAX - 3000, UINT_MAX - 500);
  std::printf("wrong %u\n", wrong);
  sycl::free(in, q);
}
//# file: shape.cpp
#include <sycl/sycl.hpp>
int main(int argc, char **) {
  sycl::queue q;
  const int rows = 4 * argc, n = 1000 * argc;
  float *in = sycl::malloc_shared<float>(rows * n, q);
  int *out = sycl::malloc_shared<int>(rows, q);
  q.parallel_for(sycl::nd_range<1>(4 * 64, 64), [=](sycl::nd_item<1> it) {
     for (int row = it.get_group(0); row < rows; row += it.get_group_range(0)) {
       const float *line = in + row * n, least = line[row];
       int count = 0, i = it.get_local_id(0);
       for (; i + 3 * it.get_local_range(0) < n; i += 4 * it.get_local_range(0)) {
         count += line[i] > least || (line[i] == least && i <= row);
         count += line[i + it.get_local_range(0)] > least;
         count += line[i + 2 * it.get_local_range(0)] > least;
         count += line[i + 3 * it.get_local_range(0)] > least;
       }
       for (; i < n; i += it.get_local_range(0))
         count += line[i] > least;
       count = sycl::reduce_over_group(it.get_group(), count, sycl::plus<>());
       if (it.get_local_id(0) == 0)
         out[row] = count;
       sycl::group_barrier(it.get_group());
     }
   }).wait();
}
