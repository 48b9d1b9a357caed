// What USM holds before anybody wrote it: zeroes on the embedded CPU device, as fresh memory of drivers for GPUs is, and so no run depends on
// what memory held before.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 of 216 were not zero
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstring>

int main() {
  sycl::queue queue;
  int wrong = 0, tried = 0;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t size : {1, 100, 4096, 70'000, 200'000, 40'000'000}) {
      for (std::size_t alignment : {1, 128, 65536}) {
        for (auto kind : {sycl::usm::alloc::host, sycl::usm::alloc::device, sycl::usm::alloc::shared}) {
          auto *memory = static_cast<unsigned char *>(sycl::aligned_alloc(alignment, size, queue, kind));
          bool zero = reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
          for (std::size_t i = 0; i < size; ++i)
            zero &= memory[i] == 0;
          wrong += !zero;
          ++tried;
          std::memset(memory, 0xa5, size);
          sycl::free(memory, queue);
        }
      }
    }
  }
  std::printf("%d of %d were not zero\n", wrong, tried);
}
