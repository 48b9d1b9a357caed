//! platform, device, context: selection and questions.
#include <sycl/context.hpp>
#include <sycl/device_info.hpp>

namespace info = sycl::info::device;
template <class D> using answer = decltype(std::declval<const sycl::device &>().get_info<D>());
static_assert(std::is_same_v<answer<info::name>, std::string> && std::is_same_v<answer<info::max_work_group_size>, size_t>);
static_assert(std::is_same_v<answer<info::sub_group_sizes>, std::vector<size_t>>);
static_assert(std::is_same_v<answer<info::aspects>, std::vector<sycl::aspect>>);
static_assert(std::is_same_v<answer<info::max_work_item_sizes<3>>, sycl::range<3>>);
static_assert(std::is_same_v<answer<info::device_type>, sycl::info::device_type>);
static_assert(std::is_same_v<answer<info::platform>, sycl::platform> && std::is_same_v<answer<info::vendor_id>, std::uint32_t>);
static_assert(std::is_same_v<answer<info::atomic_memory_scope_capabilities>, std::vector<sycl::memory_scope>>);

bool questions(std::vector<sycl::aspect> wanted) {
  sycl::device a, b(sycl::cpu_selector_v), c(sycl::aspect_selector(wanted)), d(sycl::aspect_selector(sycl::aspect::cpu)),
      e(sycl::aspect_selector<sycl::aspect::cpu, sycl::aspect::fp64>()), f([](const sycl::device &x) { return x.is_gpu() ? 1 : -1; }),
      g(&sycl::device::is_cpu); // whatever std::invoke calls
  sycl::platform p = a.get_platform();
  sycl::context in(a), all(p), several(p.get_devices());
  return a == b && c != d && e.has(sycl::aspect::fp16) && f.is_cpu() && p.get_devices(sycl::info::device_type::gpu).empty() &&
         sycl::platform::get_platforms().size() == 1 && sycl::device::get_devices().size() == 1 && in == all &&
         several.get_devices()[0].get_backend() == sycl::backend::native_cpu && p.get_info<sycl::info::platform::name>().empty() &&
         p.get_info<sycl::info::platform::profile>() == "FULL_PROFILE";
}
