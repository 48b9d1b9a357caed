//! Kernels that are functions, launched through their kernel objects with arguments that the command group sets. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
namespace item = sycl::ext::oneapi::this_work_item;

constexpr size_t count = 64;
constexpr auto executable = sycl::bundle_state::executable;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void iota(float start, float *out) {
  const size_t i = item::get_nd_item<1>().get_global_linear_id();
  out[i] = start + static_cast<float>(i);
}

struct four_ints {
  int a, b, c, d;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void sum_of_four(four_ints of, int *out) { *out = of.a + of.b + of.c + of.d; }

struct pair {
  int by;
  char other;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<2>)) void add(pair how, sycl::accessor<int, 2> out, const int *more, size_t at) {
  const auto i = item::get_nd_item<2>();
  out[i.get_global_id()] = how.by + more[at] + static_cast<int>(i.get_global_linear_id() + i.get_group(1) * 1000);
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>))
static void reverses(sycl::local_accessor<int, 1> own, ex::work_group_memory<int> first, int *out) {
  const auto i = item::get_nd_item<1>();
  own[i.get_local_id(0)] = static_cast<int>(i.get_local_id(0));
  if (i.get_local_id(0) == 0)
    first = 100;
  sycl::group_barrier(i.get_group());
  out[i.get_global_id(0)] = own[i.get_local_range(0) - 1 - i.get_local_id(0)] + first;
}
template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void set(T *out, T value) { *out = value; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void nothing() {}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void one(sycl::accessor<int, 0> out) { out = 42; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::single_task_kernel)) void is_null(const int *where, bool *out) { *out = where == nullptr; }

template <auto *Func> static sycl::kernel object(const sycl::queue &q) {
  return ex::get_kernel_bundle<Func, executable>(q.get_context()).template ext_oneapi_get_kernel<Func>();
}

static void launches(sycl::queue &q) {
  float *const m = sycl::malloc_shared<float>(count, q);
  int *const n = sycl::malloc_shared<int>(count, q);
  const sycl::kernel iotas = object<iota>(q);
  CHECK(iotas.get_info<sycl::info::kernel::num_args>() == 2 && object<nothing>(q).get_info<sycl::info::kernel::num_args>() == 0);
  CHECK((ex::get_kernel_info<iota, sycl::info::kernel::num_args>(q.get_context(), q.get_device()) == 2));
  q.submit([&](sycl::handler &h) {
     h.set_args(3.5f, m);
     h.parallel_for(sycl::nd_range<1>(count, 8), iotas);
   }).wait();
  CHECK(m[0] == 3.5f && m[63] == 66.5f);
  // In any order, the last one counts; and the id brings the function, too.
  const sycl::kernel by_id = sycl::get_kernel_bundle<executable>(q.get_context()).get_kernel(ex::get_kernel_id<iota>());
  q.submit([&](sycl::handler &h) {
     h.set_arg(1, m);
     h.set_arg(0, 3);
     h.set_arg(0, 1.0f);
     h.parallel_for(sycl::nd_range<1>(count, 16), by_id);
   }).wait();
  CHECK(m[0] == 1 && m[63] == 64);
  ex::nd_launch(q, sycl::nd_range<1>(count, 8), iotas, 2.0f, m);
  q.wait();
  CHECK(m[63] == 65);
  ex::nd_launch(q, ex::launch_config(sycl::nd_range<1>(count, 8)), iotas, 4.0f, m);
  q.wait();
  CHECK(m[63] == 67);
  using sycl::ext::intel::experimental::cache_config, sycl::ext::intel::experimental::large_slm;
  ex::nd_launch(q, ex::launch_config(sycl::nd_range<1>(count, 8), ex::properties{cache_config{large_slm}}), iotas, 5.0f, m);
  q.wait();
  CHECK(m[63] == 68);

  sycl::buffer<int, 2> b(sycl::range<2>(4, 8));
  n[3] = 20000;
  q.submit([&](sycl::handler &h) {
    sycl::accessor<int, 2> out(b, h);
    ex::nd_launch(h, sycl::nd_range<2>({4, 8}, {2, 4}), object<add>(q), pair{100000, 'x'}, out, n, size_t(3));
  });
  {
    const sycl::host_accessor out(b);
    CHECK(out[0][0] == 120000 && out[3][7] == 121031);
  }
  q.submit([&](sycl::handler &h) {
     const ex::work_group_memory<int> first(h);
     h.set_args(sycl::local_accessor<int, 1>(8, h), first, n);
     h.parallel_for(sycl::nd_range<1>(count, 8), object<reverses>(q));
   }).wait();
  CHECK(n[0] == 107 && n[7] == 100 && n[63] == 100 && n[8] == 107);

  ex::single_task(q, object<set<int>>(q), n, 5);
  q.submit([&](sycl::handler &h) { ex::single_task(h, object<set<float>>(q), m, 2.5f); });
  ex::single_task(q, object<nothing>(q));
  q.submit([&](sycl::handler &h) { h.single_task(object<nothing>(q)); });
  auto row = b.reinterpret<int>(sycl::range<1>(32));
  q.submit([&](sycl::handler &h) { ex::single_task(h, object<one>(q), sycl::accessor<int, 0>(row, h)); });
  CHECK(sycl::host_accessor(b)[0][0] == 42);
  bool *const yes = sycl::malloc_shared<bool>(1, q);
  ex::single_task(q, object<is_null>(q), nullptr, yes);
  q.wait();
  CHECK(n[0] == 5 && m[0] == 2.5f && *yes);
  sycl::free(yes, q);
  sycl::free(m, q);
  sycl::free(n, q);
}

