//! Kernels that are functions. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
namespace item = sycl::ext::oneapi::this_work_item;

static_assert(SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS == 1);

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void iota(float start, float *out);
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void iota(float start, float *out) {
  const size_t i = item::get_nd_item<1>().get_global_linear_id();
  out[i] = start + static_cast<float>(i);
}

namespace inner {
struct of_class {
  int by;
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<2>)) static void add(of_class how, sycl::accessor<int, 2> out) {
    const auto at = item::get_nd_item<2>().get_global_id();
    out[at] += how.by + static_cast<int>(at[0] * 10 + at[1]);
  }
};
} // namespace inner

template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void set(T *out, T value) { *out = value; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) static void nothing() {}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) static void reverses(sycl::local_accessor<int, 1> own, int *out) {
  const auto i = item::get_nd_item<1>();
  int *const more = static_cast<int *>(ex::get_work_group_scratch_memory());
  own[i.get_local_id(0)] = static_cast<int>(i.get_local_id(0));
  more[i.get_local_id(0)] = 100;
  sycl::group_barrier(i.get_group());
  const size_t there = i.get_local_range(0) - 1 - i.get_local_id(0);
  out[i.get_global_id(0)] = own[there] + more[there];
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void over(int *out) { *out = 1; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<3>)) void over(long *out) { *out = 3; }
void plain(int *) {}
/// The property is at the first declaration.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void later(int *out);
static void before(sycl::queue &q, int *out) { ex::single_task(q, ex::kernel_function<later>, out); }
void later(int *out);
void later(int *out) { *out = 12; }
static_assert(ex::is_single_task_kernel_v<later>);
/// With properties of its own.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<2>)) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::work_group_size<2, 16>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::sub_group_size<8>)) void sized(int *out) {
  const auto i = item::get_nd_item<2>();
  out[i.get_global_linear_id()] = static_cast<int>(i.get_sub_group().get_max_local_range()[0]);
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::device_has<sycl::aspect::fp64, sycl::aspect::atomic64>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::max_linear_work_group_size<16>)) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>))
void needs(double *out) { out[item::get_nd_item<1>().get_global_id(0)] = 2.5; }

static_assert(ex::is_nd_range_kernel_v<iota, 1> && !ex::is_nd_range_kernel_v<iota, 2>);
static_assert(!ex::is_single_task_kernel_v<iota> && ex::is_kernel_v<iota>);
static_assert(ex::is_nd_range_kernel_v<inner::of_class::add, 2>);
static_assert(ex::is_single_task_kernel_v<set<int>> && ex::is_single_task_kernel_v<nothing>);
static_assert(!ex::is_kernel_v<plain> && !ex::is_single_task_kernel_v<plain> && !ex::is_nd_range_kernel_v<nothing, 4>);
static_assert(ex::is_single_task_kernel_v<(void (*)(int *))over> && ex::is_nd_range_kernel_v<(void (*)(long *))over, 3>);

// Launches with arguments that the function does not take are no overloads. Source: sycl_ext_oneapi_free_function_kernels.
template <auto *Func, class... A>
using task_launch = decltype(ex::single_task(std::declval<sycl::handler &>(), ex::kernel_function<Func>, std::declval<A>()...));
template <auto *Func, class... A>
using range_launch = decltype(ex::nd_launch(std::declval<sycl::queue &>(), std::declval<sycl::nd_range<1>>(), ex::kernel_function<Func>, std::declval<A>()...));
template <class Void, class... A> inline constexpr bool task_takes = false;
template <class... A> inline constexpr bool task_takes<std::void_t<task_launch<set<int>, A...>>, A...> = true;
template <class Void, class... A> inline constexpr bool range_takes = false;
template <class... A> inline constexpr bool range_takes<std::void_t<range_launch<iota, A...>>, A...> = true;
static_assert(task_takes<void, int *, double> && range_takes<void, double, float *>);
static_assert(!task_takes<void, int *> && !task_takes<void, int *, int, int> && !task_takes<void, float *, int> && !task_takes<void, int *, sycl::queue>);
static_assert(!range_takes<void, float> && !range_takes<void, float, float *, int> && !range_takes<void, float, int *>);

/// An accessor of no buffer is an argument like others, whose elements nobody may reach.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) static void counts(sycl::accessor<int, 1> of, size_t *out) { *out = of.size(); }

