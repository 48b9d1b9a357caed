// Device functions of shared libraries, linked by the driver; programs are kept in the JIT cache, linked ones too.
//# run: aspen++ -fsycl-targets=spir64 -O2 -fPIC -shared first.cpp -o libfirst.so
//# run: aspen++ -fsycl-targets=spir64 -fPIC -shared plugin.cpp -o plugin.so
//# run: aspen++ -fsycl-targets=spir64 -fPIC -shared near.cpp -o near.so
//# run: aspen++ -fsycl-targets=spir64 -w main.cpp local.cpp uses.cpp -L. -lfirst -Wl,-rpath,. -o a.out
//# run: env ASPEN_CACHE_DIR=kept ./a.out
//# stdout: wide 5 50
//# stdout~: ^local: clLinkProgram.*use a kernel's local memory
//# stdout~: ^none: its image calls device function 'times'
//# stdout: plugin 30
//# sh: ls kept/jit | wc -l
//# stdout: 2
//# run: env ASPEN_CACHE_DIR=kept ./a.out
//# stdout: wide 5 50
//# stdout: plugin 30
//# sh: for f in kept/jit/*; do echo damaged > $f; done
//# run: env ASPEN_CACHE_DIR=kept ./a.out
//# stdout: wide 5 50
//# stdout: plugin 30
//# run: env ASPEN_CACHE_DIR=kept aspen cache stat
//# stdout~: jit: 2 entries
//# run: env ASPEN_CACHE=0 ASPEN_CACHE_DIR=none ./a.out
//# stdout: plugin 30
//# absent: none
//# file: first.hpp
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int neighbour(sycl::nd_item<1> item, const sycl::local_accessor<int, 1> &shared);
SYCL_EXTERNAL int five(int);
struct wide {
  long v[5];
};
SYCL_EXTERNAL wide ten_times(wide w, int by, float, float, long, long, long, long, long);
//# file: first.cpp
#include "first.hpp"

SYCL_EXTERNAL int five(int) { return 5; }
SYCL_EXTERNAL wide ten_times(wide w, int by, float d, float f, long a, long b, long c, long e, long g) {
  for (long &v : w.v)
    v = v * by + long(d) + long(f) + a + b + c + e + g;
  return w;
}
//# file: plugin.cpp
#include "first.hpp"

SYCL_EXTERNAL int times(int x) { return 3 * x; }
//# file: near.cpp
#include "first.hpp"

SYCL_EXTERNAL int neighbour(sycl::nd_item<1> item, const sycl::local_accessor<int, 1> &shared) {
  return shared[item.get_local_linear_id()];
}
//# file: local.cpp
#include "first.hpp"

void local(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int, 1> shared(8, h);
    h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> item) { *out = neighbour(item, shared); });
  });
}
//# file: uses.cpp
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int times(int);
void uses(sycl::queue &q, int *out) {
  q.single_task([=] { *out = times(10); }).wait();
}
//# file: main.cpp
#include "first.hpp"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

void local(sycl::queue &q, int *out);
void uses(sycl::queue &q, int *out);

template <class F> void attempt(const char *name, const F &f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    const char *reason = std::strstr(e.what(), "clLinkProgram");
    if (!reason)
      reason = std::strstr(e.what(), "its image");
    std::string text = reason ? reason : e.what();
    for (char &c : text)
      c = c == '\n' ? ' ' : c;
    std::printf("%s: %s%s\n", name, e.code() == sycl::errc::build ? "" : "not errc::build: ", text.c_str());
  }
}

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(64, q);
  q.single_task([=] {
     wide w{{1, 2, 3, 4, 5}};
     w = ten_times(w, 10, 0.f, 0.f, 0, 0, 0, 0, 0);
     out[0] = five(0);
     out[1] = int(w.v[4]);
   }).wait();
  std::printf("wide %d %d\n", out[0], out[1]);
  attempt("none", [&] { uses(q, out); });
  void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  attempt("plugin", [&] {
    uses(q, out);
    std::printf("plugin %d\n", *out);
  });
  void *near = dlopen("./near.so", RTLD_NOW | RTLD_LOCAL);
  attempt("local", [&] { local(q, out); });
  dlclose(near);
  dlclose(plugin);
  sycl::free(out, q);
}
