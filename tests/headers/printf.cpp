//! printf and assert in device code.
#include <sycl/printf.hpp>

SYCL_EXTERNAL int prints(int n) {
  assert(n != 3);
  return sycl::ext::oneapi::experimental::printf("%d of %d\n", n, 7) + std::printf("plain\n");
}
