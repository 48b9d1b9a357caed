//! `ASPEN_LEAN_HEADERS` leaves the standard library's large headers to whoever needs them.
#define ASPEN_LEAN_HEADERS
#include <sycl/sycl.hpp>

#if defined(_GLIBCXX_IOSTREAM) || defined(_GLIBCXX_ALGORITHM) || defined(_GLIBCXX_UNORDERED_MAP) || defined(_GLIBCXX_NUMERIC)
#error "the lean header is not lean"
#endif

void nothing(sycl::queue &q) {
  q.single_task([] {});
}
