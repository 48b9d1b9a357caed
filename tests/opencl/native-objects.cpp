// Objects that a program makes by OpenCL's own interface and hands to SYCL: who holds how many references, whose order counts, what kernels of
// OpenCL C get and compute, and which codes wrong uses have. Source: SYCL 2020 §C.
//# run: aspen++ -O2 {self} -o a.out
//# run: ./a.out
//# stdout: ok
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

constexpr auto CL = sycl::backend::opencl;
static int wrong = 0;

static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}
template <class F> static void fails(const char *what, sycl::errc code, F &&f) {
  try {
    f();
    expect(what, false);
  } catch (const sycl::exception &e) {
    if (e.code() != code)
      std::printf("%s: code %d, %s\n", what, e.code().value(), e.what());
    expect(what, e.code() == code);
  }
}

/// Functions of the loader that the runtime has open already. No header of OpenCL is needed.
struct function {
  const char *name;
  template <class... A> long operator()(A... arguments) const {
    static void *const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    return reinterpret_cast<long (*)(A...)>(dlsym(library, name))(arguments...);
  }
  /// Those that give errors.
  template <class... A> void done(A... arguments) const {
    static void *const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    const int error = reinterpret_cast<int (*)(A...)>(dlsym(library, name))(arguments...);
    if (error)
      std::printf("%s: %d\n", name, error);
    expect(name, error == 0);
  }
};
using std::size_t;
constexpr void *none = nullptr;

static const char *const source = R"(
  struct pair { int a; float b; };
  kernel void where(global int *out, int add, local int *room, struct pair p) {
    size_t at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    room[get_local_id(0)] = add;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] += (int)get_global_id(0) + 100 * (int)get_global_id(1) + 10000 * (int)get_global_id(2) + room[get_local_id(0)] + p.a + (int)p.b;
  }
  kernel __attribute__((reqd_work_group_size(4, 2, 1))) void sized(global int *out) { out[get_global_id(0)] = (int)get_local_size(0); }
  kernel void twice(global int *out) { out[get_global_id(0)] *= 2; }
)";

/// What a program makes by itself, with one reference each.
struct native {
  explicit native(const sycl::device &d) {
    device = sycl::get_native<CL>(d);
    const std::intptr_t properties[] = {0x1084, reinterpret_cast<std::intptr_t>(sycl::get_native<CL>(d.get_platform())), 0};
    int error = 0;
    context = reinterpret_cast<_cl_context *>(function{"clCreateContext"}(properties, 1u, &device, none, none, &error));
    queue = reinterpret_cast<_cl_command_queue *>(function{"clCreateCommandQueueWithProperties"}(context, device, none, &error));
    expect("context and queue", context && queue);
  }
  ~native() {
    function{"clReleaseCommandQueue"}.done(queue);
    function{"clReleaseContext"}.done(context);
  }
  _cl_program *program(_cl_context *in, const char *text = source) const {
    int error = 0;
    return reinterpret_cast<_cl_program *>(function{"clCreateProgramWithSource"}(in, 1u, &text, none, &error));
  }
  _cl_program *built(_cl_context *in) const {
    _cl_program *made = program(in);
    function{"clBuildProgram"}.done(made, 1u, &device, none, none, none);
    return made;
  }
  static _cl_kernel *kernel(_cl_program *of, const char *name) {
    int error = 0;
    return reinterpret_cast<_cl_kernel *>(function{"clCreateKernel"}(of, name, &error));
  }
  _cl_mem *memory(_cl_context *in, size_t bytes, void *from, unsigned long flags = 0) const {
    int error = 0;
    return reinterpret_cast<_cl_mem *>(function{"clCreateBuffer"}(in, flags | (from ? 1ul << 5 : 0), bytes, from, &error));
  }
  _cl_event *user_event(_cl_context *in) const {
    int error = 0;
    return reinterpret_cast<_cl_event *>(function{"clCreateUserEvent"}(in, &error));
  }
  std::vector<int> content(_cl_command_queue *by, _cl_mem *of, size_t count) const {
    std::vector<int> out(count);
    function{"clEnqueueReadBuffer"}.done(by, of, 1u, size_t(0), count * sizeof(int), out.data(), 0u, none, none);
    return out;
  }
  _cl_device_id *device;
  _cl_context *context;
  _cl_command_queue *queue;
};
template <class T> static unsigned references(T *of) { return sycl::opencl::get_reference_count(of); }

