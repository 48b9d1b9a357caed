// Kernels that a unit has for itself are in all lists of kernels, and units' kernels of one name are several. Source: SYCL 2020 §4.11.6.
//# run: aspen++ -O1 -fsycl-targets=native_cpu -DOWN=1 unit.cpp -c -o one.o
//# run: aspen++ -O1 -fsycl-targets=native_cpu -DOWN=2 unit.cpp -c -o two.o
//# run: aspen++ -O1 -fsycl-targets=native_cpu main.cpp one.o two.o -o a.out
//# run: ./a.out
//# stdout: 8 kernels: 8 run, 8 are in the bundle, which lists 8; a bundle of all has 8
//# stdout: equal: 0 across units, 1 within one, 1 of all units
//# stdout: a bundle of the first unit's: 1 kernel, has the first's 1, the second's 0
//# file: units.hpp
#pragma once
#include <sycl/sycl.hpp>
struct ids {
  sycl::kernel_id own, common;
};
class common;
inline void run_common(sycl::queue q, int *p) { q.single_task<common>([=] { p[0] = 1; }); }
//# file: unit.cpp
#include "units.hpp"
namespace {
class own;
struct functor {
  int *p;
  void operator()() const { p[1] = OWN; }
};
} // namespace
static void within(sycl::queue q, int *p) {
  q.single_task([=] { p[2] = OWN; });
}
#if OWN == 1
ids first(sycl::queue q, int *p) {
#else
ids second(sycl::queue q, int *p) {
  q.submit([&](sycl::handler &h) { h.single_task([=] { p[4] = OWN; }); });
#endif
  q.single_task<own>([=] { p[3] = OWN; });
  q.single_task(functor{p});
  within(q, p);
  run_common(q, p);
  q.wait();
  return {sycl::get_kernel_id<own>(), sycl::get_kernel_id<common>()};
}
//# file: main.cpp
#include "units.hpp"
#include <algorithm>
#include <cstdio>
ids first(sycl::queue, int *);
ids second(sycl::queue, int *);
int main() {
  using namespace sycl;
  queue q;
  int *p = malloc_shared<int>(5, q);
  const ids a = first(q, p), b = second(q, p);
  const context in = q.get_context();
  const std::vector<device> devices{q.get_device()};
  const auto bundle = get_kernel_bundle<bundle_state::executable>(in, devices);
  const auto all = get_kernel_ids();
  int run = 0, held = 0;
  for (const kernel_id &k : all)
    run += is_compatible({k}, devices[0]), held += bundle.has_kernel(k);
  std::printf("%zu kernels: %d run, %d are in the bundle, which lists %zu; a bundle of all has %zu\n", all.size(), run, held,
              bundle.get_kernel_ids().size(), get_kernel_bundle<bundle_state::executable>(in, devices, all).get_kernel_ids().size());
  std::printf("equal: %d across units, %d within one, %d of all units\n", a.own == b.own, std::count(all.begin(), all.end(), a.own) == 1,
              a.common == b.common && std::count(all.begin(), all.end(), a.common) == 1);
  const auto some = get_kernel_bundle<bundle_state::executable>(in, devices, {a.own});
  std::printf("a bundle of the first unit's: %zu kernel, has the first's %d, the second's %d\n", some.get_kernel_ids().size(),
              some.has_kernel(a.own), some.has_kernel(b.own));
  free(p, q);
}
