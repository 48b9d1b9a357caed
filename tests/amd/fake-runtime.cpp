// The HIP backend against a runtime that runs nothing and says what it is asked: devices, images, grids, memory, interoperability, failures.
//# also: ../cuda/fake/libcuda.c
//# also: fake/libamdhip64.c
//# sh: gcc -shared -fPIC -o libamdhip64.so libamdhip64.c
//# run: aspen++ -O2 -fsycl-targets=amd_gpu_gfx90a {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* ./a.out
//# stdout: hip device Fake 0 of Advanced Micro Devices, Inc., driver 6.2, version gfx90a
//# stdout: sub-groups of 64, 49152 bytes of local memory, gfx90a 1, gfx908 0, AMD's 1
//# stdout: load machine code
//# stdout: launch _ZTS4task: grid 1x1x1, block 1x1x1, 0 bytes, global 1x1x1, offset 0x0x0, local 1x1x1
//# stdout: launch _ZTS4line: grid 4x1x1, block 256x1x1, 0 bytes, global 1x1x1000, offset 0x0x0, local 1x1x256
//# stdout: launch _ZTS6groups: grid 4x2x1, block 32x2x1, 1024 bytes, global 1x4x128, offset 0x0x0, local 1x2x32
//# stdout: launch _ZTS9hierarchy: grid 3x2x1, block 1x1x1, 0 bytes, global 1x2x3, offset 0x0x0, local 1x4x8
//# stdout~: ^nd_range: kernel 'groups' was launched with work-groups of 1024 work-items; 'Fake 0' runs it with at most 512$
//# stdout: patterns 9.5 9.5 7 3 42
//# stdout: native 0 1 1 1 0
//# stdout: no context: invalid
//# stdout: end
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_DEVICES=2 aspen devices
//# stdout~: hip:1 .*Fake 1
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=!hip:* aspen devices
//# stdout!~: Fake
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* aspen check a.out --here
//# stdout~: line
// What the traits of a program for the target say holds for the device, aspect by aspect.
//# also: ../e2e/traits-at-run-time.cpp
//# run: aspen++ -w -fsycl-targets=amd_gpu_gfx90a traits-at-run-time.cpp -o traits.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* ./traits.out
//# stdout: 0 contradictions
//# stdout~: compatible 1
// Another processor takes no image.
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_PROCESSOR=gfx908 ./a.out
//# stdout~: the program has no image of it for .*, only for amd_gpu_gfx90a
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_NO_POOLS=1 ./a.out
//# stdout: patterns 9.5 9.5 7 3 42
//# stdout!~: pool
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_FAIL=cuModuleGetFunction=500 ./a.out
//# stdout~: ^build: .*the image's list of kernels promises 'task', but: hipModuleGetFunction failed: hipErrorNotFound
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_FAIL=cuModuleLoadDataEx=1052 ./a.out
//# stdout~: ^build: image 'a_0' .* cannot be loaded for HIP device 'Fake 0': hipModuleLoadData failed
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_FAIL=cuLaunchKernel=719 ./a.out
//# stdout~: ^later kernel: HIP device 'Fake 0': kernel 'line': hipModuleLaunchKernel failed: hipErrorLaunchFailure \(launch failed\)
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=hip:* FAKE_FAIL=cuMemAllocManaged=2 ./a.out
//# stdout: no memory
//# run: env LD_LIBRARY_PATH=. FAKE_FAIL=cuInit=100 aspen devices
//# stdout!~: hip
// ROCm 5 is too old, and says so to those who ask.
//# sh: gcc -DFAKE_OLD -shared -fPIC -o libamdhip64.so libamdhip64.c
//# run: env LD_LIBRARY_PATH=. ASPEN_LOG=warn aspen devices
//# stdout!~: hip
//# stderr~: the HIP runtime is too old: it needs ROCm 6.0 missing="hipGetDevicePropertiesR0600"
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>
constexpr auto HIP = sycl::backend::ext_oneapi_hip;

class task;
class line;
class groups;
class hierarchy;
class native;

