// What both sides of the GPU bench share: sizes, the clock, and lines `side|label|minimum|median` of five samples in microseconds.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {

constexpr unsigned floats = 1u << 28;    // of what is bound by memory
constexpr unsigned bodies = 1u << 16;
constexpr unsigned field = 1u << 14;     // the side of a stencil's field
constexpr unsigned matrix = 1u << 12;    // the side of a matrix
constexpr unsigned vectors = 1u << 22;   // of four floats
constexpr unsigned steps = 256;          // of arithmetic on each of them
constexpr unsigned bins = 256;

inline float first(unsigned i) { return static_cast<float>(i % 1013) * 0.002f + 0.25f; }
inline float second(unsigned i) { return static_cast<float>(i % 499) * 0.004f - 0.5f; }

inline int wrong = 0;
inline void right(const char *side, const char *label, bool is) {
  if (!is) {
    std::printf("WRONG %s %s\n", side, label);
    ++wrong;
  }
}

/// `launch` starts one, `wait` waits for all that were started.
template <class Launch, class Wait> void measure(const char *side, const char *label, int times, Launch launch, Wait wait) {
  using clock = std::chrono::steady_clock;
  std::vector<double> samples;
  for (int sample = -1; sample < 5; ++sample) {
    const auto begin = clock::now();
    for (int i = 0; i < times; ++i)
      launch();
    wait();
    const double each = std::chrono::duration<double, std::micro>(clock::now() - begin).count() / times;
    if (sample >= 0)
      samples.push_back(each);
  }
  std::sort(samples.begin(), samples.end());
  std::printf("%s|%s|%.3f|%.3f\n", side, label, samples[0], samples[2]);
  std::fflush(stdout);
}

} // namespace bench
