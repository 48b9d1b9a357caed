// A driver that fails each of its functions in turn: a clear exception every time, or nothing that anybody could notice, and nothing is
// leaked. The fake is loader and driver in one; its kernels add 1 to what the functor points to. It has USM, SVM of one kind or another
// instead, or neither, and its commands end when somebody asks (FAKE_LATE) or at once.
//# sh: clang-22 -Wall -Wextra -Werror -O1 -g -shared -fPIC -Wl,-soname,libOpenCL.so.1 fake.c -o libOpenCL.so.1
//# run: aspen++ -fsycl-targets=spir64 -fPIC -shared other.cpp -o other.so
//# run: aspen++ -fsycl-targets=spir64 -w -fPIC -shared work.cpp -o work.so
//# run: aspen++ -fsycl-targets=native_cpu main.cpp -o a.out
//# run: python3 each.py
//# stdout: 0 wrong
//# file: each.py
import os, re, subprocess
environment = dict(os.environ, LD_LIBRARY_PATH='.', ASPEN_DEVICE_SELECTOR='opencl:*', ASPEN_CACHE_DIR='cache')
def run(**more):
    done = subprocess.run(['./a.out'], env=dict(environment, **more), capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr

wrong = 0
def expect(name, right, said):
    global wrong
    if not right:
        wrong += 1
        print(name, 'WRONG:', *said)

ALL = 'chain 2\ntask 2\nnd 5\nlinked 4\ntimes 7000 8000 9000\ncopies 7\nbuffer 9\nlive 0\n'
for late in {}, {'FAKE_LATE': '1'}:
    said = run(**late)
    expect('nothing', said[:2] == (0, ALL), said)
# Instead of USM: SVM that the host reaches, SVM that only the device reaches, and nothing.
said = run(FAKE_SVM='3')
expect('fine-grained SVM', said[:2] == (0, ALL), said)
said = run(FAKE_SVM='1')
coarse = "errc 12: 'fake' lacks aspect usm_shared_allocations\ncopies 7\nbuffer 9\nlive 0\n"
expect('coarse-grained SVM', said[0] == 0 and said[1].endswith(coarse), said)
said = run(FAKE_SVM='0')
plain = said[1].replace('\n', ' ')
words = "lacks aspect usm_shared_.*lacks aspect usm_device_.*buffer: errc 12: 'fake' has neither USM nor SVM.* live 0 $"
expect('neither', said[0] == 0 and re.search(words, plain), said)
# One that was waited for fails: the other runs all the same.
for late in {}, {'FAKE_LATE': '1'}:
    said = run(FAKE_FAIL='status', FAKE_AT='1', **late)
    right = re.match('chain 1: errc 2: .*kernel .*: the command: CL_OUT_OF_RESOURCES', said[1]) and said[1].endswith(ALL[ALL.index('task'):])
    expect('a chain with a failure', said[0] == 0 and right, said)
# What the program sees: the words of an exception, or that there is no device.
none = 'no device'
fails = {
    'clGetPlatformIDs': none, 'clGetDeviceIDs': none, 'clGetDeviceInfo': none,
    'clCreateContext': 'clCreateContext: CL_OUT_OF_RESOURCES (-5)|no memory',
    'clCreateCommandQueueWithProperties': 'clCreateCommandQueueWithProperties: CL_OUT_OF_RESOURCES',
    'clCreateProgramWithIL': 'cannot be built for OpenCL device .fake.: clCreateProgramWithIL: CL_OUT_OF_RESOURCES',
    'clBuildProgram': 'clBuildProgram: CL_OUT_OF_RESOURCES.*words of the fake compiler',
    'clCreateKernel': 'promises .*but: clCreateKernel: CL_OUT_OF_RESOURCES',
    'clSetKernelArg': 'clSetKernelArg: CL_OUT_OF_RESOURCES',
    'clSetKernelExecInfo': 'clSetKernelExecInfo: CL_OUT_OF_RESOURCES',
    'clGetKernelWorkGroupInfo': 'clGetKernelWorkGroupInfo: CL_OUT_OF_RESOURCES',
    'clCompileProgram': 'linked: errc 7: .*clCompileProgram: CL_OUT_OF_RESOURCES.*words of the fake compiler',
    'clLinkProgram': 'linked: errc 7: .*clLinkProgram: CL_OUT_OF_RESOURCES',
    'clGetKernelSubGroupInfo': 'clGetKernelSubGroupInfo: CL_OUT_OF_RESOURCES',
    'clEnqueueNDRangeKernel': 'clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES',
    'clFlush': 'clFlush: CL_OUT_OF_RESOURCES', 'clWaitForEvents': 'clWaitForEvents: CL_OUT_OF_RESOURCES',
    'clSharedMemAllocINTEL': 'no memory', 'clDeviceMemAllocINTEL': 'no memory|memory',
    'clEnqueueMemcpyINTEL': 'clEnqueueMemcpyINTEL: CL_OUT_OF_RESOURCES',
    'clEnqueueMemFillINTEL': 'clEnqueueMemFillINTEL: CL_OUT_OF_RESOURCES',
    'status': 'the command: CL_OUT_OF_RESOURCES',
}
# What is lost is only comfort: names, logs, the cache, memory that a driver does not take back.
harmless = ['clSetEventCallback', 'clGetPlatformInfo', 'clGetEventInfo', 'clGetProgramInfo', 'clCreateProgramWithBinary', 'clReleaseProgram', 'clReleaseKernel',
            'clReleaseEvent', 'clMemFreeINTEL']
for name, words in fails.items():
    said = run(FAKE_FAIL=name, ASPEN_CACHE='0')
    plain = said[1].replace('\n', ' ')
    right = said[0] == 0 and re.search(words, plain) and said[1].endswith('live 0\n')
    right = right and (words == none or re.search(r'errc (1|2|3|6|7|8|9|10)\b', plain) or 'no memory' in plain)
    expect(name, right, said)
for name in harmless:
    for turn in range(2):
        said = run(FAKE_FAIL=name)
        expect(name, said[0] == 0 and said[1] == ALL, said)
for name, words in {'clSVMAlloc': 'no memory.*buffer: errc 9', 'clEnqueueSVMMemcpy': 'clEnqueueSVMMemcpy: CL_OUT_OF_RESOURCES',
                    'clEnqueueSVMMemFill': 'clEnqueueSVMMemFill: CL_OUT_OF_RESOURCES',
                    'clSetKernelExecInfo': 'clSetKernelExecInfo: CL_OUT_OF_RESOURCES'}.items():
    said = run(FAKE_FAIL=name, FAKE_SVM='3')
    plain = said[1].replace('\n', ' ')
    expect(name + ' of SVM', said[0] == 0 and re.search(words, plain) and said[1].endswith('live 0\n'), said)
# A driver without a linker: one module by spirv-link, if that is there.
said = run(FAKE_NO_LINKER='1', FAKE_FAIL='clLinkProgram', ASPEN_CACHE='0')
expect('spirv-link', said[:2] == (0, ALL), said)
said = run(FAKE_NO_LINKER='1', ASPEN_CACHE='0', PATH='/nowhere')
words = 'linked: errc 7: .*spirv-link cannot be started.*the driver cannot link device functions.*apt install spirv-tools'
expect('no spirv-link', said[0] == 0 and re.search(words, said[1].replace('\n', ' ')), said)
said = run(FAKE_FAIL='clGetEventProfilingInfo')
host = re.search(r'times (\d+) (\d+) (\d+)', said[1])
expect('times of the host', said[0] == 0 and host and int(host[1]) <= int(host[2]) <= int(host[3]), said)
# Every call of every function once: the first, the second, the third time.
for name in sorted(fails) + harmless:
    for at in '123':
        said = run(FAKE_FAIL=name, FAKE_AT=at)
        expect(name + ' at ' + at, said[0] == 0 and said[1].endswith('live 0\n'), said)
# A driver that gives no handle and no error.
for name in 'clCreateContext', 'clCreateCommandQueueWithProperties', 'clCreateProgramWithIL', 'clCreateKernel':
    said = run(FAKE_NULL=name, ASPEN_CACHE='0')
    expect('null of ' + name, said[0] == 0 and name + ': CL_OUT_OF_RESOURCES' in said[1] or 'no memory' in said[1], said)
print(wrong, 'wrong')
//# file: work.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

template <class F> static void attempt(const char *name, const F &f) {
  try {
    const int result = f();
    if (result)
      std::printf("%s %d\n", name, result);
  } catch (const sycl::exception &e) {
    std::printf("%s: errc %d: %s\n", name, e.code().value(), e.what());
  }
}

/// 0 if an asynchronous error came in between, which is printed then.
static int unless_failed(sycl::queue &q, const char *name, const int &result) {
  try {
    q.wait_and_throw();
  } catch (const sycl::exception &e) {
    std::printf("%s: errc %d: %s\n", name, e.code().value(), e.what());
    return 0;
  }
  return result;
}

SYCL_EXTERNAL int other(int);

class chain;
class task;
class nd;
class linked;
class profiled;
class copies;
class in_buffer;

extern "C" void work() {
  if (sycl::device::get_devices().empty()) {
    std::printf("no device\n");
    return;
  }
  const auto throw_first = [](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      std::rethrow_exception(error);
  };
  sycl::queue q(throw_first);
  int *p = nullptr;
  attempt("shared memory", [&] {
    p = sycl::malloc_shared<int>(1, q);
    if (!p)
      std::printf("no memory\n");
    return 0;
  });
  if (p) {
    sycl::queue ordered(q.get_device(), throw_first, sycl::property_list{sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
    *p = 0;
    try {
      for (int twice = 0; twice < 2; ++twice)
        ordered.single_task<chain>([=] { *p += 1; });
      ordered.wait_and_throw();
      std::printf("chain %d\n", *p);
    } catch (const sycl::exception &e) {
      ordered.wait();
      std::printf("chain %d: errc %d: %s\n", *p, e.code().value(), e.what());
    }
    *p = 1;
    attempt("task", [&] {
      q.single_task<task>([=] { *p += 1; });
      return unless_failed(q, "task", *p);
    });
    *p = 4;
    attempt("nd", [&] {
      q.parallel_for<nd>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(8)]] { *p += 1; });
      return unless_failed(q, "nd", *p);
    });
    *p = 3;
    attempt("linked", [&] {
      q.single_task<linked>([=] { *p = other(*p); });
      return unless_failed(q, "linked", *p);
    });
    attempt("times", [&] {
      const sycl::event e = ordered.single_task<profiled>([=] { *p += 1; });
      ordered.wait_and_throw();
      const auto submit = e.get_profiling_info<sycl::info::event_profiling::command_submit>();
      const auto start = e.get_profiling_info<sycl::info::event_profiling::command_start>();
      const auto end = e.get_profiling_info<sycl::info::event_profiling::command_end>();
      // What passed on the host before the driver got the command is some microseconds.
      std::printf("times %d %d %d\n", submit <= 7000 ? 7000 : int(submit), int(start), int(end));
      return 0;
    });
    sycl::free(p, q);
  }
  int *d = nullptr;
  attempt("device memory", [&] {
    d = sycl::malloc_device<int>(4, q);
    if (!d)
      std::printf("no memory\n");
    return 0;
  });
  if (d) {
    attempt("copies", [&] {
      int back[4] = {};
      q.fill(d, 7, 4).wait();
      q.memcpy(back, d, sizeof back).wait();
      return unless_failed(q, "copies", back[3]);
    });
    sycl::free(d, q);
  }
  attempt("buffer", [&] {
    int value = 8;
    {
      sycl::buffer<int> b(&value, sycl::range<1>(1));
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h);
        h.single_task<in_buffer>([=] { a[0] += 1; });
      });
    }
    return unless_failed(q, "buffer", value);
  });
}
//# file: other.cpp
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int other(int x) { return x + 1; }
//# file: main.cpp
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

int main() {
  void *other = dlopen("./other.so", RTLD_NOW), *library = dlopen("./work.so", RTLD_NOW);
  if (!other || !library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  ((void (*)())dlsym(library, "work"))();
  // Its kernels and programs go with it.
  dlclose(library);
  dlclose(other);
  void *fake = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
  // Whoever runs a command has its event for a moment longer than those who wait for it.
  const auto live = [&] { return fake ? ((int (*)())dlsym(fake, "fake_live"))() : 0; };
  for (int i = 0; i < 500 && live() != 0; ++i)
    usleep(10000);
  std::printf("live %d\n", live());
}
//# file: fake.c
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
