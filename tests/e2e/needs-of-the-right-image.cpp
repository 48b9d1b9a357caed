// What tools say of a kernel that images, symbols or libraries give different needs.
//# run: aspen++ -O2 -fsycl-targets=native_cpu,spir64 by-type.cpp -o old
//# run: aspen++ -O2 -DMORE -fsycl-targets=native_cpu,spir64 by-type.cpp -o new
//# run: aspen explain old 'lambda at by-type.cpp:4:80'
//# stdout~: ^void run<float, chosen>
//# stdout: kernel 'lambda at by-type.cpp:4:80' needs nothing
//# stdout~: ^void run<int, yes>
//# stdout: kernel 'lambda at by-type.cpp:4:80' needs aspect fp64
//# run: aspen diff old new
//# exit: 1
//# stdout~: ^\+ kernel 'lambda at by-type.cpp:4:80' needs aspect fp64
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fPIC -shared lib.cpp -o libl.so
//# run: aspen++ -O2 -fsycl-targets=native_cpu main.cpp -L. -ll -Wl,-rpath,. -o a.out
//# sh: cp a.out before; cp libl.so lib-before
//# run: aspen diff before a.out
//# run: aspen++ -O2 -DMORE -fsycl-targets=native_cpu -fPIC -shared lib.cpp -o libl.so
//# run: aspen diff lib-before libl.so
//# exit: 1
//# stdout: + function 'libf' needs aspect fp64, used in 'libf' at lib.cpp:3:40
//# run: aspen explain a.out Uses
//# stdout~: fp64
//# file: by-type.cpp
#include <sycl/sycl.hpp>
struct yes { static double of(double x) { return x * 2.5; } };
struct no { static float of(float x) { return x * 2.5f; } };
template <class T, class C> void run(sycl::queue &q, T *p) { q.parallel_for(4, [=](sycl::id<1> i) { p[i] = T(C::of(p[i])); }).wait(); }
#ifdef MORE
using first = yes;
#else
using first = no;
#endif
struct chosen { static float of(float x) { return float(first::of(x)); } };
int main() {
  sycl::queue q;
  run<float, chosen>(q, sycl::malloc_shared<float>(4, q));
  run<int, yes>(q, sycl::malloc_shared<int>(4, q));
}
//# file: lib.cpp
#include <sycl/sycl.hpp>
#ifdef MORE
SYCL_EXTERNAL int libf(int x) { double d = x; return int(d * 0.5); }
#else
SYCL_EXTERNAL int libf(int x) { return x; }
#endif
//# file: main.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int libf(int);
class Uses;
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task<Uses>([=] { *out = libf(4); }).wait();
}
