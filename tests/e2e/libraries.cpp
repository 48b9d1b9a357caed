// Device functions of shared libraries: linked at the start, loaded later, unloaded again, in two libraries at once.
//# run: aspen++ -O2 -fPIC -shared first.cpp -o libfirst.so
//# run: aspen++ -O0 -fPIC -shared -fno-sycl-requirement-sources plugin.cpp -DFACTOR=3 -o plugin3.so
//# run: aspen++ -fPIC -shared plugin.cpp -DFACTOR=7 -o plugin7.so
//# run: aspen++ -O2 -Wno-sycl-strict main.cpp uses.cpp -L. -lfirst -Wl,-rpath,. -Wl,--export-dynamic -o a.out
//# stderr~: device function 'times' is not defined .*-Wsycl-external
//# run: ./a.out
//# stdout: first 21 at 3 7
//# stdout: table 5 50
//# stdout: none: build: kernel 'uses_times' cannot run on 'NAME': its image calls device function 'times' (_Z5timesi), which no loaded module provides for 'native_cpu'; load the library that defines it before the launch
//# stdout: can run: 0
//# stdout: plugin3 30
//# stdout: can run: 1
//# stdout~: ^both: build: kernel 'uses_times' cannot run on 'NAME': its image calls device function 'times' \(_Z5timesi\), which several modules define: .*plugin3.*plugin7
//# stdout: plugin7 70
//# stdout~: ^none: build:
//# deep: a library that needs more
//# run: aspen++ -fPIC -shared plugin.cpp -DFACTOR=7 -DDOUBLE -o plugin7.so
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout~: ^plugin7: kernel_not_supported: kernel 'uses_times' cannot run on 'NAME': needs aspect fp64: plugin.cpp:6:\d+ in '\(anonymous namespace\)::half', called from 'times' plugin.cpp:13:\d+, called from the kernel$
//# file: first.hpp
#include <sycl/sycl.hpp>

/// Defined in libfirst.so: meets the other work-items at a barrier, and reads local memory, in another image than the kernel.
SYCL_EXTERNAL int neighbour(sycl::nd_item<1> item, const sycl::local_accessor<int, 1> &shared);
SYCL_EXTERNAL extern int five(int);
struct wide {
  long v[5];
};
SYCL_EXTERNAL wide ten_times(wide w, int by, float, float, long, long, long, long, long);
//# file: first.cpp
#include "first.hpp"

SYCL_EXTERNAL int neighbour(sycl::nd_item<1> item, const sycl::local_accessor<int, 1> &shared) {
  const int i = int(item.get_local_linear_id()), n = int(item.get_local_range(0));
  shared[i] = i * i;
  sycl::group_barrier(item.get_group());
  const int right = shared[(i + 1) % n];
  sycl::group_barrier(item.get_group());
  return right;
}
SYCL_EXTERNAL int five(int) { return 5; }
SYCL_EXTERNAL wide ten_times(wide w, int by, float d, float f, long a, long b, long c, long e, long g) {
  for (long &v : w.v)
    v = v * by + long(d) + long(f) + a + b + c + e + g;
  return w;
}
//# file: plugin.cpp
#include <sycl/sycl.hpp>

namespace {
int half(int x) {
#ifdef DOUBLE
  double d = x;
  return int(d / 2 * FACTOR);
#else
  return x * FACTOR / 2;
#endif
}
} // namespace
SYCL_EXTERNAL int times(int x) { return half(2 * x); }
//# file: uses.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
#include <string>

SYCL_EXTERNAL int times(int);

class uses_times;

void attempt(const char *name, sycl::queue &q, int *out) {
  try {
    q.single_task<uses_times>([=] { *out = times(10); }).wait();
    std::printf("%s %d\n", name, *out);
  } catch (const sycl::exception &e) {
    std::string text = e.what(), device = q.get_device().get_info<sycl::info::device::name>();
    for (size_t at; (at = text.find("\n  ")) != text.npos;)
      text.replace(at, 3, " ");
    for (const std::string name : {device, std::string("intel_gpu_dg1")})
      if (size_t at = text.find("'" + name + "'"); at != text.npos)
        text.replace(at + 1, name.size(), "NAME");
    const char *code = e.code() == sycl::errc::build ? "build" : e.code() == sycl::errc::kernel_not_supported ? "kernel_not_supported" : "?";
    std::printf("%s: %s: %s\n", name, code, text.c_str());
  }
}

void can_run(sycl::queue &q) { std::printf("can run: %d\n", sycl::is_compatible<uses_times>(q.get_device())); }
//# file: main.cpp
#include "first.hpp"
#include <cstdio>
#include <dlfcn.h>

// In a source of its own, and so in an image of its own.
void attempt(const char *name, sycl::queue &q, int *out);
void can_run(sycl::queue &q);

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(64, q);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 1> shared(8, h);
     h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> item) {
       const int right = neighbour(item, shared);
       shared[item.get_local_linear_id()] = right;
       sycl::group_barrier(item.get_group());
       out[item.get_global_linear_id()] = shared[item.get_local_linear_id()] + five(0) + int(item.get_group(0));
     });
   }).wait();
  int wrong = 0;
  for (int i = 0; i < 64; ++i)
    wrong += out[i] != (i % 8 + 1) % 8 * ((i % 8 + 1) % 8) + 5 + i / 8;
  std::printf("first %d at 3 %d\n", out[3], wrong == 0 ? 7 : -wrong);
  q.single_task([=] {
     int (*const table[])(int) = {five, five};
     wide w{{1, 2, 3, 4, 5}};
     w = ten_times(w, 10, 0.f, 0.f, 0, 0, 0, 0, 0);
     out[0] = table[out[0] & 1](0);
     out[1] = int(w.v[4]);
   }).wait();
  std::printf("table %d %d\n", out[0], out[1]);
  attempt("none", q, out);
  can_run(q);
  void *three = dlopen("./plugin3.so", RTLD_NOW | RTLD_LOCAL);
  attempt("plugin3", q, out);
  can_run(q);
  void *seven = dlopen("./plugin7.so", RTLD_NOW | RTLD_LOCAL);
  attempt("both", q, out);
  dlclose(three);
  attempt("plugin7", q, out);
  dlclose(seven);
  attempt("none", q, out);
  sycl::free(out, q);
}
