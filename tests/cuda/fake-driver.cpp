// The CUDA backend against a driver that runs nothing and says what it is asked: images, grids, memory, and a failure of every function.
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
//# stdout: launch _ZTS9hierarchy: grid 3x2x1, block 1x1x1, 0 bytes, global 1x2x3, offset 0x0x0, local 1x4x8
//# stdout~: ^nd_range: kernel 'groups' was launched with work-groups of 1024 work-items; 'Fake 0' runs it with at most 512$
//# stdout~: ^nd_range: kernel 'groups' was launched with 70000x1x1 work-groups; the device allows at most 65535x65535x2147483647$
//# stdout: fill 150000 quads, grid 586x1x1, block 256x1x1
//# stdout: fill 149999 quads, grid 586x1x1, block 256x1x1
//# stdout: large patterns everywhere
//# stdout: copies and patterns 7 7 770 770 123456 123456 8.25 3 3
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_DEVICES=2 aspen devices
//# stdout~: cuda:1 .*Fake 1
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
//# stderr~: no USM device="Fake 0" failure=cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuLaunchKernel=719 ./a.out
//# stdout~: ^later kernel: CUDA device 'Fake 0': kernel 'line': cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED \(unspecified launch failure\)$
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* FAKE_FAIL=cuStreamSynchronize=719 ./a.out
//# stdout~: ^later kernel: CUDA device 'Fake 0': kernel 'line': cuStreamSynchronize failed: CUDA_ERROR_LAUNCH_FAILED
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
//# file: libcuda.c
/* A CUDA driver without a GPU, for tests of the backend: memory is the host's, kernels are not run but named.
 *
 * FAKE_FAIL=FUNCTION=NUMBER makes that function fail with that error. FAKE_DEVICES says how many devices there are (1).
 * FAKE_OLD leaves a function out, as an old driver would (compile with -DFAKE_OLD).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int result;
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500 };

static result failing(const char *function) {
  const char *wanted = getenv("FAKE_FAIL");
  const size_t length = strlen(function);
  if (wanted && strncmp(wanted, function, length) == 0 && wanted[length] == '=')
    return atoi(wanted + length + 1);
  return SUCCESS;
}
#define ENTER                                                                                                                             \
  do {                                                                                                                                    \
    result failure = failing(__func__);                                                                                                   \
    if (failure)                                                                                                                          \
      return failure;                                                                                                                     \
  } while (0)

/* What was allocated, and must be freed by the function that belongs to it. */
enum kind { NONE, DEVICE, MANAGED, HOST };
static struct {
  char *address;
  size_t size;
  enum kind kind;
} blocks[64];

static result allocate(void **out, size_t size, enum kind kind) {
  for (int i = 0; i < 64; ++i)
    if (blocks[i].kind == NONE) {
      blocks[i].address = aligned_alloc(256, (size + 255) / 256 * 256);
      blocks[i].size = size;
      blocks[i].kind = kind;
      *out = blocks[i].address;
      return SUCCESS;
    }
  return 2;
}
static result release(void *address, int host) {
  for (int i = 0; i < 64; ++i)
    if (blocks[i].kind != NONE && blocks[i].address == address) {
      if ((blocks[i].kind == HOST) != host)
        return INVALID_VALUE;
      free(address);
      blocks[i].kind = NONE;
      return SUCCESS;
    }
  return INVALID_VALUE;
}

