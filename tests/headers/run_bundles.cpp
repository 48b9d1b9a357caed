//! Kernels, kernel bundles and specialization constants, end to end on the default device.
#include "check.hpp"

#include <cstdio>
#include <sycl/sycl.hpp>
#include <unordered_set>

template <class F> static int code_of(F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    return e.code().value();
  }
  return 0;
}
static int number(sycl::errc code) { return static_cast<int>(code); }

struct point {
  int x = 3;
  float y = 4;
  constexpr point() = default;
  constexpr point(int a, float b) : x(a), y(b) {}
};
constexpr sycl::specialization_id<int> width(7);
inline constexpr sycl::specialization_id<point> place;
namespace {
constexpr sycl::specialization_id<char> letter('a');
}
struct owner {
  static constexpr sycl::specialization_id<double> scale{2.5};
};
constexpr sycl::specialization_id<short> unread(short(1));

class single;
class over_range;
class over_nd_range;
class groups;
class other;
class sized;

using executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

static void constants(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(64, q);
  auto clear = [&] { std::fill(out, out + 64, -1); };
  const auto set = [](sycl::handler &h) {
    h.set_specialization_constant<width>(11);
    h.set_specialization_constant<place>(point(5, 6.5f));
    h.set_specialization_constant<owner::scale>(8.0);
    h.set_specialization_constant<width>(12); // the last one counts
  };
  const auto read = [=](sycl::kernel_handler k) {
    out[0] = k.get_specialization_constant<width>();
    const point p = k.get_specialization_constant<place>();
    out[1] = p.x;
    out[2] = static_cast<int>(p.y * 2);
    out[3] = k.get_specialization_constant<letter>();
    out[4] = static_cast<int>(k.get_specialization_constant<owner::scale>());
  };
  for (bool own : {false, true}) {
    clear();
    q.submit([&](sycl::handler &h) {
       if (own)
         set(h);
       CHECK(h.get_specialization_constant<width>() == (own ? 12 : 7));
       h.single_task<single>(read);
     }).wait();
    CHECK(out[0] == (own ? 12 : 7) && out[1] == (own ? 5 : 3) && out[2] == (own ? 13 : 8) && out[3] == 'a' && out[4] == (own ? 8 : 2));
  }
  clear();
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<width>(40);
     h.parallel_for<over_range>(sycl::range<1>(8), [=](sycl::id<1> i, sycl::kernel_handler k) {
       out[i] = k.get_specialization_constant<width>() + int(i[0]);
     });
   }).wait();
  CHECK(out[0] == 40 && out[7] == 47 && out[8] == -1);
  clear();
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<width>(50);
     h.parallel_for<over_nd_range>(sycl::nd_range<1>(16, 4), [=](sycl::nd_item<1> i, sycl::kernel_handler k) [[sycl::reqd_work_group_size(4)]] {
       out[i.get_global_id(0)] = k.get_specialization_constant<width>() + int(i.get_group(0));
     });
   }).wait();
  CHECK(out[0] == 50 && out[15] == 53);
  clear();
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<width>(60);
     h.parallel_for_work_group<groups>(sycl::range<1>(2), sycl::range<1>(3), [=](sycl::group<1> g, sycl::kernel_handler k) {
       g.parallel_for_work_item([&](sycl::h_item<1> i) { out[i.get_global_id(0)] = k.get_specialization_constant<width>(); });
     });
   }).wait();
  CHECK(out[0] == 60 && out[5] == 60 && out[6] == -1);
  // The attribute of a kernel that the header wraps still counts.
  CHECK(code_of([&] {
          q.parallel_for<sized>(sycl::nd_range<1>(16, 8), [=](sycl::nd_item<1>, sycl::kernel_handler) [[sycl::reqd_work_group_size(4)]] {});
        }) == number(sycl::errc::nd_range));

  // The same through a bundle.
  if (!q.get_device().has(sycl::aspect::online_compiler)) {
    CHECK(code_of([&] { (void)sycl::get_kernel_bundle<sycl::bundle_state::input>(q.get_context()); }) == number(sycl::errc::invalid));
    sycl::free(out, q);
    return;
  }
  auto input = sycl::get_kernel_bundle<single, sycl::bundle_state::input>(q.get_context());
  CHECK(input.contains_specialization_constants() && !input.native_specialization_constant());
  CHECK(input.has_specialization_constant<width>() && !input.has_specialization_constant<unread>());
  input.set_specialization_constant<width>(21);
  CHECK(input.get_specialization_constant<width>() == 21 && input.get_specialization_constant<letter>() == 'a');
  const executable built = sycl::build(input);
  CHECK(built.get_specialization_constant<width>() == 21);
  clear();
  q.submit([&](sycl::handler &h) {
     h.use_kernel_bundle(built);
     CHECK(code_of([&] { (void)h.get_specialization_constant<width>(); }) == number(sycl::errc::invalid));
     CHECK(code_of([&] { h.set_specialization_constant<width>(1); }) == number(sycl::errc::invalid));
     h.single_task<single>(read);
   }).wait();
  CHECK(out[0] == 21 && out[1] == 3);
  CHECK(code_of([&] {
          q.submit([&](sycl::handler &h) {
            h.set_specialization_constant<width>(1);
            h.use_kernel_bundle(built);
          });
        }) == number(sycl::errc::invalid));
  CHECK(code_of([&] {
          q.submit([&](sycl::handler &h) {
            h.use_kernel_bundle(built);
            h.single_task<other>([=] { out[0] = 1; });
          });
        }) == number(sycl::errc::kernel_not_supported));
  sycl::free(out, q);
}