template <class F> static bool throws_nd_range(F launch) {
  try {
    launch();
  } catch (const sycl::exception &e) {
    return e.code() == sycl::errc::nd_range;
  }
  return false;
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  constexpr size_t count = 64;
  float *const m = sycl::malloc_shared<float>(count, q);
  int *const n = sycl::malloc_shared<int>(count, q);
  ex::nd_launch(q, sycl::nd_range<1>(count, 8), ex::kernel_function<iota>, 3, m); // an int becomes a float
  q.wait();
  CHECK(m[0] == 3 && m[63] == 66);
  iota(7, m); // it is a function like any
  before(q, n);
  q.wait();
  CHECK(n[0] == 12);
  n[0] = 0;
  ex::single_task(q, ex::kernel_function<later>, n);
  q.wait();
  CHECK(n[0] == 12);
  n[0] = 0;
  later(n);
  CHECK(n[0] == 12);
  const sycl::nd_range<2> as_sized({4, 16}, {2, 16});
  ex::nd_launch(q, as_sized, ex::kernel_function<sized>, n);
  q.wait();
  CHECK(n[0] == 8 && n[63] == 8);
  CHECK(throws_nd_range([&] { ex::nd_launch(q, sycl::nd_range<2>({4, 16}, {4, 16}), ex::kernel_function<sized>, n); }));
  const sycl::kernel as_object =
      sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {ex::get_kernel_id<sized>()}).get_kernel(ex::get_kernel_id<sized>());
  CHECK(as_object.get_info<sycl::info::kernel_device_specific::compile_work_group_size>(q.get_device()) == sycl::range<3>(2, 16, 1) ||
        as_object.get_info<sycl::info::kernel_device_specific::compile_work_group_size>(q.get_device()) == sycl::range<3>(1, 2, 16));
  if (q.get_device().has(sycl::aspect::fp64) && q.get_device().has(sycl::aspect::atomic64)) {
    double *const d = sycl::malloc_shared<double>(32, q);
    ex::nd_launch(q, sycl::nd_range<1>(32, 16), ex::kernel_function<needs>, d);
    q.wait();
    CHECK(d[0] == 2.5 && d[31] == 2.5);
    CHECK(throws_nd_range([&] { ex::nd_launch(q, sycl::nd_range<1>(32, 32), ex::kernel_function<needs>, d); }));
    sycl::free(d, q);
  }
  sycl::buffer<int, 2> b(sycl::range<2>(4, 8));
  q.submit([&](sycl::handler &h) {
    sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
    ex::parallel_for(h, sycl::range<2>(4, 8), [=](sycl::id<2> i) { out[i] = 0; });
  });
  q.submit([&](sycl::handler &h) {
    sycl::accessor<int, 2> out(b, h);
    ex::nd_launch(h, sycl::nd_range<2>({4, 8}, {2, 2}), ex::kernel_function<inner::of_class::add>, inner::of_class{1000}, out);
  });
  CHECK(sycl::host_accessor{b}[3][7] == 1037);
  CHECK(sycl::host_accessor{b}[0][0] == 1000);

  ex::single_task(q, ex::kernel_function<set<int>>, n, 5);
  q.submit([&](sycl::handler &h) { ex::single_task(h, ex::kernel_function<set<float>>, m, 2.5f); });
  ex::single_task(q, ex::kernel_function<nothing>);
  q.wait();
  CHECK(n[0] == 5 && m[0] == 2.5f);

  // Local memory of both kinds, and requirements of the launch.
  q.submit([&](sycl::handler &h) {
    const ex::properties with{ex::work_group_size<8>, ex::work_group_scratch_size(8 * sizeof(int))};
    const ex::launch_config how{sycl::nd_range<1>(count, 8), with};
    ex::nd_launch(h, how, ex::kernel_function<reverses>, sycl::local_accessor<int, 1>(8, h), n);
  });
  q.wait();
  CHECK(n[0] == 107 && n[7] == 100 && n[8] == 107);
  CHECK(throws(sycl::errc::nd_range, [&] {
    const ex::launch_config how{sycl::nd_range<1>(count, 16), ex::properties{ex::work_group_size<8>}};
    ex::nd_launch(q, how, ex::kernel_function<iota>, 1.0f, m);
  }));

  // Kernel bundles, also of a kernel that is not launched.
  const sycl::kernel_id id = ex::get_kernel_id<iota>();
  CHECK(ex::is_compatible<iota>(q.get_device()) && ex::get_kernel_id<set<long>>() != id);
  CHECK(ex::has_kernel_bundle<iota, sycl::bundle_state::executable>(q.get_context()));
  const auto bundle = ex::get_kernel_bundle<iota, sycl::bundle_state::executable>(q.get_context());
  CHECK(bundle.ext_oneapi_has_kernel<iota>() && bundle.ext_oneapi_has_kernel<iota>(q.get_device()) && bundle.has_kernel(id));
  const sycl::kernel iota_kernel = bundle.ext_oneapi_get_kernel<iota>();
  CHECK(iota_kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(q.get_device()) ==
        ex::get_kernel_info<iota, sycl::info::kernel_device_specific::work_group_size>(q));
  CHECK(ex::get_kernel_info<iota, ex::info::kernel::max_num_work_groups_sync>(q, 16, ex::properties{ex::use_root_sync}, 64) == 1);
  CHECK(ex::get_kernel_info<iota, ex::info::kernel::max_num_work_groups_sync>(q.get_context(), q.get_device(), sycl::range<3>(1, 2, 4)) == 1);
  q.submit([&](sycl::handler &h) {
    h.use_kernel_bundle(bundle);
    ex::nd_launch(h, sycl::nd_range<1>(count, 8), ex::kernel_function<iota>, 1.0f, m);
  });
  q.wait();
  CHECK(m[63] == 64);
  size_t *const size = sycl::malloc_shared<size_t>(1, q);
  *size = 7;
  q.submit([&](sycl::handler &h) {
    h.set_args(sycl::accessor<int, 1>(), size);
    h.single_task(ex::get_kernel_bundle<counts, sycl::bundle_state::executable>(q.get_context()).ext_oneapi_get_kernel<counts>());
  });
  q.wait();
  CHECK(*size == 0);
  sycl::free(size, q);
  sycl::free(m, q);
  sycl::free(n, q);
  return failures;
}
