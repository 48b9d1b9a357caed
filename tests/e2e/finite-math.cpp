// Where the program says that no number is infinite, identities of minima and maxima are numbers: infinities would mean anything there.
//# run: aspen++ -O2 -ffast-math -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: least -3 3.5, greatest 96 -103
#include <sycl/sycl.hpp>
#include <cstdio>
#include <limits>

template <class Op, class T> constexpr bool is_finite(T expected) { return sycl::known_identity_v<Op, T> == expected; }
static_assert(is_finite<sycl::minimum<>>(std::numeric_limits<float>::max()) && is_finite<sycl::maximum<>>(std::numeric_limits<double>::lowest()));
static_assert(is_finite<sycl::maximum<sycl::half>>(std::numeric_limits<sycl::half>::lowest()));

int main() {
  sycl::queue q;
  float *r = sycl::malloc_shared<float>(4, q);
  const auto initialize = sycl::property::reduction::initialize_to_identity();
  q.parallel_for(sycl::range<1>(100), sycl::reduction(r, sycl::minimum<>(), initialize), sycl::reduction(r + 1, sycl::maximum<>(), initialize),
                 [=](sycl::id<1> i, auto &least, auto &greatest) {
                   least.combine(static_cast<float>(i) - 3);
                   greatest.combine(static_cast<float>(i) - 3);
                 })
      .wait();
  q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
     const float mine = static_cast<float>(i.get_global_id(0));
     r[2] = sycl::reduce_over_group(i.get_group(), mine * 0 + 3.5f, sycl::minimum<>());
     r[3] = sycl::reduce_over_group(i.get_group(), mine * 0 - 103, sycl::maximum<>());
   }).wait();
  std::printf("least %g %g, greatest %g %g\n", r[0], r[2], r[1], r[3]);
}
