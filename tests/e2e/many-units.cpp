// Two objects, an archive and a shared library: one kernel of a header in all of them, same-named static kernels in two.
//# run: aspen++ -c main.cpp -o main.o
//# run: aspen++ -c left.cpp -o left.o
//# run: aspen++ -c right.cpp -o right.o
//# sh: ar rcs libright.a right.o
//# run: aspen++ -fPIC -shared library.cpp -o liblibrary.so
//# run: aspen++ main.o left.o -L. -lright -llibrary -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: header 5 5 5 5
//# stdout: own 100 200 300
//# run: aspen inspect a.out
//# run: aspen inspect liblibrary.so
//# file: shared.hpp
#pragma once
#include <sycl/sycl.hpp>

class of_header;
inline int five(sycl::queue &q) {
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<of_header>([=] { *p = 5; }).wait();
  int result = *p;
  sycl::free(p, q);
  return result;
}
// The same names in every unit that includes this, but not the same code.
static int own(sycl::queue &q) {
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = OWN; }).wait();
  int result = *p;
  sycl::free(p, q);
  return result;
}
//# file: left.cpp
#define OWN 100
#include "shared.hpp"
int left_five(sycl::queue &q) { return five(q); }
int left_own(sycl::queue &q) { return own(q); }
//# file: right.cpp
#define OWN 200
#include "shared.hpp"
int right_five(sycl::queue &q) { return five(q); }
int right_own(sycl::queue &q) { return own(q); }
//# file: library.cpp
#define OWN 300
#include "shared.hpp"
int library_five(sycl::queue &q) { return five(q); }
int library_own(sycl::queue &q) { return own(q); }
//# file: main.cpp
#define OWN 0
#include "shared.hpp"
#include <cstdio>
int left_five(sycl::queue &), left_own(sycl::queue &), right_five(sycl::queue &), right_own(sycl::queue &);
int library_five(sycl::queue &), library_own(sycl::queue &);
int main() {
  sycl::queue q;
  if (own(q) != 0) return 1;
  std::printf("header %d %d %d %d\n", five(q), left_five(q), right_five(q), library_five(q));
  std::printf("own %d %d %d\n", left_own(q), right_own(q), library_own(q));
}
