// What guarded code takes from another library is not in what a driver gets where the guard does not hold. Source: DESIGN §7.8.
//# also: ../e2e/shared/run_kernel.hpp
//# run: aspen++ -fsycl-targets=spir64 -O2 -fPIC -shared deep.cpp -o libdeep.so
//# run: aspen++ -fsycl-targets=spir64 -O2 -fPIC -shared lib.cpp -L. -ldeep -Wl,-rpath,. -o liblib.so
//# run: aspen++ -fsycl-targets=spir64 -O2 main.cpp -L. -llib -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: guarded 5
//# stdout: through another 7
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: guarded -1
//# stdout: through another -2
//# file: deep.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int halved(int x) {
  double d = x;
  return int(d * 0.5);
}
//# file: lib.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int halved(int);
SYCL_EXTERNAL int lib_dbl(int x) { return halved(x); }
SYCL_EXTERNAL int lib_guarded(int x) {
  int out = -2;
  sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::fp64>([&] { out = halved(x) + 2; });
  return out;
}
//# file: main.cpp
#include "run_kernel.hpp"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int lib_dbl(int);
SYCL_EXTERNAL int lib_guarded(int);
namespace syclex = sycl::ext::oneapi::experimental;
class guarded;
class through;
int main() {
  run<guarded>("guarded", [] {
    int out = -1;
    syclex::if_device_has<sycl::aspect::fp64>([&] { out = lib_dbl(10); });
    return out;
  });
  run<through>("through another", [] { return lib_guarded(10); });
}
