// Guards within guards and loops, in functions of several kernels, units and templates, with captures, and what bodies need beyond them:
// both modes say the same for every device, and drivers and profiles that lack different things are asked together.
//# run: aspen++ -O2 -w {self} two.cpp -o split.out
//# run: aspen++ -O2 -w -fsycl-optional-features=conditional -fsycl-device-code-split=off {self} two.cpp -o conditional.out
//# sh: for p in '' intel_gpu_skl intel_gpu_dg1 intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ./split.out || exit 1; done > split.txt
//# sh: for p in '' intel_gpu_skl intel_gpu_dg1 intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ./conditional.out || exit 1; done > conditional.txt
//# sh: cmp split.txt conditional.txt
//# sh: grep -E '^(arch|never|captures|nd16|tmpl) ' conditional.txt
//# stdout: tmpl 7 10 -1
// Emulators of FPGAs are neither CPUs nor GPUs, and list no sub-group sizes at all.
//# stdout~: ^nd16 (16 16 16|errc 13)$
//# stdout~: ^arch [34] -1 -1$
//# stdout: captures 11 120 -1
//# stdout: never 1 -1 -1
//# stdout: arch 1 -1 -1
//# stdout: tmpl 106 108 -1
//# stdout: arch 2 -1 -1
//# stdout: captures 5 -120 -1
//# stdout: never 5 -1 -1
// Nothing but a refusal: no build fails for what a device lacks.
//# sh: grep errc conditional.txt | grep -v 'errc 13'
//# exit: 1
#include "lib.hpp"
#include <cstdio>
void two(sycl::queue &q, int *p);
struct big { int v[9]; char c; float f; };
template <int> class K;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  auto attempt = [&](const char *n, auto f) {
    for (int i = 0; i < 64; ++i) p[i] = -1;
    try { f(); q.wait(); std::printf("%s %d %d %d\n", n, p[0], p[1], p[15]); }
    catch (const sycl::exception &e) { std::printf("%s errc %d\n", n, int(e.code().value())); }
  };
  big b{{1,2,3,4,5,6,7,8,9}, 'x', 2.5f};
  attempt("two", [&] { two(q, p); });
  attempt("shared", [&] { q.single_task<K<0>>([=] { p[0] = shared_guard(b.v[2]); p[1] = shared_guard(b.v[8]); }); });
  attempt("tmpl", [&] { q.single_task<K<1>>([=] { p[0] = tmpl(3); p[1] = tmpl(4.25f); }); });
  attempt("ext", [&] { q.single_task<K<2>>([=] { p[0] = ext_pick(b.v[1]); }); });
  attempt("extp", [&] { q.single_task<K<3>>([=] { p[0] = int(ext_precise(b.f)); }); });
  // needs fp64 where the device has fp16
  attempt("beyond", [&] { q.single_task<K<4>>([=] { p[0] = 1; ex::if_device_has<aspect::fp16>([=] { p[0] = int(double(p[1]) * 0.5); }).else_device([=] { p[0] = 7; }); }); });
  attempt("beyond-else", [&] { q.single_task<K<5>>([=] { ex::if_device_has<aspect::fp64>([=] { p[0] = 2; }).else_device([=] { sycl::half h = 3; p[0] = int(float(h + h)); }); }); });
  attempt("nd", [&] { q.parallel_for<K<6>>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
      int i = it.get_local_id(0); int s = 0;
      ex::if_device_has<aspect::fp64>([&] { s = int(sycl::reduce_over_group(it.get_sub_group(), double(i), sycl::plus<>())); })
         .else_device([&] { s = sycl::reduce_over_group(it.get_sub_group(), i, sycl::plus<>()) + 1; });
      p[i] = s; }); });
  attempt("nd16", [&] { q.parallel_for<K<7>>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
      p[it.get_local_id(0)] = it.get_sub_group().get_max_local_range()[0]; }); });
  attempt("arch", [&] { q.single_task<K<8>>([=] { ex::if_device_has<aspect::ext_intel_gpu_skl>([=] { p[0] = 1; }).else_if_device_has<aspect::gpu>([=] { p[0] = 2; }).else_if_device_has<aspect::cpu>([=] { p[0] = 3; }).else_device([=] { p[0] = 4; }); }); });
  attempt("captures", [&] { q.single_task<K<9>>([=] { ex::if_device_has<aspect::fp64>([](int *o, big x, float f) { o[0] = int(double(x.f) * f) + x.v[3]; o[1] = x.c; }, p, b, 3.0f).else_device([](int *o, big x) { o[0] = x.v[4]; o[1] = -x.c; }, p, b); }); });
  attempt("never", [&] { q.single_task<K<10>>([=] { ex::if_device_has<aspect::fp64>([=] { ex::if_device_has<aspect::fp64>([=] { p[0] = 1; }).else_device([=] { p[0] = 666; }); }).else_device([=] { ex::if_device_has<aspect::fp64>([=] { p[0] = int(2.5 * p[1]); }).else_device([=] { p[0] = 5; }); }); }); });
}
//# file: two.cpp
#include "lib.hpp"
SYCL_EXTERNAL int ext_pick(int a) { return shared_guard(a) + tmpl(a); }
SYCL_EXTERNAL double ext_precise(double d) { return d / 3; }
class two_k;
void two(sycl::queue &q, int *p) {
  static constexpr auto hidden = [](int x) { return x + 5; };
  q.single_task<two_k>([=] { p[0] = shared_guard(3) + tmpl(7.5f) + hidden(1); }).wait();
}
//# file: lib.hpp
#include <sycl/sycl.hpp>
namespace ex = sycl::ext::oneapi::experimental;
using sycl::aspect;
SYCL_EXTERNAL int ext_pick(int);
SYCL_EXTERNAL double ext_precise(double);
template <class T> inline int tmpl(T t) {
  int r = 0;
  ex::if_device_has<aspect::fp64>([&] { r = int(double(t) * 2.5); }).else_device([&] { r = int(t) * 2 + 100; });
  return r;
}
[[clang::noinline]] inline int shared_guard(int a) {
  int r = a;
  for (int i = 0; i < 3; ++i) {
    ex::if_device_has<aspect::fp16>([&] { sycl::half h = sycl::half(float(r)); r = int(float(h)) + 1;
        ex::if_device_has<aspect::fp64>([&] { r = int(double(r) + 10.0); })
            .template else_if_device_has<aspect::atomic64>([&] { r += 20; }).else_device([&] { r += 30; }); })
      .template else_if_device_has<aspect::fp64, aspect::cpu>([&] { r = int(double(r) + 1000.0); })
      .template else_if_device_has<aspect::fp64>([&] { r = int(double(r) + 2000.0); })
      .else_device([&] { r += 3000; });
    if (r > 5000) break;
  }
  return r;
}
