// Units that no SYCL compiler sees declare the classes that they pass on, as DPC++'s headers have them; so do headers that stand before SYCL's.
//# run: clang++-22 -std=c++17 -c host.cpp -o host.o
//# run: aspen++ -fsycl-targets=native_cpu kernel.cpp host.o -o prog
//# run: ./prog
//# stdout: 0 8 16 24
//# run: aspen++ -fsycl-targets=native_cpu -fsyntax-only plain.cpp
//# file: api.h
#pragma once
namespace sycl {
inline namespace _V1 {
class queue;
class event;
class device;
class context;
class platform;
class handler;
} // namespace _V1
} // namespace sycl
struct counts {
  sycl::queue *queue = nullptr;
  int *values = nullptr;
};
sycl::queue *make();
sycl::event *fill(sycl::queue &q, const sycl::device *only, counts &c);
void print(sycl::queue &q, sycl::event *e, const counts &c);
//# file: host.cpp
#include "api.h"
int main() {
  counts c;
  c.queue = make();
  print(*c.queue, fill(*c.queue, nullptr, c), c);
}
//# file: kernel.cpp
#include "api.h"
#include <sycl/sycl.hpp>
sycl::queue *make() { return new sycl::queue; }
sycl::event *fill(sycl::queue &q, const sycl::device *only, counts &c) {
  c.values = sycl::malloc_shared<int>(4, only ? sycl::queue(*only) : q);
  return new sycl::event(q.submit([&](sycl::handler &h) {
    int *values = c.values;
    h.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> it) {
      values[it.get_global_id(0)] = int(it.get_global_id(0)) * 8;
    });
  }));
}
void print(sycl::queue &q, sycl::event *e, const counts &c) {
  e->wait();
  for (int i = 0; i < 4; ++i)
    std::cout << (i ? " " : "") << c.values[i];
  std::cout << "\n";
  sycl::free(c.values, q);
  delete e;
  delete c.queue;
}
//# file: plain.cpp
#include <sycl/sycl.hpp>
static_assert(std::is_same_v<sycl::queue, sycl::_V1::queue> && std::is_same_v<sycl::device, sycl::_V1::device>);
struct mine {
  friend class sycl::queue;
  friend class sycl::handler;
};