static void bundles(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  const auto all = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c);
  CHECK(!all.empty() && all.has_kernel<single>() && all.has_kernel<other>(d) && all.end() - all.begin() == 1);
  CHECK(all.begin()->has_kernel(sycl::get_kernel_id<single>(), d));
  const auto one = sycl::get_kernel_bundle<single, sycl::bundle_state::executable>(c, {d});
  CHECK(one.has_kernel<single>() && !one.has_kernel<other>() && one.get_kernel_ids().size() == 1);
  const sycl::kernel kernel = one.get_kernel<single>();
  CHECK(kernel.get_kernel_bundle() == one && kernel.get_context() == c && kernel == one.get_kernel(sycl::get_kernel_id<single>()));
  CHECK(code_of([&] { (void)one.get_kernel<other>(); }) == number(sycl::errc::invalid));
  const sycl::kernel with_size = all.get_kernel<sized>();
  namespace asked = sycl::info::kernel_device_specific;
  CHECK(with_size.get_info<asked::compile_work_group_size>(d) == sycl::range<3>(4, 1, 1));
  CHECK(kernel.get_info<asked::compile_work_group_size>(d) == sycl::range<3>(0, 0, 0));
  CHECK(kernel.get_info<asked::work_group_size>(d) > 0 && kernel.get_info<asked::compile_sub_group_size>(d) == 0);
  CHECK(code_of([&] { (void)kernel.get_info<asked::global_work_size>(d); }) == number(sycl::errc::invalid));

  const auto two = sycl::get_kernel_bundle<other, sycl::bundle_state::executable>(c);
  const auto both = sycl::join(std::vector<executable>{one, two});
  CHECK(both.has_kernel<single>() && both.has_kernel<other>() && !both.has_kernel<sized>());
  CHECK(sycl::join(std::vector<executable>{}).empty());
  CHECK(code_of([&] { (void)sycl::get_kernel_bundle<sycl::bundle_state::executable>(c, std::vector<sycl::device>{}); }) ==
        number(sycl::errc::invalid));
  const auto none = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c, [](const auto &) { return false; });
  CHECK(none.empty() && none.begin() == none.end());
  CHECK(!none.contains_specialization_constants() && !none.native_specialization_constant());
  if (!d.has(sycl::aspect::online_compiler) || !d.has(sycl::aspect::online_linker))
    return;
  const auto object = sycl::compile(sycl::get_kernel_bundle<single, sycl::bundle_state::input>(c));
  CHECK(sycl::link(object).has_kernel<single>() && sycl::link(std::vector{object, object}, {d}).has_kernel<single>());
  CHECK(sycl::build(sycl::get_kernel_bundle<other, sycl::bundle_state::input>(c)).has_kernel<other>());
}

static void hashes() {
  CHECK(std::unordered_set<sycl::kernel_id>{sycl::get_kernel_id<single>(), sycl::get_kernel_id<single>()}.size() == 1);
}

static int by_function(const sycl::device &) { return 1; }

/// Names of DPC++: no device compiles source, and programs that ask are told.
static void from_source(sycl::queue &q) {
  namespace ex = sycl::ext::oneapi::experimental;
  CHECK(!q.get_device().ext_oneapi_can_build(ex::source_language::opencl));
  const std::string text = "kernel void f() {}";
  const std::vector<std::byte> bytes(4);
  CHECK(throws(sycl::errc::invalid, [&] {
    sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> b = ex::create_kernel_bundle_from_source(
        q.get_context(), ex::source_language::sycl, text, ex::properties{ex::include_files{"a.h", ""}});
    std::string log;
    executable built = ex::build(b, ex::properties{ex::build_options{"-O2"}, ex::save_log{&log}, ex::registered_kernel_names{"f"}});
    (void)ex::build(b, q.get_context().get_devices());
    (void)built.ext_oneapi_get_raw_kernel_name("f");
  }));
  CHECK(throws(sycl::errc::invalid, [&] { (void)ex::create_kernel_bundle_from_source(q.get_context(), ex::source_language::spirv, bytes); }));
  const executable own = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  CHECK(!own.ext_oneapi_has_kernel("f") && throws(sycl::errc::invalid, [&] { (void)own.ext_oneapi_get_kernel("f"); }));
}

/// Of SYCL 1.2.1 and DPC++.
static void older_questions(sycl::queue &q) {
  const sycl::device d = q.get_device();
  const sycl::kernel k = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).get_kernel<single>();
  CHECK(k.get_info<sycl::info::kernel::function_name>() == sycl::get_kernel_id<single>().get_name());
  CHECK(k.get_info<sycl::info::kernel_device_specific::ext_codeplay_num_regs>(d) == 0);
  CHECK((d.get_info<sycl::info::device::opencl_c_version>().rfind("OpenCL C ", 0) == 0) == (d.get_backend() == sycl::backend::opencl));
  CHECK(throws(sycl::errc::feature_not_supported,
               [&] { (void)d.create_sub_devices<sycl::info::partition_property::ext_intel_partition_by_cslice>(); }));
}

int main() {
  sycl::queue q{by_function};
  from_source(q);
  older_questions(q);
  constants(q);
  bundles(q);
  hashes();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
