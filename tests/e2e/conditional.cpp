// -fsycl-optional-features=conditional: one SPIR-V image for all kernels, each with its own entry; images for the CPU are split as ever.
//# run: aspen++ -O2 -fsycl-optional-features=conditional -save-temps=temps {self} -o a.out
//# stderr!~: .
//# run: aspen inspect a.out
//# stdout~: ^    kernel needs_double +needs aspect fp64
//# stdout~: ^    needs_double is kept when fp64$
//# stdout~: ^    shared is kept when fp64 and work-group size 8$
//# stdout~: ^    twice is kept when fp64$
//# stdout!~: plain is kept
//# run: aspen explain a.out shared
//# stdout: kernel 'shared' is kept when fp64 and work-group size 8
//# sh: aspen inspect a.out | grep -c ' spir64 '
//# stdout: 1
//# sh: aspen inspect --format json a.out | grep -c '"SYCL/kernel reqs"'
//# stdout: 1
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: plain ran, needs_double ran, shared ran
//# run: ASPEN_DEVICE_SELECTOR=native_cpu ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: plain ran, needs_double refused, shared refused
#include <sycl/sycl.hpp>
#include <cstdio>

class plain;
class needs_double;
class shared;

[[clang::noinline]] static int twice(double d) { return int(d + d); }

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  p[0] = 5;
  auto attempt = [&](const char *name, const char *end, auto submit) {
    const char *what = "ran";
    try {
      submit();
      q.wait();
    } catch (const sycl::exception &error) {
      what = error.code() == sycl::errc::kernel_not_supported ? "refused" : error.what();
    }
    std::printf("%s %s%s", name, what, end);
  };
  attempt("plain", ", ", [&] { q.single_task<plain>([=] { p[1] = p[0]; }); });
  attempt("needs_double", ", ", [&] { q.single_task<needs_double>([=] { p[2] = twice(p[0]); }); });
  attempt("shared", "\n", [&] {
    q.parallel_for<shared>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(8)]] {
      if (it.get_local_id(0) == 0)
        p[3] = twice(p[0]);
    });
  });
}
