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
//# stderr~: ^library\.cpp:10:5: error: device code cannot call 'std::puts', which is for the host only
//# count: 3 stderr error:
//# deep: the same on further targets
//# run: aspen++ -fsycl-targets=native_cpu -c library.cpp -o a.o
//# exit: 1
//# stderr~: ^library\.cpp:10:5: error: device code cannot call 'std::puts', which is for the host only \[-Wsycl-strict\]$
//# count: 3 stderr error:
//# run: aspen++ -fsycl-targets=native_cpu -Wno-error=sycl-strict -c library.cpp -o a.o
//# exit: 1
//# count: 2 stderr error:
//# run: aspen++ -fsycl-targets=native_cpu -Wno-error=sycl-strict allowed.cpp -o a.out
//# run: ./a.out
//# remove: a.out
//# run: aspen++ -fsycl-targets=native_cpu allowed.cpp -o a.out
//# exit: 1
//# stderr~: ^allowed\.cpp:8:13: error: device code cannot call 'std::rand', which is for the host only \[-Wsycl-strict\]$
//# stderr~: ^allowed\.cpp:9:13: error: device code cannot ask for types at run time, but 'k' uses 'typeid' of a polymorphic value
//# stderr~: ^allowed\.cpp:10:14: error: device code cannot call 'operator new', which is for the host only \[-Wsycl-strict\]$
//# stderr~: ^allowed\.cpp:12:5: error: device code cannot call 'operator delete', which is for the host only \[-Wsycl-strict\]$
//# count: 4 stderr error:
//# absent: a.out
//# run: aspen++ -fsycl-targets=spir64 -Wno-error=sycl-strict allowed.cpp -o a.out
//# exit: 1
//# count: 4 stderr error:
//# run: aspen++ -fsycl-targets=spir64 -c assembly.cpp -o a.o
//# exit: 1
//# stderr~: ^assembly\.cpp:2:23: error: device code for SPIR-V has no inline assembly, but 'fence' uses it$
//# stderr~: ^assembly\.cpp:5:31: note: 'k' calls 'fence' here$
//# run: aspen++ -fsycl-targets=native_cpu -c assembly.cpp -o a.o
//# run: aspen++ -fsycl-targets=native_cpu -c provided.cpp -o a.o
//# run: aspen++ -fsycl-targets=nvidia_gpu_sm_90 -c provided.cpp -o a.o
//# run: aspen++ -fsycl-targets=spir64 -O1 provided.cpp -o a.out
//# count: 0 stderr .
//# remove: a.out
//# run: aspen++ -D_GLIBCXX_ASSERTIONS -fsycl-targets=nvidia_gpu_sm_90 -c asserts.cpp -o a.o
//# run: aspen++ -D_GLIBCXX_ASSERTIONS -fsycl-targets=native_cpu,spir64 asserts.cpp -o a.out
//# count: 0 stderr .
//# run: ./a.out 1
//# stdout: 2 1
//# run: sh -c './a.out 3; exit $?'
//# exit: 134
//# stderr~: asserts\.cpp:9: .*: Assertion `p\[0\] < 3' failed\.$
//# run: sh -c './a.out 2; exit $?'
//# exit: 134
//# stderr~: Assertion '__n < this->size\(\)' failed\.$
//# remove: a.out
//# run: aspen++ -fsycl-targets=native_cpu -DMATHEMATICS asserts.cpp -o a.out
//# run: ./a.out 1
//# stdout: 2 1
//# remove: a.out
//# run: aspen++ -c calls.cpp -o calls.o
//# run: aspen++ calls.o -o a.out
//# exit: 1
//# stderr~: error: device function 'elsewhere' is not defined in any object of this link
//# stderr~: ^  elsewhere\(\) calls\.cpp:6:44$
//# absent: a.out
//# remove: a.out
//# deep: kernels make objects of a class whose virtual functions are partly the host's
//# run: aspen++ -fsycl-targets=native_cpu,spir64 -O2 classes.cpp -o a.out
//# count: 0 stderr .
//# run: ./a.out
//# stdout: 3 twice
//# run: aspen++ -fsycl-targets=native_cpu -DCALLS -c classes.cpp -o a.o
//# exit: 1
//# stderr~: ^classes\.cpp:5:60: error: device code cannot call 'std::operator<<
//# file: allowed.cpp
#include <sycl/sycl.hpp>
#include <typeinfo>
struct base { virtual int f() { return 1; } } const one;
static const base &make() { return one; }
int main() {
  sycl::queue q;
  q.single_task<class k>([p = sycl::malloc_shared<int>(3, q)] {
    p[0] |= std::rand();
    p[1] |= typeid(make()) == typeid(base);
    int *n = new int(3);
    p[2] = *n;
    delete n;
  });
  q.wait_and_throw();
}
//# file: assembly.cpp
#include <sycl/sycl.hpp>
static void fence() { asm volatile("" ::: "memory"); }
int main() {
  sycl::queue q;
  q.single_task<class k>([] { fence(); });
}
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
//# file: asserts.cpp
#include <array>
#include <cassert>
#include <sycl/sycl.hpp>
int main(int, char **arguments) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  p[0] = arguments[1][0] - '0';
  q.single_task<class k>([=] {
    assert(p[0] < 3);
    const std::array<int, 2> values{1, 2};
    p[1] = values[p[0]];
#if defined(MATHEMATICS)
    p[0] = static_cast<int>(::j0(0.0));
#endif
  }).wait();
  std::printf("%d %d\n", p[1], p[0]);
}
//# file: calls.cpp
#include <sycl/sycl.hpp>
int elsewhere(const char *);
class k;
int main() {
  sycl::queue q;
  q.single_task<k>([p = (char *)nullptr] { elsewhere(p); });
}
//# file: classes.cpp
#include <sycl/sycl.hpp>
struct shape {
  virtual ~shape() {}
  virtual int area() const { return 1; }
  virtual void print(std::ostream &out) const final { out << area() << " " << name(); }
  virtual std::string name() const { return "once"; }
};
struct both : shape {
  int area() const override { return 3; }
  std::string name() const override { return "twice"; }
};
int main() {
  sycl::queue q;
  auto *p = static_cast<both *>(sycl::malloc_shared(sizeof(both), q));
  q.single_task<class k>([=] {
    new (p) both;
#ifdef CALLS
    const shape *s = p;
    s->print(*static_cast<std::ostream *>(nullptr));
#endif
  });
  q.wait();
  both().print(std::cout);
  std::cout << "\n";
  sycl::free(p, q);
}
