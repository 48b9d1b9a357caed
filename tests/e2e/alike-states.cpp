// What a function counts in its caller's variable is one variable of the loop, and not two that depend on each other: a reduction that adds behind a condition is
// made of vectors. Variables that only look alike stay two: other beginnings, other steps, other conditions, changes of places.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 774
//# run: ./a.out
//# stdout: 0 wrong of 774
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fsycl-id-queries-fit-in-int {self} -o a.out
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 774
//# deep: the count is made of vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images count.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vcmp(gt|lt|nle)ps'
//# stdout~: ^[1-9][0-9]*$
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int many = 129, length = 50;

struct counts {
  int same, again, later, faster, rarer, turned, other, sum;
  float alike, close;
};

static void count(const int *in, int &same, int &again, int &later, int &faster, int &rarer) {
  for (int k = 0; k < length; ++k) {
    if (in[k] > 10) {
      same += 1;
      again += 1;
      later += 1;
      faster += 2;
    }
    if (in[k] > 20)
      rarer += 1;
  }
}

static counts work(const int *in, size_t i) {
  counts of = {};
  of.later = 1;
  count(in + i, of.same, of.again, of.later, of.faster, of.rarer);
  int a = int(i), b = int(i) + 1, c = int(i), d = int(i);
  for (int k = 0; k < length; ++k) {
    const int was = a;
    a = b ^ in[i + k], b = was;                 // each is the other's next value
    c = c * 3 + in[i + k], d = d * 3 + in[i + k]; // the same all along
    of.sum += c == d;
  }
  of.turned = a - b, of.other = c ^ d;
  float x = 1, y = 1;
  for (int k = 0; k < length; ++k) {
    x = x * 0.5f + float(in[i + k]);
    y = k == 30 ? x : y * 0.5f + float(in[i + k] + (k == 40));
  }
  of.alike = x, of.close = y;
  return of;
}

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(many + length, q), *total = sycl::malloc_shared<int>(2, q);
  counts *out = sycl::malloc_shared<counts>(many, q), *next = sycl::malloc_shared<counts>(many, q);
  for (int i = 0; i < many + length; ++i)
    in[i] = int(unsigned(i * 2654435761u) >> 27);
  q.parallel_for(many, [=](sycl::id<1> i) { out[i] = work(in, i); });
  q.parallel_for(sycl::nd_range<1>(many, 43), [=](sycl::nd_item<1> it) { next[it.get_global_id(0)] = work(in, it.get_global_id(0)); });
  total[0] = 7;
  q.parallel_for(many, sycl::reduction(total, sycl::plus<int>()), [=](sycl::id<1> i, auto &sum) {
    if (in[i] > 15)
      sum += 2;
  });
  total[1] = 0;
  q.parallel_for(sycl::range<2>(3, 43), sycl::reduction(total + 1, 0, [](int a, int b) { return a + b; }), [=](sycl::id<2> i, auto &sum) {
    if (in[i[0] * 43 + i[1]] > 15)
      sum.combine(1);
  });
  q.wait();
  int wrong = 0, sum = 0;
  for (int i = 0; i < many; ++i) {
    const counts want = work(in, i);
    for (const counts *has : {out + i, next + i}) {
      wrong += has->same != want.same || has->again != want.again;
      wrong += has->later != want.later || has->faster != want.faster || has->rarer != want.rarer;
      wrong += has->turned != want.turned || has->other != want.other || has->sum != want.sum || has->alike != want.alike || has->close != want.close;
    }
    sum += in[i] > 15;
  }
  wrong += total[0] != 7 + 2 * sum || total[1] != sum;
  std::printf("%d wrong of %d\n", wrong, many * 6);
}
//# file: count.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  float *in = sycl::malloc_shared<float>(1 << 20, q);
  int *total = sycl::malloc_shared<int>(1, q);
  q.parallel_for(1 << 20, sycl::reduction(total, sycl::plus<int>()), [=](sycl::id<1> i, auto &sum) {
    if (in[i] > 0.5f)
      sum += 1;
  }).wait();
}
