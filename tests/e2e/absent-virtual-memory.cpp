// Virtual memory is not there, and programs that name it are told once a use; pointers to it, as migration helpers have, are no use.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DUSED {self}
//# exit: 1
//# count: 3 stderr error: .*Aspen does not have sycl_ext_oneapi_virtual_mem\. Allocate unified shared memory
//# count: 3 stderr error:
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only {self}
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
ex::physical_mem *kept = nullptr;
ex::address_access_mode mode = ex::address_access_mode::read_write;
#ifdef USED
void use(sycl::queue &q) {
  ex::physical_mem memory(q.get_device(), q.get_context(), 4096);
  (void)ex::reserve_virtual_mem(4096, q.get_context());
  (void)ex::get_mem_granularity(q.get_device(), q.get_context(), ex::granularity_mode::recommended);
}
#endif