result cuInit(unsigned flags) {
  ENTER;
  return flags ? INVALID_VALUE : SUCCESS;
}
result cuDriverGetVersion(int *version) {
  ENTER;
  *version = 12040;
  return SUCCESS;
}
result cuDeviceGetCount(int *count) {
  ENTER;
  *count = getenv("FAKE_DEVICES") ? atoi(getenv("FAKE_DEVICES")) : 1;
  return SUCCESS;
}
result cuDeviceGet(int *device, int ordinal) {
  ENTER;
  *device = ordinal;
  return SUCCESS;
}
result cuDeviceGetName(char *name, int size, int device) {
  ENTER;
  snprintf(name, size, "Fake %d", device);
  return SUCCESS;
}
result cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER;
  (void)device;
  *bytes = (size_t)1 << 30;
  return SUCCESS;
}
result cuDeviceGetAttribute(int *value, int what, int device) {
  ENTER;
  (void)device;
  switch (what) {
  case 1: /* threads of a block */
  case 2: /* in x */
  case 3: /* in y */
    *value = 1024;
    return SUCCESS;
  case 4: /* in z */
    *value = 64;
    return SUCCESS;
  case 5: /* blocks in x */
    *value = 0x7FFFFFFF;
    return SUCCESS;
  case 6:
  case 7:
    *value = 65535;
    return SUCCESS;
  case 8: /* shared memory */
    *value = 49152;
    return SUCCESS;
  case 97: /* the same for those who ask for it */
    *value = 100000;
    return SUCCESS;
  case 10:
    *value = 32;
    return SUCCESS;
  case 16:
    *value = 4;
    return SUCCESS;
  case 41: /* unified addressing */
  case 83: /* managed memory */
  case 89: /* concurrently */
    *value = 1;
    return SUCCESS;
  case 75:
    *value = 9;
    return SUCCESS;
  case 76:
    *value = 0;
    return SUCCESS;
  default:
    *value = 0;
    return SUCCESS;
  }
}
result cuGetErrorName(result error, const char **text) {
  *text = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_LAUNCH_FAILED";
  return SUCCESS;
}
result cuGetErrorString(result error, const char **text) {
  *text = error == 2 ? "out of memory" : error == NOT_FOUND ? "named symbol not found" : "unspecified launch failure";
  return SUCCESS;
}

static int retained, depth;
result cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER;
  (void)device;
  ++retained;
  *context = &retained;
  return SUCCESS;
}
result cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  --retained;
  return SUCCESS;
}
result cuCtxPushCurrent_v2(void *context) {
  ENTER;
  __atomic_add_fetch(&depth, 1, __ATOMIC_RELAXED);
  return context == &retained ? SUCCESS : INVALID_VALUE;
}
result cuCtxPopCurrent_v2(void **context) {
  ENTER;
  *context = &retained;
  return __atomic_sub_fetch(&depth, 1, __ATOMIC_RELAXED) < 0 ? INVALID_VALUE : SUCCESS;
}

result cuMemAlloc_v2(uint64_t *address, size_t size) {
  ENTER;
  return allocate((void **)address, size, DEVICE);
}
result cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags) {
  ENTER;
  return flags == 1 ? allocate((void **)address, size, MANAGED) : INVALID_VALUE;
}
result cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  ENTER;
  return flags == 3 ? allocate(address, size, HOST) : INVALID_VALUE;
}
result cuMemFree_v2(uint64_t address) {
  ENTER;
  return release((void *)address, 0);
}
result cuMemFreeHost(void *address) {
  ENTER;
  return release(address, 1);
}
result cuPointerGetAttribute(void *value, int what, uint64_t address) {
  for (int i = 0; i < 64; ++i)
    if (blocks[i].kind != NONE && address - (uint64_t)blocks[i].address < blocks[i].size) {
      *(unsigned *)value = what == 8 ? blocks[i].kind == MANAGED : blocks[i].kind == HOST ? 1 : 2;
      return SUCCESS;
    }
  return INVALID_VALUE;
}
result cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void *stream) {
  ENTER;
  (void)stream;
  memmove((void *)to, (void *)from, size);
  return SUCCESS;
}
result cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  memset((void *)to, value, count);
  return SUCCESS;
}
result cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned short *)to)[i] = value;
  return SUCCESS;
}
result cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned *)to)[i] = value;
  return SUCCESS;
}

