// Scratch memory: the size comes with the launch, the memory is found by functions far from the kernel, and accessors keep their own.
#include <cstdio>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/sycl.hpp>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;

static int failures = 0;
static void expect(bool condition, const char *what) {
  if (!condition) {
    std::printf("failed: %s\n", what);
    ++failures;
  }
}

constexpr size_t group_size = 32, groups = 4;

// No argument of the kernel comes here.
[[gnu::noinline]] static int *deep() {
  return static_cast<int *>(ex::get_work_group_scratch_memory());
}
[[gnu::noinline]] static int other_half(size_t i) {
  auto *const again = static_cast<unsigned char *>(ex::get_work_group_scratch_memory());
  return reinterpret_cast<int *>(again)[i];
}

struct with_get {
  size_t bytes;
  int *out;
  void operator()(nd_item<1> item) const {
    const size_t i = item.get_local_id(0);
    int *const memory = static_cast<int *>(ex::get_work_group_scratch_memory());
    memory[i] = static_cast<int>(i);
    group_barrier(item.get_group());
    out[item.get_global_id(0)] = memory[group_size - 1 - i];
  }
  auto get(ex::properties_tag) const { return ex::properties{ex::work_group_scratch_size{bytes}}; }
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<1>)) void turn(int *out, int first) {
  const auto item = ext::oneapi::this_work_item::get_nd_item<1>();
  const size_t i = item.get_local_id(0);
  if (deep())
    deep()[i] = static_cast<int>(i) + first;
  group_barrier(item.get_group());
  out[item.get_global_id(0)] = deep() ? other_half(group_size - 1 - i) : -1;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ex::nd_range_kernel<2>)) void beside(int *out, local_accessor<int, 1> own) {
  const auto item = ext::oneapi::this_work_item::get_nd_item<2>();
  const size_t i = item.get_local_id(1);
  own[i] = 1000;
  deep()[i] = static_cast<int>(i);
  group_barrier(item.get_group());
  out[item.get_global_linear_id()] = own[group_size - 1 - i] == 1000 ? other_half(group_size - 1 - i) : -1;
}

static bool reversed(const int *out) {
  for (size_t i = 0; i < group_size * groups; ++i)
    if (out[i] != static_cast<int>(group_size - 1 - i % group_size))
      return false;
  return true;
}

template <class F> static errc thrown(F f) {
  try {
    f();
  } catch (const exception &e) {
    return static_cast<errc>(e.code().value());
  }
  return errc::success;
}

