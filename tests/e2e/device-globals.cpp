// Device globals of several units, a shared library and one loaded later: who shares a value and who has one of their own. Images of one
// program share the values of a device, also where each kernel has its own.
//# run: aspen++ -O2 -fPIC -shared library.cpp -o liblibrary.so
//# run: aspen++ -O2 -fPIC -shared plugin.cpp -o plugin.so
//# run: aspen++ -O2 -c one.cpp -o one.o
//# run: aspen++ -O2 -c two.cpp -o two.o
//# run: aspen++ -O2 one.o two.o -L. -llibrary -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: external 11, inline 22, own 3 and 4, unnamed 5 and 6
//# stdout: library 7, inline of the library 23, through its function 8
//# stdout: plugin 9, again 9
//# deep: further splits and targets
//# run: aspen++ -O0 -g -fsycl-device-code-split=per_kernel one.o two.o -L. -llibrary -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: external 11, inline 22, own 3 and 4, unnamed 5 and 6
//# stdout: library 7, inline of the library 23, through its function 8
//# stdout: plugin 9, again 9
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-device-code-split=per_kernel one.cpp two.cpp -L. -llibrary -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: external 11, inline 22, own 3 and 4, unnamed 5 and 6
//# stdout: library 7, inline of the library 23, through its function 8
//# stdout: plugin 9, again 9
//# run: aspen++ -O2 -x c++-header pre.hpp -o pre.hpp.pch
//# run: aspen++ -O2 -include-pch pre.hpp.pch of-header.cpp -o b.out
//# run: ./b.out
//# stdout: 5
//# run: aspen inspect a.out --format json
//# stdout~: "SYCL/device globals"
//# file: shared.hpp
#pragma once
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;
inline ex::device_global<int> common;
template <class G> int value_of(sycl::queue &q, G &global) {
  int value = -1;
  q.copy(global, &value).wait();
  return value;
}
//# file: pre.hpp
#include "shared.hpp"
#include <cstdio>
static ex::device_global<int> in_header;
//# file: of-header.cpp
int main() {
  sycl::queue q;
  const int four = 4;
  q.copy(&four, in_header).wait();
  q.single_task([=] { common = in_header + 1; }).wait();
  std::printf("%d\n", value_of(q, common));
}
//# file: two.cpp
#include "shared.hpp"
SYCL_EXTERNAL ex::device_global<int> external; // no kernel of this unit uses it
static ex::device_global<int> own;
namespace {
ex::device_global<int> unnamed;
}
void in_two(sycl::queue &q, int *out) {
  q.single_task([=] { own = 4, unnamed = 6, common += 2; }).wait();
  out[0] = value_of(q, own), out[1] = value_of(q, unnamed);
}
//# file: one.cpp
#include "shared.hpp"
#include <cstdio>
#include <dlfcn.h>
SYCL_EXTERNAL extern ex::device_global<int> external;
static ex::device_global<int> own;
namespace {
ex::device_global<int> unnamed;
}
void in_two(sycl::queue &q, int *out);
void of_library(sycl::queue &q, int *out);
SYCL_EXTERNAL int function_of_library();
int main() {
  sycl::queue q;
  int two[2], library[2];
  const int ten = 10;
  q.copy(&ten, external).wait();
  q.single_task([=] { external += 1, own = 3, unnamed = 5, common += 20; }).wait();
  in_two(q, two);
  std::printf("external %d, inline %d, own %d and %d, unnamed %d and %d\n", value_of(q, external), value_of(q, common), value_of(q, own), two[0],
              value_of(q, unnamed), two[1]);
  of_library(q, library);
  int *through = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *through = function_of_library(); }).wait();
  std::printf("library %d, inline of the library %d, through its function %d\n", library[0], value_of(q, common), *through);
  for (const char *text : {"plugin %d", ", again %d\n"}) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    std::printf(text, ((int (*)(sycl::queue *))dlsym(plugin, "of_plugin"))(&q));
    dlclose(plugin);
  }
}
//# file: library.cpp
#include "shared.hpp"
static ex::device_global<int> own;
SYCL_EXTERNAL int function_of_library() { return ++own.get(); }
void of_library(sycl::queue &q, int *out) {
  q.single_task([=] { own = 7, common += 1; }).wait();
  out[0] = value_of(q, own);
}
//# file: plugin.cpp
#include "shared.hpp"
static ex::device_global<int> own; // a new one each time that the plugin is loaded
extern "C" int of_plugin(sycl::queue *q) {
  const int four = 4;
  q->single_task([=] { own += 5; }).wait();
  int value = value_of(*q, own);
  q->copy(&four, own).wait();
  q->single_task([=] { own += 5; }).wait();
  return value == 5 ? value_of(*q, own) : -value;
}