/* The error log is the first option, its size the second. */
static void say(unsigned options, int *names, void **values, const char *words) {
  if (options == 2 && names[0] == 5 && names[1] == 6)
    snprintf(values[0], (size_t)values[1], "%s", words);
}
result cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *names, void **values) {
  const int is_elf = memcmp(image, "\177ELF", 4) == 0;
  result failure = failing(__func__);
  if (failure) {
    say(options, names, values, "the driver's words about the image");
    return failure;
  }
  printf("load %s\n", is_elf ? "machine code" : strstr(image, ".target") ? "PTX" : "what the linker made");
  *module = strdup(is_elf ? "" : image);
  return SUCCESS;
}
result cuModuleUnload(void *module) {
  free(module);
  return SUCCESS;
}
result cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER;
  /* PTX tells whether it has the kernel. */
  if (*(char *)module && !strstr(module, name))
    return NOT_FOUND;
  *function = strdup(name);
  return SUCCESS;
}
result cuFuncGetAttribute(int *value, int what, void *function) {
  ENTER;
  (void)function;
  *value = what == 0 ? 512 : 0;
  return SUCCESS;
}
result cuFuncSetAttribute(void *function, int what, int value) {
  ENTER;
  (void)function;
  printf("attribute %d is %d\n", what, value);
  return SUCCESS;
}
result cuStreamCreate(void **stream, unsigned flags) {
  ENTER;
  *stream = malloc(1);
  return flags == 1 ? SUCCESS : INVALID_VALUE;
}
result cuStreamDestroy_v2(void *stream) {
  free(stream);
  return SUCCESS;
}
result cuStreamSynchronize(void *stream) {
  ENTER;
  return stream ? SUCCESS : INVALID_VALUE;
}
result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned memory,
                      void *stream, void **parameters, void **extra) {
  ENTER;
  (void)stream;
  (void)extra;
  if (strcmp(function, "aspen_fill") == 0) {
    const uint64_t count = *(uint64_t *)parameters[1];
    printf("fill %lu quads, grid %ux%ux%u, block %ux%ux%u\n", count, gx, gy, gz, bx, by, bz);
    for (uint64_t i = 0; i < count; ++i)
      memcpy((char *)*(uint64_t *)parameters[0] + 16 * i, parameters[2], 16);
    return SUCCESS;
  }
  const uint64_t *shape = parameters[1];
  printf("launch %s: grid %ux%ux%u, block %ux%ux%u, %u bytes, global %lux%lux%lu, offset %lux%lux%lu, local %lux%lux%lu\n", (char *)function,
         gx, gy, gz, bx, by, bz, memory, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], shape[7], shape[8]);
  fflush(stdout);
  return SUCCESS;
}

static char linked[1 << 20];
result cuLinkCreate_v2(unsigned options, int *names, void **values, void **state) {
  ENTER;
  say(options, names, values, "the linker's words");
  linked[0] = 0;
  *state = linked;
  return SUCCESS;
}
result cuLinkAddData_v2(void *state, int type, void *data, size_t size, const char *name, unsigned options, int *names, void **values) {
  ENTER;
  (void)state, (void)options, (void)names, (void)values;
  printf("link %s, %s\n", type == 1 ? "PTX" : "machine code", strstr(name, "image") ? "named" : "without name");
  /* PTX is a C string, and nothing else may remind of it in the result. */
  if (type != 1 || ((char *)data)[size - 1] != 0)
    return INVALID_VALUE;
  for (char *p = data; *p; ++p)
    strncat(linked, *p == '.' ? "" : (char[]){*p, 0}, 1);
  return SUCCESS;
}
result cuLinkComplete(void *state, void **cubin, size_t *size) {
  ENTER;
  *cubin = state;
  *size = strlen(linked);
  return SUCCESS;
}
#ifndef FAKE_OLD
result cuLinkDestroy(void *state) {
  (void)state;
  return SUCCESS;
}
#endif
