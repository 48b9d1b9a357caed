// Names that `<CL/sycl.hpp>` alone brings, those of extensions' first versions, and what a program asks of backends that are not there.
#include <CL/sycl.hpp>
#include <cstdio>

using namespace cl::sycl;
using namespace cl::sycl::ONEAPI; // beside all of sycl, whose `info` stays the only one
namespace ex = sycl::ext::oneapi::experimental;

static int failures = 0;
static void expect(bool condition, const char *what) {
  if (!condition) {
    std::printf("failed: %s\n", what);
    ++failures;
  }
}

static_assert(std::is_same_v<longlong2, vec<long long, 2>> && std::is_same_v<ulonglong16, vec<unsigned long long, 16>> &&
              std::is_same_v<schar4, vec<signed char, 4>>);
static_assert(std::is_same_v<vector_class<string_class>, std::vector<std::string>>);
static_assert(std::is_same_v<function_class<int()>, std::function<int()>>);
static_assert(std::is_same_v<device_ptr<int>, ext::intel::device_ptr<int>> && std::is_convertible_v<int *, ext::intel::host_ptr<int>> &&
              std::is_same_v<ext::intel::raw_device_ptr<int>, ext::intel::device_ptr<int, access::decorated::no>>);
static_assert(std::is_same_v<info::device::ext_intel_gpu_eu_count_per_subslice, ext::intel::info::device::gpu_eu_count_per_subslice>);
static_assert(ex::architecture::intel_gpu_dg2_g10 == ex::architecture::intel_gpu_acm_g10 &&
              ex::architecture::intel_gpu_12_60_7 == ex::architecture::intel_gpu_pvc);
static_assert(std::is_same_v<sycl::ext::oneapi::detail::memory_order, memory_order> && std::is_same_v<sycl::ext::oneapi::detail::memory_scope, memory_scope>);
// Generations of one maker are in order.
static_assert(ex::architecture::intel_gpu_skl < ex::architecture::intel_gpu_pvc &&
              ex::architecture::intel_gpu_pvc < ex::architecture::intel_gpu_bmg_g21 && ex::architecture::nvidia_gpu_sm_80 < ex::architecture::nvidia_gpu_sm_90);
#if SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE != 1
#error its macro
#endif

/// Whether that is an error of a program's state or kernels.
template <class F> static bool is_refused(F &&f) {
  try {
    f();
  } catch (const cl::sycl::exception &e) {
    return e.code() == errc::invalid;
  }
  return false;
}

/// SYCL 1.2.1's programs: kernels by their names, in states.
static void programs(queue &q) {
  program apart(q.get_context()), other(q.get_context(), {q.get_device()}), whole(q.get_context());
  expect(apart.get_state() == program_state::none && !apart.is_host() && apart.get_devices().size() == 1, "a program without kernels");
  expect(is_refused([&] { whole.get_kernel<class of_program>(); }) && is_refused([&] { whole.link(); }) &&
             is_refused([&] { whole.has_kernel<class of_program>(); }),
         "a state without kernels");
  apart.compile_with_kernel_type<class of_program>("-cl-opt-disable");
  other.compile_with_kernel_type<class of_no_launch>();
  expect(apart.get_state() == program_state::compiled && apart.get_compile_options() == "-cl-opt-disable", "a compiled program");
  expect(apart.has_kernel<class of_program>() && !apart.has_kernel<class of_no_launch>(), "has_kernel");
  const program linked({apart, other}, "-cl-fast-relaxed-math");
  expect(linked.get_state() == program_state::linked && linked.get_link_options() == "-cl-fast-relaxed-math", "a linked program");
  expect(linked.has_kernel<class of_program>() && linked.has_kernel<class of_no_launch>() && !linked.has_kernel("of_none"), "kernels of both");
  whole.build_with_kernel_type<class of_program>("-g");
  expect(whole.get_build_options() == "-g" && is_refused([&] { whole.build_with_kernel_type<class of_program>(); }), "built twice");
  expect(is_refused([&] { whole.get_kernel<class of_no_launch>(); }), "a kernel that is not in the program");
  expect(whole.get_info<info::program::context>() == q.get_context() && whole.get_info<info::program::devices>()[0] == q.get_device(), "info");

  const kernel k = whole.get_kernel<class of_program>();
  const device d = q.get_device();
  expect(k.get_work_group_info<info::kernel_work_group::work_group_size>(d) == k.get_info<info::kernel_device_specific::work_group_size>(d),
         "get_work_group_info");
  int sums[4] = {1, 2, 3, 4};
  {
    buffer<int, 1> values(sums, range<1>(4));
    q.submit([&](handler &h) {
      auto a = values.get_access<access::mode::read_write>(h);
      h.parallel_for<class of_program>(k, range<1>(4), [=](id<1> i) { a[i] *= 10; });
    });
    if (false)
      q.single_task<class of_no_launch>([] {});
  }
  expect(sums[0] == 10 && sums[3] == 40, "a program's kernel was launched");
}