int main() {
#if SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY != 1
#error its macro
#endif
  static_assert(ex::is_property_key<ex::work_group_scratch_size_key>::value);
  queue q;
  const nd_range<1> shape(group_size * groups, group_size);
  int *const out = malloc_shared<int>(group_size * groups, q);
  size_t bytes = group_size * sizeof(int); // known at run time only

  // Without work-groups there is none; asked for before any kernel with some, it is null.
  if (q.get_backend() == backend::ext_oneapi_native_cpu) {
    q.single_task([=] { out[0] = ex::get_work_group_scratch_memory() == nullptr; }).wait();
    expect(out[0] == 1, "null in a single task");
  }

  q.parallel_for(shape, ex::properties{ex::work_group_scratch_size{bytes}}, [=](nd_item<1> item) {
     const size_t i = item.get_local_id(0);
     deep()[i] = static_cast<int>(i);
     group_barrier(item.get_group());
     out[item.get_global_id(0)] = other_half(group_size - 1 - i);
   }).wait();
  expect(reversed(out), "beside the launch");

  q.parallel_for(shape, with_get{bytes, out}).wait();
  expect(reversed(out), "of the function object");

  // Beside accessors, whose memory is other memory, with an attribute and in two dimensions.
  q.submit([&](handler &h) {
     const local_accessor<char, 1> odd(5, h);
     const local_accessor<int, 1> own(group_size, h);
     const ex::properties sizes{ex::work_group_scratch_size{2 * bytes}, ex::work_group_size<1, group_size>};
     h.parallel_for(nd_range<2>({groups, group_size}, {1, group_size}), sizes,
                    [=](nd_item<2> item) {
                      const size_t i = item.get_local_id(1);
                      int *const memory = static_cast<int *>(ex::get_work_group_scratch_memory());
                      own[i] = 1000;
                      odd[i % 5] = 1;
                      memory[i] = static_cast<int>(i);
                      memory[group_size + i] = 7;
                      group_barrier(item.get_group());
                      const size_t there = group_size - 1 - i;
                      const bool aligned = reinterpret_cast<std::uintptr_t>(memory) % alignof(double) == 0;
                      const bool apart = own[there] == 1000 && odd[there % 5] == 1 && memory[group_size + there] == 7;
                      out[item.get_global_linear_id()] = apart && aligned ? memory[there] : -1;
                    });
   }).wait();
  expect(reversed(out), "beside accessors");

  // With a kernel_handler, and through the free functions.
  ex::nd_launch(q, ex::launch_config(shape, ex::properties{ex::work_group_scratch_size{bytes}}), [=](nd_item<1> item, kernel_handler) {
    const size_t i = item.get_local_id(0);
    static_cast<int *>(ex::get_work_group_scratch_memory())[i] = static_cast<int>(i);
    group_barrier(item.get_group());
    out[item.get_global_id(0)] = other_half(group_size - 1 - i);
  });
  q.wait();
  expect(reversed(out), "by nd_launch");

  // Items that run a sub-group at a time.
  q.parallel_for(shape, ex::properties{ex::work_group_scratch_size{bytes}}, [=](nd_item<1> item) {
     const size_t i = item.get_local_id(0);
     const int sum = reduce_over_group(item.get_sub_group(), 1, plus<int>());
     static_cast<int *>(ex::get_work_group_scratch_memory())[i] = sum > 0 ? static_cast<int>(i) : 0;
     group_barrier(item.get_group());
     out[item.get_global_id(0)] = group_broadcast(item.get_group(), 0, 3) + other_half(group_size - 1 - i);
   }).wait();
  expect(reversed(out), "between group algorithms");

  // None of it: null, also right behind a launch that had some.
  q.parallel_for(shape, [=](nd_item<1> item) { out[item.get_global_id(0)] = ex::get_work_group_scratch_memory() == nullptr; }).wait();
  expect(out[0] == 1 && out[group_size * groups - 1] == 1, "null without the property");

  // As a graph's node.
  ex::command_graph graph(q);
  graph.add([&](handler &h) { h.parallel_for(shape, with_get{bytes, out}); });
  auto ready = graph.finalize();
  q.ext_oneapi_graph(ready).wait();
  expect(reversed(out), "in a graph");

  // By kernel objects, which name a function: with some, with none, beside a hint and an accessor, and as a node whose arguments change.
  const auto bundle = ex::get_kernel_bundle<turn, bundle_state::executable>(q.get_context());
  const kernel turned = bundle.ext_oneapi_get_kernel<turn>();
  ex::nd_launch(q, ex::launch_config(shape, ex::properties{ex::work_group_scratch_size{bytes}}), turned, out, 0);
  q.wait();
  expect(reversed(out), "of a kernel object");
  ex::nd_launch(q, shape, turned, out, 0);
  q.wait();
  expect(out[0] == -1 && out[group_size * groups - 1] == -1, "null for a kernel object without the property");
  const kernel with_accessor =
      ex::get_kernel_bundle<beside, bundle_state::executable>(q.get_context()).ext_oneapi_get_kernel<beside>();
  q.submit([&](handler &h) {
     const ex::properties both{ext::intel::experimental::cache_config{ext::intel::experimental::large_slm}, ex::work_group_scratch_size{bytes}};
     ex::nd_launch(h, ex::launch_config(nd_range<2>({groups, group_size}, {1, group_size}), both), with_accessor, out,
                   local_accessor<int, 1>(group_size, h));
   }).wait();
  expect(reversed(out), "of a kernel object, beside an accessor");
  ex::nd_launch(q, ex::launch_config(shape, ex::properties{ex::work_group_scratch_size{bytes}}), ex::kernel_function<turn>, out, 0);
  q.wait();
  expect(reversed(out), "of a function");
  ex::command_graph changing(q);
  ex::dynamic_parameter from(changing, 5);
  const ex::node one = changing.add([&](handler &h) {
    ex::nd_launch(h, ex::launch_config(shape, ex::properties{ex::work_group_scratch_size{bytes}}), turned, out, from);
  });
  auto changed = changing.finalize(ex::property::graph::updatable());
  q.ext_oneapi_graph(changed).wait();
  expect(out[0] == static_cast<int>(group_size) + 4, "of a kernel object in a graph");
  from.update(0);
  changed.update(one);
  q.ext_oneapi_graph(changed).wait();
  expect(reversed(out), "of a kernel object in a graph, after an update");
  expect(thrown([&] {
           const ex::properties too_much{ex::work_group_scratch_size{q.get_device().get_info<info::device::local_mem_size>() + 1}};
           ex::nd_launch(q, ex::launch_config(shape, too_much), turned, out, 0);
         }) == errc::memory_allocation, "more than there is, of a kernel object");

  const size_t most = q.get_device().get_info<info::device::local_mem_size>();
  expect(thrown([&] { q.parallel_for(shape, with_get{most + 1, out}); }) == errc::memory_allocation, "more than there is");
  expect(thrown([&] {
           q.submit([&](handler &h) {
             const local_accessor<char, 1> half(most / 2 + 1, h);
             h.parallel_for(shape, ex::properties{ex::work_group_scratch_size{most / 2 + 1}}, [=](nd_item<1>) { half[0] = 1; });
           });
         }) == errc::memory_allocation, "more than there is, together with accessors");
  expect(thrown([&] { q.parallel_for(range<1>(4), ex::properties{ex::work_group_scratch_size{bytes}}, [=](id<1> i) { out[i] = 0; }); }) ==
             errc::kernel_argument, "a kernel without work-groups");
  expect(thrown([&] { q.single_task(ex::properties{ex::work_group_scratch_size{bytes}}, [=] { out[0] = 0; }); }) == errc::kernel_argument,
         "a single task");
  free(out, q);
  return failures;
}