/// Objects of SYCL hold a reference of what they were made of, as long as the last copy lives, and get_native gives one more.
static void reference_counts(const native &cl) {
  const unsigned context = references(cl.context), queue = references(cl.queue);
  {
    const sycl::context c = sycl::make_context<CL>(cl.context);
    expect("make_context retains", references(cl.context) > context);
    expect("its devices", c.get_devices().size() == 1 && sycl::get_native<CL>(c.get_devices()[0]) == cl.device && c.get_backend() == CL);
    const unsigned before = references(cl.context);
    expect("the same context", sycl::get_native<CL>(c) == cl.context && references(cl.context) == before + 1);
    function{"clReleaseContext"}.done(cl.context);
    const sycl::queue q = sycl::make_queue<CL>(cl.queue, c);
    expect("make_queue retains", references(cl.queue) > queue);
    expect("the same queue", sycl::get_native<CL>(q) == cl.queue && sycl::get_native<CL>(sycl::queue(q)) == cl.queue);
    function{"clReleaseCommandQueue"}.done(cl.queue);
    function{"clReleaseCommandQueue"}.done(cl.queue);
    expect("its context and device", q.get_context() == c && sycl::get_native<CL>(q.get_device()) == cl.device);
    expect("in order, not profiled", q.is_in_order() && !q.has_property<sycl::property::queue::enable_profiling>());

    _cl_mem *const memory = cl.memory(cl.context, 64, nullptr);
    {
      const sycl::buffer<int> b = sycl::make_buffer<CL, int>(memory, c);
      expect("make_buffer retains", references(memory) > 1);
      expect("its size", b.size() == 16 && b.byte_size() == 64 && b.get_range() == sycl::range<1>(16) && !b.is_sub_buffer());
      const std::vector<_cl_mem *> all = sycl::get_native<CL>(b);
      expect("the same memory", all.size() == 1 && all[0] == memory);
      function{"clReleaseMemObject"}.done(memory);
    }
    expect("~buffer releases", references(memory) == 1);
    function{"clReleaseMemObject"}.done(memory);

    _cl_program *const program = cl.built(cl.context);
    _cl_kernel *const kernel = native::kernel(program, "twice");
    const unsigned programs = references(program), kernels = references(kernel);
    {
      const sycl::kernel k = sycl::make_kernel<CL>(kernel, c);
      expect("make_kernel retains", references(kernel) == kernels + 1);
      expect("the same kernel", sycl::get_native<CL>(k) == kernel && references(kernel) == kernels + 2);
      function{"clReleaseKernel"}.done(kernel);
      expect("arguments", k.get_info<sycl::info::kernel::num_args>() == 1);
      expect("its bundle", sycl::get_native<CL>(k.get_kernel_bundle()) == std::vector<_cl_program *>{program});
      function{"clReleaseProgram"}.done(program);
      const auto bundle = sycl::make_kernel_bundle<CL, sycl::bundle_state::executable>(program, c);
      expect("make_kernel_bundle retains", references(program) > programs);
      expect("it is not empty, without kernels of SYCL", !bundle.empty() && bundle.get_kernel_ids().empty() && bundle.get_context() == c);
    }
    expect("~kernel and ~kernel_bundle release", references(kernel) == kernels && references(program) == programs);
    function{"clReleaseKernel"}.done(kernel);
    function{"clReleaseProgram"}.done(program);
  }
  expect("all is given back", references(cl.context) == context && references(cl.queue) == queue);
}

