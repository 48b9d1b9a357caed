// The CUDA backend against a driver that runs nothing and says what it is asked: images, grids, memory, and a failure of every function.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./a.out
//# stdout: device Fake 0 of NVIDIA Corporation, driver 12.4, version 9.0
//# stdout: fp16 fp64 atomic64
//# stdout: load machine code
//# stdout: launch _ZTS4task: grid 1x1x1, block 1x1x1, 0 bytes, global 1x1x1, offset 0x0x0, local 1x1x1
//# stdout: launch _ZTS4line: grid 4x1x1, block 256x1x1, 0 bytes, global 1x1x1000, offset 0x0x0, local 1x1x256
//# stdout: launch _ZTS4cube: grid 1x7x9, block 64x4x1, 0 bytes, global 9x25x64, offset 0x0x0, local 1x4x64
//# stdout: attribute 8 is 1024
//# stdout: launch _ZTS6groups: grid 4x2x1, block 32x2x1, 1024 bytes, global 1x4x128, offset 0x0x0, local 1x2x32
//# stdout: launch _ZTS9hierarchy: grid 3x2x1, block 32x1x1, 0 bytes, global 1x2x3, offset 0x0x0, local 1x4x8
//# stdout~: ^nd_range: kernel 'groups' was launched with work-groups of 1024 work-items; 'Fake 0' runs it with at most 512$
//# stdout~: ^nd_range: kernel 'groups' was launched with 70000x1x1 work-groups; the device allows at most 65535x65535x2147483647$
//# stdout: fill 150000 quads, grid 586x1x1, block 256x1x1
//# stdout: fill 149999 quads, grid 586x1x1, block 256x1x1
//# stdout: large patterns everywhere
//# stdout: copies and patterns 7 7 770 770 123456 123456 8.25 3 3
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_DEVICES=2 aspen devices
//# stdout~: cuda:1 .*Fake 1
// GPUs reach each other's memory.
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_DEVICES=2 ./a.out
//# stdout: pool of 0: device 1 has access 3
// Streams: a chain stays in one, a job that follows two waits for one of them; times are the events'.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 streams.cpp -o streams.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_UNTIL_WAIT=1 ./streams.out
//# stdout: in order
//# stdout: apart
//# stdout: together
//# count: 1 stdout ^a stream waits$
//# stdout: times are right
// Many in order, which another thread puts into the stream: they come there in their order, and one that fails is told as any other.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 many.cpp -o many.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./many.out
//# count: 1000 stdout ^launch _ZTS4many: 
//# stdout: told 0
//# sh: LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./many.out | sed -n 's/.*global 1x1x\([0-9]*\),.*/\1/p' | sort -c -n
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuLaunchKernel=2 FAKE_FAIL_ONLY=500 ./many.out
//# count: 999 stdout ^launch _ZTS4many: 
//# stdout~: ^later: CUDA device 'Fake 0': kernel 'many': cuLaunchKernel failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)$
//# stdout: told 1
// They share marks, one for sixteen and for one that is asked for; without a mark the driver is asked to finish.
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuEventRecord=2 ./many.out
//# count: 1000 stdout ^launch _ZTS4many: 
//# stdout: told 0
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuEventRecord=719 FAKE_FAIL_ONLY=20 ./many.out
//# stdout~: ^later: CUDA device 'Fake 0': kernel 'many': cuEventRecord failed: CUDA_ERROR_LAUNCH_FAILED
// Whoever has memory of the device will launch: what may run there is loaded meanwhile, and nothing else.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 early.cpp -ldl -o early.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./early.out
//# count: 1 stdout ^load machine code$
//# stdout: loaded
//# stdout: not launched
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuModuleLoadDataEx=200 ./early.out at once
//# stdout~: ^image 'early_0' .* cannot be loaded for CUDA device 'Fake 0'
//# sh: sed -i 's/nvidia_gpu_sm_90/nvidia_gpu_sm_80/' a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./a.out
//# stdout: load PTX
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuModuleLoadDataEx=200 ./a.out
//# stdout~: ^build: image 'a_0' .* cannot be loaded for CUDA device 'Fake 0': cuModuleLoadDataEx failed: CUDA_ERROR_LAUNCH_FAILED
//# stdout: the driver's words about the image
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuModuleGetFunction=500 ./a.out
//# stdout~: ^build: .*the image's list of kernels promises 'task', but: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuDevicePrimaryCtxRetain=2 ASPEN_LOG=warn ./a.out
//# stdout: no memory
//# stderr~: no USM error=CUDA device 'Fake 0': cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuLaunchKernel=719 ./a.out
//# stdout~: ^later kernel: CUDA device 'Fake 0': kernel 'line': cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED \(unspecified launch failure\)$
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuStreamQuery=719 ./a.out
//# stdout~: ^later kernel: CUDA device 'Fake 0': kernel 'task': cuStreamQuery failed: CUDA_ERROR_LAUNCH_FAILED \(unspecified launch failure\)$
//# stdout~: ^later kernel: CUDA device 'Fake 0': kernel 'line': cuStreamQuery .*; the device's context was lost, with one of these: kernel 'task'$
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_NO_POOLS=1 ./a.out
//# stdout: copies and patterns 7 7 770 770 123456 123456 8.25 3 3
//# stdout!~: pool
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuMemsetD16Async=719 ./a.out
//# stdout~: ^later runtime: CUDA device 'Fake 0': cuMemsetD16Async failed
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuFuncSetAttribute=1 ./a.out
//# stdout~: ^memory_allocation: CUDA device 'Fake 0': kernel 'groups' with 1024 bytes of local memory: cuFuncSetAttribute failed
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuMemAllocManaged=2 ./a.out
//# stdout: no memory
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuMemcpyAsync=719 ./a.out
//# stdout~: ^later runtime: CUDA device 'Fake 0': cuMemcpyAsync failed
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuDeviceGetName=719 ASPEN_LOG=warn aspen devices
//# stderr~: a CUDA device is left out id=0 failure=cuDeviceGetName failed
//# run: env LD_LIBRARY_PATH=. FAKE_FAIL=cuInit=100 aspen devices
//# stdout!~: cuda
// What the traits of a program for the target say holds for the device, aspect by aspect.
//# also: ../e2e/traits-at-run-time.cpp
//# run: aspen++ -w -fsycl-targets=nvidia_gpu_sm_90 traits-at-run-time.cpp -o traits.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./traits.out
//# stdout: 0 contradictions
//# stdout~: compatible 1
// Functions of a library: the driver links the PTX of both.
//# run: aspen++ -O2 -fPIC -shared -fsycl-targets=nvidia_gpu_sm_90 library.cpp -o liblibrary.so
//# run: aspen inspect liblibrary.so
//# count: 1 stdout nvidia_gpu_sm_90  ptx
//# stdout!~: native
//# run: aspen++ -w -O2 -fsycl-targets=nvidia_gpu_sm_90 calls.cpp -L. -llibrary -Wl,-rpath,. -o calls.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./calls.out
//# count: 2 stdout ^link PTX, named$
//# stdout: load what the linker made
//# stdout~: ^launch _ZTS5calls: grid 1x1x1
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuLinkComplete=719 ./calls.out
//# stdout~: ^build: image 'calls_0' .* with image 'liblibrary_0' .* cannot be loaded for CUDA device 'Fake 0': cuLinkComplete failed
//# stdout: the linker's words
// An old driver is no driver, and says so to those who ask.
//# sh: gcc -DFAKE_OLD -shared -fPIC -o libcuda.so libcuda.c
//# run: env LD_LIBRARY_PATH=. ASPEN_LOG=warn aspen devices
//# stdout!~: cuda
//# stderr~: the CUDA driver is too old: it needs CUDA 12.1 missing="cuLinkDestroy"
#include <sycl/sycl.hpp>
#include <cstdio>

