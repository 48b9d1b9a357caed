//! Identities of operations on complex numbers, vectors and arrays: known, and used by reductions and scans. Exit status 0: all right.
#include "check.hpp"

#include <complex>
#include <sycl/sycl.hpp>

using complex = std::complex<float>;
using vec = sycl::vec<int, 4>;
using array = sycl::marray<double, 3>;

template <class Op, class T> constexpr bool known = sycl::has_known_identity_v<Op, T>;
static_assert(known<sycl::plus<>, complex> && known<sycl::multiplies<complex>, std::complex<double>> && known<sycl::plus<>, const complex>);
static_assert(!known<sycl::minimum<>, complex> && !known<sycl::bit_and<>, complex> && !known<sycl::logical_and<>, complex>);
static_assert(known<sycl::plus<>, vec> && known<sycl::bit_and<vec>, vec> && known<sycl::maximum<>, vec> && !known<sycl::logical_or<>, vec>);
static_assert(known<sycl::plus<>, array> && known<sycl::minimum<array>, array> && !known<sycl::bit_xor<>, array>);
static_assert(!known<sycl::plus<>, sycl::marray<void *, 2>> && !known<std::less<>, vec>);
static_assert(known<sycl::logical_and<>, bool> && known<sycl::plus<>, sycl::half>);
template <class Op, class T> constexpr T identity = sycl::known_identity_v<Op, T>;
static_assert(identity<sycl::plus<>, complex> == complex(0) && identity<sycl::multiplies<>, complex> == complex(1));
static_assert(identity<sycl::bit_and<>, vec>[3] == -1 && identity<sycl::maximum<>, vec>[0] == std::numeric_limits<int>::lowest());
static_assert(identity<sycl::minimum<>, array>[2] == std::numeric_limits<double>::infinity());

/// i-th value, and what of two of them is alike.
template <class T> static T value(size_t i) {
  const int n = static_cast<int>(i % 5) + 1;
  if constexpr (std::is_same_v<T, complex>)
    return {static_cast<float>(n), static_cast<float>(-n)};
  else if constexpr (std::is_same_v<T, vec>)
    return {n, -n, 2 * n, n * n};
  else
    return array(n, -n, 0.5 * n);
}
template <class T> static bool alike(const T &a, const T &b) {
  if constexpr (std::is_same_v<T, complex>) {
    return a == b;
  } else {
    bool all = true;
    for (size_t i = 0; i < T::size(); ++i)
      all = all && a[i] == b[i];
    return all;
  }
}

template <class T, class Op> static void sums(sycl::queue &q, Op op) {
  constexpr size_t count = 96, group = 16;
  T *const in = sycl::malloc_shared<T>(count, q), *const out = sycl::malloc_shared<T>(count, q), *const sum = sycl::malloc_shared<T>(2, q);
  for (size_t i = 0; i < count; ++i)
    in[i] = value<T>(i);
  sum[0] = sum[1] = value<T>(0);
  q.parallel_for(sycl::range<1>(count), sycl::reduction(sum, op), [=](sycl::id<1> i, auto &to) { to.combine(in[i]); });
  q.parallel_for(sycl::nd_range<1>(count, group), sycl::reduction(sum + 1, op, sycl::property::reduction::initialize_to_identity()),
                 [=](sycl::nd_item<1> i, auto &to) {
                   to.combine(in[i.get_global_id()]);
                   out[i.get_global_id()] = sycl::exclusive_scan_over_group(i.get_group(), in[i.get_global_id()], op);
                 });
  q.wait();
  T all = in[0];
  for (size_t i = 1; i < count; ++i)
    all = op(all, in[i]);
  CHECK(alike(sum[1], all) && alike(sum[0], T(op(value<T>(0), all))));
  bool right = true;
  for (size_t i = 0; i < count; ++i) {
    T before = sycl::known_identity_v<Op, T>;
    for (size_t j = i / group * group; j < i; ++j)
      before = op(before, in[j]);
    right = right && alike(out[i], before);
  }
  CHECK(right);
  for (T *memory : {in, out, sum})
    sycl::free(memory, q);
}

int main() {
  sycl::queue q;
  sums<complex>(q, sycl::plus<complex>());
  sums<vec>(q, sycl::plus<>());
  sums<vec>(q, sycl::maximum<vec>());
  sums<vec>(q, sycl::bit_xor<>());
  if (q.get_device().has(sycl::aspect::fp64)) {
    sums<array>(q, sycl::plus<array>());
    sums<array>(q, sycl::minimum<>());
  }
  return failures != 0;
}