/// Kernels of OpenCL C over buffers, in any context: the sizes and arguments they see, in what order.
static void kernels(const native &cl, const sycl::queue &on, _cl_context *context) {
  sycl::queue q = on;
  _cl_program *const program = cl.built(context);
  const sycl::kernel where = sycl::make_kernel<CL>(native::kernel(program, "where"), q.get_context());
  const sycl::kernel twice = sycl::make_kernel<CL>(native::kernel(program, "twice"), q.get_context());
  const sycl::kernel sized = sycl::make_kernel<CL>(native::kernel(program, "sized"), q.get_context());
  struct pair {
    int a;
    float b;
  };
  std::vector<int> v(2 * 3 * 4, 7);
  {
    sycl::buffer<int, 3> b(v.data(), sycl::range(2, 3, 4));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for(b.get_range(), [=](sycl::item<3> i) { a[i] += 1; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.set_args(a, 1000000, sycl::local_accessor<int>(4, h), pair{3, 2.5f});
      h.parallel_for(sycl::nd_range(sycl::range(2, 3, 4), sycl::range(1, 1, 4)), where);
    });
    q.submit([&](sycl::handler &h) { // what a kernel of SYCL sees after it
      sycl::accessor a(b, h);
      h.parallel_for(b.get_range(), [=](sycl::id<3> i) { a[i] -= 8; });
    });
  }
  bool right = true;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x)
        right = right && v[(z * 3 + y) * 4 + x] == x + 100 * y + 10000 * z + 1000000 + 3 + 2;
  expect("where: SYCL's last dimension is OpenCL's first", right);

  std::vector<int> w(64);
  for (int i = 0; i < 64; ++i)
    w[i] = i;
  {
    sycl::buffer<int> b(w.data(), 64);
    // Sub-buffers begin where the device's alignment lets them.
    const size_t align = q.get_device().get_info<sycl::info::device::mem_base_addr_align>() / 8 / sizeof(int);
    sycl::buffer<int> part(b, align < 64 ? align : 0, 64 - (align < 64 ? align : 0));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(part, h);
      h.set_arg(0, a);
      h.parallel_for(part.get_range(), twice);
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.set_arg(0, a);
      h.single_task(twice);
    });
    sycl::host_accessor read(b);
    expect("a part", read[63] == 126 && (align >= 64 || (read[align] == int(2 * align) && read[align - 1] == int(align - 1))));
  }

  expect("work_group_size", where.get_info<sycl::info::kernel_device_specific::work_group_size>(q.get_device()) > 0);
  expect("compile_work_group_size",
         sized.get_info<sycl::info::kernel_device_specific::compile_work_group_size>(q.get_device()) == sycl::range(1, 2, 4));
  expect("multiple", sized.get_info<sycl::info::kernel_device_specific::preferred_work_group_size_multiple>(q.get_device()) > 0);
  const auto launched = [&](const sycl::kernel &k, auto shape) {
    q.submit([&](sycl::handler &h) { h.parallel_for(shape, k); });
  };
  fails("groups that do not divide", sycl::errc::nd_range, [&] { launched(twice, sycl::nd_range<1>(10, 3)); });
  fails("another group than it requires", sycl::errc::nd_range, [&] { launched(sized, sycl::nd_range<2>({4, 4}, {4, 2})); });
  const size_t most = twice.get_info<sycl::info::kernel_device_specific::work_group_size>(q.get_device());
  fails("groups that are too large", sycl::errc::nd_range, [&] { launched(twice, sycl::nd_range<1>(most + 1, most + 1)); });
  fails("groups of no items", sycl::errc::nd_range, [&] { launched(twice, sycl::nd_range<1>(8, 0)); });
  {
    sycl::buffer<int> empty{sycl::range<1>(0)};
    q.submit([&](sycl::handler &h) {
       sycl::accessor a(empty, h);
       h.set_arg(0, a);
       h.parallel_for(sycl::range<1>(0), twice);
     }).wait();
  }
  fails("a negative index", sycl::errc::invalid, [&] { q.submit([&](sycl::handler &h) { h.set_arg(-1, 3); }); });
  function{"clReleaseProgram"}.done(program);
}

