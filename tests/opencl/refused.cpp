// A profile refuses before the driver sees anything of the image; kernels that fit are built and run.
//# run: aspen++ -O1 {self} -o a.out
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ASPEN_LOG=debug ./a.out refused
//# stdout~: ^kernel 'doubles' cannot run on 'intel_gpu_dg1':$
//# stdout~: ^  needs aspect fp64: refused\.cpp:\d+:\d+ in the kernel$
//# stderr!~: built image
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ASPEN_LOG=debug ./a.out plain
//# stdout: 42
//# count: 1 stderr built image
//# run: ASPEN_LOG=debug ./a.out wrong-size
//# stdout~: ^kernel 'sized' has reqd_work_group_size 8 and was launched with work-groups of 4$
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

class doubles;
class plain;
class sized;

int main(int, char **arguments) {
  sycl::queue q;
  const char *what = arguments[1];
  try {
    if (!std::strcmp(what, "refused")) {
      double value = 1;
      sycl::buffer<double> b(&value, sycl::range<1>(1));
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.single_task<doubles>([=] { a[0] += 1.5; });
      });
    } else if (!std::strcmp(what, "plain")) {
      int value = 41;
      {
        sycl::buffer<int> b(&value, sycl::range<1>(1));
        q.submit([&](sycl::handler &h) {
          sycl::accessor a(b, h, sycl::read_write);
          h.single_task<plain>([=] { a[0] += 1; });
        });
      }
      std::printf("%d\n", value);
    } else {
      int value[8] = {};
      sycl::buffer<int> b(value, sycl::range<1>(8));
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for<sized>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(8)]] { a[i.get_global_id()] = 1; });
      });
    }
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
  }
}
