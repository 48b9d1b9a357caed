/* A HIP runtime without a GPU: the CUDA driver of tests/cuda under HIP's names and numbers. FAKE_FAIL names CUDA's functions.
 * FAKE_OLD leaves a function out, as ROCm 5 does. FAKE_PROCESSOR is what the device is (gfx90a:sramecc+:xnack-).
 */
#include "libcuda.c"

typedef void *p;
typedef unsigned u;

result hipInit(u flags) { return cuInit(flags); }
result hipDriverGetVersion(int *version) {
  *version = 60241134;
  return SUCCESS;
}
result hipGetDeviceCount(int *count) { return cuDeviceGetCount(count); }
result hipDeviceGet(int *device, int ordinal) { return cuDeviceGet(device, ordinal); }
result hipDeviceGetName(char *name, int size, int device) { return cuDeviceGetName(name, size, device); }
result hipDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
result hipDeviceCanAccessPeer(int *can, int device, int other) { return cuDeviceCanAccessPeer(can, device, other); }
/* hipDeviceAttribute_t, and what CUDA calls the same. */
result hipDeviceGetAttribute(int *value, int what, int device) {
  static const int same[][2] = {{26, 2}, {27, 3}, {28, 4}, {29, 5}, {30, 6}, {31, 7}, {56, 1}, {63, 16}, {74, 8}, {85, 41}, {24, 83}, {9, 89}, {88, 115}};
  *value = what == 87 ? 64 : what == 5 ? 1700000 : 0;
  for (unsigned i = 0; i < sizeof same / sizeof *same; ++i)
    if (what == same[i][0])
      return cuDeviceGetAttribute(value, same[i][1], device);
  return SUCCESS;
}
#ifndef FAKE_OLD
result hipGetDevicePropertiesR0600(char *properties, int device) {
  (void)device;
  const char *processor = getenv("FAKE_PROCESSOR");
  strcpy(properties, "gfx in a name");
  strcpy(properties + 1160, processor ? processor : "gfx90a:sramecc+:xnack-");
  return SUCCESS;
}
#endif
const char *hipGetErrorName(result error) {
  return error == 2 ? "hipErrorOutOfMemory" : error == NOT_FOUND ? "hipErrorNotFound" : "hipErrorLaunchFailure";
}
const char *hipGetErrorString(result error) { return error == 2 ? "out of memory" : error == NOT_FOUND ? "named symbol not found" : "launch failed"; }

static __thread int device_now;
result hipGetDevice(int *device) {
  *device = device_now;
  return SUCCESS;
}
result hipSetDevice(int device) {
  device_now = device;
  return SUCCESS;
}
result hipDevicePrimaryCtxRetain(p *context, int device) { return cuDevicePrimaryCtxRetain(context, device); }
result hipDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }
result hipCtxPushCurrent(p context) {
  device_now = 7; /* whoever entered comes back to what was current */
  return cuCtxPushCurrent_v2(context);
}
result hipCtxPopCurrent(p *context) { return cuCtxPopCurrent_v2(context); }
result hipCtxGetDevice(int *device) { return cuCtxGetDevice(device); }

result hipMalloc(uint64_t *address, size_t size) { return cuMemAlloc_v2(address, size); }
result hipMallocManaged(uint64_t *address, size_t size, u flags) { return cuMemAllocManaged(address, size, flags); }
result hipHostMalloc(p *address, size_t size, u flags) { return cuMemHostAlloc(address, size, flags); }
result hipFree(uint64_t address) { return cuMemFree_v2(address); }
result hipHostFree(p address) { return cuMemFreeHost(address); }
/* An address that is not known is an error. */
result hipDrvPointerGetAttributes(u count, int *what, p *values, uint64_t address) {
  result got = cuPointerGetAttributes(count, what, values, address);
  return got == SUCCESS && *(u *)values[0] == 0 ? INVALID_VALUE : got;
}
result hipMemPoolCreate(p pool, const int *properties) { return cuMemPoolCreate(pool, properties); }
result hipMemPoolSetAttribute(p pool, int what, p value) { return cuMemPoolSetAttribute(pool, what, value); }
result hipMemPoolSetAccess(p pool, const int *descriptors, size_t count) { return cuMemPoolSetAccess(pool, descriptors, count); }
result hipMallocFromPoolAsync(uint64_t *address, size_t size, p pool, p stream) { return cuMemAllocFromPoolAsync(address, size, pool, stream); }
result hipFreeAsync(uint64_t address, p stream) { return cuMemFreeAsync(address, stream); }
result hipMemcpyAsync(uint64_t to, uint64_t from, size_t size, int kind, p stream) {
  return kind == 4 ? cuMemcpyAsync(to, from, size, stream) : INVALID_VALUE;
}
result hipMemsetD8Async(uint64_t to, unsigned char value, size_t count, p stream) { return cuMemsetD8Async(to, value, count, stream); }
result hipMemsetD16Async(uint64_t to, unsigned short value, size_t count, p stream) { return cuMemsetD16Async(to, value, count, stream); }
result hipMemsetD32Async(uint64_t to, u value, size_t count, p stream) { return cuMemsetD32Async(to, value, count, stream); }

/* EM_AMDGPU is 224. */
result hipModuleLoadData(p *module, const unsigned char *image) {
  if (memcmp(image, "\177ELF", 4) == 0 && image[18] != 224)
    return INVALID_VALUE;
  return cuModuleLoadDataEx(module, image, 0, 0, 0);
}
result hipModuleUnload(p module) { return cuModuleUnload(module); }
result hipModuleGetFunction(p *function, p module, const char *name) { return cuModuleGetFunction(function, module, name); }
result hipFuncGetAttribute(int *value, int what, p function) { return cuFuncGetAttribute(value, what, function); }
result hipModuleLaunchKernel(p function, u gx, u gy, u gz, u bx, u by, u bz, u memory, p stream, p *parameters, p *extra) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, memory, stream, parameters, extra);
}

result hipStreamCreateWithFlags(p stream, u flags) { return cuStreamCreate(stream, flags); }
result hipStreamDestroy(p stream) { return cuStreamDestroy_v2(stream); }
result hipStreamSynchronize(p stream) { return cuStreamSynchronize(stream); }
result hipStreamQuery(p stream) { return cuStreamQuery(stream); }
result hipStreamWaitEvent(p stream, p event, u flags) { return cuStreamWaitEvent(stream, event, flags); }
result hipStreamGetDevice(p stream, int *device) {
  *device = 0;
  return stream ? SUCCESS : INVALID_VALUE;
}
result hipEventCreateWithFlags(p event, u flags) { return cuEventCreate(event, flags); }
result hipEventDestroy(p event) { return cuEventDestroy_v2(event); }
result hipEventRecord(p event, p stream) { return cuEventRecord(event, stream); }
result hipEventQuery(p event) { return cuEventQuery(event); }
result hipEventSynchronize(p event) { return cuEventSynchronize(event); }
result hipEventElapsedTime(float *milliseconds, p from, p to) { return cuEventElapsedTime(milliseconds, from, to); }
