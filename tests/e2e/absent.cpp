// What README says is out of SYCL 2020 fails by an error that says so, at the line that uses it, or throws feature_not_supported.
//# run: aspen++ -std=c++17 -fsycl-host-only -fsyntax-only -ferror-limit=0 -DABSENT {self}
//# exit: 1
//# count: 3 stderr error: .*Aspen has no images: no device of its has aspect::image. Use a buffer
//# count: 1 stderr error: .*sycl::atomic is here for types of 4 bytes. For others use sycl::atomic_ref
//# count: 2 stderr error: .*Aspen has no interoperability with its backends
//# stderr~: absent.cpp:17:\d+: error: static assertion failed
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu {self} -o program
//# run: ./program
//# stdout: partition 12
//# stdout: macros 1
#include <cstdio>
#include <sycl/sycl.hpp>

#ifdef ABSENT
void images(sycl::queue &q) {
  sycl::sampled_image<2> one(nullptr, 0, sycl::range<2>(1, 1));
  sycl::unsampled_image<1> two(nullptr, 0, sycl::range<1>(1));
  sycl::unsampled_image_accessor<float, 1> three;
}
void old(sycl::global_ptr<long> x) { sycl::atomic<long> a(x); }
void native(sycl::queue &q) {
  sycl::get_native<sycl::backend::opencl>(q);
  sycl::make_queue<sycl::backend::opencl>(0, q.get_context());
}
#else
// In all passes.
#if !defined(__ASPEN__) || !defined(SYCL_LANGUAGE_VERSION) || !defined(SYCL_EXT_ONEAPI_DEVICE_IF) || SYCL_LANGUAGE_VERSION != 202012L || __SYCL_UNNAMED_LAMBDA__ != 1
#error a macro is missing
#endif
int main() {
  try {
    (void)sycl::device().create_sub_devices<sycl::info::partition_property::partition_equally>(2);
  } catch (const sycl::exception &e) {
    std::printf("partition %d\n", e.code().value());
  }
  int *out = sycl::malloc_shared<int>(1, sycl::queue());
  sycl::queue().single_task([=] { *out = __ASPEN__ >= 1 && SYCL_EXT_ONEAPI_DEVICE_IF == 1; }).wait();
  std::printf("macros %d\n", *out);
}
#endif
