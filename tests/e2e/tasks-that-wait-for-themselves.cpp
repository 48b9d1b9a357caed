// A host task that waits for its own end hangs, and says so: by its event, its queue, a host accessor, or a command that comes after it.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# sh: for how in event queue accessor command; do ASPEN_DEVICE_SELECTOR=native_cpu timeout 6 ./a.out $how; test $? = 124 || exit 1; done
//# count: 4 stderr (?m)^aspen: a host task waits for its own end: .*so it must come after the task$
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out another
//# stdout: ended
//# stderr!~: aspen
#include <chrono>
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>

int main(int, char **argv) {
  const std::string how = argv[1];
  sycl::queue q{sycl::property::queue::in_order()}, other;
  sycl::buffer<int> b(1);
  sycl::event own;
  own = q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::write_only_host_task);
    h.host_task([&, a] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100)); // until `own` is known
      a[0] = 1;
      if (how == "event")
        own.wait();
      if (how == "queue")
        q.wait();
      if (how == "accessor")
        sycl::host_accessor<int>{b}[0] = 2;
      if (how == "command")
        q.single_task([=] {}).wait();
      if (how == "another")
        other.single_task([=] {}).wait();
    });
  });
  while (own.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete)
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // a thread of the runtime runs it
  q.wait();
  std::puts("ended");
}
