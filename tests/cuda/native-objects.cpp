// CUDA's objects that a program makes by the driver's own interface and hands to SYCL, and takes from it, against a driver that runs nothing.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -w -O0 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./a.out
//# stdout: device 0, made again: 1
//# stdout: context: 1, of its device: 1
//# stdout: no context: invalid
//# stdout: stream: 1, in order: 1
//# stdout: a task's: 1 1 0
//# stdout: it waits for the stream: 1
//# stdout~: ^launch _ZTS5after
//# stdout: a stream of another context: invalid
//# stdout: another backend: mismatch
//# stdout: event: 1, over: 0
//# stdout: over: 1
//# stdout: a command's: 1
//# stdout: an event is destroyed
//# stdout: end
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>
constexpr auto CUDA = sycl::backend::cuda;
class after;
static void *const driver = dlopen("libcuda.so", RTLD_NOW);
template <class F> static F *function(const char *name) { return reinterpret_cast<F *>(dlsym(driver, name)); }
template <class F> static void fails(const char *what, F f) {
  try {
    f();
    std::printf("%s: not refused\n", what);
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", what, e.code() == sycl::errc::invalid ? "invalid" : e.code() == sycl::errc::backend_mismatch ? "mismatch" : e.what());
  }
}
int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  const std::vector<CUctx_st *> own = sycl::get_native<CUDA>(q.get_context());
  std::printf("device %d, made again: %d\n", sycl::get_native<CUDA>(d), sycl::make_device<CUDA>(0) == d);

  CUctx_st *other = nullptr;
  function<int(CUctx_st **, unsigned, int)>("cuCtxCreate_v2")(&other, 0, 0);
  const sycl::context c = sycl::make_context<CUDA>(other);
  std::printf("context: %d, of its device: %d\n", sycl::get_native<CUDA>(c) == std::vector<CUctx_st *>{other}, c.get_devices()[0] == d);
  fails("no context", [&] { (void)sycl::make_context<CUDA>(reinterpret_cast<CUctx_st *>(&q)); });

  const auto stream = [](CUctx_st *in) {
    CUstream_st *out = nullptr;
    CUctx_st *popped = nullptr;
    function<int(CUctx_st *)>("cuCtxPushCurrent_v2")(in);
    function<int(CUstream_st **, unsigned)>("cuStreamCreate")(&out, 1);
    function<int(CUctx_st **)>("cuCtxPopCurrent_v2")(&popped);
    return out;
  };
  CUstream_st *const mine = stream(other);
  {
    sycl::queue s = sycl::make_queue<CUDA>(mine, c);
    std::printf("stream: %d, in order: %d\n", sycl::get_native<CUDA>(s) == mine, s.is_in_order());
    s.submit([&](sycl::handler &h) {
       h.host_task([=](sycl::interop_handle native) {
         std::printf("a task's: %d %d %d\n", native.get_native_queue<CUDA>() == mine,
                     native.get_native_context<CUDA>() == std::vector<CUctx_st *>{other}, native.get_native_device<CUDA>());
       });
     }).wait();
    function<void(CUstream_st *, int)>("fake_busy")(mine, 1);
    const sycl::event behind = s.single_task<after>([] {});
    std::printf("it waits for the stream: %d\n",
                behind.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
    function<void(CUstream_st *, int)>("fake_busy")(mine, 0);
    s.wait();
  }
  fails("a stream of another context", [&] { (void)sycl::make_queue<CUDA>(mine, q.get_context()); });
  fails("another backend", [&] { (void)sycl::get_native<sycl::backend::opencl>(q); });

  // Events: the program's stay its own, those of commands are destroyed with their last copy.
  CUevent_st *theirs = nullptr;
  function<int(CUctx_st *)>("cuCtxPushCurrent_v2")(other);
  function<int(CUevent_st **, unsigned)>("cuEventCreate")(&theirs, 0);
  function<int(CUevent_st *, CUstream_st *)>("cuEventRecord")(theirs, mine);
  CUctx_st *popped = nullptr;
  function<int(CUctx_st **)>("cuCtxPopCurrent_v2")(&popped);
  function<void(CUstream_st *, int)>("fake_busy")(mine, 1);
  {
    const sycl::event e = sycl::make_event<CUDA>(theirs, c);
    const auto over = [&] { return e.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete; };
    std::printf("event: %d, over: %d\n", sycl::get_native<CUDA>(e) == theirs, over());
    function<void(CUstream_st *, int)>("fake_busy")(mine, 0);
    sycl::event(e).wait();
    std::printf("over: %d\n", over());
  }
  std::fflush(stdout);
  {
    const sycl::event e = q.submit([](sycl::handler &h) { h.host_task([] {}); });
    CUevent_st *const first = sycl::get_native<CUDA>(e);
    std::printf("a command's: %d\n", first && first == sycl::get_native<CUDA>(sycl::event(e)));
    std::fflush(stdout);
  }
  std::printf("end\n");
}