static const char *name_of(const sycl::exception &e) {
  const std::error_code code = e.code();
  return code == sycl::errc::nd_range  ? "nd_range"
         : code == sycl::errc::build   ? "build"
         : code == sycl::errc::kernel  ? "kernel"
         : code == sycl::errc::invalid ? "invalid"
                                       : "other";
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

static void natives(sycl::queue &q) {
  const sycl::device d = q.get_device();
  ihipStream_t *const stream = sycl::get_native<HIP>(q);
  ihipCtx_t *const context = sycl::get_native<HIP>(q.get_context());
  ihipEvent_t *const event = sycl::get_native<HIP>(q.single_task<native>([] {}));
  // Entering contexts leaves the thread's device as it was.
  int now = -1;
  void *const runtime = dlopen("libamdhip64.so", RTLD_NOW);
  reinterpret_cast<int (*)(int *)>(dlsym(runtime, "hipGetDevice"))(&now);
  std::printf("native %d %d %d %d %d\n", sycl::get_native<HIP>(d), stream != nullptr, context != nullptr, event != nullptr, now);
  try {
    (void)sycl::make_context<HIP>(reinterpret_cast<ihipCtx_t *>(&q));
  } catch (const sycl::exception &e) {
    std::printf("no context: %s\n", name_of(e));
  }
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
  std::printf("%s device %s of %s, driver %s, version %s\n", device.get_backend() == HIP ? "hip" : "another", device.get_info<name>().c_str(),
              device.get_info<vendor>().c_str(), device.get_info<driver_version>().c_str(), device.get_info<version>().c_str());
  namespace ex = sycl::ext::oneapi::experimental;
  std::printf("sub-groups of %zu, %zu bytes of local memory, gfx90a %d, gfx908 %d, AMD's %d\n", device.get_info<sub_group_sizes>()[0],
              static_cast<size_t>(device.get_info<local_mem_size>()), device.ext_oneapi_architecture_is(ex::architecture::amd_gpu_gfx90a),
              device.ext_oneapi_architecture_is(ex::architecture::amd_gpu_gfx908), device.ext_oneapi_architecture_is(ex::arch_category::amd_gpu));
  int *p = sycl::malloc_shared<int>(64, q);
  if (!p) {
    std::puts("no memory");
    return 0;
  }
  attempt([&] { q.single_task<task>([=] { p[0] = 1; }).wait(); });
  attempt([&] { q.parallel_for<line>(sycl::range<1>(1000), [=](sycl::id<1> i) { p[0] = int(i[0]); }).wait(); });
  attempt([&] { launch_groups(q, p, {1, 4, 128}, {1, 2, 32}, 256); });
  attempt([&] {
    q.submit([&](sycl::handler &h) {
       h.parallel_for_work_group<hierarchy>(sycl::range<2>(2, 3), sycl::range<2>(4, 8), [=](sycl::group<2> g) {
         g.parallel_for_work_item([&](sycl::h_item<2> at) { p[0] = int(at.get_local_id(0)); });
       });
     }).wait();
  });
  attempt([&] { launch_groups(q, p, {1, 1, 1024}, {1, 1, 1024}, 4); });
  attempt([&] { q.wait_and_throw(); });

  double *doubles = sycl::malloc_device<double>(300000, q);
  int *host = sycl::malloc_host<int>(2, q);
  q.fill(doubles, 9.5, 300000).wait();
  q.fill(host, 7, 2).wait();
  q.memset(p, 3, 8).wait();
  double far;
  const int mine = 42;
  int back = 0;
  q.memcpy(&far, doubles + 299999, sizeof far).wait();
  q.memcpy(p + 8, &mine, sizeof mine).wait();
  q.memcpy(&back, p + 8, sizeof back).wait();
  std::printf("patterns %g %g %d %d %d\n", doubles[0], far, host[1], reinterpret_cast<char *>(p)[7], back);
  attempt([&] { natives(q); });
  for (void *memory : {static_cast<void *>(p), static_cast<void *>(host), static_cast<void *>(doubles)})
    sycl::free(memory, q);
  std::puts("end");
}
