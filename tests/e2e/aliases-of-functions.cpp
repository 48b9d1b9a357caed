// Constructors and destructors of another unit, whole objects' being aliases of bases' for clang, and aliases that the source declares.
//# also: shared/run_kernel.hpp
//# run: aspen++ -O2 -fsycl-targets=native_cpu,spir64 parts.cpp main.cpp -o a.out
//# run: ./a.out
//# stdout: whole 12
//# stdout: base 30
//# stdout: virtual base 8
//# stdout: alias 21
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: whole 12
//# stdout: base 30
//# stdout: virtual base 8
//# stdout~: ^kernel 'Alias' cannot run on 'intel_gpu_dg1': +needs aspect fp64: parts.cpp:8:\d+ in 'third', called from 'lambda at main.cpp:\d+:\d+' main.cpp:\d+:\d+, called from the kernel .*run_kernel.hpp:18:\d+$
//# file: parts.hpp
#include <sycl/sycl.hpp>
struct Part {
  int value;
  SYCL_EXTERNAL Part(int x);
  SYCL_EXTERNAL ~Part();
  SYCL_EXTERNAL int get() const;
};
struct Other : virtual Part {
  SYCL_EXTERNAL Other(int x);
  SYCL_EXTERNAL ~Other();
};
extern "C" SYCL_EXTERNAL int third(int x);
extern "C" SYCL_EXTERNAL int also_third(int x);
//# file: parts.cpp
#include "parts.hpp"
Part::Part(int x) : value(x * 3) {}
Part::~Part() { value = 0; }
int Part::get() const { return value; }
Other::Other(int x) : Part(x + 1) { value -= 1; }
Other::~Other() {}
extern "C" SYCL_EXTERNAL int third(int x) {
  volatile double d = x;
  return int(d / 3);
}
extern "C" SYCL_EXTERNAL int also_third(int) __attribute__((alias("third")));
//# file: main.cpp
#include "parts.hpp"
#include "run_kernel.hpp"
struct Derived : Part {
  Derived(int x) : Part(x) { value *= 2; }
};
class Whole;
class Base;
class Virtual;
class Alias;
int main() {
  run<Whole>("whole", [] { return Part(4).get(); });
  run<Base>("base", [] { return Derived(5).get(); });
  run<Virtual>("virtual base", [] { return Other(2).get(); });
  run<Alias>("alias", [] { return also_third(63); });
}
