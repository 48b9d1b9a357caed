// DPC++'s variable chooses devices, too, where Aspen's does not; what it names that is not here is told.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ONEAPI_DEVICE_SELECTOR=*:cpu ./a.out
//# stdout: ran
//# run: env ONEAPI_DEVICE_SELECTOR=!level_zero:* ./a.out
//# stdout: ran
//# run: env ONEAPI_DEVICE_SELECTOR=level_zero:gpu ./a.out
//# stdout~: ^refused: no device is available that the selector accepts; 
//# stderr~: ^aspen: ONEAPI_DEVICE_SELECTOR=level_zero:gpu admits no device here; its backends are none of Aspen's, .*; ASPEN_DEVICE_SELECTOR comes before it
//# run: env ONEAPI_DEVICE_SELECTOR=level_zero:gpu ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: ran
//# run: env ONEAPI_DEVICE_SELECTOR=*:cpuu ./a.out
//# stdout~: ^refused: ONEAPI_DEVICE_SELECTOR=\*:cpuu: 'cpuu' is not a device .*; did you mean 'cpu'\?$
//# run: env ONEAPI_DEVICE_SELECTOR=*:gpu.0 ./a.out
//# stdout~: ^refused: .*'gpu\.0' is not a device .*; parts of devices are made by programs alone
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  try {
    sycl::queue q;
    q.single_task([] {}).wait();
    std::puts("ran");
  } catch (const sycl::exception &e) {
    std::printf("refused: %s\n", e.what());
  }
}
