//! Kernel identities and compatibility.
#include <sycl/kernel_bundle.hpp>

class some_kernel;
bool questions(const sycl::context &c, const sycl::device &d) {
  const sycl::kernel_id id = sycl::get_kernel_id<some_kernel>();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c, {d});
  const auto one = sycl::get_kernel_bundle<some_kernel, sycl::bundle_state::executable>(c);
  return sycl::is_compatible<some_kernel>(d) && sycl::is_compatible({id, id}, d) && bundle.has_kernel(id) && one.has_kernel(id, d) &&
         sycl::has_kernel_bundle<sycl::bundle_state::executable>(c, {d}, {id}) && bundle.get_kernel_ids() == sycl::get_kernel_ids();
}