/// Unified shared memory as arguments, of the runtime's own context.
static void pointers(const native &cl, sycl::queue q) {
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    return;
  _cl_context *const context = sycl::get_native<CL>(q.get_context());
  _cl_program *const program = cl.built(context);
  const sycl::kernel twice = sycl::make_kernel<CL>(native::kernel(program, "twice"), q.get_context());
  int *const p = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    p[i] = i + 1;
  q.submit([&](sycl::handler &h) {
     h.set_arg(0, p);
     h.parallel_for(sycl::range(4), twice);
   }).wait();
  expect("USM", p[0] == 2 && p[3] == 8);
  sycl::free(p, q);
  function{"clReleaseProgram"}.done(program);
  function{"clReleaseContext"}.done(context);
}

/// Memory of the program's own: kernels see its content when it is there, and it gets theirs.
static void memory(const native &cl, sycl::queue q, _cl_context *context, _cl_command_queue *queue) {
  std::vector<int> v(32, 5);
  _cl_mem *const mem = cl.memory(context, v.size() * sizeof(int), v.data());
  _cl_event *const ready = cl.user_event(context);
  {
    const sycl::event available = sycl::make_event<CL>({ready}, q.get_context());
    sycl::buffer<int> b = sycl::make_buffer<CL, int>(mem, q.get_context(), available);
    const sycl::event kernel = q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += int(i[0]); });
    });
    expect("it waits", kernel.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::submitted);
    const int nine = 9;
    function{"clEnqueueWriteBuffer"}.done(queue, mem, 1u, size_t(0), sizeof nine, &nine, 0u, none, none);
    function{"clFinish"}.done(queue); // Intel's blocking writes are over when the host's memory is free again
    function{"clSetUserEventStatus"}.done(ready, 0);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.host_task([=](sycl::interop_handle native) {
        const std::vector<_cl_mem *> all = native.get_native_mem<CL>(a);
        expect("the task gets the memory itself", all.size() == 1 && all[0] == mem && native.get_native_context<CL>() == context);
      });
    });
    expect("on the host", sycl::host_accessor(b, sycl::read_only)[1] == 6);
  }
  const std::vector<int> after = cl.content(queue, mem, v.size());
  expect("the memory has it", after[0] == 9 && after[1] == 6 && after[31] == 36);
  function{"clReleaseMemObject"}.done(mem);
  function{"clReleaseEvent"}.done(ready);
}

/// Memory that the host may not write, read or either: kernels of SYCL read and write it all the same.
static void guarded(const native &cl, sycl::queue q, _cl_context *context, _cl_command_queue *queue) {
  for (unsigned flags : {7u, 8u, 9u}) {
    std::vector<int> v(16, 3), seen(16);
    _cl_mem *const mem = cl.memory(context, 64, v.data(), 1ul << flags), *const copy = cl.memory(context, 64, nullptr);
    {
      sycl::buffer<int> b = sycl::make_buffer<CL, int>(mem, q.get_context());
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h);
        h.parallel_for(16, [=](sycl::id<1> i) { a[i] += 4; });
      });
    }
    function{"clEnqueueCopyBuffer"}.done(queue, mem, copy, size_t(0), size_t(0), size_t(64), 0u, none, none);
    expect("guarded memory", cl.content(queue, copy, 16) == std::vector<int>(16, 7));
    function{"clReleaseMemObject"}.done(mem);
    function{"clReleaseMemObject"}.done(copy);
  }
}

