// `get_info` with a descriptor of another class is an error that says what the class is asked; some were answered with a number that is something
// else, such as a kernel's without the device. Address spaces that atomic references do not have are errors, too,
// and so is the property of virtual functions at a kernel. Source: SYCL 2020 §4.6, §4.15.3.
//# run: aspen++ -fsyntax-only {self}
//# exit: 1
//# stderr~: questions-refused.cpp:\d+:11: error: .*a device is asked what info::device names, or an extension for devices
//# stderr~: questions-refused.cpp:\d+:11: error: .*a platform is asked what info::platform names
//# stderr~: questions-refused.cpp:\d+:11: error: .*a context is asked what info::context names
//# stderr~: questions-refused.cpp:\d+:11: error: .*a queue is asked what info::queue names
//# stderr~: questions-refused.cpp:\d+:11: error: .*what info::kernel_device_specific names is asked with a device: kernel.get_info<...>\(device\)
//# stderr~: questions-refused.cpp:\d+:11: error: .*a kernel is asked with a device what info::kernel_device_specific names
//# stderr~: error: .*sycl::atomic_ref refers to global or local memory, or to the generic address space
//# stderr~: error: .*indirectly_callable is a property of virtual functions; a kernel that calls them has assume_indirect_calls
//# count: 8 stderr error:
#include <sycl/sycl.hpp>

namespace info = sycl::info;

void ask(sycl::device d, sycl::platform p, sycl::context c, sycl::queue q, sycl::kernel k) {
  (void)d.get_info<info::platform::name>();
  (void)p.get_info<info::device::name>();
  (void)c.get_info<info::device::name>();
  (void)q.get_info<info::device::name>();
  (void)k.get_info<info::kernel_device_specific::work_group_size>(); // the number of arguments, or an exception about it
  (void)k.get_info<info::device::max_compute_units>(d);
  int i = 0;
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device, sycl::access::address_space::private_space> mine(i);
  q.single_task(sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::indirectly_callable}, [=] {});
}

// what they are asked
void right(sycl::device d, sycl::platform p, sycl::context c, sycl::queue q, sycl::kernel k) {
  (void)d.get_info<info::device::max_work_item_sizes<2>>();
  (void)p.get_info<info::platform::name>();
  (void)c.get_info<info::context::atomic_fence_scope_capabilities>();
  (void)q.get_info<info::queue::context>();
  (void)k.get_info<info::kernel::num_args>();
  (void)k.get_info<info::kernel_device_specific::work_group_size>(d);
}
