// The overhead of a launch: an empty single_task on the embedded CPU device, submitted and waited for, the best of several rounds.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

class empty;

int main() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  const auto launch = [&] { queue.single_task<empty>([] {}); };
  launch(); // loads the image
  queue.wait();
  constexpr int rounds = 20, launches = 2000;
  double single = 1e300, batch = 1e300;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto ns = [](auto from, auto to) { return std::chrono::duration<double, std::nano>(to - from).count() / launches; };
  for (int round = 0; round < rounds; ++round) {
    const auto start = now();
    for (int index = 0; index < launches; ++index) {
      launch();
      queue.wait();
    }
    const auto waited = now();
    for (int index = 0; index < launches; ++index)
      launch();
    queue.wait();
    const auto end = now();
    single = std::min(single, ns(start, waited));
    batch = std::min(batch, ns(waited, end));
  }
  std::printf("launch-and-wait ns=%.0f\nlaunch ns=%.0f\n", single, batch);
}
