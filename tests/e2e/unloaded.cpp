// A library with kernels in a program that knows nothing of SYCL: loaded by a thread that ends, closed at once, loaded again. libaspen.so
// came with it and stays, since its own threads may just be starting.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fPIC -shared plugin.cpp -o plugin.so
//# run: clang++-22 {self} -pthread -o a.out
//# sh: for i in 1 2 3 4 5 6 7 8; do ASPEN_CPU_THREADS=8 ./a.out || exit 1; done
//# count: 8 stdout ^closed 20, sum 140, stays$
#include <cstdio>
#include <dlfcn.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

int main() {
  // On one processor new threads begin late.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  dlclose(dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL));
  const bool stays = dlopen("libaspen.so.0", RTLD_NOW | RTLD_NOLOAD) != nullptr;
  int closed = 0, sum = 0;
  for (int i = 0; i < 20; ++i) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
      std::puts(dlerror());
      return 1;
    }
    auto *run = reinterpret_cast<int (*)()>(dlsym(plugin, "run"));
    std::thread([&] { sum += run(); }).join();
    closed += dlclose(plugin) == 0;
  }
  usleep(20000);
  std::printf("closed %d, sum %d, %s\n", closed, sum, stays ? "stays" : "goes");
}
//# file: plugin.cpp
#include <sycl/sycl.hpp>

extern "C" int run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 7; }).wait();
  const int result = *p;
  sycl::free(p, q);
  return result;
}
