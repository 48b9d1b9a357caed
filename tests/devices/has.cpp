// Every device that this program finds: its name, then each aspect of aspects.def that device::has says yes to, and its sub-group sizes.
// Source: S2 "Testing" (the second test goes over aspects.def).
#include <cstdio>
#include <sycl/sycl.hpp>
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

int main() {
  for (const sycl::device &d : sycl::device::get_devices()) {
    std::printf("device %s\n", d.get_info<sycl::info::device::name>().c_str());
#define __SYCL_ASPECT(name, number)                                                                                                       \
  if (d.has(sycl::aspect::name))                                                                                                          \
    std::printf("has " #name "\n");
#define __SYCL_ASPECT_DEPRECATED(name, number) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_ARCHITECTURE(name, number) __SYCL_ASPECT(name, number)
#include <sycl/aspects.def>
    for (std::size_t size : d.get_info<sycl::info::device::sub_group_sizes>())
      std::printf("sub-group size %zu\n", size);
  }
}