static void names(queue &q) {
  const device d = q.get_device();
  expect(!q.is_host() && !d.is_host() && !q.get_context().is_host() && !d.get_platform().is_host(), "no device is SYCL 1.2.1's host");
  expect(default_selector{}.select_device() == device(default_selector_v), "select_device");
  try {
    expect(host_selector{}.select_device().get_backend() == backend::native_cpu, "the embedded device is the host");
  } catch (const cl::sycl::runtime_error &e) {
    expect(e.code() == errc::runtime, "no embedded device");
  }
  try {
    throw cl::sycl::exception(errc::nd_range);
  } catch (const nd_range_error &e) {
    expect(e.code() == errc::nd_range, "a class of errors");
    expect(e.get_cl_code() == 0, "no error of OpenCL"); // CL_SUCCESS
  }
  q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> item) {
     item.mem_fence<access::mode::write>(access::fence_space::global_space);
     item.get_group().mem_fence<access::mode::read>();
     item.mem_fence();
   }).wait();
  int first = 5, seen = 0;
  {
    buffer<int> from(&first, range<1>(1)), to(&seen, range<1>(1));
    q.submit([&](handler &h) {
      auto read = from.get_access<access::mode::read>(h);
      auto write = to.get_access<access::mode::write>(h);
      h.single_task([=] {
        int *const one = read.get_pointer(); // const in SYCL 2020 only
        const int *const same = read.get_pointer();
        const global_ptr<int> third = read.get_pointer() + 0;
        *write.get_pointer() = *one + *same + *third;
      });
    });
  }
  expect(seen == 15, "the pointer of a reading accessor");
  int *out = malloc_shared<int>(4, q);
  q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> item) {
    out[item.get_local_id(0)] = ONEAPI::reduce(item.get_group(), 2, ONEAPI::plus<int>());
  });
  q.submit_barrier().wait();
  q.submit_barrier({event()}).wait();
  expect(out[0] == 8 && out[3] == 8, "a group algorithm of ONEAPI");
  int *in = malloc_shared<int>(9, q), *sums = malloc_shared<int>(10, q);
  for (int i = 0; i < 9; ++i)
    in[i] = i + 1;
  q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> item) {
     const auto g = item.get_group();
     const auto positive = [](int x) { return x > 0; };
     const global_ptr<int> first(in);
     const int sum = ONEAPI::reduce(g, first, first + 9, ONEAPI::plus<>()), more = ONEAPI::reduce(g, in, in + 9, 100, ONEAPI::plus<>());
     ONEAPI::exclusive_scan(g, in, in + 9, sums, ONEAPI::plus<>());
     const bool all = ONEAPI::all_of(g, in, in + 9, positive), none = ONEAPI::none_of(g, in, in + 9, positive);
     out[item.get_local_id(0)] = sum + more * 1000 + all * 1000000 + none * 2000000;
     sums[9] = all_of(g, true);
   }).wait();
  expect(out[0] == 1145045 && out[3] == out[0] && sums[0] == 0 && sums[8] == 36 && sums[9] == 1, "algorithms over memory of ONEAPI");
  free(in, q);
  free(sums, q);
  free(out, q);
}

static void architectures(queue &q) {
  const device d = q.get_device();
  const auto own = d.get_info<ex::info::device::architecture>();
  expect(d.ext_oneapi_architecture_is(own), "its own");
  expect(d.ext_oneapi_architecture_is(ex::architecture::x86_64) == (own == ex::architecture::x86_64), "or another");
  expect(!d.ext_oneapi_architecture_is(ex::arch_category::amd_gpu), "a category");
  expect(d.has(aspect::cpu) == (own == ex::architecture::x86_64), "CPUs are the host's");
  int *out = malloc_shared<int>(8, q);
  q.single_task([=] {
     const auto set = [=](int i, int value) { out[i] = value; };
     ex::if_architecture_is<ex::architecture::intel_gpu_pvc, ex::architecture::intel_gpu_bmg_g21>(set, 0, 1)
         .else_if_architecture_is<ex::architecture::intel_gpu_dg1, ex::architecture::x86_64>(set, 0, 2)
         .otherwise(set, 0, 3);
     ex::if_architecture_is<ex::architecture::x86_64>(set, 1, 1)
         .else_if_architecture_is<ex::architecture::x86_64>(set, 1, 2)
         .otherwise(set, 1, 3);
     ex::if_architecture_is<ex::architecture::amd_gpu_gfx90a>(set, 2, 1).otherwise(set, 2, 3);
     ex::if_architecture_is<ex::arch_category::amd_gpu, ex::arch_category::intel_gpu>(set, 3, 1)
         .else_if_architecture_is<ex::arch_category::nvidia_gpu>(set, 3, 2)
         .otherwise(set, 3, 3);
     ex::if_architecture_is_lt<ex::architecture::intel_gpu_pvc>(set, 4, 1)
         .else_if_architecture_is_le<ex::architecture::intel_gpu_pvc>(set, 4, 2)
         .otherwise(set, 4, 3);
     ex::if_architecture_is_gt<ex::architecture::intel_gpu_dg1>(set, 5, 1)
         .else_if_architecture_is_ge<ex::architecture::x86_64>(set, 5, 2)
         .otherwise(set, 5, 3);
     ex::if_architecture_is_between<ex::architecture::intel_gpu_acm_g10, ex::architecture::intel_gpu_bmg_g21>(set, 6, 1)
         .else_if_architecture_is_between<ex::architecture::amd_gpu_gfx1010, ex::architecture::amd_gpu_gfx1013>(set, 6, 2)
         .otherwise(set, 6, 3);
     ex::if_architecture_is_ge<ex::architecture::amd_gpu_gfx90a>(set, 7, 1).else_if_architecture_is_lt<ex::architecture::x86_64>(set, 7, 2).otherwise(set, 7, 3);
   }).wait();
  const bool cpu = own == ex::architecture::x86_64, pvc = own == ex::architecture::intel_gpu_pvc;
  expect(out[0] == (cpu ? 2 : pvc ? 1 : 3), "the second clause");
  expect(out[1] == (cpu ? 1 : 3), "the first of two that are true");
  expect(out[2] == 3, "no clause");
  expect(out[3] == (pvc ? 1 : 3), "makers");
  expect(out[4] == (pvc ? 2 : 3), "older, and no newer");
  expect(out[5] == (cpu ? 2 : pvc ? 1 : 3), "newer, and no older");
  expect(out[6] == (pvc ? 1 : 3), "between two");
  expect(out[7] == 3, "of other makers");
  free(out, q);
}

