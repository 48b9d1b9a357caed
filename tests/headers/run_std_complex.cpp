// Products, quotients, sizes and angles of std::complex in kernels, beside the host's: special values each with each, and vectors of many.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

template <class T> bool has_infinity(std::complex<T> z) { return std::isinf(z.real()) || std::isinf(z.imag()); }
template <class T> bool has_nan(std::complex<T> z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

/// Infinities are where the host's are, of whatever sign; else the distance counts in relation to the size. A quotient may be one where the host
/// has none.
template <class T> bool near(std::complex<T> got, std::complex<T> want, bool may_be_more) {
  if (has_infinity(want))
    return has_infinity(got);
  if (has_nan(want))
    return may_be_more || (has_nan(got) && !has_infinity(got));
  const T size = std::max(std::fabs(want.real()), std::fabs(want.imag()));
  const T off = std::max(std::fabs(got.real() - want.real()), std::fabs(got.imag() - want.imag()));
  return off <= size * 8 * std::numeric_limits<T>::epsilon() || off <= 8 * std::numeric_limits<T>::denorm_min();
}

template <class T> void each_with_each(sycl::queue &q) {
  using limits = std::numeric_limits<T>;
  const T parts[] = {0,  -T(0), 1, -1, T(0.5), -3, limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::max(), -limits::max(), limits::min(), limits::denorm_min(), T(1e-20), T(1e19)};
  std::vector<std::complex<T>> numbers;
  for (T re : parts)
    for (T im : parts)
      numbers.push_back({re, im});
  const size_t n = numbers.size();
  auto *in = sycl::malloc_shared<std::complex<T>>(n, q), *products = sycl::malloc_shared<std::complex<T>>(n * n, q),
       *quotients = sycl::malloc_shared<std::complex<T>>(n * n, q);
  T *sizes = sycl::malloc_shared<T>(n, q), *angles = sycl::malloc_shared<T>(n, q);
  std::copy(numbers.begin(), numbers.end(), in);
  q.parallel_for(sycl::nd_range<1>((n * n + 63) / 64 * 64, 64), [=](sycl::nd_item<1> it) {
     const size_t k = it.get_global_id(0);
     if (k >= n * n)
       return;
     products[k] = in[k / n] * in[k % n];
     quotients[k] = in[k / n] / in[k % n];
     if (k < n) {
       sizes[k] = std::abs(in[k]);
       angles[k] = std::arg(in[k]);
     }
   }).wait();
  int wrong = 0;
  for (size_t k = 0; k < n * n; ++k) {
    wrong += !near(products[k], numbers[k / n] * numbers[k % n], false);
    // The C library's overflow on the way.
    const bool is_great = std::fabs(numbers[k / n].real()) == limits::max() || std::fabs(numbers[k / n].imag()) == limits::max();
    if (is_great && !has_infinity(quotients[k]) && !has_nan(quotients[k]))
      continue;
    // With a part that is no number, C says for infinite dividends only what comes of it.
    const bool known = !has_nan(numbers[k / n]) && !has_nan(numbers[k % n]);
    wrong += !near(quotients[k], numbers[k / n] / numbers[k % n], true) && (known || !(has_nan(quotients[k]) || has_infinity(quotients[k])));
  }
  for (size_t k = 0; k < n; ++k) {
    wrong += !near(std::complex<T>(sizes[k]), std::complex<T>(std::abs(numbers[k])), false);
    wrong += !near(std::complex<T>(angles[k]), std::complex<T>(std::arg(numbers[k])), false);
  }
  CHECK(wrong == 0);
  for (void *p : {static_cast<void *>(in), static_cast<void *>(products), static_cast<void *>(quotients), static_cast<void *>(sizes), static_cast<void *>(angles)})
    sycl::free(p, q);
}

} // namespace

int main() {
  sycl::queue q;
  each_with_each<float>(q);
  each_with_each<double>(q);
  return failures != 0;
}
