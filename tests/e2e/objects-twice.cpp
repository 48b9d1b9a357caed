// An object that takes part twice, as the linker may have it, counts once: its kernels are not those of two objects.
//# run: aspen++ -O1 -fsycl-targets=native_cpu -c counts.cpp
//# run: clang++-22 -c main.cpp -o main.o
//# run: aspen++ -fsycl-targets=native_cpu main.o counts.o counts.o -o a.out
//# run: ./a.out
//# stdout: 14
// What the linker refuses, it tells itself.
//# run: aspen++ -O1 -fsycl-targets=native_cpu -c strong.cpp
//# sh: cp strong.o copy.o
//# run: aspen++ -fsycl-targets=native_cpu main.o counts.o strong.o copy.o -o b.out
//# exit: 1
//# stderr~: multiple definition of .exported
//# count: 0 stderr error: device function
//# file: counts.cpp
#include <sycl/sycl.hpp>
class Adds;
namespace {
struct Seven {
  int *at;
  void operator()() const { *at += 7; }
};
} // namespace
inline int total = 0;
inline int *sum() { return &total; }
namespace {
// All that another file can name is inline.
const bool once = [] {
  sycl::queue q;
  int *at = sycl::malloc_shared<int>(1, q);
  *at = *sum();
  q.single_task<Adds>(Seven{at}).wait();
  *sum() = *at;
  sycl::free(at, q);
  return true;
}();
} // namespace
//# file: strong.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int exported(int x) { return x; }
//# file: main.cpp
#include <cstdio>
extern int total;
int main() { std::printf("%d\n", total); }
