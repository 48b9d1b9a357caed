// The default device is one that the program was built for, whatever else there is.
//# run: aspen++ -fsycl-targets=spir64 -O1 {self} -o for-opencl
//# sh: ASPEN_DEVICE_SELECTOR='native_cpu;opencl' ./for-opencl
//# stdout: opencl 7
//# run: aspen++ -fsycl-targets=native_cpu -O1 {self} -o for-cpu
//# sh: ASPEN_DEVICE_SELECTOR='native_cpu;opencl' ./for-cpu
//# stdout: native_cpu 7
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int value = 6;
  {
    sycl::buffer buffer(&value, sycl::range(1));
    queue.submit([&](sycl::handler &handler) {
      sycl::accessor out(buffer, handler, sycl::read_write);
      handler.single_task([=] { ++out[0]; });
    });
  }
  std::printf("%s %d\n", queue.get_backend() == sycl::backend::opencl ? "opencl" : "native_cpu", value);
}
