// What is wrong in the body of a generic kernel is said once, for the item that it gets: not again for the other kinds that the headers ask about, nor
// that none of them fits, and without the way through the headers.
//# run: aspen++ -Wconversion -fsyntax-only -fsycl-targets=native_cpu,spir64 {self}
//# exit: 1
//# count: 6 stderr error:
//# stderr~: :30:12: error: assigning to 'int' from incompatible type 'const char\[2\]'
//# stderr~: :34:14: error: assigning to 'int' from incompatible type 'const char\[2\]'
//# stderr~: :35:32: error: use of undeclared identifier 'nothing'
//# stderr~: :38:46: error: no member named 'absent' in 'sycl::id<>'
//# stderr~: :44:89: error: use of undeclared identifier 'nowhere'
//# stderr~: :19:39: error: no member named 'f' in 'X'
//# stderr~: :42:12: warning: implicit conversion .*
//# stderr!~: call_kernel\.hpp|type_traits
//# stderr!~: takes a sycl::nd_item
//# stderr!~: skipping
#include <sycl/sycl.hpp>

struct X {};
template <class T> void call(T x) { x.f(); }
template <class T> void call_later(T x) { call(x); }

struct works {
  template <class T> void operator()(T) const {}
};

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(8, q);
  q.parallel_for(8, [=](auto i) {
    p[i] = "x";
  });
  q.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](auto it) {
      p[0] = "y";
      p[it.get_global_id(0)] = nothing;
    });
  });
  q.parallel_for(8, [=](sycl::id<1> i) { p[i.absent] = 1; });
  q.parallel_for(8, [=](auto) { call_later(X()); });
  q.parallel_for(8, works());
  q.parallel_for(8, [=](auto i) {
    p[i] = 1.5;
  });
  q.parallel_for(8, sycl::reduction(p, sycl::plus<>()), [=](auto i, auto &sum) { sum += nowhere; });
}
