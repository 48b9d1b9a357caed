// Constructors and destructors of another unit, whole objects' being aliases of bases' for clang, and aliases that the source declares.
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
//# stdout~: ^kernel 'Alias' cannot run on 'intel_gpu_dg1': +needs aspect fp64: parts.cpp:8:\d+ in 'third', called from 'lambda at main.cpp:\d+:\d+' main.cpp:\d+:\d+, called from the kernel main.cpp:\d+:\d+$
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
#include <cstdio>
#include <string>
struct Derived : Part {
  Derived(int x) : Part(x) { value *= 2; }
};
template <typename Name, typename Kernel> void run(const char *name, Kernel kernel) {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  try {
    q.single_task<Name>([=] { *out = kernel(); }).wait();
    std::printf("%s %d\n", name, *out);
  } catch (const sycl::exception &e) {
    std::string said = e.what();
    for (char &c : said)
      c = c == '\n' ? ' ' : c;
    std::puts(said.c_str());
  }
  sycl::free(out, q);
}
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
