//! Commands that a program puts into the native queue itself. On OpenCL they are writes of memory that nobody waits for. Exit status 0: all right.
#include "check.hpp"

#include <dlfcn.h>
#include <stdexcept>
#include <vector>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
constexpr auto CL = sycl::backend::opencl;

static_assert(SYCL_EXT_ONEAPI_ENQUEUE_NATIVE_COMMAND >= 1);
static_assert(std::is_same_v<decltype(std::declval<sycl::interop_handle>().ext_codeplay_get_native_graph<CL>()), _cl_command_buffer_khr *>);

constexpr size_t count = 1 << 20;
static std::vector<int> source(count, 7);

/// Enqueues without waiting, where there is a queue.
static void write(sycl::interop_handle native, const sycl::accessor<int> &to) {
  if (native.get_backend() == sycl::backend::native_cpu) {
    int *const memory = native.get_native_mem<sycl::backend::native_cpu>(to);
    for (size_t i = 0; i < count; ++i)
      memory[i] = source[i];
  } else if (native.get_backend() == CL) {
    using enqueue = int(_cl_command_queue *, _cl_mem *, unsigned, size_t, size_t, const void *, unsigned, const void *, void *);
    const auto call = reinterpret_cast<enqueue *>(dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clEnqueueWriteBuffer"));
    CHECK(call(native.get_native_queue<CL>(), native.get_native_mem<CL>(to)[0], 0, 0, count * sizeof(int), source.data(), 0, nullptr, nullptr) == 0);
  }
}

static void commands(sycl::queue &q) {
  if (q.get_backend() == sycl::backend::cuda)
    return;
  sycl::buffer<int> b{sycl::range(count)};
  int *sum = sycl::malloc_shared<int>(1, q);
  const sycl::event before = q.single_task([=] { *sum = 1; });
  int seen = 0;
  q.submit([&](sycl::handler &h) {
    h.depends_on(before);
    const sycl::accessor to(b, h);
    h.ext_codeplay_enqueue_native_command([=, &seen](sycl::interop_handle native) {
      seen = *sum;
      CHECK(!native.ext_codeplay_has_graph());
      CHECK(throws(sycl::errc::invalid, [&] { (void)native.ext_codeplay_get_native_graph<CL>(); }));
      write(native, to);
    });
  });
  q.submit([&](sycl::handler &h) {
     const sycl::accessor from(b, h, sycl::read_only);
     h.single_task([=] {
       for (size_t i = 0; i < count; ++i)
         *sum += from[i];
     });
   }).wait();
  CHECK(seen == 1 && *sum == 1 + 7 * static_cast<int>(count));
  sycl::free(sum, q);
}

/// A native queue that keeps no order, and one that does.
static void queues(const sycl::queue &of) {
  if (of.get_backend() != CL)
    return;
  using make = _cl_command_queue *(_cl_context *, _cl_device_id *, const unsigned long *, int *);
  const auto call = reinterpret_cast<make *>(dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clCreateCommandQueueWithProperties"));
  for (unsigned long order : {1ul, 0ul}) {
    int error = 0;
    const unsigned long properties[] = {0x1093, order, 0};
    _cl_command_queue *const native = call(sycl::get_native<CL>(of.get_context()), sycl::get_native<CL>(of.get_device()), properties, &error);
    CHECK(error == 0);
    sycl::queue q = sycl::make_queue<CL>(native, of.get_context());
    CHECK(q.is_in_order() == (order == 0));
    commands(q);
  }
}

static void errors(const sycl::device &d) {
  int caught = 0;
  sycl::queue q(d, [&](sycl::exception_list all) { caught += static_cast<int>(all.size()); });
  q.submit([](sycl::handler &h) { h.ext_codeplay_enqueue_native_command([](sycl::interop_handle) { throw std::runtime_error("mine"); }); });
  q.wait_and_throw();
  CHECK(caught == 1);
}

/// Each execution calls it.
static void graphs(sycl::queue &q) {
  int calls = 0;
  ex::command_graph graph(q);
  graph.add([&](sycl::handler &h) { h.ext_codeplay_enqueue_native_command([&](sycl::interop_handle native) { calls += !native.ext_codeplay_has_graph(); }); });
  auto ready = graph.finalize();
  q.ext_oneapi_graph(ready).wait();
  q.ext_oneapi_graph(ready).wait();
  CHECK(calls == 2);
}

int main() {
  sycl::queue q;
  commands(q);
  queues(q);
  errors(q.get_device());
  graphs(q);
  return failures != 0;
}
