// Modules of C++20 with kernels in them: interfaces for all passes, partitions, implementation units, templates that importers instantiate.
//# run: aspen++ -std=c++20 -O1 -c numbers.cppm -o numbers.o
//# run: aspen++ -std=c++20 -O1 -c shop-work.cppm -o shop-work.o
//# run: aspen++ -std=c++20 -O1 -fmodule-file=shop:work=shop-work.pcm -x c++-module shop.cpp --precompile -o shop.pcm
//# run: aspen++ -std=c++20 -O1 -fprebuilt-module-path=. -c shop.pcm -o shop.o
//# run: aspen++ -std=c++20 -O1 -fprebuilt-module-path=. -c implementation.cpp -o implementation.o
//# run: aspen++ -std=c++20 -O1 -fprebuilt-module-path=. {self} numbers.o shop.o shop-work.o implementation.o -o a.out
//# run: ./a.out
//# stdout: 42 3 3 2.5 42
// The chain goes through the module, and the warning is the module's.
//# run: aspen++ -std=c++20 -fsyntax-only narrow.cppm
//# stderr~: ^narrow.cppm:4:52: warning: function 'narrow' uses aspect 'fp64' not listed in 'sycl::device_has' \[-Wsycl-aspects\]$
//# deep: what is missing or of other passes
// Attributes behind the declarations of modules are taken wherever SYCL allows them.
//# run: aspen++ -std=c++20 -fsycl-targets=native_cpu -fprebuilt-module-path=. -fmodule-output=here.pcm -c late.cppm -o late.o
//# sh: test -f here.pcm -a -d here.pcm.passes -a ! -e late.pcm
// What cannot work says so.
//# run: aspen++ -std=c++20 -fsycl-targets=nvidia_gpu_sm_90 -fmodule-file=late=here.pcm -c importer.cpp
//# exit: 1
//# stderr~: 'here.pcm' was made for other targets and has nothing for the pass 'sycl-spir64-unknown-unknown-analysis\.[0-9a-f]{8}'; make it with this '-fsycl-targets'$
//# sh: rm -r here.pcm.passes
//# run: aspen++ -std=c++20 -fmodule-file=late=here.pcm -c importer.cpp
//# exit: 1
//# stderr~: 'here.pcm' serves the host pass only; make it with aspen\+\+ \(--precompile, or -c with -fmodule-output\)$
//# run: aspen++ -std=c++20 -c here.pcm
//# exit: 1
//# stderr~: 'here.pcm' was not made by aspen\+\+, and clang's own serve one pass only; compile the module's source$
//# run: aspen++ -std=c++20 --precompile importer.cpp
//# exit: 1
//# stderr~: '--precompile' is for interfaces of modules \(.cppm, '-x c\+\+-module'\), and 'importer.cpp' is none$
#include <sycl/sycl.hpp>
#include <cstdio>
import numbers;
import shop;
int main() {
  sycl::queue q;
  double *d = sycl::malloc_shared<double>(1, q);
  *d = 5;
  halve(q, d);
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = next(41); }).wait();
  std::printf("%d %g %d %g %d\n", run(q), doubled(q, 1.5), three(q), *d, *p);
  sycl::free(d, q);
  sycl::free(p, q);
}
//# file: numbers.cppm
module;
#include <sycl/sycl.hpp>
export module numbers;
inline double twice(double x) { return 2 * x; }
export int run(sycl::queue &q) {
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = int(twice(21)); }).wait();
  const int r = *p;
  sycl::free(p, q);
  return r;
}
//# file: shop-work.cppm
module;
#include <sycl/sycl.hpp>
export module shop:work;
export template <class T> T doubled(sycl::queue &q, T x) {
  T *p = sycl::malloc_shared<T>(1, q);
  *p = x;
  q.single_task([=] { *p = *p + *p; }).wait();
  const T r = *p;
  sycl::free(p, q);
  return r;
}
export inline int three(sycl::queue &q) {
  int *p = sycl::malloc_shared<int>(1, q);
  q.parallel_for(1, [=](auto i) { p[i] = 3; }).wait();
  const int r = *p;
  sycl::free(p, q);
  return r;
}
//# file: shop.cpp
module;
#include <sycl/sycl.hpp>
export module shop;
export import :work;
export SYCL_EXTERNAL int next(int x);
export void halve(sycl::queue &q, double *p);
[[sycl::device_has(sycl::aspect::fp64)]] void near(double *p);
//# file: implementation.cpp
module;
#include <sycl/sycl.hpp>
module shop;
SYCL_EXTERNAL int next(int x) { return x + 1; }
void near(double *p) { *p /= 2; }
void halve(sycl::queue &q, double *p) {
  q.single_task([=]() [[sycl::device_has(sycl::aspect::fp64)]] { near(p); }).wait();
}
//# file: narrow.cppm
module;
#include <sycl/sycl.hpp>
export module narrow;
[[sycl::device_has()]] void narrow(double *p) { *p += 1; }
export void start(sycl::queue &q, double *p) {
  q.single_task([=] { narrow(p); });
}
//# file: late.cppm
module;
#include <sycl/sycl.hpp>
export module late;
import numbers;
export template <int... Sizes> void sized(sycl::queue &q) {
  q.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(Sizes...)]] {});
}
//# file: importer.cpp
#include <sycl/sycl.hpp>
import late;
int main() {
  sycl::queue q;
  sized<4>(q);
}
