// What all items add to one place, without asking what was there, is summed in the loop over items: sums, differences and bits, of integers and of floating point, behind
// guards and conditions, in kernels over ranges; and what is not, since an item looks there afterwards, something else in the loop is atomic, or orders what
// others see. A place that no item comes to is not touched.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 84
//# run: ./a.out
//# stdout: 0 wrong of 84
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 84
//# deep: further levels of optimisation
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 84
//# deep: counters and sums are vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images counter.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vp?(add|sub)[dp][ds]? .*zmm|vaddps.*zmm'
//# stdout~: ^[1-9][0-9]*$
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

template <class T, sycl::memory_order Order = sycl::memory_order::relaxed>
using counter = sycl::atomic_ref<T, Order, sycl::memory_scope::device>;

static int some(size_t i) { return int(unsigned(i * 2654435761u) >> 24); }

struct tally {
  int count, guarded, minus, bits, exclusive, all, pairs, looped, stepped, behind, released, ticket_of_one;
  float sum;
  double product_sum;
};

static bool same(const tally &a, const tally &b) {
  const int x[] = {a.count, a.guarded, a.minus, a.bits, a.exclusive, a.all, a.pairs, a.looped, a.stepped, a.behind, a.released, a.ticket_of_one},
            y[] = {b.count, b.guarded, b.minus, b.bits, b.exclusive, b.all, b.pairs, b.looped, b.stepped, b.behind, b.released, b.ticket_of_one};
  bool alike = a.sum == b.sum && a.product_sum == b.product_sum;
  for (size_t k = 0; k < std::size(x); ++k)
    if (x[k] != y[k])
      std::printf("value %zu: %d, not %d\n", k, x[k], y[k]), alike = false;
  return alike;
}

// What an item does, and the host for it: `At` is how something is added, `many` how many items there are.
template <template <class> class At> void work(tally *out, size_t i, size_t many, size_t end, const int *in, int *never) {
  if (in[i] > 100)
    At<int>(out->count).add(1);
  if (in[i] > 300)
    At<int>(*never).add(1);
  At<float>(out->sum).add(float(in[i] & 15));
  At<double>(out->product_sum).subtract(double(in[i]) * 0.25);
  if (int(i) < int(end))
    At<int>(out->guarded).add(in[i]);
  At<int>(out->minus).subtract(in[i] * 3);
  At<int>(out->bits).either(1 << (in[i] & 31));
  At<int>(out->exclusive).exclusive(in[i] * int(i));
  At<int>(out->all).both(in[i] | ~0xff);
  int row = 0;
  for (size_t k = 0; k < 16; ++k)
    row += in[(i + k) % many] * int(k);
  At<int>(out->looped).add(row);
  for (size_t k = i; k < many; k += 37 * (i % 3 + 1))
    if (in[k] == 7)
      At<int>(out->stepped).add(1);
  if (i == many / 2) {
    At<int>(out->behind).add(5);
    At<int>(out->pairs).add(out->behind == 5 ? 1 : 1000); // it sees its own
  }
}

template <class T> struct of_device {
  explicit of_device(T &place) : at(place) {}
  counter<T> at;
  void add(T value) const { at.fetch_add(value); }
  void subtract(T value) const { at.fetch_sub(value); }
  void either(T value) const { at.fetch_or(value); }
  void exclusive(T value) const { at.fetch_xor(value); }
  void both(T value) const { at.fetch_and(value); }
};
template <class T> struct of_host {
  explicit of_host(T &place) : at(place) {}
  T &at;
  void add(T value) const { at += value; }
  void subtract(T value) const { at -= value; }
  void either(T value) const { at |= value; }
  void exclusive(T value) const { at ^= value; }
  void both(T value) const { at &= value; }
};

int main() {
  sycl::queue q;
  int wrong = 0, of = 0;
  tally *out = sycl::malloc_shared<tally>(1, q);
  auto check = [&](size_t many, size_t end, const int *in, auto launch) {
    tally expected{};
    *out = {};
    out->all = expected.all = ~0;
    for (size_t i = 0; i < many; ++i) {
      work<of_host>(&expected, i, many, end, in, nullptr);
      expected.released += in[i], expected.ticket_of_one = 1;
    }
    launch();
    ++of, wrong += !same(*out, expected);
  };
  for (size_t many : {1, 7, 64, 100, 256, 1000, 5040}) {
    int *in = sycl::malloc_shared<int>(many, q);
    for (size_t i = 0; i < many; ++i)
      in[i] = some(i);
    for (size_t end : {size_t(0), many / 3, many})
      for (size_t local : {0, 1, 7, 50}) {
        tally *const to = out;
        auto more = [=](size_t i) {
          counter<int, sycl::memory_order::acq_rel>(to->released).fetch_add(in[i]);
          if (i == many - 1)
            to->ticket_of_one = counter<int>(to->ticket_of_one).fetch_add(1) + 1;
        };
        int *const never = nullptr;
        check(many, end, in, [&] {
          if (local == 0)
            q.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { work<of_device>(to, i, many, end, in, never), more(i); }).wait();
          else
            q.parallel_for(sycl::nd_range<1>((many + local - 1) / local * local, local), [=](sycl::nd_item<1> it) {
               const size_t i = it.get_global_id(0);
               if (i >= many)
                 return;
               work<of_device>(to, i, many, end, in, never), more(i);
             }).wait();
        });
      }
    sycl::free(in, q);
  }
  std::printf("%d wrong of %d\n", wrong, of);
}
//# file: counter.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  const size_t n = 1 << 16;
  float *in = sycl::malloc_shared<float>(n, q), *sum = sycl::malloc_shared<float>(1, q);
  int *count = sycl::malloc_shared<int>(1, q);
  q.parallel_for(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
     if (in[it.get_global_id(0)] > 0.5f)
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*count)++;
   }).wait();
  q.parallel_for(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
     sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum) += in[it.get_global_id(0)];
   }).wait();
}
