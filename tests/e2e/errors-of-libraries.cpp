// What a library throws that was opened apart has the codes that the program compares with, also where the program exports nothing.
//# run: aspen++ -O1 -fPIC -shared -fsycl-targets=native_cpu plugin.cpp -o plugin.so
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: refused 1, of the category 1: kernel not supported by the device
//# stdout: invalid 1, of the category 1: invalid use
//# stdout: another 0, of the category 0: Numerical argument out of domain
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>

int main() {
  void *const plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  if (!plugin)
    return std::puts(dlerror());
  const auto tell = [&](const char *name, sycl::errc expected) {
    try {
      reinterpret_cast<void (*)()>(dlsym(plugin, name))();
    } catch (const sycl::exception &e) {
      std::printf("%s %d, of the category %d: %s\n", name, e.code() == expected, e.category() == sycl::sycl_category(), e.code().message().c_str());
    }
  };
  tell("refused", sycl::errc::kernel_not_supported);
  tell("invalid", sycl::errc::invalid);
  tell("another", static_cast<sycl::errc>(EDOM));
}
//# file: plugin.cpp
#include <cerrno>
#include <sycl/sycl.hpp>

extern "C" void refused() {
  sycl::queue q;
  double *const p = sycl::malloc_shared<double>(1, q);
  q.single_task([=] { *p *= 2; });
}
extern "C" void invalid() { throw sycl::exception(sycl::errc::invalid); }
extern "C" void another() { throw sycl::exception(EDOM, std::generic_category()); }
