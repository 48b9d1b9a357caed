// Programs for FPGAs run on other devices as long as they need no pipes: hints about hardware change nothing, and a CPU is the emulator. Beside
// them, what programs of the time before SYCL 2020 was settled say of devices and of group-local memory.
#include "check.hpp"
#include <CL/sycl/INTEL/fpga_extensions.hpp>
#include <CL/sycl/intel/fpga_device_selector.hpp>
#include <CL/sycl/intel/fpga_extensions.hpp>
#include <sycl/sycl.hpp>

using namespace sycl; // whose own `intel`, of 2019, is the same
namespace intel = sycl::ext::intel;

static void hints(sycl::queue &q) {
  int *const values = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    values[i] = i + 1;
  sycl::buffer<int> b(values, 4);
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h);
    h.single_task([=]() [[intel::kernel_args_restrict]] {
      using bursts = intel::lsu<intel::burst_coalesce<true>, intel::cache<1024>, intel::statically_coalesce<false>>;
      using prefetches = intel::lsu<intel::prefetch<true>>;
      [[intel::fpga_register]] int sum = 0;
      [[intel::initiation_interval(1)]] for (int i = 0; i < 3; ++i) sum += intel::fpga_reg(prefetches::load(sycl::global_ptr<const int>(values + i)));
      bursts::store(sycl::global_ptr<int>(values + 3), sum);
      intel::lsu<>::store(a.get_multi_ptr<sycl::access::decorated::no>(), bursts::load(values + 3) + 1);
    });
  });
  q.wait();
  CHECK(values[3] == 6);
  CHECK(sycl::host_accessor(b)[0] == 7);
  static_assert(std::is_same_v<decltype(intel::fpga_reg(1.5f)), float>);
  sycl::free(values, q);
}

static void selectors() {
  CHECK(sycl::device(intel::fpga_emulator_selector_v).is_accelerator() || sycl::device(intel::fpga_emulator_selector_v).is_cpu());
  const sycl::INTEL::fpga_emulator_selector older;
  CHECK(sycl::queue(older).get_device() == sycl::device(intel::fpga_emulator_selector_v));
  const sycl::device here{sycl::host_selector{}};
  CHECK(intel::fpga_selector_v(here) < 0 && intel::fpga_simulator_selector_v(here) < 0 && intel::fpga_selector{}(here) < 0);
}

static void older_names(sycl::queue &q) {
  const sycl::device here = q.get_device();
  namespace info = sycl::info::device;
  CHECK(!here.get_info<info::usm_restricted_shared_allocations>() || here.has(sycl::aspect::usm_shared_allocations));
  CHECK(!here.get_info<info::ext_intel_mem_channel>() && here.get_info<info::ext_oneapi_max_global_work_groups>() > 0);
  CHECK(here.get_info<info::ext_oneapi_max_work_groups_1d>()[0] > 0 && here.get_info<info::ext_oneapi_max_work_groups_2d>()[1] > 0 &&
        here.get_info<info::ext_oneapi_max_work_groups_3d>()[2] > 0);
  CHECK(q.get_device().get_info<sycl::info::device::max_work_item_sizes>() ==
        q.get_device().get_info<sycl::info::device::max_work_item_sizes<3>>());
  int *const out = sycl::malloc_shared<int>(8, q);
  {
    using namespace sycl;
    using namespace sycl::ext::oneapi;
    q.parallel_for(nd_range<1>(8, 8), [=](nd_item<1> item) {
       const size_t at = item.get_local_id(0);
       auto &first = *group_local_memory_for_overwrite<int[8]>(item.get_group());
       auto &second = *sycl::group_local_memory_for_overwrite<int[8]>(item.get_group());
       auto &third = *sycl::group_local_memory<int>(item.get_group(), 100);
       first[at] = static_cast<int>(at);
       second[at] = 10;
       group_barrier(item.get_group());
       out[at] = first[7 - at] + second[7 - at] + third;
     }).wait();
  }
  CHECK(out[0] == 117 && out[7] == 110);
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  hints(q);
  selectors();
  older_names(q);
  return failures != 0;
}
