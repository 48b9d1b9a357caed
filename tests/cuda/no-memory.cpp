// A buffer that gets no memory says why: there is none left, or a kernel before has lost the device's context.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuMemAllocFromPoolAsync=719 ./a.out
//# stdout~: ^memory_allocation: 'Fake 0' has no memory for a buffer of 400 bytes: CUDA device 'Fake 0': cuMemAllocFromPoolAsync failed: CUDA_ERROR_LAUNCH_FAILED( \(.*\))?$
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuMemAllocFromPoolAsync=2 ./a.out
//# stdout~: ^memory_allocation: .*: cuMemAllocFromPoolAsync failed: CUDA_ERROR_OUT_OF_MEMORY( \(.*\))?$
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(100)};
  try {
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { a[i] = 1; });
    });
    q.wait_and_throw();
    std::puts("ran");
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::memory_allocation ? "memory_allocation" : "another code", e.what());
  }
}
