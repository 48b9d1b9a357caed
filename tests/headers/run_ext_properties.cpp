//! Properties of kernels require what attributes would: launches that do not fit are refused, the ones that fit run with what is required.
//! Exit status 0: all right.
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_PROPERTIES >= 1 && SYCL_EXT_ONEAPI_KERNEL_PROPERTIES >= 1);
constexpr ex::properties both{ex::work_group_size<4, 2>, ex::sub_group_size<8>};
static_assert(ex::is_property_list_v<decltype(both)> && !ex::is_property_list_v<int>);
static_assert(both.has_property<ex::work_group_size_key>() && !both.has_property<ex::device_has_key>());
static_assert(both.get_property<ex::work_group_size_key>()[1] == 2 && both.get_property<ex::sub_group_size_key>().value == 8);
static_assert(ex::is_property_value_v<decltype(ex::sub_group_size<8>)>);
static_assert(ex::has_property_v<decltype(both), ex::sub_group_size_key> && !ex::has_property_v<ex::empty_properties_t, ex::sub_group_size_key>);
// The order does not count, and what the compiler knows needs no object.
using sorted = decltype(ex::properties(ex::sub_group_size<8>, ex::work_group_size<4, 2>));
static_assert(std::is_same_v<const sorted, decltype(both)> && sorted::get_property<ex::sub_group_size_key>().value == 8);
constexpr ex::properties scratch{ex::work_group_scratch_size(12), ex::sub_group_size<8>};
constexpr ex::properties hctarcs{ex::sub_group_size<8>, ex::work_group_scratch_size(13)};
static_assert(std::is_same_v<decltype(scratch), decltype(hctarcs)> && decltype(scratch)::get_property<ex::sub_group_size_key>().value == 8);
static_assert(scratch.get_property<ex::work_group_scratch_size>().value + hctarcs.get_property<ex::work_group_scratch_size>().value == 25);
static_assert(ex::is_property_value<decltype(ex::sub_group_size<8>)>::value && !ex::is_property_value_v<const int>);
static_assert(ex::is_property_key<ex::work_group_size_key>::value && ex::is_property_key<ex::device_has_key>::value);
static_assert(ex::is_property_value_of<decltype(ex::host_access_read), ex::device_global<int>>::value);
static_assert(ex::device_has<sycl::aspect::cpu, sycl::aspect::fp16>.value[1] == sycl::aspect::fp16);
static_assert(decltype(ex::device_has<>)::value.empty());

static int failures = 0;

static void check(bool good, const char *what) {
  if (!good) {
    std::printf("wrong: %s\n", what);
    ++failures;
  }
}

/// The launch throws that, at once, and the message names `what`.
template <class F> static void refused(sycl::errc code, const char *what, F f) {
  try {
    f();
    check(false, what);
  } catch (const sycl::exception &e) {
    check(e.code() == code && std::strstr(e.what(), what), e.what());
  }
}

/// With a property, an attribute and a kernel_handler.
struct functor {
  int *r;
  void operator()(sycl::nd_item<1> i) const [[sycl::reqd_sub_group_size(8)]] {
    r[i.get_global_id(0)] = static_cast<int>(i.get_sub_group().get_max_local_range()[0]) + 100 * static_cast<int>(i.get_local_range(0));
  }
  auto get(ex::properties_tag) const { return ex::properties{ex::work_group_size<16>}; }
};

/// With a property of its own; a kernel for each number.
template <int> struct own_size {
  int *r;
  void operator()(sycl::nd_item<1> i) const { r[i.get_global_id(0)] = i.get_sub_group().get_max_local_range()[0]; }
  template <class Sum> void operator()(sycl::nd_item<1> i, Sum &sum) const {
    (*this)(i);
    sum += 1;
  }
  auto get(ex::properties_tag) const { return ex::properties{ex::sub_group_size<8>}; }
};
struct own_group {
  int *r;
  void operator()(sycl::nd_item<1> i) const { r[i.get_global_id(0)] = 0; }
  auto get(ex::properties_tag) const { return ex::properties{ex::work_group_size<16>}; }
};
/// Its `get` is not const, as in many of DPC++'s own programs.
template <int> struct changing_group {
  int *r;
  void operator()(sycl::nd_item<1> i) const { r[i.get_global_id(0)] = 13; }
  template <class Sum> void operator()(sycl::nd_item<1> i, Sum &) const { (*this)(i); }
  auto get(ex::properties_tag) { return ex::properties{ex::work_group_size<16>}; }
};

