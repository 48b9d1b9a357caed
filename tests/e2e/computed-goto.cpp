// Blocks whose addresses are taken.
//# run: aspen++ -O2 -fsycl-targets=native_cpu goto.cpp -o a.out
//# run: ./a.out
//# stdout: 0 wrong
//# file: goto.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
int step(int op, int x) {
  static const void *const table[] = {&&add, &&mul, &&sub};
  goto *table[op % 3];
add: return x + 1;
mul: return x * 3;
sub: return x - 5;
}
int main() {
  sycl::queue q; int *o = sycl::malloc_shared<int>(64, q);
  q.parallel_for(64, [=](sycl::id<1> i) { o[i] = step(int(i), int(i)); }).wait();
  int bad = 0; for (int i = 0; i < 64; ++i) bad += o[i] != (i % 3 == 0 ? i + 1 : i % 3 == 1 ? i * 3 : i - 5);
  std::printf("%d wrong\n", bad);
}
