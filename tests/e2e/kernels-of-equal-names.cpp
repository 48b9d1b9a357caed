// Static functions of two units hand their lambdas to one header's templates: each unit runs its own. Source: DESIGN §7.17.
//# run: aspen++ -std=c++17 -O1 -fsycl-targets=native_cpu -DOWN=1 unit.cpp -c -o one.o
//# run: aspen++ -std=c++17 -O1 -fsycl-targets=native_cpu -DOWN=2 unit.cpp -c -o two.o
//# run: aspen++ -std=c++17 -O1 -fsycl-targets=native_cpu main.cpp one.o two.o -o a.out
//# run: ./a.out
//# stdout: 1 1 1 1 1 1 1
//# stdout: 2 2 2 2 2 2 2
//# file: runs.hpp
#pragma once
#include <sycl/sycl.hpp>
template <class F> void one(sycl::queue q, F f) { q.single_task([=] { f(); }).wait(); }
template <class... F> void all(sycl::queue q, F... f) { q.single_task([=] { (f(), ...); }).wait(); }
template <class F> struct runner {
  F f;
  class name;
  void run(sycl::queue q) {
    F own = f;
    q.single_task([=] { own(); }).wait();
  }
  void named(sycl::queue q) { q.single_task<name>(f).wait(); }
  struct inner {
    template <class X> static void run(sycl::queue q, F f, X) { q.single_task([=] { f(); }).wait(); }
  };
};
template <template <class> class T> void of_template(sycl::queue q, int *p) { q.single_task([=] { *p = T<int>::value; }).wait(); }
template <auto V> void of_value(sycl::queue q, int *p, int v) { q.single_task([=] { *p = v; }).wait(); }
//# file: unit.cpp
#include "runs.hpp"
namespace {
template <class> struct own { static constexpr int value = OWN; };
enum local { only };
} // namespace
static void go(sycl::queue q, int *p) {
  one(q, [=] { p[0] = OWN; });
  all(q, [=] { p[1] = OWN; });
  auto a = [=] { p[2] = OWN; };
  runner<decltype(a)>{a}.run(q);
  auto b = [=] { p[3] = OWN; };
  runner<decltype(b)>::inner::run(q, b, 3);
  auto c = [=] { p[4] = OWN; };
  runner<decltype(c)>{c}.named(q);
  of_template<own>(q, p + 5);
  of_value<only>(q, p + 6, OWN);
}
#if OWN == 1
void go_one(sycl::queue q, int *p) { go(q, p); }
#else
void go_two(sycl::queue q, int *p) { go(q, p); }
#endif
//# file: main.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
void go_one(sycl::queue, int *);
void go_two(sycl::queue, int *);
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(7, q);
  for (auto go : {go_one, go_two}) {
    go(q, p);
    for (int i = 0; i < 7; ++i)
      std::printf("%d%c", p[i], i == 6 ? '\n' : ' ');
  }
}
