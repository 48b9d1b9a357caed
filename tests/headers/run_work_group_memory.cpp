//! Memory of a work-group by its type: values, arrays with and without a size, as a kernel's capture and as a function's argument. Exit
//! status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY == 1);
static_assert(std::is_same_v<ex::work_group_memory<int[2][3]>::value_type, int>);
static_assert(std::is_same_v<decltype(&std::declval<const ex::work_group_memory<float[4]> &>()), float (*)[4]>);
static_assert(std::is_copy_constructible_v<ex::work_group_memory<int>> && !std::is_default_constructible_v<ex::work_group_memory<int>>);
static_assert(std::is_constructible_v<ex::work_group_memory<int>, ex::indeterminate_t>);
static_assert(!std::is_constructible_v<ex::work_group_memory<int[]>, sycl::handler &>);
static_assert(!std::is_constructible_v<ex::work_group_memory<int[4]>, size_t, sycl::handler &>);

constexpr size_t group_size = 8, items = 32;

struct point {
  int x, y;
  int sum() const { return x + y; }
};

/// The last element of the group, which each item finds in memory that another one wrote.
static int turn(int (&of)[group_size], const sycl::nd_item<1> &item, int value) {
  const size_t i = item.get_local_id(0);
  of[i] = value;
  sycl::group_barrier(item.get_group());
  return of[group_size - 1 - i];
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) static void turned(ex::work_group_memory<int[]> own, int *out) {
  const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  own[item.get_local_id(0)] = static_cast<int>(item.get_global_id(0));
  sycl::group_barrier(item.get_group());
  out[item.get_global_id(0)] = own[group_size - 1 - item.get_local_id(0)];
}

static int expected(size_t i) { return static_cast<int>(i / group_size * group_size + group_size - 1 - i % group_size); }

int main() {
  sycl::queue q;
  int *const out = sycl::malloc_shared<int>(items, q);
  const sycl::nd_range<1> shape(items, group_size);

  q.submit([&](sycl::handler &h) {
     const ex::work_group_memory<int[group_size]> bounded(h);
     const ex::work_group_memory<int[][2]> pairs(group_size, h);
     ex::work_group_memory<point> one(h);
     ex::work_group_memory<int> later(ex::indeterminate);
     later = ex::work_group_memory<int>(h);
     h.parallel_for<class captured>(shape, [=](sycl::nd_item<1> item) {
       const size_t i = item.get_local_id(0);
       if (i == 0) {
         one = point{1, 2};
         later = 4;
       }
       pairs[i][0] = 10;
       pairs[i][1] = 20;
       const int value = turn(bounded, item, static_cast<int>(item.get_global_id(0)));
       const int more = pairs[group_size - 1 - i][0] + pairs[group_size - 1 - i][1] + (&one)->sum() + later;
       const auto first = bounded.get_multi_ptr();
       out[item.get_global_id(0)] = first[i] == static_cast<int>(item.get_global_id(0)) ? value + more : -1;
     });
   }).wait();
  for (size_t i = 0; i < items; ++i)
    CHECK(out[i] == expected(i) + 30 + 3 + 4);

  q.submit([&](sycl::handler &h) {
     ex::nd_launch(h, shape, ex::kernel_function<turned>, ex::work_group_memory<int[]>(group_size, h), out);
   }).wait();
  for (size_t i = 0; i < items; ++i)
    CHECK(out[i] == expected(i));
  sycl::free(out, q);
  return failures;
}
