// Device globals on an OpenCL driver: the program of tests/headers, and values that images of libraries and of single kernels share.
//# also: ../headers/check.hpp
//# also: ../headers/run_device_globals.cpp
//# run: aspen++ -std=c++20 -O2 run_device_globals.cpp -o a.out
//# run: ./a.out
//# run: aspen++ -std=c++20 -O2 -fsycl-optional-features=conditional run_device_globals.cpp -o a.out
//# run: ./a.out
//# run: aspen++ -O2 -fPIC -shared library.cpp -o liblibrary.so
//# run: aspen++ -O2 -fsycl-device-code-split=per_kernel main.cpp -L. -llibrary -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: 3 12 5
//# file: library.cpp
#include <sycl/sycl.hpp>
static sycl::ext::oneapi::experimental::device_global<int> own;
SYCL_EXTERNAL int next() { return ++own.get(); }
void begin_with(sycl::queue &q, int value) { q.single_task([=] { own = value; }).wait(); }
//# file: main.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
static sycl::ext::oneapi::experimental::device_global<int> own;
SYCL_EXTERNAL int next();
void begin_with(sycl::queue &q, int value);
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(3, q);
  q.single_task([=] { own = 2; }).wait();
  q.single_task([=] { out[0] = own += 1; }).wait();
  begin_with(q, 10);
  q.single_task([=] { next(), out[1] = next(); }).wait();
  begin_with(q, 4);
  q.single_task([=] { own = next(), out[2] = own; }).wait();
  std::printf("%d %d %d\n", out[0], out[1], out[2]);
}
