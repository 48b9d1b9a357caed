// What a trace costs: 100000 launches of kernels that are empty or take some 15 us, submitted one after the other in batches: nanoseconds a
// launch, in the batch that took the median. Run with and without ASPEN_TRACE.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

class empty;
class busy;

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::uint64_t *state = sycl::malloc_shared<std::uint64_t>(1, queue);
  *state = 1;
  const auto measure = [&](const char *label, const auto &launch) {
    launch(); // loads the image
    queue.wait();
    constexpr int launches = 100000, batch = 100;
    std::vector<double> took;
    for (int index = 0; index < launches; index += batch) {
      const auto start = std::chrono::steady_clock::now();
      for (int one = 0; one < batch; ++one)
        launch();
      queue.wait();
      const auto end = std::chrono::steady_clock::now();
      took.push_back(std::chrono::duration<double, std::nano>(end - start).count() / batch);
    }
    std::nth_element(took.begin(), took.begin() + took.size() / 2, took.end());
    std::printf("%s ns=%.0f\n", label, took[took.size() / 2]);
  };
  measure("trace-empty", [&] { queue.single_task<empty>([] {}); });
  measure("trace-busy", [&] {
    queue.single_task<busy>([=] {
      std::uint64_t value = *state;
      for (int step = 0; step < 9000; ++step) { // each needs the one before
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
      }
      *state = value;
    });
  });
  sycl::free(state, queue);
}
