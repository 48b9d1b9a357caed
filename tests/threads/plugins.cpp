// Libraries with kernels are opened, used and closed by several threads, while others launch kernels of the program.
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu -fPIC -shared plugin.cpp -DFACTOR=3 -o plugin0.so
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu -fPIC -shared plugin.cpp -DFACTOR=5 -o plugin1.so
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu {self} -pthread -rdynamic -o a.out
//# run: ./a.out
//# stdout: 2400 launches, 240 by libraries, 0 wrong
//# stderr!~: ThreadSanitizer
//# run: ASPEN_CPU_THREADS=8 ./a.out
//# stdout: 2400 launches, 240 by libraries, 0 wrong
//# stderr!~: ThreadSanitizer
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

constexpr sycl::specialization_id<int> of_program(2);
class mine;

int main() {
  std::atomic<int> launched = 0, by_libraries = 0, wrong = 0;
  sycl::queue q;
  std::vector<std::thread> running;
  for (int t = 0; t < 8; ++t)
    running.emplace_back([&] {
      int *p = sycl::malloc_shared<int>(64, q);
      for (int i = 0; i < 300; ++i) {
        q.submit([&](sycl::handler &h) {
           h.set_specialization_constant<of_program>(i);
           h.parallel_for<mine>(64, [=](sycl::id<1> at, sycl::kernel_handler k) {
             p[at] = k.get_specialization_constant<of_program>() + int(at[0]);
           });
         }).wait();
        wrong += p[0] != i || p[63] != i + 63;
        ++launched;
      }
      sycl::free(p, q);
    });
  for (int t = 0; t < 6; ++t)
    running.emplace_back([&, t] {
      const std::string name = "./plugin" + std::to_string(t % 2) + ".so";
      for (int i = 0; i < 40; ++i) {
        void *plugin = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!plugin) {
          std::puts(dlerror());
          ++wrong;
          return;
        }
        wrong += reinterpret_cast<int (*)(int)>(dlsym(plugin, "run"))(i) != i * (t % 2 ? 5 : 3) + 1;
        dlclose(plugin);
        ++by_libraries;
      }
    });
  running.emplace_back([&] {
    const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
    for (int i = 0; i < 200; ++i)
      wrong += sycl::get_kernel_ids().empty() || !bundle.has_specialization_constant<of_program>() ||
               !sycl::is_compatible<mine>(q.get_device());
  });
  for (std::thread &t : running)
    t.join();
  std::printf("%d launches, %d by libraries, %d wrong\n", launched.load(), by_libraries.load(), wrong.load());
}
//# file: plugin.cpp
#include <sycl/sycl.hpp>

constexpr sycl::specialization_id<int> factor(FACTOR);

extern "C" int run(int value) {
  sycl::queue q;
  int result = value;
  {
    sycl::buffer<int> b(&result, 1);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.single_task([=](sycl::kernel_handler k) { a[0] *= k.get_specialization_constant<factor>(); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([=] { a[0] += 1; });
    });
  }
  return result;
}
