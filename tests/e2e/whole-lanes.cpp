// What an item keeps across barriers is read where it may, bits too; between what lanes take from each other, all lanes of a full sub-group are
// one vector. Results are the host's at each level of the processor.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: all right
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: all right
//# deep: further levels of optimisation
//# run: aspen++ -O3 -ffp-contract=off -fsycl-targets=native_cpu,x86_64_v3 {self} -o a.out
//# run: ./a.out
//# stdout: all right
//# deep: nothing that lanes give and take between two shifts goes through memory, however many loops there are for sub-groups that are not full
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images shifts.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | awk '/fmadd.*zmm/ { ++made } /vmov.*\(%rsp\),[ \t]*%zmm/ { ++read } END { print (made > 0), read + 0 }'
//# stdout: 1 0
#include <sycl/sycl.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

static sycl::queue q;
static int failures;

template <class T> static void same(const char *what, unsigned size, const T *found, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (found[i] != expected[i]) {
      std::printf("%s, %u: item %zu has %g instead of %g\n", what, size, i, double(found[i]), double(expected[i]));
      ++failures;
      return;
    }
}

// Takes by a constant, with something of the item's own between them; one that is kept across all of them.
template <class T, unsigned Lanes> static void takes(unsigned groups, unsigned size) {
  const unsigned n = groups * size;
  T *x = sycl::malloc_shared<T>(n, q), *z = sycl::malloc_shared<T>(n, q);
  for (unsigned i = 0; i < n; ++i)
    x[i] = T(i * 7 % 61);
  q.parallel_for(sycl::nd_range<1>(n, size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(Lanes)]] {
     const size_t i = it.get_global_id(0);
     const auto sg = it.get_sub_group();
     const bool isOdd = int(x[i]) % 2 != 0;
     T v = x[i];
     v = sycl::permute_group_by_xor(sg, v, 3) * T(2) + T(1);
     v = sycl::permute_group_by_xor(sg, v, 1) + x[i];
     const T left = sycl::shift_group_left(sg, v, 1), right = sycl::shift_group_right(sg, v, 2);
     v = v + (sg.get_local_linear_id() + 1 < sg.get_local_linear_range() ? left : T(0)) + (sg.get_local_linear_id() > 1 ? right : T(0));
     v = v + sycl::group_broadcast(sg, v, 2);
     if (isOdd)
       v = v - x[i];
     z[i] = v;
   }).wait();
  std::vector<T> expected(n);
  for (unsigned first = 0; first < n;) {
    const unsigned count = std::min(Lanes, size - first % size);
    std::vector<T> a(x + first, x + first + count), b(count);
    const auto other = [&](unsigned l, unsigned by) { return (l ^ by) < count ? l ^ by : l; };
    for (unsigned l = 0; l < count; ++l)
      b[l] = a[other(l, 3)] * T(2) + T(1);
    for (unsigned l = 0; l < count; ++l)
      a[l] = b[other(l, 1)] + x[first + l];
    for (unsigned l = 0; l < count; ++l)
      b[l] = a[l] + (l + 1 < count ? a[l + 1] : T(0)) + (l > 1 ? a[l - 2] : T(0));
    for (unsigned l = 0; l < count; ++l)
      expected[first + l] = b[l] + b[2] - (int(x[first + l]) % 2 != 0 ? x[first + l] : T(0));
    first += count;
  }
  same("takes", Lanes, z, expected);
  sycl::free(x, q), sycl::free(z, q);
}

// Whether to exchange depends on a bit that each item keeps from turn to turn.
template <class T> static void sort(unsigned size) {
  const unsigned n = size * 5;
  T *x = sycl::malloc_shared<T>(n, q);
  std::vector<T> expected(n);
  for (unsigned i = 0; i < n; ++i)
    expected[i] = x[i] = T(i * 2654435761u >> 20);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<T, 1> m(size, h);
     h.parallel_for(sycl::nd_range<1>(n, size), [=](sycl::nd_item<1> it) {
       const unsigned l = it.get_local_id(0);
       m[l] = x[it.get_global_id(0)];
       for (unsigned part = 2; part <= size; part *= 2)
         for (unsigned step = part / 2; step > 0; step /= 2) {
           sycl::group_barrier(it.get_group());
           const unsigned other = l ^ step;
           if (other > l && (m[l] > m[other]) == ((l & part) == 0)) {
             const T kept = m[l];
             m[l] = m[other];
             m[other] = kept;
           }
         }
       sycl::group_barrier(it.get_group());
       x[it.get_global_id(0)] = m[l];
     });
   }).wait();
  for (unsigned g = 0; g < n; g += size)
    std::sort(expected.begin() + g, expected.begin() + g + size);
  same("sort", size, x, expected);
  sycl::free(x, q);
}

// What was kept is needed by some items only, and where it lies next to what another piece writes.
static void kept(unsigned size) {
  const unsigned n = size * 3;
  unsigned *x = sycl::malloc_shared<unsigned>(n, q), *z = sycl::malloc_shared<unsigned>(n, q);
  std::vector<unsigned> expected(n);
  for (unsigned i = 0; i < n; ++i) {
    x[i] = i * 2654435761u >> 16;
    z[i] = 0;
  }
  q.parallel_for(sycl::nd_range<1>(n, size), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_global_id(0), next = i + 1 < n ? i + 1 : 0;
     const unsigned char byte = (unsigned char)(x[i] * 3);
     bool flag = x[i] % 3 == 0;
     unsigned sum = 0;
     for (unsigned turn = 0; turn < 4; ++turn) {
       sycl::group_barrier(it.get_group());
       if (x[next] % 4 == turn) {
         sum += byte + (flag ? 1000 : 1);
         flag = !flag;
       }
     }
     sycl::group_barrier(it.get_group());
     if (x[next] & 1)
       z[i] = sum * (flag ? 3 : 5);
   }).wait();
  for (unsigned i = 0; i < n; ++i) {
    const unsigned other = x[i + 1 < n ? i + 1 : 0];
    const bool flag = x[i] % 3 == 0;
    const unsigned sum = (unsigned char)(x[i] * 3) + (flag ? 1000 : 1);
    expected[i] = other & 1 ? sum * (flag ? 5 : 3) : 0;
  }
  same("kept", size, z, expected);
  sycl::free(x, q), sycl::free(z, q);
}

template <class T> static void all() {
  for (unsigned size : {128u, 100u, 35u}) {
    takes<T, 8>(3, size);
    takes<T, 16>(3, size);
    takes<T, 32>(3, size);
  }
  for (unsigned size : {2u, 16u, 64u, 256u})
    sort<T>(size);
}

int main() {
  all<float>();
  all<double>();
  all<int>();
  all<unsigned long>();
  for (unsigned size : {1u, 7u, 64u, 200u})
    kept(size);
  if (!failures)
    std::puts("all right");
}
//# file: shifts.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(1024, q);
  q.parallel_for(sycl::nd_range<1>(1024, 256), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_global_id(0);
     float value = x[i];
     for (int round = 0; round < 8; ++round)
       value = sycl::shift_group_left(it.get_sub_group(), value, 1) * 0.25f + 1.0f;
     x[i] = value;
   }).wait();
}
