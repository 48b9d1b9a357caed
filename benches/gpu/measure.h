// What both sides of the GPU bench share: sizes, the clock, and lines `side|label|minimum|median` of five samples in microseconds.
#pragma once
#include "data.h"
#include <algorithm>
#include <chrono>
#include <cmath>
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

// What the algorithms must leave behind.

/// Copy and scale once or more often leave b = a / 2, add c = a + b, and each triad what it did once: a = b + c / 2.
inline bool stream_is_right(double last, double dot) {
  const double b = 0.5 * 0.125, c = 0.125 + b, a = b + 0.5 * c;
  return last == a && std::abs(dot / (a * b * doubles) - 1) < 1e-9;
}
inline bool histogram_is_right(const std::vector<unsigned> &found, unsigned times) {
  std::vector<unsigned> wanted(bins);
  for (unsigned i = 0; i < items; ++i)
    wanted[mixed(i) & 255] += times;
  return found == wanted;
}
inline bool sort_is_right(const std::vector<unsigned> &found) {
  std::vector<unsigned> wanted(sorted);
  for (unsigned i = 0; i < sorted; ++i)
    wanted[i] = mixed(i);
  std::sort(wanted.begin(), wanted.end());
  return found == wanted;
}
inline bool scan_is_right(const std::vector<unsigned> &found) {
  unsigned before = 0;
  for (unsigned i = 0; i < items; before += small_number(i++))
    if (found[i] != before)
      return false;
  return true;
}
inline bool product_is_right(const std::vector<float> &found) {
  for (unsigned row = 0; row < rows; row += 7) {
    float wanted = 0;
    for (unsigned k = 0; k < filled; ++k)
      wanted += element(row, k) * factor(column(row, k));
    // Multiples of an eighth, and few enough: exact in any order.
    if (found[row] != wanted)
      return false;
  }
  return true;
}

} // namespace bench
