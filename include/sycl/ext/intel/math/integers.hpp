//! Functions of whole numbers of `sycl::ext::intel::math`. Source: DPC++'s <sycl/ext/intel/math.hpp>, whose functions are those of CUDA's Math API,
//! "Integer Intrinsics".
#pragma once
#include <sycl/math.hpp>

namespace sycl::ext::intel::math {

inline unsigned brev(unsigned x) { return __builtin_bitreverse32(x); }
inline unsigned long long brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
/// Four of the eight bytes of `x`, the lower ones, and `y`, as the lower three bits of each of the selector's four digits say.
inline unsigned byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t both = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i)
    out |= static_cast<unsigned>(both >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return out;
}
inline int clz(int x) { return sycl::clz(x); }
inline int clzll(long long x) { return static_cast<int>(sycl::clz(x)); }
/// Which bit is the lowest that is set, counted from 1; 0 if there is none.
inline int ffs(int x) { return x == 0 ? 0 : sycl::ctz(x) + 1; }
inline int ffsll(long long x) { return x == 0 ? 0 : static_cast<int>(sycl::ctz(x)) + 1; }
inline int popc(unsigned x) { return static_cast<int>(sycl::popcount(x)); }
inline int popcll(unsigned long long x) { return static_cast<int>(sycl::popcount(x)); }
/// Half of the sum, which does not overflow, rounded down; `rhadd` and `urhadd` round up.
inline int hadd(int x, int y) { return sycl::hadd(x, y); }
inline int rhadd(int x, int y) { return sycl::rhadd(x, y); }
inline unsigned uhadd(unsigned x, unsigned y) { return sycl::hadd(x, y); }
inline unsigned urhadd(unsigned x, unsigned y) { return sycl::rhadd(x, y); }
/// The lower 32 bits of the product of the lower 24.
inline int mul24(int x, int y) {
  const auto low = [](int value) { return static_cast<int>(static_cast<unsigned>(value) << 8) >> 8; };
  return static_cast<int>(static_cast<unsigned>(low(x)) * static_cast<unsigned>(low(y)));
}
inline unsigned umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int mulhi(int x, int y) { return sycl::mul_hi(x, y); }
inline unsigned umulhi(unsigned x, unsigned y) { return sycl::mul_hi(x, y); }
inline long long mul64hi(long long x, long long y) { return sycl::mul_hi(x, y); }
inline unsigned long long umul64hi(unsigned long long x, unsigned long long y) { return sycl::mul_hi(x, y); }
/// The distance of `x` and `y`, and `z`.
inline unsigned sad(int x, int y, unsigned z) { return sycl::abs_diff(x, y) + z; }
inline unsigned usad(unsigned x, unsigned y, unsigned z) { return sycl::abs_diff(x, y) + z; }
#define __ASPEN_MOST(prefix, type)                                                                                                        \
  inline type prefix##max(type x, type y) { return x < y ? y : x; }                                                                        \
  inline type prefix##min(type x, type y) { return y < x ? y : x; }
__ASPEN_MOST(, int)
__ASPEN_MOST(u, unsigned)
__ASPEN_MOST(ll, long long)
__ASPEN_MOST(ull, unsigned long long)
#undef __ASPEN_MOST

} // namespace sycl::ext::intel::math
