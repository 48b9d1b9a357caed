//! Small extensions of DPC++ that say where memory lies or how caches should treat it, and what programs ask a device by its older names. Exit
//! status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>

namespace intel = sycl::ext::intel::experimental;
namespace oneapi = sycl::ext::oneapi::experimental;

#if SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY != 1 || SYCL_EXT_ONEAPI_PLATFORM_DEVICE_INDEX != 1 || SYCL_EXT_ONEAPI_DEVICE_DEFAULT_CONTEXT != 1 ||       \
    SYCL_EXT_INTEL_CACHE_CONTROLS != 1 || SYCL_EXT_ONEAPI_COMPOSITE_DEVICE != 1
#error a feature-test macro is not there
#endif
static_assert(sycl::is_property_of_v<sycl::property::buffer::mem_channel, sycl::buffer<int, 2>>);

static void devices(const sycl::device &d) {
  const sycl::platform p = d.get_platform();
  const size_t index = d.ext_oneapi_index_within_platform();
  CHECK(p.ext_oneapi_device_at_index(index) == d && p.get_devices()[index] == d);
  CHECK(throws(sycl::errc::invalid, [&] { p.ext_oneapi_device_at_index(p.get_devices().size()); }));
  CHECK(d.ext_oneapi_get_default_context() == p.khr_get_default_context() && sycl::queue(d).get_context() == d.ext_oneapi_get_default_context());
  if (d.get_info<sycl::info::device::partition_max_sub_devices>() > 1) {
    const auto parts = d.create_sub_devices<sycl::info::partition_property::partition_equally>(1);
    CHECK(throws(sycl::errc::invalid, [&] { parts[0].ext_oneapi_index_within_platform(); }));
  }
  CHECK(oneapi::get_composite_devices().empty() && p.ext_oneapi_get_composite_devices().empty());
  CHECK(d.get_info<oneapi::info::device::component_devices>().empty() && !d.has(sycl::aspect::ext_oneapi_is_component));
  CHECK(throws(sycl::errc::invalid, [&] { d.get_info<oneapi::info::device::composite_device>(); }));
  CHECK(d.get_info<sycl::info::device::atomic64>() == d.has(sycl::aspect::atomic64));
  CHECK(d.get_info<sycl::info::device::usm_system_allocator>() == d.has(sycl::aspect::usm_system_allocations));
  CHECK(!d.get_info<sycl::info::device::kernel_kernel_pipe_support>());
}

static void channels(sycl::queue &q) {
  using sycl::property::buffer::mem_channel;
  sycl::buffer<int, 1> b(sycl::range<1>(8), {mem_channel(2)}), plain(sycl::range<1>(8));
  CHECK(b.has_property<mem_channel>() && b.get_property<mem_channel>().get_channel() == 2 && !plain.has_property<mem_channel>());
  CHECK(throws(sycl::errc::invalid, [&] { plain.get_property<mem_channel>(); }));
  q.submit([&](sycl::handler &h) { h.fill(sycl::accessor(b, h, sycl::write_only), 5); });
  CHECK(sycl::host_accessor(b)[7] == 5);
}

static void caches(sycl::queue &q) {
  constexpr oneapi::properties loads{intel::read_hint<intel::cache_control<intel::cache_mode::uncached, intel::cache_level::L1>,
                                                      intel::cache_control<intel::cache_mode::cached, intel::cache_level::L2, intel::cache_level::L3>>};
  using hinted = oneapi::annotated_ptr<int, decltype(loads)>;
  static_assert(hinted::has_property<intel::read_hint_key>() && !hinted::has_property<intel::write_hint_key>());
  static_assert(oneapi::is_property_key_of<intel::read_assertion_key, hinted>::value);
  int *const data = sycl::malloc_shared<int>(8, q);
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
     oneapi::annotated_ptr to(data, oneapi::properties{intel::write_hint<intel::cache_control<intel::cache_mode::write_through, intel::cache_level::L1>>});
     to[i[0]] = 2;
     const hinted from(data);
     const oneapi::annotated_ptr more{from, oneapi::properties{oneapi::alignment<4>}};
     static_assert(decltype(more)::has_property<intel::read_hint_key>() && decltype(more)::has_property<oneapi::alignment_key>());
     to[i[0]] = more[i[0]] + 1;
   }).wait();
  for (int i = 0; i < 8; ++i)
    CHECK(data[i] == 3);
  sycl::free(data, q);
}

static void constants(sycl::queue &q) {
  int values[4] = {1, 2, 3, 4}, sum = 0;
  {
    sycl::buffer<int, 1> b(values, 4), out(&sum, 1);
    q.submit([&](sycl::handler &h) {
      auto a = b.get_access<sycl::access::mode::read, sycl::access::target::constant_buffer>(h);
      const sycl::accessor to(out, h, sycl::write_only);
      h.single_task([=] {
        const sycl::multi_ptr p(a);
        static_assert(std::is_same_v<decltype(p), const sycl::multi_ptr<int, sycl::access::address_space::constant_space, sycl::access::decorated::no>>);
        to[0] = p[0] + p[3];
      });
    });
  }
  CHECK(sum == 5);
}

/// Of what accessors and annotated pointers have.
static void prefetched(sycl::queue &q) {
  using annotated = oneapi::annotated_ptr<int, decltype(oneapi::properties{oneapi::alignment<4>})>;
  static_assert(std::is_same_v<annotated::reference, oneapi::annotated_ref<int, decltype(oneapi::properties{oneapi::alignment<4>})>>);
  static_assert(annotated::get_property<oneapi::alignment_key>().value == 4 && std::is_nothrow_constructible_v<annotated, int *>);
  sycl::buffer<int, 2> b({4, 4});
  q.submit([&](sycl::handler &h) {
    const sycl::accessor a(b, h);
    h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) {
      oneapi::prefetch(a, sycl::id<2>(1, 0), oneapi::properties{oneapi::prefetch_hint_L1});
      oneapi::prefetch(a, sycl::id<2>(1, 0), 4);
      oneapi::joint_prefetch(i.get_group(), a, sycl::id<2>(0, 0), oneapi::properties{oneapi::prefetch_hint_L2_nt});
      oneapi::joint_prefetch(i.get_group(), a, sycl::id<2>(0, 0), 4, oneapi::properties{oneapi::prefetch_hint_L1});
      a[0][i.get_local_id(0)] = 3;
    });
  });
  CHECK(sycl::host_accessor(b)[0][3] == 3);
}

/// Functions of bfloat16 where the extension has them, and without a namespace.
static void short_functions() {
  namespace oa = sycl::ext::oneapi;
  using namespace sycl;
  const oa::bfloat16 two = 2.0f, four = 4.0f;
  CHECK(oa::sqrt(four) == two && oa::fma(two, two, four) == oa::bfloat16(8.0f) && !oa::isnan(two) && oa::fmax(two, four) == four);
  CHECK(sqrt(four) == two && oneapi::sqrt(four) == two && exp2(two) == four);
  const sycl::marray<oa::bfloat16, 2> both(four);
  CHECK(oa::sqrt(both)[1] == two && oneapi::sqrt(both)[0] == two);
  const sycl::vec<oa::bfloat16, 2> pair(four);
  CHECK(oa::sqrt(pair)[1] == two && oneapi::sqrt(pair)[0] == two && oa::fmin(pair, pair)[0] == four);
}

int main() {
  sycl::queue q;
  prefetched(q);
  short_functions();
  devices(q.get_device());
  channels(q);
  caches(q);
  constants(q);
  return failures != 0;
}
