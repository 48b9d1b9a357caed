// A bundle that is asked for a kernel which none of its devices can run says which one and why, as a launch would. Source: SYCL 2020 §4.11.7
// (the code), DESIGN §6 (the text).
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout: a kernel bundle was asked for a kernel that none of its devices can run:
//# stdout: kernel 'doubles' cannot run on 'intel_gpu_dg1':
//# stdout~:   needs aspect fp64: bundle-refusals.cpp:\d+:\d+ in the kernel
//# stdout: get_kernel: the bundle does not contain this kernel:
//# stdout: invalid 1 1 1
//# stdout: once 1
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_skl ./a.out
//# stdout: invalid 0 0 0
//# stdout: not asked for: get_kernel: the bundle does not contain this kernel
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

class doubles;
class plain;
using sycl::bundle_state;

template <class F> static bool is_invalid(const char *before, F call) {
  try {
    call();
    return false;
  } catch (const sycl::exception &e) {
    std::printf("%s%s\n", before, e.what());
    return e.code() == sycl::errc::invalid;
  }
}

int main() {
  sycl::queue q;
  float *f = sycl::malloc_shared<float>(2, q);
  f[0] = f[1] = 1;
  try {
    q.single_task<doubles>([=] { f[0] = static_cast<float>(f[0] / 3.0); }).wait();
  } catch (const sycl::exception &) {
  }
  q.single_task<plain>([=] { f[1] += 1; }).wait();
  const sycl::context c = q.get_context();
  const sycl::kernel_id wanted = sycl::get_kernel_id<doubles>(), other = sycl::get_kernel_id<plain>();
  const bool by_id = is_invalid("", [&] { (void)sycl::get_kernel_bundle<bundle_state::executable>(c, {wanted}); });
  const bool by_name = is_invalid("", [&] { (void)sycl::get_kernel_bundle<doubles, bundle_state::executable>(c); });
  const bool of_all = is_invalid("", [&] { (void)sycl::get_kernel_bundle<bundle_state::executable>(c).get_kernel(wanted); });
  std::printf("invalid %d %d %d\n", by_id, by_name, of_all);
  if (!of_all)
    is_invalid("not asked for: ", [&] { (void)sycl::get_kernel_bundle<bundle_state::executable>(c, {other}).get_kernel(wanted); });
  // Parts of a device say the same once.
  const auto parts = q.get_device().create_sub_devices<sycl::info::partition_property::partition_equally>(1);
  try {
    (void)sycl::get_kernel_bundle<bundle_state::executable>(sycl::context(parts), parts, {wanted});
  } catch (const sycl::exception &e) {
    const char *first = std::strstr(e.what(), "kernel 'doubles'");
    std::printf("once %d\n", first && !std::strstr(first + 1, "kernel 'doubles'"));
  }
  sycl::free(f, q);
}
