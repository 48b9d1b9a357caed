// What only the host can do is refused when it is compiled, at the user's line, with the way that leads to it; what another unit might
// define, when it is linked.
//# run: aspen++ throws.cpp -o a.out
//# exit: 1
//# stderr~: ^throws\.cpp:4:5: error: device code cannot throw exceptions, but 'check' does
//# stderr~: ^throws\.cpp:9:49: note: 'k' calls 'check' here
//# count: 1 stderr error:
//# absent: a.out
//# run: aspen++ -DONLY_CPU -c throws.cpp -o a.o
//# exit: 1
//# stderr~: ^throws\.cpp:4:5: error: device code cannot throw exceptions, but 'check' does
//# count: 1 stderr error:
//# absent: a.o
//# run: aspen++ -fsycl-targets=nvidia_gpu_sm_90 -c throws.cpp -o a.o
//# exit: 1
//# count: 1 stderr error: device code cannot throw exceptions
//# run: aspen++ -c library.cpp -o a.o
//# exit: 1
//# stderr~: ^library\.cpp:8:18: error: device code cannot call 'std::array<int, 4>::at': it comes to 'std::__throw_out_of_range_fmt', which
//# stderr~: ^library\.cpp:9:15: error: device code cannot call 'std::basic_ostream<.*::operator<<', which is for the host only
//# stderr~: ^library\.cpp:10:5: error: device code cannot call 'puts', which is for the host only
//# count: 3 stderr error:
//# run: aspen++ -fsycl-targets=native_cpu -c library.cpp -o a.o
//# exit: 1
//# count: 2 stderr error:
//# run: aspen++ -fsycl-targets=native_cpu -c provided.cpp -o a.o
//# run: aspen++ -fsycl-targets=nvidia_gpu_sm_90 -c provided.cpp -o a.o
//# run: aspen++ -fsycl-targets=spir64 -O1 provided.cpp -o a.out
//# count: 0 stderr .
//# remove: a.out
//# run: aspen++ -c calls.cpp -o calls.o
//# run: aspen++ calls.o -o a.out
//# exit: 1
//# stderr~: error: device function 'elsewhere' is not defined in any object of this link
//# stderr~: ^  elsewhere\(\) calls\.cpp:6:44$
//# absent: a.out
//# file: throws.cpp
#include <sycl/sycl.hpp>
static void check(int x) {
#if !defined(ONLY_CPU) || !defined(__SPIRV__)
    throw x;
#endif
}
int main() {
  sycl::queue q;
  q.single_task<class k>([p = (int *)nullptr] { check(*p); });
}
//# file: library.cpp
#include <sycl/sycl.hpp>
#include <array>
#include <iostream>
int main() {
  sycl::queue q;
  auto *a = sycl::malloc_shared<std::array<int, 4>>(1, q);
  q.single_task<class k>([=] {
    a[0][0] = a->at(a[0][1]);
    std::cout << a[0][0];
    std::puts("written");
  });
}
//# file: provided.cpp
#include <sycl/sycl.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>
struct Base {
  virtual ~Base() {}
  virtual int f() const = 0;
};
struct Derived final : Base {
  int f() const override { return 2; }
};
int main() {
  sycl::queue q;
  double *p = sycl::malloc_shared<double>(4, q);
  int *i = sycl::malloc_shared<int>(4, q);
  q.parallel_for<class k>(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) {
    p[0] = std::frexp(p[1], i) + std::ldexp(p[2], 3) + sycl::sqrt(p[3]) + std::erf(p[1]);
    i[1] = sycl::reduce_over_group(item.get_group(), i[2], sycl::plus<int>()) + static_cast<int>(std::strlen("four") + std::string_view("five").size());
    p[1] = std::frexp(static_cast<float>(p[2]), i);
    sycl::group_barrier(item.get_group());
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(i[3]).fetch_add(1);
    Derived d;
    std::printf("%d\n", i[3] + d.f());
  });
}
//# file: calls.cpp
#include <sycl/sycl.hpp>
int elsewhere(const char *);
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (char *)nullptr] { elsewhere(p); });
}
