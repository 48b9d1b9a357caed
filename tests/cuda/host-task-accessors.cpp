// Host tasks that use accessors for devices (SYCL 2020 has them for native handles alone; programs and SYCL-CTS read and write through
// them) find the content on the host, and kernels would find what they wrote; against a driver that runs nothing.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -w -O1 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./a.out
//# stdout: 0 1 2 3 4 5 6 7
//# stdout: 10 11 12 13 | 14
//# stdout: 10 11 12 13 14 15 16 7
//# stdout: elsewhere: 1
#include <cstdio>
#include <numeric>
#include <sycl/sycl.hpp>
#include <vector>
int main() {
  sycl::queue q;
  std::vector<int> data(8), told;
  std::iota(data.begin(), data.end(), 0);
  bool elsewhere = false;
  {
    sycl::buffer<int> b(data);
    sycl::buffer<int> part(b, 4, 4);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.single_task<class first>([=] { (void)a[0]; });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.host_task([=] {
        for (int i = 0; i < 8; ++i)
          std::printf("%d%c", a[i], i == 7 ? '\n' : ' ');
        for (int &v : a)
          v += 10;
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t> late(b);
      sycl::accessor a(part, h, sycl::range<1>(3), sycl::id<1>(1));
      h.require(late);
      h.host_task([=] {
        std::printf("%d %d %d %d | %d\n", late[0], late[1], late[2], late[3], a.get_pointer()[0]);
        a[2] = 7;
      });
    });
    // A task that asks for handles has the device's addresses.
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.host_task([=, &elsewhere](sycl::interop_handle handle) {
        elsewhere = reinterpret_cast<std::uintptr_t>(&a[0]) == std::uintptr_t(handle.get_native_mem<sycl::backend::cuda>(a));
      });
    });
  }
  for (int i = 0; i < 8; ++i)
    std::printf("%d%c", data[i], i == 7 ? '\n' : ' ');
  std::printf("elsewhere: %d\n", elsewhere);
}
