// Two libraries and a program each have another kernel of one name, as plugins that know nothing of each other do. Each launches its own, without
// optimisation too, where equal functions of the header are the first module's for all. Source: DESIGN §7.17, "the calling module's images".
//# run: aspen++ -O0 -fsycl-targets=native_cpu -DLIBRARY=first -DBY=10 -fPIC -shared {self} -o libfirst.so
//# run: aspen++ -O0 -fsycl-targets=native_cpu -DLIBRARY=second -DBY=20 -fPIC -shared {self} -o libsecond.so
//# run: aspen++ -O0 -fsycl-targets=native_cpu -Wl,--export-dynamic {self} -L. -lfirst -lsecond -Wl,-rpath,. -o a.out
//# run: ./a.out
//# stdout: first 10 1
//# stdout: second 20 1
//# stdout: program 31 1
//# stdout: 1 0 0
#include <cstdio>
#include <sycl/sycl.hpp>

class common;

#ifdef LIBRARY
extern "C" bool LIBRARY(sycl::queue *q, int *out) {
  q->submit([&](sycl::handler &h) { h.single_task<common>([=] { *out = BY; }); }).wait();
  const auto all = sycl::get_kernel_bundle<common, sycl::bundle_state::executable>(q->get_context());
  return all.has_kernel<common>() && sycl::is_compatible<common>(q->get_device());
}
#else
extern "C" bool first(sycl::queue *, int *), second(sycl::queue *, int *);

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(4, q);
  std::fill(out, out + 4, 0);
  // A closure of another size: the wrong kernel would read beyond it.
  const int a = 1, b = 10, c = 20;
  const bool one = first(&q, out);
  std::printf("first %d %d\n", out[0], one);
  const bool two = second(&q, out);
  std::printf("second %d %d\n", out[0], two);
  q.single_task<common>([=] {
     out[0] = a + b + c;
     out[1] = a;
   }).wait();
  std::printf("program %d %d\n", out[0], sycl::has_kernel_bundle<common, sycl::bundle_state::executable>(q.get_context()));
  std::printf("%d %d %d\n", out[1], out[2], out[3]);
  sycl::free(out, q);
}
#endif
