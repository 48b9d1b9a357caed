// Rows and columns of one number in loops that are none over items: reductions over a range, and loops of one item. Rows of all lengths, dividends and divisors of all
// kinds of integers, ranges that end anywhere; beside the same over items.
//# run: aspen++ -O2 -fwrapv -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 396
//# run: ./a.out
//# stdout: 0 wrong of 396
//# deep: at each level of optimisation, and as vectors
//# run: aspen++ -O0 -fwrapv -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 396
//# run: aspen++ -O3 -fwrapv -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 396
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images dot.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vmulpd.*zmm'
//# stdout~: ^[1-9][0-9]*$
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

struct place {
  size_t i, count;
  int width;
  const long *from;
  long *to;
};

static long write(const place &p, long value) {
  p.to[p.i] = value;
  return value * 3 + 1;
}

struct guarded {
  static long make(const place &p) {
    const auto x = p.i % p.width, y = p.i / p.width;
    if (x >= 2 && x < static_cast<size_t>(p.width - 2) && y >= 1)
      return write(p, p.from[p.i - 1] + 2 * p.from[p.i - p.width] + static_cast<long>(x * y));
    return 5;
  }
};
struct small_numbers {
  static long make(const place &p) {
    const short i = static_cast<short>(p.i), w = static_cast<short>(p.width);
    const int x = i % w, y = i / w;
    return write(p, p.from[p.i] * x - y);
  }
};
struct below_zero {
  static long make(const place &p) {
    const int i = static_cast<int>(p.i) - 300, x = i % p.width, y = i / p.width;
    return x < 0 ? x - y : write(p, p.from[p.i] + y * 1000);
  }
};
struct two_divisors {
  static long make(const place &p) {
    const unsigned i = static_cast<unsigned>(p.i), w = static_cast<unsigned>(p.width);
    const unsigned x = i % w, y = i / w % 7, z = i / (w * 7);
    return write(p, x + 10 * y + 100 * z) + (x + 1) % w;
  }
};
struct strides {
  static long make(const place &p) {
    const size_t i = 3 * p.i + 1, x = i % p.width, y = i / p.width;
    return write(p, static_cast<long>(x * 7 + y) + p.from[x < p.count ? x : 0]);
  }
};
/// What is divided behind a condition, by what only the launch knows, is the same for all of a row.
struct same_for_all {
  static long make(const place &p) {
    const unsigned y = static_cast<unsigned>(p.i / p.width), w = static_cast<unsigned>(p.width);
    return p.i * p.i % w > 9 ? write(p, p.from[(y + 3) % w % p.count] + 1) : 2;
  }
};

static int wrong = 0, checked = 0;

template <class How> static void check(sycl::queue &q, size_t count, int width) {
  long *const from = sycl::malloc_shared<long>(count, q), *const to = sycl::malloc_shared<long>(count, q), *const sum = sycl::malloc_shared<long>(1, q);
  std::vector<long> wanted(count, -1);
  unsigned long total = 0;
  for (size_t i = 0; i < count; ++i)
    from[i] = static_cast<long>(i * 37 % 101);
  for (size_t i = 0; i < count; ++i)
    total += static_cast<unsigned long>(How::make({i, count, width, from, wanted.data()}));
  const auto matches = [&](bool sums) {
    bool all = !sums || *sum == static_cast<long>(total);
    for (size_t i = 0; i < count; ++i)
      all = all && to[i] == wanted[i];
    return all;
  };
  const auto clear = [&] { *sum = 0, std::fill_n(to, count, -1); };
  clear();
  q.parallel_for(sycl::range<1>(count), sycl::reduction(sum, sycl::plus<long>()), [=](sycl::id<1> i, auto &all) { all += How::make({i, count, width, from, to}); }).wait();
  bool right = matches(true);
  clear();
  q.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { How::make({i, count, width, from, to}); }).wait();
  right = right && matches(false);
  clear();
  q.single_task([=] {
     long all = 0;
     for (size_t i = 0; i < count; ++i)
       all += How::make({i, count, width, from, to});
     *sum = all;
   }).wait();
  right = right && matches(true);
  if (!right)
    std::printf("%s: %zu numbers, rows of %d\n", __PRETTY_FUNCTION__, count, width);
  wrong += !right, ++checked;
  sycl::free(from, q), sycl::free(to, q), sycl::free(sum, q);
}

int main() {
  sycl::queue q;
  for (size_t count : {1, 7, 100, 129, 1000, 5003})
    for (int width : {1, 3, 23, 24, 31, 100, 127, 128, 129, 516, 30000}) {
      check<guarded>(q, count, width);
      check<small_numbers>(q, count, width);
      check<below_zero>(q, count, width);
      check<two_divisors>(q, count, width);
      check<strides>(q, count, width);
      check<same_for_all>(q, count, width);
    }
  std::printf("%d wrong of %d\n", wrong, checked);
}
//# file: dot.cpp
#include <sycl/sycl.hpp>
int main(int argc, char **) {
  sycl::queue q;
  const int width = 500 + argc;
  const size_t count = width * 300;
  double *const p = sycl::malloc_shared<double>(count, q), *const sum = sycl::malloc_shared<double>(1, q);
  q.parallel_for(sycl::range<1>(count), sycl::reduction(sum, sycl::plus<double>()), [=](sycl::id<1> i, auto &all) {
     const size_t x = i % width, y = i / width;
     if (x >= 2 && x < static_cast<size_t>(width - 2) && y >= 2)
       all += p[i] * p[i - width];
   }).wait();
}
