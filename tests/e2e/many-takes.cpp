// A kernel whose lanes take from each other so often that a function for its groups has thousands of loops links, is told to have no vectors, and is right.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Rpass-missed=aspen-items {self} -o a.out
//# stderr~: loops between barriers, too many for vectors
//# run: ./a.out
//# stdout: 0 wrong
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int steps = 300, size = 96;

int main() {
  sycl::queue q;
  unsigned *out = sycl::malloc_shared<unsigned>(size, q);
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
     unsigned x = it.get_local_id(0);
#pragma clang loop unroll(full)
     for (int k = 0; k < steps; ++k)
       x = x * 3 + sycl::permute_group_by_xor(it.get_sub_group(), x, 1 + k % 7);
     out[it.get_local_id(0)] = x;
   }).wait();
  unsigned want[size], next[size];
  for (unsigned i = 0; i < size; ++i)
    want[i] = i;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < size; ++i)
      next[i] = want[i] * 3 + want[i / 32 * 32 + (i % 32 ^ (1 + k % 7))];
    std::copy(next, next + size, want);
  }
  int wrong = 0;
  for (int i = 0; i < size; ++i)
    wrong += out[i] != want[i];
  std::printf("%d wrong\n", wrong);
}
