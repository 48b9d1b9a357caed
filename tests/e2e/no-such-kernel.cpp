// The id of what is no kernel of the program: one clear error, where it is asked for; questions whether there is one are answered. Source: SYCL 2020
// §4.11.6.
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: get_kernel_id<name::no<int>>: the program has no kernel of that name
//# stdout: get_kernel_id<later>: the program has no kernel of that name
//# stdout: bundle: get_kernel_id<later>: the program has no kernel of that name
//# stdout: 0 0 0
//# stdout: 1 1 1
#include <cstdio>
#include <sycl/sycl.hpp>
namespace name {
template <class T> class no;
}
class later;
class here;
template <class Name> void ask() {
  try {
    std::printf("found %s\n", sycl::get_kernel_id<Name>().get_name());
  } catch (const sycl::exception &e) {
    std::printf("%s%s\n", e.what(), e.code() == sycl::errc::invalid ? "" : " (?)");
  }
}
template <class Name> void look(const sycl::queue &q) {
  const auto all = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  std::printf("%d %d %d\n", all.has_kernel<Name>(), all.has_kernel<Name>(q.get_device()), sycl::is_compatible<Name>(q.get_device()));
}
int main() {
  sycl::queue q;
  ask<name::no<int>>();
  ask<later>();
  try {
    sycl::get_kernel_bundle<later, sycl::bundle_state::executable>(q.get_context());
  } catch (const sycl::exception &e) {
    std::printf("bundle: %s\n", e.what());
  }
  look<later>(q);
  look<here>(q);
  sycl::get_kernel_id<here>();
  q.single_task<here>([] {}).wait();
}