static void pinned_memory() {
  const property_list pinned{ext::oneapi::property::buffer::use_pinned_host_memory()};
  buffer<int> own(range<1>(4), pinned);
  expect(own.has_property<ext::oneapi::property::buffer::use_pinned_host_memory>(), "the property is remembered");
  int data[4] = {};
  try {
    buffer<int> of_program(data, range<1>(4), pinned);
    expect(false, "pinned memory that is the program's");
  } catch (const cl::sycl::exception &e) {
    expect(e.code() == errc::invalid, "the code of pinned memory");
  }
}

static void interoperability(queue &q) {
  buffer<int> data(range<1>(4));
  int mismatches = 0;
  q.submit([&](handler &h) {
    auto all = data.get_access<access::mode::write>(h);
    h.host_task([=, &mismatches](interop_handle handle) {
      // As programs choose among the backends that they know.
      switch (handle.get_backend()) {
      case backend::ext_oneapi_level_zero:
        handle.get_native_mem<backend::ext_oneapi_level_zero>(all);
        break;
      case backend::ext_oneapi_native_cpu:
        static_cast<int *>(handle.get_native_mem<backend::ext_oneapi_native_cpu>(all))[1] = 7;
        break;
      default:
        break;
      }
      try {
        handle.get_native_queue<backend::ext_oneapi_level_zero>();
      } catch (const cl::sycl::exception &e) {
        mismatches += e.code() == errc::backend_mismatch;
      }
    });
  });
  q.wait_and_throw();
  expect(mismatches == 1, "a backend without devices");
  expect(q.get_backend() != backend::native_cpu || data.get_host_access()[1] == 7, "memory of the embedded device");
}

/// What DPC++ had in 2019.
static void first_queues() {
  const auto quiet = [](exception_list) {};
  const property::queue::enable_profiling profiling;
  ordered_queue plain, by_selector(default_selector{}), handled(default_selector{}, quiet), on(plain.get_device()), late(quiet), named(async_handler{});
  ordered_queue profiled(profiling), listed(default_selector{}, {profiling}), in(plain.get_context(), plain.get_device(), quiet, property_list{profiling});
  ordered_queue copied = plain, callable(default_selector_v), both(plain.get_context(), default_selector{});
  for (const queue *one : {&plain, &by_selector, &handled, &on, &late, &named, &profiled, &listed, &in, &copied, &callable, &both})
    expect(one->is_in_order() && one->has_property<property::queue::enable_profiling>() == (one == &profiled || one == &listed || one == &in),
           "a queue in order by its class");
  expect(copied == plain && copied != on, "a copy");
  int *sum = malloc_shared<int>(1, plain);
  *sum = 0;
  for (int i = 0; i < 50; ++i)
    plain.submit([&](handler &h) { h.single_task<class in_order_of_2019>([=] { *sum = *sum * 3 % 1009 + 1; }); });
  int expected = 0;
  for (int i = 0; i < 50; ++i)
    expected = expected * 3 % 1009 + 1;
  plain.wait();
  expect(*sum == expected, "commands in order");
  free(sum, plain);
  static_assert(std::is_same_v<sycl::intel::sub_group, sub_group> && std::is_same_v<sycl::intel::plus<int>, plus<int>>);
}

int main() {
  queue q;
  names(q);
  first_queues();
  programs(q);
  architectures(q);
  interoperability(q);
  pinned_memory();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
