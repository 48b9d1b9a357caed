// The largest errors of what NVIDIA's GPUs approximate, over all numbers of float: to be run on one (docs/MATH.md has what it printed). Without a
// GPU it is compiled.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>

/// Units in the last place between what was computed and the truth; one of a NaN is none.
inline double units(float computed, double truth) {
  if (truth != truth || computed != computed)
    return (truth != truth) == (computed != computed) ? 0 : 1e9;
  if (sycl::isinf(truth) || sycl::isinf(computed))
    return static_cast<double>(computed) == truth ? 0 : 1e9;
  if (truth == 0)
    return computed == 0 ? 0 : 1e9;
  const int exponent = sycl::max(sycl::ilogb(truth), -126);
  return sycl::fabs(static_cast<double>(computed) - truth) / sycl::ldexp(1.0, exponent - 23);
}

template <class Compute, class Truth> void measure(sycl::queue &q, const char *name, Compute compute, Truth truth) {
  struct result {
    double worst;
    std::uint32_t where;
  };
  constexpr unsigned threads = 1u << 20;
  auto *each = sycl::malloc_shared<result>(threads, q);
  auto *inexact = sycl::malloc_shared<std::uint64_t>(threads, q);
  q.parallel_for(sycl::range<1>(threads), [=](sycl::id<1> i) {
     result most{0, 0};
     std::uint64_t count = 0;
     for (std::uint64_t bits = i[0]; bits < 1ull << 32; bits += threads) {
       const float x = sycl::bit_cast<float>(static_cast<std::uint32_t>(bits));
       const double error = units(compute(x), truth(static_cast<double>(x)));
       count += error > 0.5;
       if (error > most.worst)
         most = {error, static_cast<std::uint32_t>(bits)};
     }
     each[i] = most;
     inexact[i] = count;
   }).wait();
  result most{0, 0};
  std::uint64_t count = 0;
  for (unsigned i = 0; i < threads; ++i) {
    count += inexact[i];
    if (each[i].worst > most.worst)
      most = each[i];
  }
  std::printf("%s: at most %.4f units in the last place, at bits %08x; not the nearest for %llu of 2^32\n", name, most.worst, most.where,
              static_cast<unsigned long long>(count));
  sycl::free(each, q);
  sycl::free(inexact, q);
}

int main() {
  sycl::queue q;
  measure(q, "sqrt", [](float x) { return sycl::sqrt(x); }, [](double x) { return sycl::sqrt(x); });
  measure(q, "rsqrt", [](float x) { return sycl::rsqrt(x); }, [](double x) { return 1 / sycl::sqrt(x); });
  measure(q, "native::sqrt", [](float x) { return sycl::native::sqrt(x); }, [](double x) { return sycl::sqrt(x); });
}
