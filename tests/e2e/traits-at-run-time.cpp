//# run: aspen++ -std=c++17 -w {self} -o default
//# run: aspen++ -std=c++17 -w -fsycl-targets=native_cpu {self} -o cpu
//# run: ./default
//# stdout~: compatible [1-9]
//# run: ./cpu
//# stdout~: compatible [1-9]
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./default
//# stdout: 0 contradictions
//# deep: further targets
//# run: aspen++ -std=c++17 -w -fsycl-targets=native_cpu,intel_gpu_dg1 {self} -o two
//# run: ./two
//# stdout~: compatible [1-9]
//! What the aspect traits say at compile time holds for every device on which an empty kernel runs.
//! Source: SYCL-CTS, test plan for traits `any_device_has` and `all_devices_have`.
#include <cstdio>
#include <sycl/sycl.hpp>

class empty;

template <sycl::aspect A> int contradictions(const sycl::device &d, bool compatible) {
  static_assert(std::is_base_of_v<std::bool_constant<sycl::any_device_has_v<A>>, sycl::any_device_has<A>>);
  static_assert(std::is_base_of_v<std::bool_constant<sycl::all_devices_have_v<A>>, sycl::all_devices_have<A>>);
  const bool has = d.has(A);
  int wrong = 0;
  wrong += compatible && has && !sycl::any_device_has_v<A>;
  wrong += compatible && !has && sycl::all_devices_have_v<A>;
  if (wrong)
    std::printf("aspect %u on %s\n", static_cast<unsigned>(A), d.get_info<sycl::info::device::name>().c_str());
  return wrong;
}

int main() {
  int wrong = 0, compatible = 0;
  for (const sycl::device &d : sycl::device::get_devices()) {
    const bool runs = sycl::is_compatible<empty>(d);
    compatible += runs;
#define __SYCL_ASPECT(name, number) wrong += contradictions<sycl::aspect::name>(d, runs);
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number)
#include <sycl/aspects.def>
  }
  sycl::queue().single_task<empty>([] {}).wait();
  std::printf("%d contradictions, compatible %d\n%d contradictions\n", wrong, compatible, wrong);
  return wrong != 0;
}