int main() {
  sycl::queue q;
  int *r = sycl::malloc_shared<int>(256, q);
  q.fill(r, 0, 256).wait();
  const auto all = [&](int count, int value) {
    bool good = true;
    for (int i = 0; i < count; ++i) {
      good = good && r[i] == value;
      r[i] = 0;
    }
    return good;
  };

  q.parallel_for<class A>(sycl::nd_range<1>(64, 16), functor{r}).wait();
  check(all(64, 1608), "a functor's own properties, beside its attribute");
  refused(sycl::errc::nd_range, "16", [&] { q.parallel_for<class B>(sycl::nd_range<1>(64, 32), functor{r}); });

  const auto sizes = [=](sycl::nd_item<2> i) {
    r[i.get_global_linear_id()] = static_cast<int>(i.get_sub_group().get_max_local_range()[0]);
  };
  q.parallel_for<class C>(sycl::nd_range<2>({8, 8}, {4, 2}), both, sizes).wait();
  check(all(64, 8), "properties of a launch");
  refused(sycl::errc::nd_range, "4x2", [&] { q.parallel_for<class D>(sycl::nd_range<2>({8, 8}, {2, 4}), both, sizes); });
  q.submit([&](sycl::handler &h) { h.parallel_for<class E>(sycl::nd_range<2>({8, 8}, {4, 2}), both, sizes); }).wait();
  check(all(64, 8), "properties in a command group");

  q.parallel_for<class F>(sycl::range(64), ex::properties{ex::work_group_size<8>}, [=](sycl::id<1> i) { r[i] = 1; }).wait();
  check(all(64, 1), "over a range");
  refused(sycl::errc::nd_range, "8", [&] {
    q.parallel_for<class G>(sycl::range(60), ex::properties{ex::work_group_size<8>}, [=](sycl::id<1> i) { r[i] = 1; });
  });
  q.parallel_for(sycl::range(64), ex::properties{}, [=](auto i) { r[i] = 2; }).wait();
  check(all(64, 2), "no properties");
  const sycl::event first = q.single_task(ex::properties{ex::work_group_size_hint<1>}, [=] { r[0] = 3; });
  q.single_task({first}, ex::properties{ex::work_group_size_hint<1>}, [=] { r[0] = r[0] == 3 ? 3 : -1; }).wait();
  check(all(1, 3), "a single task");

  q.parallel_for<class H>(sycl::range(64), ex::properties{ex::work_group_size<8>}, sycl::reduction(r, sycl::plus<int>()),
                          [=](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); }).wait();
  check(all(1, 2016), "a reduction");
  refused(sycl::errc::nd_range, "8", [&] {
    q.parallel_for<class I>(sycl::range(60), ex::properties{ex::work_group_size<8>}, sycl::reduction(r, sycl::plus<int>()),
                            [=](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); });
  });

  // Upper bounds of work-groups.
  const auto size = [=](sycl::nd_item<2> i) { r[i.get_global_linear_id()] = static_cast<int>(i.get_local_range(1)); };
  const ex::properties bounds{ex::max_work_group_size<4, 8>, ex::max_linear_work_group_size<16>};
  q.parallel_for<class L>(sycl::nd_range<2>({8, 8}, {2, 8}), bounds, size).wait();
  check(all(64, 8), "within the bounds");
  const auto of_size = [=](sycl::range<2> local) { return sycl::nd_range<2>({8, 8}, local); };
  refused(sycl::errc::nd_range, "max_work_group_size", [&] { q.parallel_for<class M>(of_size({8, 2}), bounds, size); });
  refused(sycl::errc::nd_range, "max_linear_work_group_size", [&] { q.parallel_for<class N>(of_size({4, 8}), bounds, size); });
  q.parallel_for<class O>(sycl::range(64), ex::properties{ex::max_work_group_size<1>}, [=](sycl::id<1> i) { r[i] = 1; }).wait();
  check(all(64, 1), "a bound over a range");
  refused(sycl::errc::nd_range, "max_linear_work_group_size", [&] {
    const ex::properties sixteen{ex::max_linear_work_group_size<16>};
    const auto sums = [=](sycl::nd_item<1>, auto &sum) { sum += 1; };
    q.parallel_for<class P>(sycl::nd_range<1>(64, 32), sixteen, sycl::reduction(r, sycl::plus<int>()), sums);
  });

  refused(sycl::errc::kernel_not_supported, "ext_oneapi_bindless_images",
          [&] { q.single_task<class J>(ex::properties{ex::device_has<sycl::aspect::ext_oneapi_bindless_images>}, [=] { r[0] = 4; }); });
  refused(sycl::errc::kernel_not_supported, "sub-group", [&] {
    q.parallel_for<class K>(sycl::nd_range<1>(64, 16), ex::properties{ex::sub_group_size<12>}, [=](sycl::nd_item<1> i) { r[i.get_global_id(0)] = 5; });
  });
  check(all(256, 0), "what is refused does not run");

  // Those that change nothing.
  namespace intel = sycl::ext::intel::experimental;
  static_assert(SYCL_EXT_INTEL_CACHE_CONFIG >= 1 && SYCL_EXT_INTEL_EVENT_MODE >= 1);
  static_assert(ex::is_property_key<intel::cache_config_key>::value && ex::is_property_key<intel::event_mode_key>::value);
  const auto seven = [=](sycl::nd_item<1> i) { r[i.get_global_id(0)] = 7; };
  const ex::properties large{intel::cache_config{intel::large_slm}, ex::sub_group_size_primary};
  const ex::properties chosen{ex::sub_group_size_automatic, intel::cache_config(intel::large_data)};
  check(large.get_property<intel::cache_config_key>().value == intel::cache_config_enum::large_slm, "a value at run time");
  const ex::properties waits{intel::event_mode{intel::event_mode_enum::low_power}};
  ex::submit_with_event(q, waits, [&](sycl::handler &h) {
    ex::nd_launch<class Q>(h, ex::launch_config(sycl::nd_range<1>(64, 16), large), seven);
  }).wait();
  check(all(64, 7), "hints");
  ex::nd_launch<class R>(q, ex::launch_config(sycl::nd_range<1>(64, 16), chosen), seven);
  q.wait();
  check(all(64, 7), "hints of a queue's launch");

  // A kernel's own and those beside its launch count together, and reductions do not change that.
  q.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{ex::work_group_size<16>}, own_size<1>{r}).wait();
  check(all(64, 8), "own properties beside the launch's");
  q.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{}, own_size<2>{r}).wait();
  check(all(64, 8), "own properties beside none");
  ex::nd_launch(q, ex::launch_config(sycl::nd_range<1>(64, 16), ex::properties{ex::work_group_scratch_size(64)}), own_size<3>{r});
  q.wait();
  check(all(64, 8), "own properties beside values");
  q.parallel_for(sycl::nd_range<1>(64, 16), ex::properties{ex::work_group_size<16>}, sycl::reduction(r + 64, sycl::plus<int>()), own_size<4>{r}).wait();
  check(all(64, 8) && r[64] != 0, "own properties beside a reduction");
  refused(sycl::errc::nd_range, "", [&] { q.parallel_for(sycl::nd_range<1>(64, 32), ex::properties{ex::sub_group_size<8>}, own_group{r}); });
  q.parallel_for(sycl::nd_range<1>(64, 16), changing_group<1>{r}).wait();
  check(all(64, 13), "own properties of a get that is not const");
  refused(sycl::errc::nd_range, "16", [&] { q.parallel_for(sycl::nd_range<1>(64, 32), changing_group<2>{r}); });
  refused(sycl::errc::nd_range, "16", [&] { q.parallel_for(sycl::nd_range<1>(64, 32), ex::properties{ex::sub_group_size<8>}, changing_group<3>{r}); });
  refused(sycl::errc::nd_range, "16", [&] {
    q.parallel_for(sycl::nd_range<1>(64, 32), sycl::reduction(r + 64, sycl::plus<int>()), changing_group<4>{r});
  });

  // Lists without what the compiler can make; a name that is only declared.
  using list = decltype(ex::properties{ex::work_group_size<16>, ex::sub_group_size<8>});
  constexpr list none, some(ex::sub_group_size<8>);
  static_assert(none.get_property<ex::work_group_size_key>()[0] == 16 && some.get_property<ex::sub_group_size_key>() == ex::sub_group_size<8>);
  static_assert(!std::is_default_constructible_v<decltype(ex::properties{ex::work_group_scratch_size(4)})> &&
                std::is_constructible_v<decltype(ex::properties{ex::work_group_scratch_size(4), ex::sub_group_size<8>}), ex::work_group_scratch_size>);
  static_assert(ex::has_compile_time_kernel_effect_v<decltype(ex::sub_group_size<8>)> && !ex::has_compile_time_kernel_effect_v<intel::cache_config>);
  q.parallel_for(sycl::nd_range<1>(64, 16), list{}, [=](sycl::nd_item<1> i) { r[i.get_global_id(0)] = i.get_sub_group().get_max_local_range()[0]; }).wait();
  check(all(64, 8), "a list of nothing given");
  sycl::queue in_order{q.get_context(), q.get_device(), sycl::property::queue::in_order{}};
  ex::parallel_for<class S>(in_order, sycl::range<1>(64), [=](sycl::id<1> i) { r[i] = 9; });
  ex::submit(in_order, [&](sycl::handler &h) { ex::parallel_for<class T>(h, sycl::range<1>(64), [=](sycl::id<1> i) { r[i] += 1; }); });
  ex::parallel_for<class U>(in_order, ex::launch_config(sycl::range<2>(8, 8), ex::properties{}), [=](sycl::id<2> i) { r[i[0] * 8 + i[1]] += 1; });
  in_order.wait();
  check(all(64, 11), "names of kernels over ranges");
  sycl::free(r, q);
  return failures;
}
