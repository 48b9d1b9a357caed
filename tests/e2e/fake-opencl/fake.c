// OpenCL's loader and a driver in one, for fake-opencl.cpp: what FAKE_FAIL names fails, at the call that FAKE_AT counts; or it crashes (FAKE_CRASH). Its kernels add 1 to
// what the functor points to.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
enum { SUCCESS = 0, OUT_OF_RESOURCES = -5, INVALID_VALUE = -30 };

enum { NOT_BEGUN = -14 };

struct kernel {
  void *value;
  void *pointers[64];
  size_t count;
};
struct event {
  cl_int status;
  void (*call)(struct event *, cl_int, void *);
  void *with;
  struct event *next;
};

static int platform, device, context, queue, program, live, calls;

/// What must be given back: programs, kernels, events and memory. Context and queue live as long as the process.
int fake_live(void) { return live; }

static int is(const char *variable, const char *name) {
  const char *wanted = getenv(variable);
  return wanted && strcmp(wanted, name) == 0;
}

/// Whether this call is to fail: all of its name, or the one that FAKE_AT counts.
static int fails(const char *name) {
  if (!is("FAKE_FAIL", name))
    return 0;
  const char *at = getenv("FAKE_AT");
  if (getenv("FAKE_CRASH"))
    abort();
  return !at || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == atoi(at);
}
#define FAIL(name)                                                                                                                         \
  if (fails(#name))                                                                                                                        \
  return OUT_OF_RESOURCES
#define FAIL_HANDLE(name)                                                                                                                  \
  *error = fails(#name) ? OUT_OF_RESOURCES : SUCCESS;                                                                                      \
  if (*error != SUCCESS || is("FAKE_NULL", #name))                                                                                         \
  return NULL

static void add(int n) { __atomic_add_fetch(&live, n, __ATOMIC_SEQ_CST); }

static cl_int answer(const void *from, size_t have, size_t size, void *into, size_t *needed) {
  if (needed)
    *needed = have;
  if (into && size < have)
    return INVALID_VALUE;
  if (into)
    memcpy(into, from, have);
  return SUCCESS;
}
#define TEXT(text) answer(text, sizeof text, size, into, needed)

cl_int clGetPlatformIDs(cl_uint n, void **out, cl_uint *count) {
  FAIL(clGetPlatformIDs);
  if (out && n)
    *out = &platform;
  if (count)
    *count = 1;
  return SUCCESS;
}
cl_int clGetPlatformInfo(void *p, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)p, (void)what;
  FAIL(clGetPlatformInfo);
  return TEXT("fake platform");
}
cl_int clGetDeviceIDs(void *p, cl_ulong type, cl_uint n, void **out, cl_uint *count) {
  (void)p, (void)type;
  FAIL(clGetDeviceIDs);
  if (out && n)
    *out = &device;
  if (count)
    *count = 1;
  return SUCCESS;
}
cl_int clGetDeviceInfo(void *d, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)d;
  FAIL(clGetDeviceInfo);
  static const size_t items[3] = {64, 64, 64}, sizes[1] = {8}, largest = 64;
  static const cl_uint no = 0, yes = 1, bits = 64, units = 2, groups = 8;
  static const cl_ulong bytes = 1 << 20, all = 0xF, cpu = 2, properties = 3;
  const char *svm = getenv("FAKE_SVM");
  const cl_ulong kinds = svm ? (cl_ulong)atoi(svm) : 0;
  switch (what) {
  case 0x1000: return answer(&cpu, sizeof cpu, size, into, needed);
  case 0x1002: return answer(&units, sizeof units, size, into, needed);
  case 0x1004: return answer(&largest, sizeof largest, size, into, needed);
  case 0x1005: return answer(items, sizeof items, size, into, needed);
  case 0x100D: return answer(&bits, sizeof bits, size, into, needed);
  case 0x1010: case 0x101F: case 0x1023: return answer(&bytes, sizeof bytes, size, into, needed);
  case 0x1017: return answer(&largest, sizeof largest, size, into, needed);
  case 0x103E: return answer(getenv("FAKE_NO_LINKER") ? &no : &yes, sizeof yes, size, into, needed);
  case 0x1027: case 0x1028: return answer(&yes, sizeof yes, size, into, needed);
  case 0x102A: return answer(&properties, sizeof properties, size, into, needed);
  case 0x102B: return TEXT("fake");
  case 0x1030: return TEXT("cl_intel_required_subgroup_size cl_intel_unified_shared_memory");
  case 0x1053: return answer(&kinds, sizeof kinds, size, into, needed);
  case 0x105B: return TEXT("SPIR-V_1.4");
  case 0x105C: return answer(&groups, sizeof groups, size, into, needed);
  case 0x4108: return answer(sizes, sizeof sizes, size, into, needed);
  case 0x4190: case 0x4191: case 0x4192: return answer(&all, sizeof all, size, into, needed);
  default: return INVALID_VALUE;
  }
}
void *clCreateContext(const void *p, cl_uint n, const void *d, const void *f, void *u, cl_int *error) {
  (void)p, (void)n, (void)d, (void)f, (void)u;
  FAIL_HANDLE(clCreateContext);
  return &context;
}
cl_int clReleaseContext(void *c) { return (void)c, SUCCESS; }
void *clCreateCommandQueueWithProperties(void *c, void *d, const void *p, cl_int *error) {
  (void)c, (void)d, (void)p;
  FAIL_HANDLE(clCreateCommandQueueWithProperties);
  return &queue;
}
cl_int clReleaseCommandQueue(void *q) { return (void)q, SUCCESS; }
cl_int clFlush(void *q) {
  (void)q;
  FAIL(clFlush);
  return SUCCESS;
}
void *clCreateProgramWithIL(void *c, const void *il, size_t size, cl_int *error) {
  (void)c, (void)il, (void)size;
  FAIL_HANDLE(clCreateProgramWithIL);
  add(1);
  return &program;
}
void *clCreateProgramWithBinary(void *c, cl_uint n, const void *d, const size_t *sizes, const void *bytes, cl_int *status, cl_int *error) {
  (void)c, (void)n, (void)d, (void)sizes, (void)bytes;
  FAIL_HANDLE(clCreateProgramWithBinary);
  *status = SUCCESS;
  add(1);
  return &program;
}
cl_int clBuildProgram(void *p, cl_uint n, const void *d, const char *o, const void *f, void *u) {
  (void)p, (void)n, (void)d, (void)o, (void)f, (void)u;
  FAIL(clBuildProgram);
  return SUCCESS;
}
cl_int clCompileProgram(void *p, cl_uint n, const void *d, const char *o, cl_uint m, const void *h, const void *names, const void *f,
                        void *u) {
  (void)p, (void)n, (void)d, (void)o, (void)m, (void)h, (void)names, (void)f, (void)u;
  FAIL(clCompileProgram);
  return SUCCESS;
}
void *clLinkProgram(void *c, cl_uint n, const void *d, const char *o, cl_uint m, const void *p, const void *f, void *u, cl_int *error) {
  (void)c, (void)n, (void)d, (void)o, (void)m, (void)p, (void)f, (void)u;
  FAIL_HANDLE(clLinkProgram);
  add(1);
  return &program;
}
cl_int clGetProgramInfo(void *p, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)p;
  FAIL(clGetProgramInfo);
  static const size_t length = 6;
  if (what == 0x1165)
    return answer(&length, sizeof length, size, into, needed);
  memcpy(*(void **)into, "binary", length);
  return SUCCESS;
}
cl_int clGetProgramBuildInfo(void *p, void *d, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)p, (void)d, (void)what;
  return TEXT("words of the fake compiler");
}
cl_int clReleaseProgram(void *p) {
  (void)p;
  add(-1);
  FAIL(clReleaseProgram);
  return SUCCESS;
}
void *clCreateKernel(void *p, const char *name, cl_int *error) {
  (void)p, (void)name;
  FAIL_HANDLE(clCreateKernel);
  add(1);
  return calloc(1, sizeof(struct kernel));
}
cl_int clSetKernelArg(struct kernel *k, cl_uint index, size_t size, const void *value) {
  FAIL(clSetKernelArg);
  if (index == 0) {
    free(k->value);
    k->value = memcpy(malloc(size), value, size);
  }
  return SUCCESS;
}
cl_int clSetKernelExecInfo(struct kernel *k, cl_uint what, size_t size, const void *value) {
  FAIL(clSetKernelExecInfo);
  if (what == 0x11B6 && size <= sizeof k->pointers) {
    memcpy(k->pointers, value, size);
    k->count = size / sizeof(void *);
  }
  return SUCCESS;
}
cl_int clGetKernelWorkGroupInfo(void *k, void *d, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)k, (void)d, (void)what;
  FAIL(clGetKernelWorkGroupInfo);
  static const size_t most = 64;
  return answer(&most, sizeof most, size, into, needed);
}
cl_int clGetKernelSubGroupInfo(void *k, void *d, cl_uint what, size_t n, const void *in, size_t size, void *into, size_t *needed) {
  (void)k, (void)d, (void)what, (void)n, (void)in;
  FAIL(clGetKernelSubGroupInfo);
  static const size_t eight = 8;
  return answer(&eight, sizeof eight, size, into, needed);
}
cl_int clReleaseKernel(struct kernel *k) {
  free(k->value);
  free(k);
  add(-1);
  FAIL(clReleaseKernel);
  return SUCCESS;
}
/// Whether a command begins: not if one that it waits for failed.
static int begins(cl_uint n, struct event *const *list) {
  for (cl_uint i = 0; i < n; ++i)
    if (list[i]->status < 0)
      return 0;
  return 1;
}
/// Whether a command that begins succeeds; gives its event.
static int ends_well(int begun, struct event **event) {
  const cl_int status = !begun ? NOT_BEGUN : fails("status") ? OUT_OF_RESOURCES : SUCCESS;
  if (event) {
    *event = calloc(1, sizeof **event);
    (*event)->status = status;
    add(1);
  }
  return status == SUCCESS;
}
cl_int clEnqueueNDRangeKernel(void *q, struct kernel *k, cl_uint n, const void *o, const void *g, const void *l, cl_uint m, void *w,
                              struct event **event) {
  (void)q, (void)n, (void)o, (void)g, (void)l;
  FAIL(clEnqueueNDRangeKernel);
  // What it adds to is the first thing in the functor, also behind an accessor.
  int *to, named = 0;
  memcpy(&to, k->value, sizeof to);
  for (size_t i = 0; i < k->count; ++i)
    named |= k->pointers[i] == (void *)to;
  // Kernels reach only the SVM that they were told of.
  if (getenv("FAKE_SVM") && !named)
    return INVALID_VALUE;
  if (ends_well(begins(m, w), event))
    *to += 1;
  return SUCCESS;
}
cl_int clEnqueueMarkerWithWaitList(void *q, cl_uint n, void *w, struct event **event) {
  (void)q;
  ends_well(begins(n, w), event);
  return SUCCESS;
}
static struct event *late;
static void call(struct event *e) { e->call(e, e->status, e->with); }
cl_int clSetEventCallback(struct event *e, cl_int when, void (*back)(struct event *, cl_int, void *), void *with) {
  (void)when;
  FAIL(clSetEventCallback);
  // Nobody would wait if this worked.
  if (is("FAKE_FAIL", "clWaitForEvents") || is("FAKE_FAIL", "clGetEventInfo"))
    return OUT_OF_RESOURCES;
  e->with = with;
  e->call = back;
  if (!getenv("FAKE_LATE")) {
    call(e);
    return SUCCESS;
  }
  // Late: when somebody waits for any of them.
  e->next = __atomic_load_n(&late, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(&late, &e->next, e, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return SUCCESS;
}
cl_int clWaitForEvents(cl_uint n, struct event *const *events) {
  FAIL(clWaitForEvents);
  for (struct event *e = __atomic_exchange_n(&late, NULL, __ATOMIC_SEQ_CST), *next; e; e = next) {
    next = e->next; // which is gone after the call, perhaps
    call(e);
  }
  return n && events[0]->status < 0 ? NOT_BEGUN : SUCCESS;
}
cl_int clGetEventInfo(struct event *e, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)what;
  FAIL(clGetEventInfo);
  return answer(&e->status, sizeof e->status, size, into, needed);
}
cl_int clGetEventProfilingInfo(void *e, cl_uint what, size_t size, void *into, size_t *needed) {
  (void)e;
  FAIL(clGetEventProfilingInfo);
  const cl_ulong time = what == 0x1280 ? 7000 : what == 0x1282 ? 8000 : 9000;
  return answer(&time, sizeof time, size, into, needed);
}
cl_int clReleaseEvent(void *e) {
  free(e);
  add(-1);
  FAIL(clReleaseEvent);
  return SUCCESS;
}

static void *allocate(size_t size) {
  add(1);
  return malloc(size);
}
static void *shared_memory(void *c, void *d, const void *p, size_t size, cl_uint alignment, cl_int *error) {
  (void)c, (void)d, (void)p, (void)alignment;
  FAIL_HANDLE(clSharedMemAllocINTEL);
  return allocate(size);
}
static void *device_memory(void *c, void *d, const void *p, size_t size, cl_uint alignment, cl_int *error) {
  (void)c, (void)d, (void)p, (void)alignment;
  FAIL_HANDLE(clDeviceMemAllocINTEL);
  return allocate(size);
}
static void *host_memory(void *c, const void *p, size_t size, cl_uint alignment, cl_int *error) {
  (void)c, (void)p, (void)alignment;
  FAIL_HANDLE(clHostMemAllocINTEL);
  return allocate(size);
}
static cl_int release(void *c, void *pointer) {
  (void)c;
  free(pointer);
  add(-1);
  FAIL(clMemFreeINTEL);
  return SUCCESS;
}
static cl_int copied(void *to, const void *from, size_t size, cl_uint n, void *w, struct event **event) {
  if (ends_well(begins(n, w), event))
    memcpy(to, from, size);
  return SUCCESS;
}
static cl_int filled(void *to, const void *pattern, size_t length, size_t size, cl_uint n, void *w, struct event **event) {
  if (ends_well(begins(n, w), event))
    for (size_t at = 0; at < size; at += length)
      memcpy((char *)to + at, pattern, length);
  return SUCCESS;
}
static cl_int copy(void *q, cl_uint blocking, void *to, const void *from, size_t size, cl_uint n, void *w, struct event **event) {
  (void)q, (void)blocking;
  FAIL(clEnqueueMemcpyINTEL);
  return copied(to, from, size, n, w, event);
}
static cl_int fill(void *q, void *to, const void *pattern, size_t length, size_t size, cl_uint n, void *w, struct event **event) {
  (void)q;
  FAIL(clEnqueueMemFillINTEL);
  return filled(to, pattern, length, size, n, w, event);
}
void *clSVMAlloc(void *c, cl_ulong flags, size_t size, cl_uint alignment) {
  (void)c, (void)alignment;
  const cl_ulong fine = 1 << 10;
  const char *svm = getenv("FAKE_SVM");
  return fails("clSVMAlloc") || !svm || (flags & fine && !(atoi(svm) & 2)) ? NULL : allocate(size);
}
void clSVMFree(void *c, void *pointer) {
  (void)c;
  free(pointer);
  add(-1);
}
cl_int clEnqueueSVMMemcpy(void *q, cl_uint blocking, void *to, const void *from, size_t size, cl_uint n, void *w, struct event **event) {
  (void)q, (void)blocking;
  FAIL(clEnqueueSVMMemcpy);
  return copied(to, from, size, n, w, event);
}
cl_int clEnqueueSVMMemFill(void *q, void *to, const void *pattern, size_t length, size_t size, cl_uint n, void *w, struct event **event) {
  (void)q;
  FAIL(clEnqueueSVMMemFill);
  return filled(to, pattern, length, size, n, w, event);
}
void *clGetExtensionFunctionAddressForPlatform(void *p, const char *name) {
  (void)p;
  if (getenv("FAKE_SVM"))
    return NULL;
  static const struct {
    const char *name;
    void *address;
  } all[] = {{"clSharedMemAllocINTEL", shared_memory}, {"clDeviceMemAllocINTEL", device_memory}, {"clHostMemAllocINTEL", host_memory},
             {"clMemFreeINTEL", release},             {"clEnqueueMemcpyINTEL", copy},         {"clEnqueueMemFillINTEL", fill}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (strcmp(name, all[i].name) == 0)
      return all[i].address;
  return NULL;
}
