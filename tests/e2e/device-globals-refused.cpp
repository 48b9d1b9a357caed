// What device globals may not be: places, types and copies that the extension rules out, a value in two images, a device without images of
// the kernels that use it. What they need counts as any other use.
//# run: aspen++ -fsyntax-only -DPLACES {self}
//# exit: 1
//# stderr~: device-globals-refused.cpp:\d+:26: error: 'local' of type 'device_global' is neither at namespace scope nor a static member
//# stderr~: device-globals-refused.cpp:\d+:33: error: 'static_local' of type 'device_global' is neither at namespace scope nor a static member
//# stderr~: device-globals-refused.cpp:\d+:3: error: an object of type 'device_global' is made by 'new'
//# stderr~: device-globals-refused.cpp:\d+:26: error: 'member' of type 'device_global' is a member of objects; make it static
//# stderr~: device-globals-refused.cpp:\d+:40: error: 'hidden' of type 'device_global' is a static member that is not publicly accessible
//# stderr~: device-globals-refused.cpp:\d+:24: error: 'array' is an array of 'device_global'; the type of its value may be an array
//# stderr~: device-globals-refused.cpp:\d+:37: error: 'of_thread' of type 'device_global' is thread_local
//# stderr~: device-globals-refused.cpp:\d+:31: error: 'parameter' of type 'device_global' is neither at namespace scope nor a static member
//# count: 8 stderr error:
//# run: aspen++ -fsyntax-only -DTYPES {self}
//# exit: 1
//# stderr~: error: .*the type of a device_global is device-copyable: its bytes go to devices and come back
//# count: 1 stderr error:
//# run: aspen++ -fsyntax-only -DDESTROYED {self}
//# exit: 1
//# stderr~: error: .*the type of a device_global is trivially destructible
//# count: 1 stderr error:
//# run: aspen++ -fsyntax-only -std=c++17 -DCONSTRUCTED {self}
//# exit: 1
//# stderr~: error: .*the type of a device_global is trivially default constructible before C\+\+20
//# count: 1 stderr error:
//# run: aspen++ -fsyntax-only -DACCESS {self}
//# exit: 1
//# stderr~: error: .*the property host_access of this device_global rules out copies to it
//# stderr~: error: .*the property host_access of this device_global rules out copies from it
//# run: aspen++ -fsyntax-only -DPROPERTY {self}
//# exit: 1
//# stderr~: error: .*the device_global does not have this property
//# deep: what links refuse
//# run: aspen++ -DDECLARED {self} -o a.out
//# exit: 1
//# stderr~: error: .*device_global 'undefined' is not defined in any object of this link
//# run: aspen++ -fsycl-targets=native_cpu -DTWO_IMAGES {self} -o a.out
//# exit: 1
//# stderr~: error: device_global 'in_image' lies in its device image \(device_image_scope\), and two images would have one: kernel 'with_double' and kernel 'plain' use it
//# run: aspen++ {self} -o a.out
//# run: ./a.out
//# stdout: invalid: a copy goes beyond the end of a device_global
//# stdout: invalid: the address is no device_global of the program: such variables are at namespace scope or static members
//# stdout~: ^kernel_not_supported: the device_global 'unused' lies in a device image, and no kernel that '.*' has an image of uses it
//# stdout: 1.5
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./a.out
//# stdout~: ^kernel_not_supported: kernel 'with_double' cannot run on
//# stdout~: needs aspect fp64: device-globals-refused.cpp:\d+:\d+ in the kernel
//# run: aspen++ -fsycl-device-only -emit-llvm -c -DTWO_IMAGES {self} -o two.bc
//# run: aspen post-link -split=kernel -device-globals -properties -symbols two.bc -o two.table
//# exit: 1
//# stderr~: device_global 'in_image' lies in its device image \(device_image_scope\), and two images would have one
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;

ex::device_global<int, decltype(ex::properties(ex::device_image_scope))> in_image, unused;
ex::device_global<double> number;
extern ex::device_global<int> undefined;
ex::device_global<int, decltype(ex::properties(ex::host_access_read))> read_only;
ex::device_global<int, decltype(ex::properties(ex::host_access_write))> write_only;
struct not_copied {
  not_copied() = default;
  not_copied(const not_copied &other) : x(other.x) {}
  int x;
};
struct constructed {
  int x = 1;
};
#ifdef PLACES
struct places {
  ex::device_global<int> member;
private:
  static inline ex::device_global<int> hidden;
};
ex::device_global<int> array[2];
thread_local ex::device_global<int> of_thread;
int of(ex::device_global<int> parameter);
int of(ex::device_global<int> &reference);
template <class T> struct right {
  static inline ex::device_global<T> member;
  static inline const ex::device_global<T> *pointer = &member;
};
template struct right<int>;
#endif
int main() {
#ifdef PLACES
  ex::device_global<int> local;
  static ex::device_global<int> static_local;
  new ex::device_global<int>;
#endif
  sycl::queue q;
#ifdef TYPES
  static_assert(sizeof(ex::device_global<not_copied>) > 0);
#endif
#ifdef DESTROYED
  static_assert(sizeof(ex::device_global<std::string>) > 0);
#endif
#ifdef CONSTRUCTED
  static_assert(sizeof(ex::device_global<constructed>) > 0);
#endif
#ifdef PROPERTY
  number.get_property<ex::host_access_key>();
#endif
#ifdef DECLARED
  q.single_task<class Undefined>([=] { undefined = 1; });
#endif
#ifdef ACCESS
  int i = 0;
  q.copy(&i, read_only);
  q.copy(write_only, &i);
#endif
  double value = 1.5;
  const auto tried = [](auto f) {
    try {
      f();
    } catch (const sycl::exception &e) {
      std::printf("%s: %s\n", e.code() == sycl::errc::invalid ? "invalid" : e.code() == sycl::errc::kernel_not_supported ? "kernel_not_supported" : "?", e.what());
    }
  };
  tried([&] { q.single_task<class with_double>([=] { number += number; in_image = 1; }).wait(); });
  tried([&] { q.copy(&value, number, 2); });
  tried([&] { ex::device_global<int> *none = nullptr; q.memcpy(*none, &value); });
  tried([&] { q.memcpy(&value, unused); });
#ifdef TWO_IMAGES
  q.single_task<class plain>([=] { in_image = 2; });
#endif
  q.copy(&value, number).wait();
  value = 0;
  q.copy(number, &value).wait();
  std::printf("%g\n", value);
}
