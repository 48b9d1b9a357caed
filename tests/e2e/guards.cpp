// Guards that become bounds of the loops over items: by every comparison, of numbers that wrap around, and of several together.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0 of 37440 launches
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0 of 37440 launches
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0 of 37440 launches
#include <climits>
#include <cstdio>
#include <sycl/sycl.hpp>

using guards = unsigned; // which guard

// Whether item `g` of lane `l` passes; `start` and `n` bring the numbers near the ends of their types.
template <guards G> bool passes(unsigned g, unsigned l, unsigned start, long n, long m) {
  const int i = int(g + start); // wraps around
  const unsigned u = g + start;
  const long w = long(g) + long(start);
  const short word = static_cast<short>(g + start);
  const unsigned char small = static_cast<unsigned char>(g + start);
  if constexpr (G == 0) return i < int(n);
  if constexpr (G == 1) return i <= int(n);
  if constexpr (G == 2) return !(i < int(n));
  if constexpr (G == 3) return i > int(n);
  if constexpr (G == 4) return i == int(n);
  if constexpr (G == 5) return u < unsigned(n);
  if constexpr (G == 6) return u <= unsigned(n);
  if constexpr (G == 7) return u >= unsigned(n);
  if constexpr (G == 8) return u > unsigned(n);
  if constexpr (G == 9) return i < n;                       // extended by its sign
  if constexpr (G == 10) return size_t(i) < size_t(n);      // the same, compared without
  if constexpr (G == 11) return size_t(i) >= size_t(n);
  if constexpr (G == 12) return long(u) < n;                // extended without a sign
  if constexpr (G == 13) return long(u) >= n;
  if constexpr (G == 14) return u < size_t(n);
  if constexpr (G == 15) return w < n;
  if constexpr (G == 16) return w > n;
  if constexpr (G == 17) return size_t(w) <= size_t(n);
  if constexpr (G == 18) return i > int(m) && i < int(n);
  if constexpr (G == 19) return u >= unsigned(m) && u <= unsigned(n);
  if constexpr (G == 20) return m < n && i < int(n);        // one that is the same for all
  if constexpr (G == 21) return l < unsigned(n) % 300;
  if constexpr (G == 22) return l == unsigned(n) % 300;
  if constexpr (G == 23) return l >= unsigned(n) % 300 && g % 3 != 1; // one that is no bound
  if constexpr (G == 24) return small < n % 200;
  if constexpr (G == 25) return small == static_cast<unsigned char>(n) && i != 7;
  if constexpr (G == 26) return i != int(n);
  if constexpr (G == 27) return unsigned(word) < unsigned(n);
  if constexpr (G == 28) return word == int(n);
  if constexpr (G == 29) return word >= int(n);
  return false;
}

constexpr unsigned Items = 320;

template <guards G, class Launch> unsigned tries(sycl::queue &q, unsigned *out, unsigned local, Launch launch, unsigned &count) {
  unsigned wrong = 0;
  const unsigned starts[] = {0, 5, unsigned(-5), unsigned(-200), unsigned(INT_MAX) - 100, unsigned(INT_MAX) + 1, 250, 32700};
  const long bounds[] = {0, 1, 100, 319, 320, -3, -150, INT_MAX, INT_MIN, long(INT_MAX) - 10, long(UINT_MAX) - 90, long(INT_MAX) + 30, LONG_MAX};
  for (unsigned start : starts)
    for (long n : bounds)
      for (long m : {-50l, 60l}) {
        for (unsigned g = 0; g < Items; g++)
          out[g] = 7;
        launch(q, out, start, n, m);
        bool right = true;
        for (unsigned g = 0; g < Items; g++)
          right &= out[g] == (passes<G>(g, g % local, start, n, m) ? g * 2 + 1 : 7);
        wrong += !right;
        count++;
      }
  return wrong;
}

template <guards G> unsigned all(sycl::queue &q, unsigned *out, unsigned &count) {
  unsigned wrong = 0;
  const auto grouped = [](unsigned local) {
    return [local](sycl::queue &q, unsigned *out, unsigned start, long n, long m) {
      q.parallel_for(sycl::nd_range<1>(Items, local), [=](sycl::nd_item<1> it) {
         const unsigned g = unsigned(it.get_global_id(0)), l = unsigned(it.get_local_id(0));
         if (!passes<G>(g, l, start, n, m))
           return;
         out[g] = g * 2 + 1;
       }).wait();
    };
  };
  wrong += tries<G>(q, out, 160, grouped(160), count) + tries<G>(q, out, 320, grouped(320), count) + tries<G>(q, out, 64, grouped(64), count);
  wrong += tries<G>(q, out, 64, [](sycl::queue &q, unsigned *out, unsigned start, long n, long m) {
    q.parallel_for(sycl::nd_range<1>(Items, 64), [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(64)]] {
       const unsigned g = unsigned(it.get_global_id(0)), l = unsigned(it.get_local_id(0));
       const bool is = passes<G>(g, l, start, n, m);
       if (is)
         out[g] = g * 2;
       sycl::group_barrier(it.get_group());
       if (is)
         out[g] += 1;
     }).wait();
  }, count);
  wrong += tries<G>(q, out, Items, [](sycl::queue &q, unsigned *out, unsigned start, long n, long m) {
    q.parallel_for(Items, [=](sycl::id<1> id) {
       const unsigned g = unsigned(id);
       if (passes<G>(g, g, start, n, m))
         out[g] = g * 2 + 1;
     }).wait();
  }, count);
  wrong += tries<G>(q, out, 80, [](sycl::queue &q, unsigned *out, unsigned start, long n, long m) {
    q.parallel_for(sycl::nd_range<2>({4, 80}, {2, 80}), [=](sycl::nd_item<2> it) {
       const unsigned g = unsigned(it.get_global_linear_id()), l = unsigned(it.get_local_id(1));
       if (passes<G>(g, l, start, n, m) && m < 1000)
         out[g] = g * 2 + 1;
     }).wait();
  }, count);
  return wrong;
}

template <guards... G> void run(std::integer_sequence<guards, G...>) {
  sycl::queue q;
  unsigned *out = sycl::malloc_shared<unsigned>(Items, q), count = 0;
  unsigned wrong[] = {all<G>(q, out, count)...}, sum = 0;
  for (guards g = 0; g < sizeof...(G); g++) {
    sum += wrong[g];
    if (wrong[g])
      std::printf("guard %u: wrong %u\n", g, wrong[g]);
  }
  std::printf("wrong %u of %u launches\n", sum, count);
  sycl::free(out, q);
}

int main() { run(std::make_integer_sequence<guards, 30>()); }
