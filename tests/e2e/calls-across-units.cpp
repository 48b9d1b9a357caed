// What a call through a pointer may reach in another translation unit counts, too. Source: DESIGN §7.5, §7.7.
//# also: shared/run_kernel.hpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Wno-sycl-strict -c shapes.cpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Wno-sycl-strict main.cpp shapes.o -o a.out
//# run: ./a.out
//# stdout: virtual 12
//# stdout: pointer 7
//# stdout: neither 3
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout~: ^kernel 'Virtual' cannot run on 'intel_gpu_dg1': +needs aspect fp64: shapes.cpp:5:\d+ in '\(anonymous namespace\)::Square::area', called from 'area_of' main.cpp:3:\d+, through a function pointer \(one of 2 targets\), called from 'lambda at main.cpp:8:27' main.cpp:10:\d+, called from the kernel .*run_kernel.hpp:18:\d+$
//# stdout~: ^kernel 'Pointer' cannot run on 'intel_gpu_dg1': +needs aspect fp64: shapes.cpp:11:\d+ in '\(anonymous namespace\)::halves', called from 'lambda at main.cpp:12:27' main.cpp:12:\d+, through a function pointer \(the only target\), called from the kernel .*run_kernel.hpp:18:\d+$
//# stdout: neither 3
// What optimisation leaves of it.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-requirements=optimized -Wno-sycl-strict main.cpp shapes.cpp -o optimized.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./optimized.out
//# stdout~: ^kernel 'Virtual' cannot run
//# stdout~: ^kernel 'Pointer' cannot run
//# stdout: neither 3
//# file: shapes.hpp
#include <sycl/sycl.hpp>
struct Shape {
  int side;
  virtual int area() const { return side; }
};
using Function = int(int, char);
SYCL_EXTERNAL Shape *make_square(void *at, int side);
SYCL_EXTERNAL Function *chosen();
//# file: shapes.cpp
#include "shapes.hpp"
#include <new>
namespace {
struct Square : Shape {
  int area() const override { volatile double d = side; return int(d * 0.75 * side); }
};
int halves(int x, char) {
  // The type is what a call through a pointer goes by.
  const int whole = x;
  volatile int kept = whole;
  volatile double half = kept;
  return int(half * 0.5);
}
} // namespace
SYCL_EXTERNAL Shape *make_square(void *at, int side) {
  Square *square = new (at) Square;
  square->side = side;
  return square;
}
SYCL_EXTERNAL Function *chosen() { return halves; }
//# file: main.cpp
#include "shapes.hpp"
#include "run_kernel.hpp"
[[gnu::noinline]] int area_of(const Shape *shape) { return shape->area(); }
class Virtual;
class Pointer;
class Neither;
int main() {
  run<Virtual>("virtual", [] {
    alignas(Shape) char place[sizeof(Shape)];
    return area_of(make_square(place, 4));
  });
  run<Pointer>("pointer", [] { return chosen()(14, 'c'); });
  run<Neither>("neither", [] { return 3; });
}
