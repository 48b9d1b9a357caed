// Handles of OpenCL's own: they are the runtime's objects, with a reference for whoever asked; memory of a buffer is current on the device
// before a host task asks for it, and what the task's commands write there is what kernels after it see.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: ok
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>
#include <vector>

using sycl::backend;
static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

/// A function of the loader that the runtime has open already. No header of OpenCL is needed.
template <class F> static F *loader(const char *name) {
  static void *const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}
using info = int(void *, unsigned, std::size_t, void *, std::size_t *);

template <class T> static T asked(const char *function, void *of, unsigned what) {
  T out{};
  expect(function, loader<info>(function)(of, what, sizeof out, &out, nullptr) == 0);
  return out;
}

static void handles(sycl::queue &q) {
  const sycl::device d = q.get_device();
  _cl_device_id *const device = sycl::get_native<backend::opencl>(d);
  _cl_platform_id *const platform = sycl::get_native<backend::opencl>(d.get_platform());
  _cl_context *const context = sycl::get_native<backend::opencl>(q.get_context());
  _cl_command_queue *const queue = sycl::get_native<backend::opencl>(q);
  expect("the device's platform", asked<void *>("clGetDeviceInfo", device, 0x1031) == platform);
  expect("the queue's device", asked<void *>("clGetCommandQueueInfo", queue, 0x1091) == device);
  expect("the queue's context", asked<void *>("clGetCommandQueueInfo", queue, 0x1090) == context);
  // Each handle has a reference of its own.
  const auto references = [&] { return asked<unsigned>("clGetCommandQueueInfo", queue, 0x1092); };
  const unsigned before = references();
  expect("the same queue", sycl::get_native<backend::opencl>(q) == queue);
  expect("a reference more", references() == before + 1);
  loader<int(void *)>("clReleaseCommandQueue")(queue);
  expect("given back", references() == before);
  loader<int(void *)>("clReleaseCommandQueue")(queue);
  loader<int(void *)>("clReleaseContext")(context);

  expect("make_device", sycl::make_device<backend::opencl>(device) == d);
  expect("make_platform", sycl::make_platform<backend::opencl>(platform) == d.get_platform());
  try {
    (void)sycl::make_device<backend::opencl>(reinterpret_cast<_cl_device_id *>(&wrong));
    expect("no such device", false);
  } catch (const sycl::exception &e) {
    expect("make_device's code", e.code() == sycl::errc::invalid);
  }
  try {
    (void)sycl::get_native<backend::cuda>(q);
    expect("another backend", false);
  } catch (const sycl::exception &e) {
    expect("get_native's code", e.code() == sycl::errc::backend_mismatch);
  }
}

/// OpenCL's devices are not divided, and say so.
static void parts(const sycl::device &d) {
  using how = sycl::info::partition_property;
  expect("no parts", d.get_info<sycl::info::device::partition_max_sub_devices>() == 0 && d.get_info<sycl::info::device::partition_properties>().empty());
  try {
    (void)d.create_sub_devices<how::partition_equally>(1);
    expect("refused", false);
  } catch (const sycl::exception &e) {
    expect("create_sub_devices' code", e.code() == sycl::errc::feature_not_supported);
  }
}

static void memory(sycl::queue &q) {
  std::vector<int> v(64, 3);
  {
    sycl::buffer<int> b(v.data(), v.size());
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += int(i[0]); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.host_task([=](sycl::interop_handle native) {
        const std::vector<_cl_mem *> memory = native.get_native_mem<backend::opencl>(a);
        _cl_command_queue *const queue = native.get_native_queue<backend::opencl>();
        expect("one object of the buffer's size", memory.size() == 1 && asked<std::size_t>("clGetMemObjectInfo", memory[0], 0x1102) == 64 * 4);
        expect("its context", asked<void *>("clGetMemObjectInfo", memory[0], 0x1106) == native.get_native_context<backend::opencl>());
        expect("the task's device", asked<void *>("clGetCommandQueueInfo", queue, 0x1091) == native.get_native_device<backend::opencl>());
        using transfer = int(void *, void *, unsigned, std::size_t, std::size_t, void *, unsigned, const void *, void *);
        int values[64] = {};
        expect("reads", loader<transfer>("clEnqueueReadBuffer")(queue, memory[0], 1, 0, sizeof values, values, 0, nullptr, nullptr) == 0);
        expect("what the kernel before wrote", values[0] == 3 && values[63] == 66);
        for (int &value : values)
          value *= 2;
        expect("writes", loader<transfer>("clEnqueueWriteBuffer")(queue, memory[0], 1, 0, sizeof values, values, 0, nullptr, nullptr) == 0);
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
    });
    // The same task with one accessor of each kind: each finds its content where it looks.
    sycl::buffer<int> sum(1);
    q.submit([&](sycl::handler &h) {
      sycl::accessor on_device(b, h, sycl::read_only);
      sycl::accessor on_host(sum, h, sycl::write_only_host_task);
      h.host_task([=](sycl::interop_handle native) {
        int last = 0;
        using transfer = int(void *, void *, unsigned, std::size_t, std::size_t, void *, unsigned, const void *, void *);
        loader<transfer>("clEnqueueReadBuffer")(native.get_native_queue<backend::opencl>(), native.get_native_mem<backend::opencl>(on_device)[0],
                                                1, 63 * sizeof last, sizeof last, &last, 0, nullptr, nullptr);
        on_host[0] = last;
      });
    });
    expect("on host and device", sycl::host_accessor(sum, sycl::read_only)[0] == 133);
  }
  expect("what kernels after the task see", v[0] == 7 && v[63] == 133);
}

int main() {
  sycl::queue q([](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        ++wrong;
        std::printf("asynchronous: %s\n", e.what());
      }
    }
  });
  handles(q);
  parts(q.get_device());
  memory(q);
  q.wait_and_throw();
  if (wrong == 0)
    std::printf("ok\n");
}
