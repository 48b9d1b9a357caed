// A virtual call needs what the functions need that override its slot in its class or in those derived from it, in any unit; functions of other
// classes in the same slot do not count, be they of the same type. Source: DESIGN §7.5; docs/decisions/0083.
//# also: shared/run_kernel.hpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu,spir64 -Wno-error=sycl-strict -Wno-sycl-strict -c shapes.cpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu,spir64 -Wno-error=sycl-strict -Wno-sycl-strict main.cpp shapes.o -o a.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: plain 9
//# stdout~: ^kernel 'Far' .* needs aspect fp64: shapes.cpp:4:\d+ in 'Half::area', .* through a function pointer \(one of 3 targets\),
//# stdout~: ^kernel 'SecondOf' .* needs aspect fp64: main.cpp:15:\d+ in '\(anonymous namespace\)::Both::second',
//# stdout: first 3
//# stdout~: ^kernel 'Member' .* needs aspect fp64:
//# run: ./a.out
//# stdout: far 2
//# stdout: second 4
//# stdout: member 2
// Nothing of how this is known is left in the device's code.
//# run: aspen++ -fsycl-device-only -fsycl-targets=spir64 -Wno-error=sycl-strict -Wno-sycl-strict -S -emit-llvm main.cpp -o main.ll
//# sh: grep -E 'type\.test|!type|vcall_visibility|aspen\.class' main.ll || echo none
//# stdout: none
// A pass for code that is asked for alone knows classes, too.
//# run: aspen++ -fsycl-device-only -fsycl-targets=native_cpu -Wno-error=sycl-strict -Wno-sycl-strict -S -emit-llvm main.cpp -o code.ll
//# sh: grep -E 'type\.test|!type|vcall_visibility|aspen\.class' code.ll || echo none
//# stdout: none
//# sh: grep -cE '^define .*kernel .*SecondOf.* !intel_used_aspects' code.ll
//# stdout: 1
//# sh: grep -cE '^define .*kernel .*FirstOf.* !intel_used_aspects' code.ll || true
//# stdout: 0
//# deep: what optimisation leaves of it
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-requirements=optimized -Wno-sycl-strict main.cpp shapes.cpp -o optimized.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./optimized.out
//# stdout: plain 9
//# stdout~: ^kernel 'Far' cannot run
//# stdout: first 3
//# file: shapes.hpp
#include <sycl/sycl.hpp>
struct Shape { // at slot 0, as Other's and First's
  int side = 3;
  virtual int area() const { return side * side; }
};
SYCL_EXTERNAL Shape *make_half(void *at);
//# file: shapes.cpp
#include "shapes.hpp"
#include <new>
struct Half : Shape {
  int area() const override { volatile double d = side; return int(d * 0.75); }
};
SYCL_EXTERNAL Shape *make_half(void *at) { return new (at) Half; }
//# file: main.cpp
#include "shapes.hpp"
#include "run_kernel.hpp"
namespace {
struct First {
  int n = 3;
  virtual int first() const { return n; }
};
struct Second {
  virtual int second() const { return 1; }
};
struct Both : First, virtual Second {
  int m = 8;
  int first() const override { return 3; }
  // By a thunk in the table of a virtual base.
  int second() const override { volatile double d = m; return int(d * 0.5); }
};
struct Square : Shape {
  int area() const override { return side * side; }
};
[[gnu::noinline]] int area_of(const Shape *shape) { return shape->area(); }
[[gnu::noinline]] int near_area_of(const Square *square) { return square->area(); }
[[gnu::noinline]] int first_of(const First *first) { return first->first(); }
[[gnu::noinline]] int second_of(const Second *second) { return second->second(); }
[[gnu::noinline]] int by_member(const Shape *shape, int (Shape::*member)() const) { return (shape->*member)(); }
} // namespace
class Plain;
class Far;
class FirstOf;
class SecondOf;
class Member;
int main() {
  run<Plain>("plain", [] {
    Square square;
    return near_area_of(&square);
  });
  run<Far>("far", [] {
    alignas(Shape) char place[sizeof(Shape)];
    return area_of(make_half(place));
  });
  run<FirstOf>("first", [] {
    Both both;
    return first_of(&both);
  });
  run<SecondOf>("second", [] {
    Both both;
    return second_of(&both);
  });
  run<Member>("member", [] {
    alignas(Shape) char place[sizeof(Shape)];
    return by_member(make_half(place), &Shape::area);
  });
}
