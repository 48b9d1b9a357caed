/* The other side of benches/runtime.cpp: the same kernels in OpenCL C, launched through OpenCL's API and nothing else. Prints the same labels.
 * The few declarations stand here, so that no OpenCL headers are needed; the loader is opened at run time. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef void *handle;

static cl_int (*clGetPlatformIDs)(cl_uint, handle *, cl_uint *);
static cl_int (*clGetDeviceIDs)(handle, uint64_t, cl_uint, handle *, cl_uint *);
static handle (*clCreateContext)(const intptr_t *, cl_uint, const handle *, const void *, void *, cl_int *);
static handle (*clCreateCommandQueueWithProperties)(handle, handle, const uint64_t *, cl_int *);
static handle (*clCreateProgramWithSource)(handle, cl_uint, const char **, const size_t *, cl_int *);
static cl_int (*clBuildProgram)(handle, cl_uint, const handle *, const char *, void *, void *);
static handle (*clCreateKernel)(handle, const char *, cl_int *);
static handle (*clCreateBuffer)(handle, uint64_t, size_t, void *, cl_int *);
static cl_int (*clSetKernelArg)(handle, cl_uint, size_t, const void *);
static cl_int (*clEnqueueFillBuffer)(handle, handle, const void *, size_t, size_t, size_t, cl_uint, const handle *, handle *);
static cl_int (*clEnqueueNDRangeKernel)(handle, handle, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const handle *,
                                        handle *);
static cl_int (*clWaitForEvents)(cl_uint, const handle *);
static cl_int (*clReleaseEvent)(handle);
static cl_int (*clFinish)(handle);

static const char *const source =
    "kernel void empty() {}\n"
    "kernel void saxpy(global const float *x, global float *y) { size_t i = get_global_id(0); y[i] = 1.0001f * x[i] + y[i]; }\n"
    "kernel void bodies(global const float *x, global const float *y, global float *z) {\n"
    "  size_t i = get_global_id(0); const float px = x[i], py = y[i]; float fx = 0, fy = 0;\n"
    "  for (int j = 0; j < 4096; ++j) {\n"
    "    const float dx = x[j] - px, dy = y[j] - py, d = dx * dx + dy * dy + 0.01f, w = 1.0f / (d * sqrt(d));\n"
    "    fx += dx * w; fy += dy * w; }\n"
    "  z[i] = fx + fy; }\n"
    "kernel void stencil(global const float *x, global float *z) {\n"
    "  size_t i = (get_global_id(1) + 1) * 2048 + get_global_id(0) + 1;\n"
    "  z[i] = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - 2048] + x[i + 2048]); }\n"
    "kernel void product(global const float *x, global const float *y, global float *z) {\n"
    "  local float a[16][16], b[16][16]; float sum = 0;\n"
    "  size_t r = get_local_id(1), c = get_local_id(0), row = get_global_id(1), column = get_global_id(0);\n"
    "  for (int t = 0; t < 512; t += 16) {\n"
    "    a[r][c] = x[row * 512 + t + c]; b[r][c] = y[(t + r) * 512 + column];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < 16; ++k) sum += a[r][k] * b[k][c];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  z[row * 512 + column] = sum; }\n";

static void check(const char *what, cl_int error) {
  if (error) {
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static handle queue, program;

/* Submits and waits, as often as the other side does; prints the best round's time of one. */
static void measure(const char *label, const char *name, int arguments, handle *buffers, cl_uint dims, const size_t *global,
                    const size_t *local, int rounds, int calls) {
  cl_int error;
  handle kernel = clCreateKernel(program, name, &error);
  check("clCreateKernel", error);
  for (int i = 0; i < arguments; ++i)
    check("clSetKernelArg", clSetKernelArg(kernel, i, sizeof(handle), &buffers[i]));
  double best = 1e300;
  for (int round = -1; round < rounds; ++round) {
    const double start = now();
    for (int call = 0; call < calls; ++call) {
      handle event;
      check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, &event));
      check("clWaitForEvents", clWaitForEvents(1, &event));
      check("clReleaseEvent", clReleaseEvent(event));
    }
    const double one = (now() - start) / calls;
    if (round >= 0 && one < best)
      best = one;
  }
  printf("%s ns=%.1f\n", label, best);
}

int main(void) {
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!loader) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
#define FIND(name)                                                                                                                         \
  if (!(*(void **)&name = dlsym(loader, #name)))                                                                                           \
  return fprintf(stderr, "no " #name "\n"), 1
  FIND(clGetPlatformIDs);
  FIND(clGetDeviceIDs);
  FIND(clCreateContext);
  FIND(clCreateCommandQueueWithProperties);
  FIND(clCreateProgramWithSource);
  FIND(clBuildProgram);
  FIND(clCreateKernel);
  FIND(clCreateBuffer);
  FIND(clSetKernelArg);
  FIND(clEnqueueFillBuffer);
  FIND(clEnqueueNDRangeKernel);
  FIND(clWaitForEvents);
  FIND(clReleaseEvent);
  FIND(clFinish);

  handle platform, device, x, y, z;
  cl_int error;
  check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  check("clGetDeviceIDs", clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, NULL));
  handle context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check("clCreateContext", error);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  check("clCreateCommandQueueWithProperties", error);
  program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
  check("clCreateProgramWithSource", error);
  check("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
  const size_t n = (size_t)1 << 22, bytes = n * sizeof(float);
  handle *const all[] = {&x, &y, &z};
  for (int i = 0; i < 3; ++i) {
    *all[i] = clCreateBuffer(context, 1, bytes, NULL, &error);
    check("clCreateBuffer", error);
    const float value = i == 0 ? 1.5f : 0.5f;
    check("clEnqueueFillBuffer", clEnqueueFillBuffer(queue, *all[i], &value, sizeof value, 0, bytes, 0, NULL, NULL));
  }
  check("clFinish", clFinish(queue));

  const size_t one[] = {1}, m[] = {4096}, inner[] = {2046, 2046}, dim[] = {512, 512}, tile[] = {16, 16};
  measure("empty", "empty", 0, NULL, 1, one, one, 20, 2000);
  measure("saxpy", "saxpy", 2, (handle[]){x, y}, 1, &n, NULL, 20, 1);
  measure("n-body", "bodies", 3, (handle[]){x, y, z}, 1, m, NULL, 7, 1);
  measure("stencil", "stencil", 2, (handle[]){x, z}, 2, inner, NULL, 20, 1);
  measure("matmul", "product", 3, (handle[]){x, y, z}, 2, dim, tile, 7, 1);
  return 0;
}
