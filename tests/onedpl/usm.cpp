// oneDPL's algorithms over unified shared memory and its iterators: pairs of sequences, counted and permuted ones, segments, searches.
//# run: aspen++ -O1 -std=c++17 -fsycl-targets=native_cpu -DONEDPL_USE_TBB_BACKEND=0 -DONEDPL_USE_OPENMP_BACKEND=0 {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong
#include <oneapi/dpl/execution>
#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/iterator>
#include <oneapi/dpl/numeric>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace dpl = oneapi::dpl;

constexpr int n = 5003;
static int wrong;

static void same(const char *what, bool is) {
  if (!is) {
    ++wrong;
    std::printf("%s\n", what);
  }
}

int main() {
  sycl::queue q;
  const auto policy = dpl::execution::make_device_policy(q);
  int *v = sycl::malloc_shared<int>(n, q), *keys = sycl::malloc_shared<int>(n, q), *out = sycl::malloc_shared<int>(n, q);
  for (int i = 0; i < n; ++i) {
    v[i] = int(unsigned(i) * 2654435761u >> 20);
    keys[i] = i / 7;
  }
  dpl::inclusive_scan(policy, v, v + n, out);
  std::vector<int> want(n);
  std::inclusive_scan(v, v + n, want.begin());
  same("inclusive_scan", std::equal(want.begin(), want.end(), out));

  const dpl::counting_iterator<int> from(0);
  dpl::transform(policy, from, from + n, out, [=](int i) { return v[n - 1 - i]; });
  same("counting_iterator", std::equal(out, out + n, std::reverse_iterator<int *>(v + n)));

  const auto places = dpl::make_permutation_iterator(v, dpl::make_transform_iterator(from, [](int i) { return i / 2; }));
  dpl::copy(policy, places, places + n, out);
  bool right = true;
  for (int i = 0; i < n; ++i)
    right &= out[i] == v[i / 2];
  same("permutation_iterator", right);

  for (int i = 0; i < n; ++i)
    out[i] = i;
  std::vector<int> values(v, v + n);
  const auto both = dpl::make_zip_iterator(v, out);
  dpl::sort(policy, both, both + n, [](const auto &a, const auto &b) {
    using std::get;
    return get<0>(a) < get<0>(b) || (get<0>(a) == get<0>(b) && get<1>(a) < get<1>(b));
  });
  right = std::is_sorted(v, v + n);
  for (int i = 0; i < n; ++i)
    right &= values[out[i]] == v[i];
  same("sort of pairs", right);

  // Of the sorted ones.
  const auto least = dpl::min_element(policy, v, v + n);
  same("min_element", *least == v[0]);
  same("count_if", dpl::count_if(policy, v, v + n, [](int x) { return x & 1; }) == std::count_if(v, v + n, [](int x) { return x & 1; }));
  int *sums = sycl::malloc_shared<int>(n, q);
  const auto ends = dpl::reduce_by_segment(policy, keys, keys + n, v, out, sums);
  right = ends.first - out == (n + 6) / 7;
  for (int s = 0; s < (n + 6) / 7; ++s)
    right &= out[s] == s && sums[s] == std::accumulate(v + s * 7, v + std::min(n, s * 7 + 7), 0);
  same("reduce_by_segment", right);
  std::printf("%d wrong\n", wrong);
}
