// Placeholders on a device that is not the default one: copies that were made before a command required the accessor, as in a kernel that was
// made before, lead to that command's memory. The fake driver is the default device; the commands run on the embedded CPU.
// Source: SYCL 2020 §4.5.2, §4.7.6.9.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O1 -fsycl-targets=native_cpu,nvidia_gpu_sm_90 {self} -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:*;native_cpu ./a.out
//# stdout: default Fake 0
//# stdout: made before 6
//# stdout: copied 7
//# stdout: task 8
//# stdout: fill 7 50 50 7
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>
using namespace sycl;

int main() {
  std::printf("default %s\n", device().get_info<info::device::name>().c_str());
  queue cpu{cpu_selector_v};
  std::vector<int> v(8, 5);
  {
    buffer b(v);
    accessor place(b);
    const auto kernel = [=](id<1> i) { place[i] += 1; };
    cpu.submit([&](handler &h) {
      h.require(place);
      h.parallel_for<class before>(range<1>(8), kernel);
    });
  }
  std::printf("made before %d\n", v[7]);
  {
    buffer b(v);
    accessor place(b), copy = place;
    cpu.submit([&](handler &h) {
      h.require(copy);
      h.parallel_for<class copied>(range<1>(8), [=](id<1> i) { place[i] += 1; });
    });
  }
  std::printf("copied %d\n", v[7]);
  {
    buffer b(v);
    accessor place(b, read_write_host_task);
    const auto task = [=] { place[0] += 1; };
    cpu.submit([&](handler &h) {
      h.require(place);
      h.host_task(task);
    });
  }
  std::printf("task %d\n", v[0]);
  {
    buffer b(v);
    accessor place(b, range<1>(2), id<1>(2)), copy = place;
    cpu.submit([&](handler &h) {
      h.require(copy);
      h.fill(place, 50);
    });
  }
  std::printf("fill %d %d %d %d\n", v[1], v[2], v[3], v[4]);
}
