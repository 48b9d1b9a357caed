// A kernel whose loop over items is too long for vectors (0012) is compiled without them, and gives what the host gives.
#include <sycl/sycl.hpp>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int steps = 700, size = 64;

template <int N> inline void step(unsigned &x, const unsigned *table) {
  x = (x ^ table[(x + N) % size]) * (2654435761u + 2 * N) + (x >> (N % 13));
}
template <int... N> inline unsigned all(unsigned x, const unsigned *table, std::integer_sequence<int, N...>) {
  (step<N>(x, table), ...);
  return x;
}
inline unsigned all(unsigned x, const unsigned *table) { return all(x, table, std::make_integer_sequence<int, steps>()); }

int main() {
  sycl::queue q;
  auto *out = sycl::malloc_shared<unsigned>(4 * size, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<unsigned, 1> table(size, h);
    h.parallel_for(sycl::nd_range<1>(4 * size, size), [=](sycl::nd_item<1> item) {
      unsigned local = item.get_local_id(0), own = item.get_global_id(0);
      table[local] = local * 977;
      sycl::group_barrier(item.get_group());
      out[own] = all(own, &table[0]);
    });
  }).wait();
  std::vector<unsigned> table(size);
  for (int i = 0; i < size; ++i)
    table[i] = i * 977;
  int wrong = 0;
  for (unsigned i = 0; i < 4 * size; ++i)
    wrong += out[i] != all(i, table.data());
  std::printf("%d wrong\n", wrong);
  sycl::free(out, q);
}
//# run: aspen++ -O2 long-kernels.cpp -o long
//# run: ./long
//# stdout: 0 wrong