/// A command of the program's that waits for a kernel stands in its queue before the kernel could get there.
static void waiting(const native &cl, const sycl::context &c, const sycl::device &d) {
  const sycl::queue on = sycl::make_queue<CL>(cl.queue, c);
  sycl::queue q = on;
  _cl_program *const program = cl.built(cl.context);
  const sycl::kernel twice = sycl::make_kernel<CL>(native::kernel(program, "twice"), c);
  sycl::buffer<int> b(4);
  _cl_event *const late = cl.user_event(cl.context);
  const sycl::event behind = sycl::make_event<CL>({late}, c);
  sycl::queue(c, d).submit([&](sycl::handler &h) {
    h.depends_on(behind);
    sycl::accessor a(b, h, sycl::write_only_host_task, sycl::no_init);
    h.host_task([=] { a[0] = 21; });
  });
  const sycl::event kernel = q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h);
    h.set_arg(0, a);
    h.parallel_for(sycl::range<1>(4), twice);
  });
  const std::vector<_cl_event *> over = sycl::get_native<CL>(kernel);
  function{"clEnqueueBarrierWithWaitList"}.done(cl.queue, 1u, over.data(), none);
  function{"clSetUserEventStatus"}.done(late, 0);
  function{"clFinish"}.done(cl.queue);
  expect("no wait in a circle", sycl::host_accessor(b)[0] == 42);
  function{"clReleaseEvent"}.done(over[0]);
  function{"clReleaseEvent"}.done(late);
  function{"clReleaseProgram"}.done(program);
}

/// Events both ways.
static void events(const native &cl, const sycl::queue &on) {
  sycl::queue q = on;
  const sycl::context c = sycl::make_context<CL>(cl.context);
  _cl_event *const one = cl.user_event(cl.context), *const two = cl.user_event(cl.context);
  const unsigned before = references(one);
  {
    sycl::event both = sycl::make_event<CL>({one, two}, c);
    expect("make_event retains", references(one) > before);
    expect("an event's backend", both.get_backend() == CL);
    expect("the same events", sycl::get_native<CL>(both) == std::vector<_cl_event *>{one, two});
    function{"clReleaseEvent"}.done(one);
    function{"clReleaseEvent"}.done(two);
    const auto status = [&] { return both.get_info<sycl::info::event::command_execution_status>(); };
    expect("neither is over", status() == sycl::info::event_command_status::submitted);
    int ran = 0;
    const sycl::event task = q.submit([&](sycl::handler &h) {
      h.depends_on(both);
      h.host_task([&] { ran = 1; });
    });
    function{"clSetUserEventStatus"}.done(one, 0);
    expect("one is not over", status() != sycl::info::event_command_status::complete && ran == 0);
    function{"clSetUserEventStatus"}.done(two, 0);
    sycl::event(task).wait();
    both.wait();
    expect("both are over", status() == sycl::info::event_command_status::complete && ran == 1);
  }
  for (int tries = 0; references(one) != before && tries < 20000; ++tries) // the driver's own thread has one until it has called
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect("~event releases", references(one) == before);
  function{"clReleaseEvent"}.done(one);
  function{"clReleaseEvent"}.done(two);

  // Commands of SYCL as OpenCL sees them, those of the host too.
  sycl::event gate;
  for (const sycl::event &of : {q.single_task([] {}), q.submit([](sycl::handler &h) { h.host_task([] {}); }), sycl::event()}) {
    std::vector<_cl_event *> all = sycl::get_native<CL>(of);
    expect("one event", all.size() == 1 && sycl::get_native<CL>(of) == all);
    function{"clWaitForEvents"}.done(1u, all.data());
    sycl::event(of).wait();
    function{"clReleaseEvent"}.done(all[0]);
    function{"clReleaseEvent"}.done(all[0]);
  }
}

