// A thread that waits for what its own host accessor holds back is told, and goes on when another thread destroys the accessor.
//# run: aspen++ {self} -o a.out
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: 5 42
//# stderr~: ^aspen: this thread waits for a command that a host accessor of the same thread holds back; .*that must come first$
#include <chrono>
#include <cstdio>
#include <optional>
#include <sycl/sycl.hpp>
#include <thread>

int main() {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(2)};
  std::optional<sycl::host_accessor<int>> held(std::in_place, b);
  (*held)[0] = 5;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    held.reset();
  });
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h);
    h.single_task([=] { a[1] = a[0] + 37; });
  });
  q.wait();
  other.join();
  const sycl::host_accessor last(b, sycl::read_only);
  std::printf("%d %d\n", last[0], last[1]);
}
