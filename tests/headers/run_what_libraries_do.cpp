//! What libraries over SYCL (Eigen's tensors, portBLAS, tests of DPC++) rely on. Exit status 0: all right.
#include <cassert>

// Before SYCL's header: devices that are no part of the host mean another function by what `assert` calls.
struct view {
  const int *values;
  int size;
  int operator()(int i) const {
    assert(i < size && i >= 0 && "out of bounds");
    return values[i];
  }
};

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/kernel_queue_info.hpp>
#include <sycl/sycl.hpp>
#include <syclcompat/util.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(sycl::range<3>{sycl::id<3>(1, 2, 3) * sycl::range<3>(2, 2, 2)} == sycl::range<3>(2, 4, 6));
static_assert(sycl::range<1>(sycl::id<1>(4)) == sycl::range<1>(4));
static_assert(!std::is_convertible_v<sycl::id<2>, sycl::range<2>>, "only where it is asked for");

/// The trait has a second parameter for conditions.
template <class T> struct counted {
  counted() = default;
  counted(const counted &from) : value(from.value) {}
  T value{};
};
template <class T>
struct sycl::is_device_copyable<counted<T>, std::enable_if_t<!std::is_trivially_copyable_v<counted<T>>>> : std::true_type {};
static_assert(sycl::is_device_copyable_v<counted<int>> && sycl::is_device_copyable_v<const counted<int>[2]>);

/// A reference on the host and a value that nobody reads on devices, vouched for.
struct device_of_host {
  char unread = 0;
};
struct evaluator {
  evaluator(const device_of_host &device, int *to) : device(device), to(to) {}
  evaluator(const evaluator &from) : device(from.device), to(from.to) {}
#ifdef __SYCL_DEVICE_ONLY__
  const device_of_host device;
#else
  const device_of_host &device;
#endif
  int *to;
};
template <> struct sycl::is_device_copyable<evaluator> : std::true_type {};
struct evaluate {
  evaluator with;
  void operator()() const { *with.to = 5; }
};

/// The same of a class that is its bytes: a pointer's place.
struct queue_of_host {
  const void *unread;
};
#ifdef __SYCL_DEVICE_ONLY__
using queue_held = const queue_of_host;
#else
using queue_held = const queue_of_host &;
#endif
struct reduce {
  queue_held queue;
  int *to;
  void operator()() const { *to = 6; }
};

/// A specialisation of a kernel is one.
template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void store(T *to) { *to = 1; }
template <> void store<float>(float *to) { *to = 3; }

struct count_up {
  int *to;
  void operator()(sycl::nd_item<3> i) const { to[i.get_global_linear_id()] = int(i.get_local_linear_id()); }
};

/// oneDPL's tuples: of one that holds an accessor the host says that it is no matter of bytes, and devices that it is.
template <class A, class B> struct both {
  both(A a, B b) : first(a), second(b) {}
  both(const both &from) : first(from.first), second(from.second) {}
  A first;
  B second;
};
template <class A, class B> struct sycl::is_device_copyable<both<A, B>> : std::conjunction<sycl::is_device_copyable<A>, sycl::is_device_copyable<B>> {};
template <class Accessor> struct plain_view {
  Accessor of;
};

/// As Eigen's evaluators: what refers to the device's own on the host is a value on devices, where alone it is not trivially copyable.
struct tensor_stream {
  const void *queue;
  explicit tensor_stream(const void *of) : queue(of) {}
};
template <class T> struct tensor_evaluator {
#ifdef __SYCL_DEVICE_ONLY__
  const T *data;
  const tensor_stream device;
  tensor_evaluator(const tensor_evaluator &other) : data(other.data), device(other.device) {}
#else
  const T *data;
  const tensor_stream &device;
#endif
  tensor_evaluator(const T *of, const tensor_stream &at) : data(of), device(at) {}
};
template <class T>
struct sycl::is_device_copyable<tensor_evaluator<T>, std::enable_if_t<!std::is_trivially_copyable_v<tensor_evaluator<T>>>> : std::true_type {};

int main() {
  sycl::queue q;
  int *ints = sycl::malloc_shared<int>(64, q);
  float *number = sycl::malloc_shared<float>(1, q);
  ints[3] = 7;
  const view of{ints, 4};
  q.single_task([=] { ints[0] = of(3); }).wait();
  CHECK(ints[0] == 7);

  const device_of_host here;
  q.single_task(evaluate{{here, ints}}).wait();
  CHECK(ints[0] == 5);

  const tensor_stream none(nullptr);
  const tensor_evaluator<int> evaluated(ints + 1, none);
  ints[1] = 7;
  q.single_task([=] { ints[0] = evaluated.data[0]; }).wait();
  CHECK(ints[0] == 7);

  const queue_of_host queue_here{nullptr};
  q.single_task(reduce{queue_here, ints}).wait();
  CHECK(ints[0] == 6);

  counted<int> one;
  one.value = 9;
  q.single_task([=] { ints[1] = one.value; }).wait();
  CHECK(ints[1] == 9);

  {
    sycl::buffer<int> buffer(ints, sycl::range<1>(1));
    q.submit([&](sycl::handler &h) {
      sycl::accessor into(buffer, h, sycl::read_write);
      const both pair(plain_view<decltype(into)>{into}, 42);
      h.single_task([=] { pair.first.of[0] = pair.second; });
    });
  }
  CHECK(ints[0] == 42);

  // DPC++'s place of a call, and all of its names in the namespace that it has them in.
  constexpr auto place = sycl::detail::code_location::current();
  static_assert(place.lineNumber() > 0 && place.fileName() != nullptr && sycl::detail::code_location().lineNumber() == 0);
  q.submit([&](sycl::_V1::handler &h) { h.parallel_for(sycl::_V1::range<1>(4), [=](sycl::_V1::id<1> i) { ints[i] = 11; }); }, place).wait();
  CHECK(ints[3] == 11 && sycl::_V1::ext::oneapi::bfloat16(1.0f) == 1.0f);

  ex::single_task(q, ex::kernel_function<store<float>>, number);
  ex::single_task(q, ex::kernel_function<store<int>>, ints);
  ex::prefetch(q, ints, 64 * sizeof(int), ex::prefetch_type::host);
  ex::prefetch(q, ints, 64 * sizeof(int), ex::prefetch_type::device);
  q.wait();
  CHECK(*number == 3 && *ints == 1);

  q.parallel_for(sycl::nd_range<3>({1, 1, 64}, {1, 1, 32}), count_up{ints}).wait();
  CHECK(ints[63] == 31);
  CHECK(syclcompat::max_active_work_groups_per_cu<count_up>(syclcompat::dim3(32), 0, q) >= 1);
  CHECK(syclcompat::max_active_work_groups_per_cu<count_up>(sycl::range<2>(4, 8), 16, q) >= 1);
  sycl::free(ints, q);
  sycl::free(number, q);
  return failures;
}
