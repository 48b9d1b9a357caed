//! Kernels behind functions for the host, whose address launches them, as SYCLomatic makes them of pointers to kernels. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>
#include <syclcompat/syclcompat.hpp>
#include <dpct/dpct.hpp>

static_assert(std::is_convertible_v<decltype(syclcompat::kernel_launcher::_que), syclcompat::queue_ptr>);

/// What both namespaces have alike: functions of a kernel's parameters submit it, with what the launcher says.
template <class Launcher> static void add(int *to, int value, const int *more) {
  const sycl::nd_range<3> shape = Launcher::_nr;
  const unsigned bytes = Launcher::_local_mem_size;
  Launcher::_que->submit([&](sycl::handler &h) {
    sycl::local_accessor<char, 1> memory(sycl::range<1>(bytes ? bytes : 1), h);
    h.parallel_for(shape, [=](sycl::nd_item<3> item) {
      to[item.get_global_id(2)] += value + *more + int(bytes ? memory.size() : 0) + int(item.get_group_range(1));
    });
  });
}

template <class Launcher, class Register, class Dim> static void check(sycl::queue &other) {
  sycl::queue *const standard = &dpct::get_default_queue();
  int *const out = sycl::malloc_shared<int>(8, other), *const more = sycl::malloc_shared<int>(1, other);
  std::fill(out, out + 8, 0);
  *more = 100;
  void (*const function)(int *, int, const int *) = &add<Launcher>;

  Launcher::launch(function, Dim(2), Dim(4), 0, &other, out, 1, more);
  CHECK(Launcher::_que == &other && Launcher::_local_mem_size == 0);
  CHECK(Launcher::_nr.get_global_range() == sycl::range<3>(1, 1, 8) && Launcher::_nr.get_local_range() == sycl::range<3>(1, 1, 4));
  other.wait();
  CHECK(out[0] == 102 && out[7] == 102);

  int *to = out;
  int value = 5;
  const int *from = more;
  void *arguments[] = {&to, &value, &from};
  Launcher::launch(function, Dim(8), Dim(1), arguments, 16, &other);
  other.wait();
  CHECK(out[3] == 102 + 5 + 100 + 16 + 1);

  // The type is lost. A queue is left out: the default one.
  const Register known(function);
  const Register also = &add<Launcher>;
  CHECK(known.get() == function && also.get() == function);
  void *const plain = reinterpret_cast<void *>(known.get());
  value = -124;
  Launcher::launch(plain, Dim(1), Dim(8), arguments, 0, nullptr);
  if (std::is_same_v<Launcher, dpct::kernel_launcher>)
    CHECK(Launcher::_que == standard);
  Launcher::_que->wait();
  CHECK(out[5] == 224 - 124 + 100 + 1);
  CHECK(throws(sycl::errc::invalid, [&] { Launcher::launch(static_cast<const void *>(more), Dim(1), Dim(1), arguments, 0, nullptr); }));

  sycl::free(out, other);
  sycl::free(more, other);
}

int main() {
  sycl::queue other(dpct::get_default_context(), dpct::get_current_device());
  using function = void (*)(int *, int, const int *);
  check<syclcompat::kernel_launcher, syclcompat::wrapper_register<function>, syclcompat::dim3>(other);
  check<dpct::kernel_launcher, dpct::wrapper_register<function>, dpct::dim3>(other);
  const dpct::wrapper_register deduced(&add<dpct::kernel_launcher>);
  CHECK(deduced.func == &add<dpct::kernel_launcher>);
  return failures != 0;
}
