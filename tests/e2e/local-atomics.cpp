// Atomic operations on local memory: all of them, of all types, with and without their results, in loops, behind conditions, in places of each item's own and in
// common ones, through pointers that may be to either memory, beside global ones and across barriers.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 60
//# run: ./a.out
//# stdout: 0 wrong of 60
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 60
//# deep: further levels of optimisation
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 60
//# deep: nothing of a histogram waits for other threads
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images histogram.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | sed -n '/group/,$p' | grep -cw lock; true
//# stdout: 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

using sycl::memory_order;
using sycl::memory_scope;
template <class T, memory_order Order = memory_order::relaxed> using in_group = sycl::atomic_ref<T, Order, memory_scope::work_group>;
template <class T> using in_device = sycl::atomic_ref<T, memory_order::relaxed, memory_scope::device>;

static unsigned some(size_t i) { return unsigned(i * 2654435761u) >> 16; }

// Sums, bits, least and greatest in one place; places of `some`; tickets, which are each number once; a maximum by comparing; what is written last by one item.
template <class T> int run(sycl::queue &q, size_t groups, size_t local, bool global) {
  constexpr size_t bins = 16;
  const size_t n = groups * local;
  T *places = sycl::malloc_shared<T>(groups * bins, q), *in_common = sycl::malloc_shared<T>(groups * 8, q), *elsewhere = sycl::malloc_shared<T>(groups * bins, q);
  unsigned *tickets = sycl::malloc_shared<unsigned>(n, q);
  for (size_t i = 0; i < groups * bins; ++i)
    elsewhere[i] = 0;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<T, 1> bin(bins, h), common(8, h);
     sycl::local_accessor<unsigned, 1> next(1, h);
     h.parallel_for(sycl::nd_range<1>(n, local), [=](sycl::nd_item<1> it) {
       const size_t i = it.get_global_id(0), l = it.get_local_id(0), g = it.get_group(0);
       for (size_t k = l; k < bins; k += local)
         bin[k] = 0;
       if (l == 0) {
         for (int k = 0; k < 8; ++k)
           common[k] = k == 1 ? T(1 << 20) : T(0);
         next[0] = 0;
       }
       sycl::group_barrier(it.get_group());
       const T own = T(some(i) % 1000);
       T *either = global ? elsewhere + g * bins : &bin[0];
       for (unsigned k = 0; k < 5; ++k)
         in_group<T>(either[some(i + k) % bins]).fetch_add(T(k + 1));
       in_group<T, memory_order::acq_rel>(common[0]).fetch_add(own);
       in_group<T>(common[1]).fetch_min(own + 1);
       in_group<T>(common[2]).fetch_max(own);
       if (some(i) & 1)
         in_group<T, memory_order::seq_cst>(common[3]) += 1;
       T seen = in_group<T>(common[4]).load();
       while (seen < own && !in_group<T>(common[4]).compare_exchange_weak(seen, own))
         ;
       if (l == local / 2)
         in_group<T>(common[5]).store(own);
       in_group<T>(common[6]).fetch_sub(own);
       tickets[i] = in_group<unsigned>(next[0]).fetch_add(1u);
       sycl::group_barrier(it.get_group());
       if (l < bins)
         for (size_t k = l; k < bins; k += local)
           places[g * bins + k] = global ? elsewhere[g * bins + k] : bin[k];
       if (l == 0)
         for (size_t k = 0; k < 8; ++k)
           in_common[g * 8 + k] = common[k];
     });
   }).wait();
  int wrong = 0;
  for (size_t g = 0; g < groups; ++g) {
    T bin[bins] = {}, sum = 0, least = 1 << 20, most = 0, odd = 0;
    std::vector<char> had(local);
    bool once = true;
    for (size_t i = g * local; i < (g + 1) * local; ++i) {
      const T own = T(some(i) % 1000);
      for (unsigned k = 0; k < 5; ++k)
        bin[some(i + k) % bins] += T(k + 1);
      sum += own, least = std::min(least, T(own + 1)), most = std::max(most, own), odd += some(i) & 1;
      once = once && tickets[i] < local && !had[tickets[i]]++;
    }
    const T *c = in_common + g * 8, expected[] = {sum, least, most, odd, most, T(some(g * local + local / 2) % 1000), -sum};
    bool right = once;
    for (size_t k = 0; k < bins; ++k)
      right = right && places[g * bins + k] == bin[k];
    for (size_t k = 0; k < 7; ++k)
      right = right && c[k] == expected[k];
    wrong += !right;
  }
  for (void *p : {static_cast<void *>(places), static_cast<void *>(in_common), static_cast<void *>(elsewhere), static_cast<void *>(tickets)})
    sycl::free(p, q);
  return wrong != 0;
}

int main() {
  sycl::queue q;
  int wrong = 0, of = 0;
  for (size_t local : {1, 7, 32, 100, 256, 1024})
    for (bool global : {false, true}) {
      const int all[] = {run<int>(q, 5, local, global), run<unsigned>(q, 5, local, global), run<long>(q, 5, local, global), run<float>(q, 5, local, global),
                         run<double>(q, 5, local, global)};
      for (int one : all)
        wrong += one, ++of;
    }
  std::printf("%d wrong of %d\n", wrong, of);
}
//# file: histogram.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  unsigned *out = sycl::malloc_shared<unsigned>(256, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<unsigned, 1> bins(256, h);
    h.parallel_for(sycl::nd_range<1>(1 << 16, 256), [=](sycl::nd_item<1> it) {
      const size_t i = it.get_local_id(0);
      bins[i] = 0;
      sycl::group_barrier(it.get_group());
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(bins[it.get_global_id(0) * 2654435761u >> 24]).fetch_add(1u);
      sycl::group_barrier(it.get_group());
      out[i] = bins[i];
    });
  }).wait();
}
