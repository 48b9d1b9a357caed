// What guarded code takes from another library is needed where the guard holds, and nowhere else. Source: DESIGN §7.8.
//# also: shared/run_kernel.hpp
//# run: aspen++ -O2 -fPIC -shared deep.cpp -o libdeep.so
//# run: aspen++ -O2 -fPIC -shared lib.cpp -L. -ldeep -Wl,-rpath,. -o liblib.so
//# run: aspen++ -O2 main.cpp -L. -llib -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: guarded 5
//# stdout: other guard 5
//# stdout: through another 7
//# stdout: both 10
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: guarded -1
//# stdout~: ^kernel 'other' cannot run on 'intel_gpu_dg1': +needs aspect fp64: .*deep.cpp:3:\d+ in 'halved', called from 'lib_dbl' lib.cpp:3:\d+, called from 'lambda at main.cpp:18:65' main.cpp:18:\d+, called from 'lambda at main.cpp:16:29' main.cpp:18:5, called from the kernel .*run_kernel.hpp:18:\d+$
//# stdout: through another -2
//# stdout~: ^kernel 'both' cannot run on 'intel_gpu_dg1': +needs aspect fp64
// And so says who only looks.
//# run: aspen check a.out --device=intel_gpu_dg1
//# exit: 1
//# stdout~: ^  guarded +yes$
//# stdout~: ^  other +no: lacks aspect fp64$
//# stdout~: ^  through +yes$
//# stdout~: ^  both +no: lacks aspect fp64$
//# run: aspen check a.out --device=intel_gpu_pvc
//# run: aspen inspect a.out
//# count: 2 stdout ^    imports _Z7lib_dbli where the device has fp64$
//# count: 2 stdout ^    imports _Z7lib_dbli where the device has usm_shared_allocations$
//# count: 2 stdout ^    imports _Z7lib_dbli$
//# count: 2 stdout ^    imports _Z11lib_guardedi$
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
class other;
class through;
class both;
int main() {
  run<guarded>("guarded", [] {
    int out = -1;
    syclex::if_device_has<sycl::aspect::fp64>([&] { out = lib_dbl(10); });
    return out;
  });
  run<other>("other guard", [] {
    int out = -1;
    syclex::if_device_has<sycl::aspect::usm_shared_allocations>([&] { out = lib_dbl(10); });
    return out;
  });
  run<through>("through another", [] { return lib_guarded(10); });
  run<both>("both", [] {
    int out = lib_dbl(10);
    syclex::if_device_has<sycl::aspect::fp64>([&] { out += lib_dbl(10); });
    return out;
  });
}
