// Adds atomically to 8 bytes.
#include <sycl/sycl.hpp>
class kernel;
void launch(sycl::queue &q, unsigned long *p) {
  q.single_task<kernel>([=] {
    sycl::atomic_ref<unsigned long, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(*p);
    sum.fetch_add(1);
  });
}