class task;
class line;
class cube;
class groups;
class hierarchy;

static const char *name_of(const sycl::exception &e) {
  if (e.code() == sycl::errc::nd_range)
    return "nd_range";
  if (e.code() == sycl::errc::build)
    return "build";
  if (e.code() == sycl::errc::kernel)
    return "kernel";
  if (e.code() == sycl::errc::memory_allocation)
    return "memory_allocation";
  return e.code() == sycl::errc::runtime ? "runtime" : "other";
}
template <class F> static void attempt(F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", name_of(e), e.what());
  }
}

static void launch_groups(sycl::queue &q, int *p, sycl::range<3> global, sycl::range<3> local, size_t words) {
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> memory(words, h);
    h.parallel_for<groups>(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> at) {
      memory[at.get_local_linear_id()] = 1;
      p[0] = memory[0];
    });
  });
}

int main() {
  sycl::queue q([](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      try {
        std::rethrow_exception(error);
      } catch (const sycl::exception &e) {
        std::printf("later %s: %s\n", name_of(e), e.what());
      }
  });
  const sycl::device device = q.get_device();
  using namespace sycl::info::device;
  std::printf("device %s of %s, driver %s, version %s\n", device.get_info<name>().c_str(), device.get_info<vendor>().c_str(),
              device.get_info<driver_version>().c_str(), device.get_info<version>().c_str());
  std::printf("%s %s %s\n", device.has(sycl::aspect::fp16) ? "fp16" : "", device.has(sycl::aspect::fp64) ? "fp64" : "",
              device.has(sycl::aspect::atomic64) ? "atomic64" : "");
  int *p = sycl::malloc_shared<int>(64, q);
  if (!p) {
    std::puts("no memory");
    return 0;
  }
  attempt([&] { q.single_task<task>([=] { p[0] = 1; }).wait(); });
  attempt([&] { q.parallel_for<line>(sycl::range<1>(1000), [=](sycl::id<1> i) { p[0] = int(i[0]); }).wait(); });
  attempt([&] { q.parallel_for<cube>(sycl::range<3>(9, 25, 64), [=](sycl::id<3> i) { p[0] = int(i[0]); }).wait(); });
  attempt([&] { launch_groups(q, p, {1, 4, 128}, {1, 2, 32}, 256); });
  attempt([&] {
    q.submit([&](sycl::handler &h) {
       h.parallel_for_work_group<hierarchy>(sycl::range<2>(2, 3), sycl::range<2>(4, 8), [=](sycl::group<2> g) {
         g.parallel_for_work_item([&](sycl::h_item<2> at) { p[0] = int(at.get_local_id(0)); });
       });
     }).wait();
  });
  attempt([&] { launch_groups(q, p, {1, 1, 1024}, {1, 1, 1024}, 4); });
  attempt([&] { launch_groups(q, p, {70000, 1, 1}, {1, 1, 1}, 4); });
  q.wait_and_throw();

  unsigned char *bytes = sycl::malloc_device<unsigned char>(100, q);
  short *shorts = sycl::malloc_device<short>(100, q);
  int *ints = sycl::malloc_host<int>(100, q);
  double *doubles = sycl::malloc_device<double>(300000, q);
  q.fill(bytes, static_cast<unsigned char>(7), 100);
  q.fill(shorts, static_cast<short>(770), 100);
  q.fill(ints, 123456, 100);
  q.fill(doubles, 9.5, 300000).wait();
  attempt([&] { q.fill(doubles + 1, 8.25, 299999).wait(); });
  struct three {
    float x, y, z;
  };
  three *threes = sycl::malloc_device<three>(100000, q);
  q.fill(threes, three{1, 2, 3}, 100000);
  q.memset(p, 3, 8);
  q.wait_and_throw();
  short home[100];
  double far;
  q.memcpy(home, shorts, sizeof home).wait_and_throw();
  q.memcpy(&far, doubles + 299999, sizeof far).wait_and_throw();
  bool same = doubles[0] == 9.5;
  for (int i = 1; i < 300000; ++i)
    same &= doubles[i] == 8.25;
  for (int i = 0; i < 100000; ++i)
    same &= threes[i].x == 1 && threes[i].y == 2 && threes[i].z == 3;
  std::printf("large patterns %s\n", same ? "everywhere" : "are missing");
  std::printf("copies and patterns %d %d %d %d %d %d %g %d %d\n", bytes[0], bytes[99], home[0], home[99], ints[0], ints[99], far,
              reinterpret_cast<char *>(p)[0], reinterpret_cast<char *>(p)[7]);
  for (void *memory : {static_cast<void *>(p), static_cast<void *>(bytes), static_cast<void *>(shorts), static_cast<void *>(ints),
                       static_cast<void *>(doubles), static_cast<void *>(threes)})
    sycl::free(memory, q);
}
//# file: streams.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
class zeroth;
class first;
class second;
class third;
class timed;
int main() {
  using namespace sycl::info::event_profiling;
  sycl::queue line{sycl::property::queue::in_order()}, q;
  int *p = sycl::malloc_device<int>(4, q);
  for (int i = 0; i < 5; ++i)
    line.single_task<zeroth>([=] { p[0] = 1; });
  std::puts("in order");
  sycl::event a = q.single_task<first>([=] { p[1] = 1; }), b = q.single_task<second>([=] { p[2] = 1; });
  std::puts("apart");
  std::fflush(stdout);
  q.submit([&](sycl::handler &h) {
     h.depends_on({a, b});
     h.single_task<third>([=] { p[3] = p[1] + p[2]; });
   });
  std::puts("together");
  sycl::queue clock{sycl::property::queue::enable_profiling()};
  sycl::event e = clock.single_task<timed>([=] { p[0] = 2; });
  const auto submitted = e.get_profiling_info<command_submit>(), began = e.get_profiling_info<command_start>(),
             ended = e.get_profiling_info<command_end>();
  // The driver's events are a millisecond apart each.
  std::printf("times are %s\n", submitted <= began && ended - began == 1000000 ? "right" : "wrong");
}
//# file: many.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
class many;
int main() {
  int told = 0;
  const auto tell = [&](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      try {
        std::rethrow_exception(error);
      } catch (const sycl::exception &e) {
        ++told;
        std::printf("later: %s\n", e.what());
      }
  };
  sycl::queue q(tell, sycl::property::queue::in_order{});
  int *p = sycl::malloc_device<int>(1, q);
  sycl::event middle;
  for (int i = 1; i <= 1000; ++i) {
    sycl::event e = q.parallel_for<many>(sycl::range<1>(i), [=](sycl::id<1>) { *p += 1; });
    if (i == 700)
      middle = e;
  }
  middle.wait();
  // What is freed waits for all that is on its way.
  sycl::free(p, q);
  q.wait_and_throw();
  std::printf("told %d\n", told);
}
//# file: early.cpp
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <thread>
class fits;
class does_not;
int main(int count, char **) {
  sycl::queue q;
  int *p = sycl::malloc_device<int>(1, q);
  const auto loads = reinterpret_cast<int (*)()>(dlsym(dlopen("libcuda.so", RTLD_NOW), "fake_loads"));
  for (int i = 0; count == 1 && loads() == 0 && i < 60000; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (loads() > 0)
    std::puts("loaded");
  try {
    if (count > 1)
      q.single_task<fits>([=] { *p = 1; }).wait();
    else
      q.parallel_for<does_not>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(16)]] { *p = 2; });
  } catch (const sycl::exception &e) {
    std::puts(e.code() == sycl::errc::kernel_not_supported ? "not launched" : e.what());
  }
  sycl::free(p, q);
}
//# file: library.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int five(int x) { return x + 5; }
//# file: calls.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
class calls;
SYCL_EXTERNAL int five(int x);
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  try {
    q.single_task<calls>([=] { p[0] = five(37); }).wait();
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::build ? "build" : "other", e.what());
  }
  sycl::free(p, q);
}
