// Variables of which each work-group has one: at namespace scope, in a block with and without `static`, in a template.
#pragma clang diagnostic error "-Wpedantic" // what stands for a number of its own is no extension of the user's
#include <cstdio>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
#if SYCL_EXT_ONEAPI_WORK_GROUP_STATIC != 1
#error its macro
#endif

static ex::work_group_static<int> total;
ex::work_group_static<int[8]> values;
struct holder {
  static inline ex::work_group_static<int> member;
};

template <int N> int add_up(sycl::nd_item<1> item) {
  ex::work_group_static<int[N]> own;
  static ex::work_group_static<float> weight;
  const int n = static_cast<int>(item.get_local_id(0));
  const int group = static_cast<int>(item.get_group(0));
  own[n] = n;
  values[n] = 2 * n + group;
  if (n == 0) {
    weight = 1.5f;
    holder::member = 100 * group;
  }
  sycl::group_barrier(item.get_group());
  if (n == 0) {
    total = 0;
    const int *const all = own; // to the first element
    for (int k = 0; k < N; ++k)
      total += all[N - 1 - k] + values[k] + static_cast<int>(2 * weight);
    total += holder::member;
  }
  sycl::group_barrier(item.get_group());
  return total;
}

int main() {
  sycl::queue q;
  constexpr int groups = 16;
  int *out = sycl::malloc_shared<int>(groups, q);
  q.parallel_for(sycl::nd_range<1>(groups * 8, 8), [=](sycl::nd_item<1> item) {
     ex::work_group_static<int> result;
     const int sum = add_up<8>(item);
     if (item.get_local_id(0) == 3)
       result = sum;
     sycl::group_barrier(item.get_group());
     const int *const there = &result;
     if (item.get_local_id(0) == 0)
       out[item.get_group(0)] = *there;
   }).wait();
  int failures = 0;
  for (int group = 0; group < groups; ++group)
    if (out[group] != 28 + 56 + 8 * group + 24 + 100 * group) {
      std::printf("group %d: %d\n", group, out[group]);
      ++failures;
    }
  sycl::free(out, q);
  return failures != 0;
}
