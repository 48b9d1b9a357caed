// What is written down about specialization constants outlives the library that read them, and may be asked while another is loaded.
//# run: aspen++ -O2 -fPIC -shared -fsycl-targets=native_cpu plugin.cpp -o plugin.so
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -rdynamic -pthread -o a.out
//# run: ./a.out
//# stdout: here 1, elsewhere 0
//# stdout: loaded 42
//# stdout: here 1, elsewhere 0
//# stdout: at once 1000
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <thread>

constexpr sycl::specialization_id<int> here(3), elsewhere(4);

static void ask(sycl::queue &q) {
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  std::printf("here %d, elsewhere %d\n", bundle.has_specialization_constant<here>(), bundle.has_specialization_constant<elsewhere>());
}

static int call() {
  void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  if (!plugin)
    return std::puts(dlerror());
  const int result = reinterpret_cast<int (*)()>(dlsym(plugin, "run"))();
  dlclose(plugin);
  return result;
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.submit([&](sycl::handler &h) {
     h.single_task([=](sycl::kernel_handler k) { *p = k.get_specialization_constant<here>(); });
   }).wait();
  ask(q);
  std::printf("loaded %d\n", call());
  ask(q);
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  std::atomic<bool> end = false;
  std::thread loader([&] {
    while (!end)
      call();
  });
  int asked = 0;
  for (int i = 0; i < 1000; ++i)
    asked += bundle.has_specialization_constant<here>() && !bundle.has_specialization_constant<elsewhere>();
  end = true;
  loader.join();
  std::printf("at once %d\n", asked);
  sycl::free(p, q);
}
//# file: plugin.cpp
#include <sycl/sycl.hpp>

constexpr sycl::specialization_id<int> of_plugin(42);

extern "C" int run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.submit([&](sycl::handler &h) {
     h.single_task([=](sycl::kernel_handler k) { *p = k.get_specialization_constant<of_plugin>(); });
   }).wait();
  const int result = *p;
  sycl::free(p, q);
  return result;
}
