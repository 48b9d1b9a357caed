//! `dim3`: a size whose first dimension runs fastest, as CUDA counts. Source: SYCLcompat's README, "dim3".
#pragma once
#include <cstddef>
#include <stdexcept>
#include <sycl/nd_range.hpp>
#include <sycl/range.hpp>

namespace syclcompat {

/// `dim3(32, 4, 2)` is `range<3>(2, 4, 32)`.
class dim3 {
public:
  unsigned x, y, z;

  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  dim3(const sycl::range<3> &r) : dim3(unsigned(r[2]), unsigned(r[1]), unsigned(r[0])) {}
  dim3(const sycl::range<2> &r) : dim3(unsigned(r[1]), unsigned(r[0])) {}
  dim3(const sycl::range<1> &r) : dim3(unsigned(r[0])) {}

  constexpr size_t size() const { return size_t(x) * y * z; }

  operator sycl::range<3>() const { return sycl::range<3>(z, y, x); }
  /// std::invalid_argument where a dimension would be lost.
  operator sycl::range<2>() const {
    if (z != 1)
      throw std::invalid_argument("dim3: a range of two dimensions cannot hold z, which is not 1");
    return sycl::range<2>(y, x);
  }
  operator sycl::range<1>() const {
    if (z != 1 || y != 1)
      throw std::invalid_argument("dim3: a range of one dimension cannot hold y and z, which are not 1");
    return sycl::range<1>(x);
  }
};

#define __ASPEN_DIM3(op)                                                                                                                  \
  inline dim3 operator op(const dim3 &a, const dim3 &b) { return dim3(a.x op b.x, a.y op b.y, a.z op b.z); }
__ASPEN_DIM3(*)
__ASPEN_DIM3(+)
__ASPEN_DIM3(-)
#undef __ASPEN_DIM3

inline bool operator==(const dim3 &a, const dim3 &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
inline bool operator!=(const dim3 &a, const dim3 &b) { return !(a == b); }

} // namespace syclcompat
