// Which sub-group sizes the embedded CPU device lists, what a kernel gets that requires none, and what becomes of one that requires 64.
//# run: aspen++ {self} -fsycl-targets=native_cpu,x86_64_v3 -o a.out
//# run: ./a.out
//# stdout: 4 8 16 32
//# stdout: none: 32, told 32, 256 in 8192
//# stdout: eight: 8, told 8, 1024 in 8192
//# stdout: refused: needs sub-group size 64
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./a.out
//# stdout: 4 8 16 32 64
//# stdout: none: 64, told 64, 128 in 8192
//# stdout: eight: 8, told 8, 1024 in 8192
//# stdout: wide: 64, told 64, 128 in 8192
//# sh: ASPEN_CPU_SUB_GROUP_SIZE=16 ./a.out 2> said; test $? -gt 127; grep -o "ASPEN_CPU_SUB.*" said
//# stdout: ASPEN_CPU_SUB_GROUP_SIZE=16: '16' is not 32 or 64; did you mean '32'?
//# run: ASPEN_DEVICE_CONFIG_FILE=small.yaml ASPEN_DEVICE_PROFILE=small ./a.out
//# stdout: 8 16
//# stdout: none: 16, told 16, 512 in 8192
//# stdout: eight: 8, told 8, 1024 in 8192
//# stdout: refused: needs sub-group size 64
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

template <class Name> void tell(sycl::queue &q, const char *what, int got) {
  namespace asked = sycl::info::kernel_device_specific;
  const auto bundle = sycl::get_kernel_bundle<Name, sycl::bundle_state::executable>(q.get_context());
  const auto kernel = bundle.template get_kernel<Name>();
  const auto device = q.get_device();
  std::printf("%s: %d, told %u, %u in %zu\n", what, got, kernel.template get_info<asked::max_sub_group_size>(device),
              kernel.template get_info<asked::max_num_sub_groups>(device), kernel.template get_info<asked::work_group_size>(device));
}

int main() {
  sycl::queue q;
  int *got = sycl::malloc_shared<int>(1, q);
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const std::size_t last = sizes.back();
  for (std::size_t size : sizes)
    std::printf("%zu%s", size, size == last ? "\n" : " ");
  const sycl::nd_range<1> items(128, 128);
  q.parallel_for<class none>(items, [=](sycl::nd_item<1> i) { *got = int(i.get_sub_group().get_max_local_range()[0]); }).wait();
  tell<class none>(q, "none", *got);
  q.parallel_for<class eight>(items, [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(8)]] {
     *got = int(i.get_sub_group().get_max_local_range()[0]);
   }).wait();
  tell<class eight>(q, "eight", *got);
  try {
    q.parallel_for<class wide>(items, [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(64)]] {
       *got = int(i.get_sub_group().get_max_local_range()[0]);
     }).wait();
    tell<class wide>(q, "wide", *got);
  } catch (const sycl::exception &error) {
    const char *need = std::strstr(error.what(), "needs ");
    const bool is_right = need && error.code() == sycl::errc::kernel_not_supported;
    std::printf("refused: %.*s\n", is_right ? int(std::strcspn(need, ":;\n")) : 0, is_right ? need : "");
  }
}
//# file: small.yaml
small:
  sub-group-sizes: [8, 16]
