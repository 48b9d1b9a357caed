// `aspen report --format html` in a real browser: what stands where, filters, orders, keys, details, both schemes; and 100 000 kernels.
// Chromium comes for the suite `services`; it needs no root, but the suite installs it.
//# also: report/browser.sh
//# also: report/checks.js
//# also: report/large.js
//# run: aspen++ -w -fsycl-targets=spir64 -c {self} -o now.o
//# sh: aspen++ -w -fsycl-targets=spir64 -DOLDER -c report.cpp -o older.o && mv now.o 'a <b>&"name".o'
#include <sycl/sycl.hpp>
#ifndef OLDER
inline float inner(float x) { return x * 2.0; }
#else
inline float inner(float x) { return x * 2.0f; }
#endif
inline float middle(float x) { return inner(x) + 1; }
template <int N> class many;
class both;
class sized;
template <int N> void run(sycl::queue &q, float *p) {
  q.single_task<many<N>>([=] { p[0] = N % 4 == 0 ? 1 : p[1]; });
}
template <int N> void use(sycl::queue &q, float *p) {
  q.single_task<many<N>>([=] { p[0] = middle(p[1]); });
}
template <int... N> void all(sycl::queue &q, float *p, std::integer_sequence<int, N...>) {
  (use<N>(q, p), ...);
  (run<N + 17>(q, p), ...);
  (run<N + 34>(q, p), ...);
}
int main() {
  sycl::queue q;
  float storage[64], *p = storage;
  all(q, p, std::make_integer_sequence<int, 17>());
  run<51>(q, p), run<52>(q, p), run<53>(q, p), run<54>(q, p), run<55>(q, p), run<56>(q, p), run<57>(q, p), run<58>(q, p), run<59>(q, p);
  run<60>(q, p), run<61>(q, p);
  q.single_task<both>([=] { double d = p[0]; p[0] = inner(float(d * 0.5)); });
  q.parallel_for<sized>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(64)]] { p[i.get_global_id(0)] = 1; });
}
//# sh: aspen report 'a <b>&"name".o' --device intel_gpu_dg1 --device intel_gpu_skl --older older.o -o page.html
//# sh: sh browser.sh page.html checks.js light light.png causes
//# stdout~: ^checked 35, 0 wrong$
//# sh: sh browser.sh page.html checks.js dark dark.png kernels
//# stdout~: ^checked 35, 0 wrong$
//# sh: test $(wc -c < light.png) -gt 30000 && test $(wc -c < dark.png) -gt 30000 && ! cmp -s light.png dark.png
//# sh: { echo 'target triple = "spir64-unknown-unknown"'; seq 0 99999 | sed 's/.*/define spir_kernel void @k&() !intel_used_aspects !{i32 6} { ret void }/'; } > large.ll
//# sh: aspen report large.ll --device intel_gpu_dg1 -o large.html
//# sh: sh browser.sh large.html large.js light
//# stdout: 0 wrong
