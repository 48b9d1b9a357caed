// A file without kernels is plain C++, and what clang emits into device modules unasked is no device code. DESIGN §7.27.
//# run: aspen++ {self} -o a.out
//# count: 0 stderr .
//# run: ./a.out
//# stdout: host 3 7
//# run: aspen++ -c unused.cpp -o unused.o
//# count: 0 stderr .
//# run: aspen++ unused.o -o unused
//# count: 0 stderr .
//# run: ./unused
//# stdout: kernel 5, host 3
//# sh: aspen inspect unused | grep -c fp64
//# exit: 1
//# deep: frameworks
//# run: aspen++ -DON_DEVICE unused.cpp -o on-device
//# exit: 1
//# stderr~: ^unused\.cpp:9:21: error: device code uses the variable 'v', which is neither const nor constexpr
//# count: 1 stderr error:
//# run: aspen++ framework.cpp -o framework
//# count: 0 stderr .
//# run: ./framework
//# stderr~: \*\*\* No errors detected
#include <cstdio>
#include <stdexcept>
#include <string>

int v = 3;
struct S {
  virtual ~S() {}
  virtual int f();
  virtual int g();
};
int S::f() { return v; }
int S::g() {
  try {
    throw std::runtime_error(std::string(7, 'x'));
  } catch (const std::exception &e) {
    return static_cast<int>(std::string(e.what()).size());
  }
}
static int initialised = S().g();
__attribute__((used)) static int counted() { return ++v; }
template <class T> struct Explicit {
  virtual ~Explicit() {}
  virtual T get() { return v * 1.0; }
};
template struct Explicit<double>;

int main() {
  S s;
  std::printf("host %d %d\n", s.f(), initialised);
}
//# file: unused.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
#include <stdexcept>
int v = 3;
struct S {
  virtual ~S() {}
  virtual int f();
};
int S::f() { return v + static_cast<int>(1.0 * v) - v; }
struct Unused {
  virtual ~Unused() {}
  [[sycl::device_has()]] virtual double declared(double x);
};
double Unused::declared(double x) {
  if (x > 0)
    throw std::runtime_error("positive");
  return x;
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class k>([=] {
     *p = 5;
#ifdef ON_DEVICE
     S s;
     S &r = s;
     *p = r.f();
#endif
   }).wait();
  S s;
  std::printf("kernel %d, host %d\n", *p, s.f());
  sycl::free(p, q);
}
//# file: framework.cpp
#define BOOST_TEST_MODULE kernels
#include <boost/test/included/unit_test.hpp>
#include <sycl/sycl.hpp>
BOOST_AUTO_TEST_CASE(kernels_run) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class k>([=] { *p = 7; }).wait();
  BOOST_TEST(*p == 7);
  BOOST_CHECK_THROW(throw 1, int);
  sycl::free(p, q);
}
