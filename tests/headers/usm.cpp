//! USM: every form of allocation, and the allocator.
#include <sycl/usm.hpp>

void allocations(sycl::queue q) {
  const sycl::device d = q.get_device();
  const sycl::context c = q.get_context();
  void *untyped[] = {sycl::malloc_device(4, q),          sycl::malloc_shared(4, d, c), sycl::malloc_host(4, c), sycl::aligned_alloc_device(64, 4, q),
                     sycl::aligned_alloc_shared(64, 4, d, c), sycl::malloc(4, q, sycl::usm::alloc::host)};
  int *typed[] = {sycl::malloc_device<int>(4, q), sycl::malloc_shared<int>(4, d, c), sycl::malloc_host<int>(4, q),
                  sycl::aligned_alloc_host<int>(64, 4, c), sycl::malloc<int>(4, d, c, sycl::usm::alloc::shared)};
  for (void *p : untyped)
    sycl::free(p, q);
  for (int *p : typed)
    sycl::free(p, c);
  (void)(sycl::get_pointer_type(untyped[0], c) == sycl::usm::alloc::device && sycl::get_pointer_device(typed[0], c) == d);
  std::vector<int, sycl::usm_allocator<int, sycl::usm::alloc::shared>> v(4, 0, sycl::usm_allocator<int, sycl::usm::alloc::shared>(q));
  v.push_back(1);
  using location = sycl::ext::intel::experimental::property::usm::buffer_location;
  const sycl::property_list hints{sycl::ext::oneapi::property::usm::device_read_only(), location(3)};
  sycl::usm_allocator<int, sycl::usm::alloc::host> hinted(q, hints);
  hinted.deallocate(hinted.allocate(1), 1);
  (void)(hints.get_property<location>().get_buffer_location() == 3);
}
