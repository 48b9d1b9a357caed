//! DPC++'s own tests include `sycl/detail/core.hpp` and headers of single features. Exit status 0: all right.
#include <cassert>
inline int asserted(int i) { // of a header before SYCL's, and nothing includes the whole of that
  assert(i >= 0);
  return i;
}
#include <sycl/detail/core.hpp>
#include <sycl/detail/vector_convert.hpp>
#include <sycl/ext/oneapi/experimental/graph/command_graph.hpp>
#include <sycl/ext/oneapi/kernel_properties/function_properties.hpp>
#include <sycl/ext/oneapi/memcpy2d.hpp>
#include <sycl/ext/oneapi/properties/property_value.hpp>
#include <sycl/ext/oneapi/experimental/raw_kernel_arg.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/info/context.hpp>
#include <sycl/info/device.hpp>
#include <sycl/info/event.hpp>
#include <sycl/info/kernel.hpp>
#include <sycl/info/platform.hpp>
#include <sycl/info/queue.hpp>
#include <sycl/properties/all_properties.hpp>
#include <sycl/reduction.hpp>
#include <sycl/types.hpp>
#include <sycl/usm.hpp>
#include <sycl/usm/usm_allocator.hpp>
#include <sycl/vector.hpp>

#include "check.hpp"

static_assert(SYCL_EXT_ONEAPI_GRAPH >= 1 && SYCL_EXT_ONEAPI_KERNEL_PROPERTIES >= 1); // as with DPC++ without the extensions' headers

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  int *const one = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *one = asserted(3); }).wait();
  CHECK(*one == 3);
  sycl::free(one, q);
  sycl::usm_allocator<int, sycl::usm::alloc::shared> memory(q);
  std::vector<int, decltype(memory)> v(8, 1, memory);
  int *const m = v.data();
  q.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
    m[i.get_global_id(0)] += sycl::reduce_over_group(i.get_group(), 1, sycl::plus<int>());
  });
  sycl::buffer<int> sum(1);
  q.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(8), sycl::reduction(sum, h, sycl::plus<int>(), sycl::property::reduction::initialize_to_identity()),
                   [=](sycl::id<1> i, auto &s) { s += m[i]; });
  });
  CHECK(sycl::host_accessor(sum)[0] == 40);
  CHECK((sycl::float4(1) + sycl::vec<float, 4>(2)).x() == 3);
  return failures;
}
