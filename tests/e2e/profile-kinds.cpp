// Under a profile a device is of the kind that it stands for: selectors, queries and lists of devices agree.
//# file: open.yaml
plain_gpu:
  aspects: [gpu]
half_gpu:
  aspects: [fp64]
  may_support_other_aspects: true
//# file: main.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
// What SYCL 2020 §4.6.5.3 refuses where the device has no aspect queue_profiling.
static bool profiles() {
  try {
    sycl::queue q{sycl::property::queue::enable_profiling()};
    return q.single_task([] {}).get_profiling_info<sycl::info::event_profiling::command_end>() > 0;
  } catch (const sycl::exception &e) {
    return e.code() != sycl::errc::feature_not_supported;
  }
}
static bool finds(int (*selector)(const sycl::device &)) {
  try {
    sycl::queue q{selector};
    int *p = sycl::malloc_shared<int>(1, q);
    q.single_task([=] { *p = 7; }).wait();
    return *p == 7;
  } catch (const sycl::exception &) {
    return false;
  }
}
int main() {
  using sycl::info::device_type;
  const sycl::device d;
  std::printf("cpu %d%d%d%zu gpu %d%d%d%zu type %d times %d\n", d.is_cpu(), d.has(sycl::aspect::cpu), finds([](auto &x) { return sycl::cpu_selector_v(x); }),
              sycl::device::get_devices(device_type::cpu).size(), d.is_gpu(), d.has(sycl::aspect::gpu),
              finds([](auto &x) { return sycl::gpu_selector_v(x); }), sycl::device::get_devices(device_type::gpu).size(),
              d.get_info<sycl::info::device::device_type>() == device_type::gpu, profiles());
}
//# run: aspen++ -fsycl-targets=native_cpu main.cpp -o a.out
//# run: ./a.out
//# stdout: cpu 1111 gpu 0000 type 0 times 1
//# run: env ASPEN_DEVICE_PROFILE=intel_gpu_pvc ./a.out
//# stdout: cpu 0000 gpu 1111 type 1 times 1
//# run: env ASPEN_DEVICE_PROFILE=spir64_x86_64 ./a.out
//# stdout: cpu 1111 gpu 0000 type 0 times 1
// One that says nothing of its kind, and leaves it open: the device's own.
//# run: env ASPEN_DEVICE_CONFIG_FILE=open.yaml ASPEN_DEVICE_PROFILE=half_gpu ./a.out
//# stdout: cpu 1111 gpu 0000 type 0 times 1
// One that says all of it.
//# run: env ASPEN_DEVICE_CONFIG_FILE=open.yaml ASPEN_DEVICE_PROFILE=plain_gpu ./a.out
//# stdout: cpu 0000 gpu 1111 type 1 times 0
