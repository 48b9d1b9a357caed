// Code under `__cpp_exceptions`, as frameworks of tests have it, is in device passes, too, but the C++ library's functions do not throw there.
//# run: aspen++ -fsycl-targets=native_cpu,spir64 -std=c++20 {self} -o a.out
//# run: ./a.out
//# stdout: 7 3 caught
//# run: aspen++ -fsycl-targets=native_cpu -fno-exceptions -std=c++20 {self} -o without.out
//# run: ./without.out
//# stdout: 7 3 none
#include <cstdio>
#include <optional>
#include <sycl/sycl.hpp>

template <class F> const char *runs(F f) {
#if defined(__cpp_exceptions)
#ifndef __EXCEPTIONS
#error "one without the other"
#endif
  try {
    f();
    throw 1;
  } catch (...) {
    return "caught";
  }
#else
  f();
  return "none";
#endif
}

int main() {
  sycl::queue q;
  int *const m = sycl::malloc_shared<int>(2, q);
  const std::optional<int> three(3);
  const char *const end = runs([&] {
    q.single_task([=] {
       m[0] = 7;
       m[1] = three.value();
     }).wait();
  });
  std::printf("%d %d %s\n", m[0], m[1], end);
  sycl::free(m, q);
}