/// Commands of a queue that was made of an ordered one begin when all is over that the program has put there.
static void order(const native &cl) {
  const sycl::context c = sycl::make_context<CL>(cl.context);
  sycl::queue q = sycl::make_queue<CL>(cl.queue, c);
  _cl_event *const gate = cl.user_event(cl.context);
  function{"clEnqueueMarkerWithWaitList"}.done(cl.queue, 1u, &gate, none);
  function{"clEnqueueBarrierWithWaitList"}.done(cl.queue, 1u, &gate, none);
  const sycl::event after = q.single_task([] {});
  expect("behind the program's own", after.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  function{"clSetUserEventStatus"}.done(gate, 0);
  q.wait();
  expect("then it runs", after.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  function{"clReleaseEvent"}.done(gate);
}

/// Programs in every state.
static void bundles(const native &cl) {
  using state = sycl::bundle_state;
  const sycl::context c = sycl::make_context<CL>(cl.context);
  _cl_program *const fresh = cl.program(cl.context);
  fails("input of another context", sycl::errc::invalid,
        [&] { (void)sycl::make_kernel_bundle<CL, state::input>(fresh, sycl::context(c.get_devices())); });
  const auto input = sycl::make_kernel_bundle<CL, state::input>(fresh, c);
  expect("input", sycl::get_native<CL>(input)[0] == fresh);
  function{"clReleaseProgram"}.done(fresh);
  {
    _cl_program *const again = cl.program(cl.context);
    const auto in = sycl::make_kernel_bundle<CL, state::input>(again, c);
    const auto joined = sycl::join(std::vector{input, in, in});
    expect("join has all programs, each once", sycl::get_native<CL>(joined) == std::vector<_cl_program *>{fresh, again});
    const auto built = sycl::build(in);
    expect("build", !built.empty() && sycl::get_native<CL>(built).size() == 1 && native::kernel(sycl::get_native<CL>(built)[0], "twice"));
    const auto linked = sycl::link(sycl::compile(sycl::make_kernel_bundle<CL, state::input>(cl.program(cl.context), c)));
    expect("compile and link", sycl::get_native<CL>(linked).size() == 1 && native::kernel(sycl::get_native<CL>(linked)[0], "sized"));
    const sycl::device one = c.get_devices()[0];
    expect("each device once", sycl::compile(sycl::make_kernel_bundle<CL, state::input>(cl.program(cl.context), c), {one, one}).get_devices().size() == 1);
  }
  const auto executable = sycl::make_kernel_bundle<CL, state::executable>(fresh, c);
  expect("built where it is not", sycl::get_native<CL>(executable)[0] == fresh && native::kernel(fresh, "twice"));
  function{"clReleaseProgram"}.done(fresh);
  fails("an executable is no input", sycl::errc::invalid, [&] { (void)sycl::make_kernel_bundle<CL, state::input>(fresh, c); });
  fails("an executable is no object", sycl::errc::invalid, [&] { (void)sycl::make_kernel_bundle<CL, state::object>(fresh, c); });
  _cl_program *const broken = cl.program(cl.context, "kernel void no(");
  try {
    (void)sycl::make_kernel_bundle<CL, state::executable>(broken, c);
    expect("broken", false);
  } catch (const sycl::exception &e) {
    expect("what the compiler says is invalid", e.code() == sycl::errc::invalid && sycl::opencl::get_error_code(e) != 0);
  }
  fails("create_bundle: build", sycl::errc::build, [&] {
    (void)sycl::opencl::create_bundle<state::executable>(c, c.get_devices(), {broken});
  });
  _cl_program *const other = cl.built(cl.context);
  const auto two = sycl::opencl::create_bundle(c, c.get_devices(), {native::kernel(fresh, "twice"), native::kernel(other, "where"),
                                                                    native::kernel(other, "sized")});
  expect("the programs of kernels", sycl::get_native<CL>(two) == std::vector<_cl_program *>{fresh, other});
}

class of_sycl;
static void codes(const native &cl, sycl::queue q) {
  const sycl::context c = sycl::make_context<CL>(cl.context);
  // SYCL's own kernel as OpenCL sees it.
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {sycl::get_kernel_id<of_sycl>()});
  q.single_task<of_sycl>([] {}).wait();
  const sycl::kernel own = bundle.get_kernel<of_sycl>();
  expect("a kernel of SYCL", sycl::get_native<CL>(own) != nullptr && sycl::get_native<CL>(own) == sycl::get_native<CL>(own));
  expect("its program", sycl::get_native<CL>(bundle).size() == 1 && sycl::get_native<CL>(bundle) == sycl::get_native<CL>(own.get_kernel_bundle()));
  fails("its arguments", sycl::errc::invalid, [&] { (void)own.get_info<sycl::info::kernel::num_args>(); });
  fails("its launch", sycl::errc::invalid, [&] { q.submit([&](sycl::handler &h) { h.single_task(own); }); });

  fails("a queue of another context", sycl::errc::invalid, [&] { (void)sycl::make_queue<CL>(cl.queue, q.get_context()); });
  _cl_mem *const mem = cl.memory(cl.context, 64, nullptr);
  fails("memory of another context", sycl::errc::invalid, [&] { (void)sycl::make_buffer<CL, int>(mem, q.get_context()); });
  _cl_program *const program = cl.built(cl.context);
  _cl_kernel *const kernel = native::kernel(program, "twice");
  fails("a kernel of another context", sycl::errc::invalid, [&] { (void)sycl::make_kernel<CL>(kernel, q.get_context()); });
  const sycl::kernel foreign = sycl::make_kernel<CL>(kernel, c);
  fails("its launch elsewhere", sycl::errc::invalid, [&] { q.submit([&](sycl::handler &h) { h.single_task(foreign); }); });
  try {
    (void)sycl::make_context<CL>(nullptr);
    expect("no context", false);
  } catch (const sycl::exception &e) {
    expect("CL_INVALID_CONTEXT", e.code() == sycl::errc::invalid && sycl::opencl::get_error_code(e) == -34);
  }
  expect("no error of OpenCL", sycl::opencl::get_error_code(sycl::exception(sycl::errc::invalid)) == 0);
  const sycl::device d = q.get_device();
  const std::vector<std::string> extensions = d.get_info<sycl::info::device::extensions>();
  bool all = !extensions.empty();
  for (const std::string &name : extensions)
    all = all && sycl::opencl::has_extension(d, name);
  expect("extensions", all && !sycl::opencl::has_extension(d, "cl_khr") && !sycl::opencl::has_extension(d.get_platform(), ""));
  function{"clReleaseMemObject"}.done(mem);
  fails("memory of another backend", sycl::errc::backend_mismatch, [&] {
    sycl::buffer<int> b(4);
    (void)sycl::get_native<sycl::backend::ext_oneapi_level_zero>(b);
  });
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
  const native cl(q.get_device());
  reference_counts(cl);
  const sycl::context c = sycl::make_context<CL>(cl.context, q.get_context().aspen_state().handler);
  kernels(cl, q, sycl::get_native<CL>(q.get_context()));
  kernels(cl, sycl::make_queue<CL>(cl.queue, c), cl.context);
  kernels(cl, sycl::queue(c, q.get_device()), cl.context);
  pointers(cl, q);
  memory(cl, q, sycl::get_native<CL>(q.get_context()), sycl::get_native<CL>(q));
  memory(cl, sycl::make_queue<CL>(cl.queue, c), cl.context, cl.queue);
  guarded(cl, q, sycl::get_native<CL>(q.get_context()), sycl::get_native<CL>(q));
  guarded(cl, sycl::make_queue<CL>(cl.queue, c), cl.context, cl.queue);
  waiting(cl, c, q.get_device());
  events(cl, q);
  order(cl);
  bundles(cl);
  codes(cl, q);
  q.wait_and_throw();
  if (wrong == 0)
    std::printf("ok\n");
}
