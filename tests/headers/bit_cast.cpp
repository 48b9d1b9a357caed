//! The bytes of one type as another.
#include <sycl/bit_cast.hpp>

struct four {
  unsigned char bytes[4];
};
static_assert(sycl::bit_cast<unsigned>(1.0f) == 0x3f800000u && sycl::bit_cast<four>(0x01020304u).bytes[3] == 1);
static_assert(noexcept(sycl::bit_cast<int>(1u)) && sycl::bit_cast<float>(sycl::bit_cast<int>(-2.5f)) == -2.5f);
