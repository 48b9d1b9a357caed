// Queues in the destructors of globals and of a thread's own objects, watched by ASPEN_LOG: after those of the main thread's thread-local
// storage they work as before.
//# run: aspen++ -fsycl-targets=native_cpu {self} -o a.out
//# run: ASPEN_LOG=trace ./a.out
//# stdout: in thread
//# stdout: thread 2
//# stdout: atexit 2
//# stdout: atexit refused 13
//# stdout: global 2
//# stdout: global refused 13
//# count: 4 stderr TRACE aspen_runtime::launch: prepared kernel=
//# stderr~: ^ +[0-9.]+ [^ ]+ DEBUG aspen_backend_cpu::library: loaded image="image 'a_0' .*" bytes=[0-9]+ us=[0-9]+$
//# stderr~: ^ +[0-9]+\.[0-9]{6} a\.out:[0-9]+ DEBUG aspen_runtime::save: considered image=.* verdict="taken"$
//# run: ASPEN_LOG=off ./a.out
//# stdout: global refused 13
//# count: 0 stderr aspen
//# run: ASPEN_CPU_THREAD=2 ./a.out
//# stdout: global 2
//# stderr: aspen: ASPEN_CPU_THREAD is no variable of Aspen's; did you mean ASPEN_CPU_THREADS?
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
struct at_exit {
  const char *what;
  ~at_exit() {
    try {
      sycl::queue q;
      int *p = sycl::malloc_shared<int>(1, q);
      *p = 1;
      q.single_task([=] { *p += 1; }).wait();
      std::printf("%s %d\n", what, *p);
      sycl::free(p, q);
      q.single_task([=] [[sycl::reqd_sub_group_size(4096)]] {});
    } catch (const sycl::exception &e) {
      std::printf("%s refused %d\n", what, e.code().value());
    }
  }
};
static at_exit global{"global"};
static thread_local at_exit local{"thread"};
int main() {
  std::atexit([] { at_exit a{"atexit"}; });
  (void)&local;
  std::printf("%s\n", local.what);
  std::thread([] { std::printf("in %s\n", local.what); }).join();
  return 0;
}
