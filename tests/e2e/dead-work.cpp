// A generator that is scrambled before an item steps through its numbers: that the scrambling is done again elsewhere leaves a chain that nobody uses, each link of which uses the one
// before twice. LLVM 22's vectoriser follows what is dead by every way that leads there, so it must be gone before. Links in a moment, and is right.
//# run: aspen++ -O3 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>

// Marsaglia's generator KISS, begun with MurmurHash's last steps.
struct kiss {
  std::uint32_t x, y, z, c = 1;
  static std::uint32_t mixed(std::uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
  }
  explicit kiss(std::uint32_t seed) : x(seed), y(seed), z(seed) {
    for (int scrambled = 0; scrambled < 8; ++scrambled)
      x = mixed(z), y = mixed(x), z = mixed(y);
  }
  std::uint32_t half() {
    const std::uint64_t t = 4294584393ul * z + c;
    x = 1664525 * x + 1013904223;
    y ^= y << 13, y ^= y >> 17, y ^= y << 5;
    c = std::uint32_t(t >> 32), z = std::uint32_t(t);
    return x + y + z;
  }
  std::uint64_t next() {
    const std::uint64_t high = half();
    return high << 32 | half();
  }
};

int main() {
  sycl::queue q;
  const std::uint64_t n = 10007, range = 1024;
  auto *out = sycl::malloc_shared<std::uint64_t>(n, q);
  q.parallel_for(sycl::nd_range<1>(range, 256), [=](sycl::nd_item<1> it) {
     const std::uint32_t first = it.get_global_id(0);
     kiss numbers(42 + first);
     const auto step = it.get_local_range(0) * it.get_group_range(0);
     for (std::uint64_t i = first; i < n; i += step)
       out[i] = numbers.next();
   }).wait();
  int wrong = 0;
  for (std::uint32_t first = 0; first < range; ++first) {
    kiss numbers(42 + first);
    for (std::uint64_t i = first; i < n; i += range)
      wrong += out[i] != numbers.next();
  }
  std::printf("wrong %d\n", wrong);
}
