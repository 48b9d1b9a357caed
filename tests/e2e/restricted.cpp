// Functions with `__restrict` that kernels inline, in loops too, where another call's pointers may be the same memory; and functions that clang
// leaves as calls, since they are long: products and quotients of complex numbers with what infinities become.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0 0 0 0
//# run: ./a.out
//# stdout: wrong 0 0 0 0
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0 0 0 0
//# deep: what became vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images cooling.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vdivps.*[yz]mm'
//# stdout~: ^[1-9]
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=others product.cpp -o c.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn others/* | grep -cE 'v(mul|fm|fnm).*pd.*[yz]mm'
//# stdout~: ^[1-9]
#include <complex>
#include <cstdio>
#include <limits>
#include <sycl/sycl.hpp>

constexpr int Size = 1000, Local = 64, Turns = 20;

inline void step(const float *__restrict from, float *__restrict to, float by) { *to = *from * by + 1; }

// Neighbours in one row: a call's `from` is the call before's `to`.
inline void chain(float *row, int turns) {
  for (int i = 0; i < turns; ++i)
    step(row + i, row + i + 1, 0.5f);
}

// Ends by what it computes, behind a pointer that nobody else has.
inline void root(const float *__restrict of, float *__restrict out, int i) {
  float x = of[i], last = 0;
  while (sycl::fabs(x - last) > 1e-6f * x) {
    last = x;
    x = 0.5f * (x + of[i] / x);
  }
  out[i] = x;
}

template <class T> inline std::complex<T> mix(std::complex<T> a, std::complex<T> b) {
  a *= b;
  a += a / b;
  return a * std::conj(b) / (a + std::complex<T>(3));
}

template <class T> int complexes(sycl::queue &queue) {
  auto *in = sycl::malloc_shared<std::complex<T>>(Size, queue), *out = sycl::malloc_shared<std::complex<T>>(Size, queue);
  const T odd[] = {0, 1, T(-2.5), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), T(1e30), T(1e-30)};
  for (int i = 0; i < Size; ++i)
    in[i] = i < 64 ? std::complex<T>(odd[i % 8], odd[i / 8]) : std::complex<T>(T(i) / 7, T(Size - i) / 9);
  queue.parallel_for(sycl::nd_range<1>(1024, Local), [=](sycl::nd_item<1> item) {
    const int i = item.get_global_id(0);
    if (i < Size)
      out[i] = mix(in[i], in[(i * 7 + 3) % Size]);
  });
  queue.wait();
  int wrong = 0;
  for (int i = 0; i < Size; ++i) {
    const std::complex<T> a = in[i], b = in[(i * 7 + 3) % Size], expected = mix(a, b);
    const T within = 64 * std::numeric_limits<T>::epsilon() * std::abs(expected);
    // What overflows on the way may not do so where products and sums are one.
    const bool is_usual = std::isfinite(std::norm(a * b)) && std::isfinite(std::norm(expected));
    wrong += is_usual ? !(std::abs(out[i] - expected) <= within) : std::isfinite(std::norm(a * b)) && std::isnan(std::abs(expected)) != std::isnan(std::abs(out[i]));
  }
  return wrong;
}

int main() {
  sycl::queue queue;
  auto *rows = sycl::malloc_shared<float>(Size * (Turns + 1), queue), *of = sycl::malloc_shared<float>(Size, queue), *out = sycl::malloc_shared<float>(Size, queue);
  for (int i = 0; i < Size; ++i)
    rows[i * (Turns + 1)] = float(i), of[i] = float(i + 1);
  queue.parallel_for(sycl::nd_range<1>(1024, Local), [=](sycl::nd_item<1> item) {
    const int i = item.get_global_id(0);
    if (i < Size)
      chain(rows + i * (Turns + 1), Turns);
  });
  queue.parallel_for(sycl::range<1>(Size), [=](sycl::id<1> i) { root(of, out, int(i[0])); });
  queue.wait();
  int wrong[2] = {};
  for (int i = 0; i < Size; ++i) {
    float expected = float(i);
    for (int turn = 0; turn < Turns; ++turn) {
      expected = expected * 0.5f + 1;
      wrong[0] += std::fabs(rows[i * (Turns + 1) + turn + 1] - expected) > 1e-5f * expected;
    }
    wrong[1] += std::fabs(out[i] - std::sqrt(of[i])) > 1e-5f * std::sqrt(of[i]);
  }
  std::printf("wrong %d %d %d %d\n", wrong[0], wrong[1], complexes<float>(queue), complexes<double>(queue));
}
//# file: cooling.cpp
#include <sycl/sycl.hpp>
inline void root(const float *__restrict of, float *__restrict out, int i) {
  float x = of[i], last = 0;
  while (sycl::fabs(x - last) > 1e-6f * x) {
    last = x;
    x = 0.5f * (x + of[i] / x);
  }
  out[i] = x;
}
int main() {
  sycl::queue queue;
  float *of = sycl::malloc_shared<float>(1024, queue), *out = sycl::malloc_shared<float>(1024, queue);
  queue.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) { root(of, out, int(item.get_global_id(0))); });
  queue.wait();
}
//# file: product.cpp
#include <complex>
#include <sycl/sycl.hpp>
int main() {
  sycl::queue queue;
  auto *a = sycl::malloc_shared<std::complex<double>>(1024, queue);
  queue.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) {
    const auto x = a[item.get_global_id(0)];
    auto y = x;
    for (int k = 0; k < 3; ++k)
      y = y * x / (y + std::complex<double>(2));
    a[item.get_global_id(0)] = y * std::conj(x) / x;
  });
  queue.wait();
}
