// Group algorithms of values that are larger than a slot of the embedded CPU device.
#include <algorithm>
#include <cstdio>
#include <sycl/sycl.hpp>
struct stats { double n, sum, sq[7], min, max; };
struct plus { stats operator()(const stats &a, const stats &b) const { stats r = a; r.n += b.n; r.sum += b.sum; r.sq[6] += b.sq[6]; r.min = sycl::fmin(a.min, b.min); r.max = sycl::fmax(a.max, b.max); return r; } };
int main() {
  sycl::queue q; int wrong = 0;
  for (int size : {1, 5, 32, 33, 100}) {
    stats *o = sycl::malloc_shared<stats>(6 * size, q);
    for (int i = 0; i < 6 * size; ++i) o[i] = stats{1, double(i), {}, double(i), double(i)};
    q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> i) {
      const int l = int(i.get_local_id(0));
      stats x{1, double(l), {0, 0, 0, 0, 0, 0, 2}, double(l), double(l)};
      const stats zero{0, 0, {}, 1e9, -1e9};
      auto sg = i.get_sub_group();
      stats j = sycl::joint_reduce(i.get_group(), o, o + size, zero, plus());
      sycl::group_barrier(i.get_group());
      o[l] = sycl::reduce_over_group(i.get_group(), x, plus());
      o[size + l] = sycl::inclusive_scan_over_group(i.get_group(), x, plus(), zero);
      o[2 * size + l] = sycl::exclusive_scan_over_group(i.get_group(), x, zero, plus());
      o[3 * size + l] = sycl::reduce_over_group(sg, x, plus());
      o[4 * size + l] = j;
      if (l % 2 == 0) return; // others go on
      o[5 * size + l] = sycl::reduce_over_group(sg, x, plus());
    }).wait();
    const int sg = 32;
    for (int l = 0; l < size; ++l) {
      const int b = l / sg * sg, e = std::min(size, b + sg);
      double s = 0, sub = 0; for (int k = 0; k < l; ++k) s += k; for (int k = b; k < e; ++k) sub += k;
      double odd = 0; for (int k = b; k < e; ++k) odd += k % 2 ? k : 0;
      const double all = size * (size - 1) / 2.0;
      wrong += o[l].sum != all || o[l].n != size || o[l].sq[6] != 2 * size || o[l].max != size - 1;
      wrong += o[size + l].sum != s + l || o[size + l].n != l + 1;
      wrong += o[2 * size + l].sum != s || o[2 * size + l].n != l;
      wrong += o[3 * size + l].sum != sub || o[3 * size + l].n != e - b;
      wrong += o[4 * size + l].sum != all;
      if (l % 2) wrong += o[5 * size + l].sum != odd;
    }
    sycl::vec<double, 16> *v = sycl::malloc_shared<sycl::vec<double, 16>>(size, q);
    q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> i) { v[i.get_local_id(0)] = sycl::reduce_over_group(i.get_group(), sycl::vec<double, 16>(double(i.get_local_id(0))), sycl::plus<sycl::vec<double, 16>>()); }).wait();
    wrong += v[size - 1][15] != size * (size - 1) / 2.0;
  }
  std::puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