/// Recorded as any other kernel.
static void in_a_graph() {
  sycl::queue q{sycl::property::queue::in_order()};
  int *const n = sycl::malloc_shared<int>(1, q);
  *n = 1;
  ex::command_graph graph(q);
  graph.begin_recording(q);
  ex::single_task(q, object<set<int>>(q), n, 7);
  graph.end_recording(q);
  CHECK(*n == 1);
  auto exec = graph.finalize();
  q.ext_oneapi_graph(exec).wait();
  CHECK(*n == 7);
  sycl::free(n, q);
}

/// Arguments by their bytes.
static void raw_bytes(sycl::queue &q) {
  using sycl::ext::oneapi::raw_kernel_arg;
  int *const n = sycl::malloc_shared<int>(1, q);
  int value = 77;
  q.submit([&](sycl::handler &h) {
     h.set_arg(0, raw_kernel_arg(&n, sizeof n));
     h.set_arg(1, raw_kernel_arg(&value, sizeof value));
     h.single_task(object<set<int>>(q));
   }).wait();
  CHECK(*n == 77);
  q.submit([&](sycl::handler &h) { ex::single_task(h, object<set<int>>(q), n, ex::raw_kernel_arg(&value, 4)); }).wait();
  CHECK(throws(sycl::errc::kernel_argument, [&] { ex::single_task(q, object<set<int>>(q), n, raw_kernel_arg(&value, 3)); }));
  // Lists of them, a pointer that says that it is one, and an array, which is its bytes.
  value = 7;
  std::vector<ex::raw_kernel_arg> list{{&n, ex::pointer_arg}, {&value, sizeof value}};
  ex::single_task(q, object<set<int>>(q), list);
  q.wait();
  CHECK(*n == 7);
  value = 8;
  q.submit([&](sycl::handler &h) { ex::single_task(h, object<set<int>>(q), sycl::span<const ex::raw_kernel_arg>(list.data(), 2)); }).wait();
  CHECK(*n == 8);
  CHECK(throws(sycl::errc::kernel_argument, [&] { ex::single_task(q, object<set<int>>(q), std::vector<ex::raw_kernel_arg>()); }));
  const int four[4] = {1, 2, 3, 4};
  ex::single_task(q, object<sum_of_four>(q), four, n);
  q.wait();
  CHECK(*n == 10);
  ex::host_task(q, [=] { *n = 11; });
  q.wait();
  CHECK(*n == 11);
  sycl::free(n, q);
}

/// The text of what a launch throws with that code.
template <class F> static std::string refused(sycl::errc code, sycl::queue &q, F f) {
  try {
    q.submit([&](sycl::handler &h) { f(h); });
  } catch (const sycl::exception &e) {
    return e.code() == code ? e.what() : std::string("another code: ") + e.what();
  }
  return "nothing was thrown";
}

static bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

static void errors(sycl::queue &q) {
  int *const n = sycl::malloc_shared<int>(4, q);
  float *const m = sycl::malloc_shared<float>(4, q);
  const auto kernel = object<iota>(q);
  const auto launch = [&](auto... arguments) {
    return [=](sycl::handler &h) {
      h.set_args(arguments...);
      h.parallel_for(sycl::nd_range<1>(4, 2), kernel);
    };
  };
  const auto argument = sycl::errc::kernel_argument, invalid = sycl::errc::invalid;
  CHECK(refused(argument, q, launch(1.0f)) == "argument 1 of the kernel, a 'float *', was not set");
  CHECK(refused(argument, q, launch()) == "argument 0 of the kernel, a 'float', was not set");
  CHECK(refused(argument, q, launch(1.0f, m, 1)) == "argument 2 was set, but the kernel has fewer parameters");
  CHECK(refused(argument, q, launch(1, m)) == "argument 0 of the kernel is a 'float', and a 'int' was set");
  CHECK(refused(argument, q, launch(1.0, m)) == "argument 0 of the kernel is a 'float', and a 'double' was set");
  CHECK(has(refused(argument, q, launch(1.0f, sizeof(int))), "is a 'float *'"));
  const sycl::kernel sets = object<set<int>>(q);
  const auto task = [&](auto to, auto value) { return [=](sycl::handler &h) { ex::single_task(h, sets, to, value); }; };
  CHECK(has(refused(argument, q, task(n, 5l << 40)), "no room for the 'long'"));
  CHECK(has(refused(argument, q, task(n, 1ll + INT64_MAX / 2)), "'int'"));
  // Whole numbers whose value fits, and pointers, may differ.
  for (const long long value : {-7ll, 7ll, static_cast<long long>(INT32_MAX), static_cast<long long>(INT32_MIN)}) {
    CHECK(has(refused(argument, q, task(n, value)), "nothing was thrown"));
    q.wait();
    CHECK(*n == value);
  }
  CHECK(has(refused(argument, q, task(n, static_cast<signed char>(-3))), "nothing was thrown"));
  q.wait();
  CHECK(*n == -3);
  CHECK(has(refused(argument, q, task(n, static_cast<unsigned char>(253))), "nothing was thrown"));
  q.wait();
  CHECK(*n == 253);
  CHECK(has(refused(argument, q, task(n, 5u)), "nothing was thrown"));
  CHECK(has(refused(argument, q, task(static_cast<void *>(n), 5)), "nothing was thrown"));

  const sycl::nd_range<1> four(4, 2);
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { ex::single_task(h, kernel, 1.0f, m); }), "nd_range"));
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { ex::parallel_for(h, sycl::range<1>(4), kernel, 1.0f, m); }), "nd_range"));
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { ex::nd_launch(h, sycl::nd_range<2>({4, 4}, {2, 2}), kernel, 1.0f, m); }), "nd_range"));
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { ex::nd_launch(h, four, sets, n, 5); }), "single_task"));
  CHECK(throws(sycl::errc::nd_range, [&] { ex::nd_launch(q, sycl::nd_range<1>(4, 3), kernel, 1.0f, m); }));
  const sycl::context other(q.get_device());
  const auto there = ex::get_kernel_bundle<iota, executable>(other).ext_oneapi_get_kernel<iota>();
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { ex::nd_launch(h, four, there, 1.0f, m); }), "context"));
  // The id of a kernel that no function is named with does not launch.
  q.single_task<class plain>([=] { *n = 1; });
  const auto all = sycl::get_kernel_bundle<executable>(q.get_context());
  CHECK(has(refused(invalid, q, [&](sycl::handler &h) { h.single_task(all.get_kernel<class plain>()); }), "function"));
  CHECK(throws(invalid, [&] { all.get_kernel<class plain>().get_info<sycl::info::kernel::num_args>(); }));
  q.wait();
  sycl::free(n, q);
  sycl::free(m, q);
}

int main() {
  sycl::queue q;
  launches(q);
  in_a_graph();
  raw_bytes(q);
  errors(q);
  return failures != 0;
}
