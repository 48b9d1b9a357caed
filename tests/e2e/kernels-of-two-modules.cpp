// Libraries whose kernels have one name: if a library's own is refused, the other's does not run in its place.
//# run: aspen++ -O1 -fPIC -shared one/part.cpp -o libone.so
//# run: aspen++ -O1 -fPIC -shared two/part.cpp -o libtwo.so
//# run: aspen++ -O1 main.cpp -ldl -o a.out
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: ./libtwo.so: 111
//# stdout~: ^./libone.so: kernel 'scales' cannot run on 'intel_gpu_dg1':$
//# stdout~: ^  needs aspect fp64: 
//# run: ./a.out
//# stdout: ./libtwo.so: 111
//# stdout: ./libone.so: 7
//# file: main.cpp
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(2, q);
  for (const char *name : {"./libtwo.so", "./libone.so"}) {
    void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const auto part = library ? reinterpret_cast<void (*)(sycl::queue *, int *)>(dlsym(library, "part")) : nullptr;
    if (!part)
      return std::puts(dlerror());
    p[0] = 0, p[1] = 3;
    try {
      part(&q, p);
      std::printf("%s: %d\n", name, p[0]);
    } catch (const sycl::exception &e) {
      std::printf("%s: %s\n", name, e.what());
    }
  }
}
//# file: one/part.cpp
#include <sycl/sycl.hpp>
extern "C" void part(sycl::queue *q, int *p) { q->single_task<class scales>([=] { p[0] = p[1] * 2.5; }).wait(); }
//# file: two/part.cpp
#include <sycl/sycl.hpp>
extern "C" void part(sycl::queue *q, int *p) { q->single_task<class scales>([=] { p[0] = 111; }).wait(); }
