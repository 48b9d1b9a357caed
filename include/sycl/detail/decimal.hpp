//! Floating-point numbers as exact decimal digits, with integers only: a kernel that prints a float needs no double, and no library.
//!
//! m·2^e with e < 0 is (m·5^-e)·10^e, so every number is one long integer and the place of its point. Rounding is exact, to even.
#pragma once
#include <cstdint>
#include <sycl/detail/config.hpp>

namespace sycl::detail {

/// A long integer in base 10^9, the lowest word first, and how many of its decimal digits stand behind the point.
template <int Words> class decimal {
public:
  decimal(std::uint64_t fraction, int exponent) : point_(fraction != 0 && exponent < 0 ? -exponent : 0) {
    for (; fraction != 0; fraction /= base)
      words_[used_++] = static_cast<std::uint32_t>(fraction % base);
    for (; exponent > 0 && used_ > 0; exponent -= exponent < 29 ? exponent : 29)
      multiply(1u << (exponent < 29 ? exponent : 29));
    for (; exponent < 0 && used_ > 0; exponent += exponent > -12 ? -exponent : 12) {
      std::uint32_t fives = 1;
      for (int i = exponent > -12 ? exponent : -12; i < 0; ++i)
        fives *= 5;
      multiply(fives);
    }
  }

  /// Digits behind the point; those of `digit` below it.
  int point() const { return point_; }
  /// How many digits there are; at least one.
  int length() const {
    if (used_ == 0)
      return 1;
    int digits = 9 * (used_ - 1);
    for (std::uint32_t top = words_[used_ - 1]; top != 0; top /= 10)
      ++digits;
    return digits;
  }
  /// The digit with that place value, 0 for the lowest one.
  int digit(int at) const {
    if (at < cut_ || at < 0 || at / 9 >= used_)
      return 0;
    std::uint32_t word = words_[at / 9];
    for (int i = at % 9; i > 0; --i)
      word /= 10;
    return static_cast<int>(word % 10);
  }
  /// Rounds the lowest `drop` digits away; nothing for none.
  void round(int drop) {
    if (drop <= 0)
      return;
    const int half = digit(drop - 1);
    bool more = false;
    for (int at = 0; at < drop - 1 && !more; ++at)
      more = digit(at) != 0;
    const bool up = half > 5 || (half == 5 && (more || digit(drop) % 2 != 0));
    cut_ = drop;
    if (!up)
      return;
    std::uint32_t add = 1;
    for (int i = drop % 9; i > 0; --i)
      add *= 10;
    for (int at = drop / 9; add != 0; ++at) {
      while (used_ <= at)
        words_[used_++] = 0;
      words_[at] += add;
      add = words_[at] >= base;
      words_[at] -= add ? base : 0;
    }
  }

private:
  static constexpr std::uint32_t base = 1000000000;
  void multiply(std::uint32_t by) {
    std::uint64_t carry = 0;
    for (int at = 0; at < used_; ++at) {
      carry += std::uint64_t(words_[at]) * by;
      words_[at] = static_cast<std::uint32_t>(carry % base);
      carry /= base;
    }
    for (; carry != 0; carry /= base)
      words_[used_++] = static_cast<std::uint32_t>(carry % base);
  }

  std::uint32_t words_[Words];
  int used_ = 0;
  int point_;
  int cut_ = 0; // digits below count as zero
};

} // namespace sycl::detail
