//! multi_ptr: pointers with a name for their address space.
#include <sycl/multi_ptr.hpp>

using sycl::access::address_space;
static_assert(std::is_trivially_copyable_v<sycl::global_ptr<int>> && sizeof(sycl::local_ptr<int>) == sizeof(int *));
static_assert(std::is_convertible_v<sycl::global_ptr<int>, sycl::global_ptr<const int>>);
static_assert(std::is_convertible_v<sycl::global_ptr<int>, sycl::generic_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::global_ptr<int>, sycl::local_ptr<int>>);
int reads(int *p) {
  auto g = sycl::address_space_cast<address_space::global_space>(p);
  ++g;
  return g[1] + *g + *g.get_raw();
}
