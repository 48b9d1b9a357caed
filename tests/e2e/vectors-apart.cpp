// Kernels with vectors of the source, in every kind of loop over items: with loops of their own, tiles, shuffles within a vector, math, and memory in
// twos, threes, fours and more.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr size_t Size = 4096;
unsigned wrong = 0;

// One element's function, of which host and device must have the same; small whole numbers, so that floating point is exact.
template <class V> V once(const V *in, size_t i, unsigned n) {
  V a = in[i] + V(typename V::element_type(i % 5));
  for (unsigned k = 0; k < n; ++k)
    a += in[k] * in[i];
  return a - in[(i * 7) % Size];
}
template <class V> V until(const V *in, size_t i) {
  V a = in[i];
  for (int k = 0; k < 40 && a[0] < 30; ++k)
    a += in[(i + size_t(k)) % Size] + V(1);
  return a;
}
template <class V> V turned(const V *in, size_t i) {
  V a = in[i], b = a;
  constexpr int N = V::size();
  for (int e = 0; e < N; ++e)
    b[e] = a[N - 1 - e] + a[(e + 1) % N];
  b[int(i % N)] = typename V::element_type(3);
  return b;
}

template <class V, int N> void kind(sycl::queue &q, const char *name) {
  V *in = sycl::malloc_shared<V>(Size, q), *out = sycl::malloc_shared<V>(Size, q);
  for (size_t i = 0; i < Size; ++i)
    for (int e = 0; e < N; ++e)
      in[i][e] = typename V::element_type((i * 3 + size_t(e)) % 5);
  const auto compare = [&](const char *what, auto want) {
    unsigned here = 0;
    for (size_t i = 0; i < Size; ++i) {
      const V w = want(i);
      for (int e = 0; e < N; ++e)
        here += out[i][e] != w[e];
      out[i] = V(typename V::element_type(9));
    }
    if (here)
      std::printf("%s, %s: %u wrong\n", name, what, here);
    wrong += here;
  };
  q.parallel_for(sycl::range<1>(Size), [=](sycl::id<1> i) { out[i] = in[i]; }).wait();
  compare("copy", [&](size_t i) { return in[i]; });
  q.parallel_for(sycl::range<1>(Size), [=](sycl::id<1> i) { out[i] = once(in, i, 5); }).wait();
  compare("range", [&](size_t i) { return once(in, i, 5); });
  for (unsigned n : {0u, 3u}) {
    q.parallel_for(sycl::nd_range<1>(Size, 128), [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = once(in, it.get_global_id(0), n); }).wait();
    compare("groups", [&](size_t i) { return once(in, i, n); });
  }
  q.parallel_for(sycl::nd_range<2>({Size / 64, 64}, {4, 16}), [=](sycl::nd_item<2> it) {
     out[it.get_global_linear_id()] = until(in, it.get_global_linear_id());
   }).wait();
  compare("until", [&](size_t i) { return until(in, i); });
  q.parallel_for(sycl::nd_range<1>(Size, 256), [=](sycl::nd_item<1> it) {
     for (int i = it.get_global_id(0); i < int(Size); i += it.get_global_range(0))
       out[i] = turned(in, size_t(i));
   }).wait();
  compare("turned", [&](size_t i) { return turned(in, i); });
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<V, 1> tile(64, h);
     h.parallel_for(sycl::nd_range<1>(Size, 64), [=](sycl::nd_item<1> it) {
       const size_t l = it.get_local_id(0);
       V sum(typename V::element_type(0));
       for (size_t t = 0; t < 3; ++t) {
         tile[l] = in[t * 64 + l];
         sycl::group_barrier(it.get_group());
         for (size_t k = 0; k < 4; ++k)
           sum += tile[(l + k) % 64];
         sycl::group_barrier(it.get_group());
       }
       out[it.get_global_id(0)] = sum;
     });
   }).wait();
  compare("tiles", [&](size_t i) {
    V sum(typename V::element_type(0));
    for (size_t t = 0; t < 3; ++t)
      for (size_t k = 0; k < 4; ++k)
        sum += in[t * 64 + (i % 64 + k) % 64];
    return sum;
  });
  sycl::free(in, q), sycl::free(out, q);
}

int main() {
  sycl::queue q;
  kind<sycl::float4, 4>(q, "float4");
  kind<sycl::float3, 3>(q, "float3");
  kind<sycl::float2, 2>(q, "float2");
  kind<sycl::double2, 2>(q, "double2");
  kind<sycl::half2, 2>(q, "half2");
  kind<sycl::half8, 8>(q, "half8");
  kind<sycl::int4, 4>(q, "int4");
  kind<sycl::uchar16, 16>(q, "uchar16");
  kind<sycl::float16, 16>(q, "float16");
  kind<sycl::long8, 8>(q, "long8");
  std::printf("wrong %u\n", wrong);
}
