// A driver that fails each of its functions in turn: a clear exception every time, or nothing that anybody could notice, and nothing is
// leaked. The fake is loader and driver in one (fake-opencl/fake.c). It has USM, SVM of one kind or another instead, or neither, and its
// commands end when somebody asks (FAKE_LATE) or at once.
//# also: fake-opencl/fake.c
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
