// What random programs have in common.
#pragma once
#include <sycl/sycl.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>
namespace rnd {
template <class T, int N> using ext = T __attribute__((ext_vector_type(N)));
template <class T> constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, sycl::half>;
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}
/// Adds a number to an item's result.
template <class T> inline void add(std::uint64_t &hash, T value) {
  if constexpr (std::is_same_v<T, double>)
    hash = mix(hash, std::uint64_t(std::int64_t(value * 1024.0)));
  else if constexpr (is_float<T>)
    hash = mix(hash, std::uint64_t(std::int64_t(float(value) * 1024.0f)));
  else
    hash = mix(hash, std::uint64_t(std::int64_t(value)));
}
template <class T> void fill(std::vector<T> &values, std::uint64_t seed) {
  std::uint64_t state = seed | 1;
  for (T &value : values) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if constexpr (is_float<T>)
      value = T(float(state >> 20 & 63));
    else
      value = T(state >> 11);
  }
}
template <class T, std::size_t N> int compare(int number, const char *what, const std::vector<T> &values, const T (&expected)[N]) {
  int wrong = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (values[i] != expected[i] && ++wrong <= 3)
      std::printf("WRONG %d %s[%zu] is %llx, not %llx\n", number, what, i, (unsigned long long)values[i], (unsigned long long)expected[i]);
  return wrong;
}
} // namespace rnd
