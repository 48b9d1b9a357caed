//! Group algorithms and function objects.
#include <sycl/group_algorithm.hpp>

static_assert(sycl::is_group_v<sycl::group<2>> && sycl::is_group_v<sycl::sub_group> && !sycl::is_group_v<int>);
static_assert(sycl::plus<>()(1, 2) == 3 && sycl::minimum<int>()(1, 2) == 1 && sycl::maximum<>()(1.0f, 2.0f) == 2.0f);
static_assert(sycl::known_identity_v<sycl::plus<>, int> == 0 && sycl::known_identity_v<sycl::multiplies<>, float> == 1.0f);
static_assert(sycl::known_identity_v<sycl::bit_and<>, unsigned> == ~0u && sycl::has_known_identity_v<sycl::minimum<>, sycl::half>);
static_assert(!sycl::has_known_identity_v<sycl::bit_or<>, float>);

struct pair {
  float a;
  long b;
};
SYCL_EXTERNAL float all_of_them(sycl::nd_item<2> i, float f, int n, pair p, int *m, sycl::half h) {
  const sycl::group<2> g = i.get_group();
  const sycl::sub_group s = i.get_sub_group();
  float out = sycl::group_broadcast(g, f) + sycl::group_broadcast(g, f, 3) + sycl::group_broadcast(g, f, sycl::id<2>(1, 1)) +
              sycl::group_broadcast(s, p, 2).a;
  out += sycl::shift_group_left(s, f) + sycl::shift_group_right(s, f, 2) + sycl::permute_group_by_xor(s, p, 1).a +
         sycl::select_from_group(s, h, 1);
  n += sycl::any_of_group(g, n > 1) + sycl::all_of_group(s, n > 1) + sycl::none_of_group(g, n, [](int x) { return x > 3; });
  n += sycl::reduce_over_group(g, n, sycl::plus<>()) + sycl::reduce_over_group(s, n, 3, sycl::bit_or<>());
  n += sycl::inclusive_scan_over_group(g, n, sycl::maximum<>()) + sycl::inclusive_scan_over_group(s, n, sycl::plus<>(), 1);
  n += sycl::exclusive_scan_over_group(g, n, sycl::plus<>()) + sycl::exclusive_scan_over_group(g, n, 2, sycl::multiplies<>());
  n += sycl::joint_reduce(g, m, m + 9, sycl::plus<>()) + sycl::joint_any_of(g, m, m + 9, [](int x) { return x > 1; });
  sycl::joint_inclusive_scan(g, m, m + 9, m, sycl::plus<>());
  sycl::joint_exclusive_scan(s, m, m + 9, m, sycl::plus<>());
  return out + static_cast<float>(n) + sycl::reduce_over_group(g, h, sycl::minimum<>());
}
