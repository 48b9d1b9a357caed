//! Profiling tags, reductions with properties, and what no device builds. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
namespace times = sycl::info::event_profiling;

static_assert(SYCL_EXT_ONEAPI_PROFILING_TAG >= 1 && SYCL_EXT_ONEAPI_REDUCTION_PROPERTIES >= 1);
static_assert(ex::is_property_key<ex::deterministic_key>::value && ex::is_property_key<ex::initialize_to_identity_key>::value);
// There is no reduction with properties of something else, nor with one that is in no list.
template <class P, class = void> inline constexpr bool reduces_with = false;
template <class P>
inline constexpr bool reduces_with<P, std::void_t<decltype(sycl::reduction(std::declval<int *>(), sycl::plus<int>(), std::declval<P>()))>> = true;
static_assert(reduces_with<decltype(ex::properties{ex::deterministic})> && reduces_with<ex::empty_properties_t>);
static_assert(!reduces_with<decltype(ex::properties{ex::deterministic, ex::full_group})> && !reduces_with<decltype(ex::deterministic)>);

static void tags(const sycl::device &d) {
  sycl::queue plain(d);
  if (!d.has(sycl::aspect::ext_oneapi_queue_profiling_tag))
    CHECK(throws(sycl::errc::invalid, [&] { ex::submit_profiling_tag(plain); }));
  else
    CHECK(ex::submit_profiling_tag(plain).get_profiling_info<times::command_end>() > 0);
  for (const bool in_order : {true, false}) {
    sycl::queue q = in_order ? sycl::queue(d, {sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()})
                             : sycl::queue(d, sycl::property::queue::enable_profiling());
    sycl::event first = ex::submit_profiling_tag(q);
    sycl::event kernel = q.parallel_for(sycl::range<1>(1000), [](sycl::id<1>) {});
    sycl::event second = ex::submit_profiling_tag(q);
    q.wait();
    CHECK(second.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
    CHECK(first.get_profiling_info<times::command_submit>() == first.get_profiling_info<times::command_start>());
    CHECK(first.get_profiling_info<times::command_start>() == first.get_profiling_info<times::command_end>());
    CHECK(first.get_profiling_info<times::command_end>() <= second.get_profiling_info<times::command_start>());
    if (d.get_backend() == sycl::backend::ext_oneapi_cuda)
      continue; // the tags' times are the host's there, the kernel's the GPU's
    CHECK(first.get_profiling_info<times::command_end>() <= kernel.get_profiling_info<times::command_start>());
    CHECK(kernel.get_profiling_info<times::command_end>() <= second.get_profiling_info<times::command_start>());
  }
}

static void reductions(sycl::queue &q) {
  const ex::properties afresh{ex::deterministic, ex::initialize_to_identity};
  const ex::properties onto{ex::deterministic};
  int *const m = sycl::malloc_shared<int>(4, q);
  const auto run = [&](auto reduction) {
    m[0] = m[1] = 100;
    q.parallel_for(sycl::range<1>(8), reduction, [](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); }).wait();
    return m[0];
  };
  CHECK(run(sycl::reduction(m, sycl::plus<int>(), afresh)) == 28);
  CHECK(run(sycl::reduction(m, sycl::plus<int>(), onto)) == 128);
  CHECK(run(sycl::reduction(m, sycl::plus<int>(), ex::properties{})) == 128);
  CHECK(run(sycl::reduction(m, 0, sycl::plus<int>(), afresh)) == 28);
  const auto both = [&](auto reduction) {
    m[0] = m[1] = 100;
    q.parallel_for(sycl::range<1>(8), reduction, [](sycl::id<1> i, auto &sum) { sum[i[0] % 2] += static_cast<int>(i[0]); }).wait();
    return m[0] * 1000 + m[1];
  };
  CHECK(both(sycl::reduction(sycl::span<int, 2>(m, 2), sycl::plus<int>(), afresh)) == 12016);
  CHECK(both(sycl::reduction(sycl::span<int, 2>(m, 2), 0, sycl::plus<int>(), onto)) == 112116);
  sycl::buffer<int> b(1);
  const auto into = [&](auto make) {
    sycl::host_accessor{b}[0] = 100;
    q.submit([&](sycl::handler &h) { h.parallel_for(sycl::nd_range<1>(8, 4), make(h), [](sycl::nd_item<1>, auto &sum) { sum += 2; }); });
    return sycl::host_accessor(b)[0];
  };
  CHECK(into([&](sycl::handler &h) { return sycl::reduction(b, h, sycl::plus<int>(), afresh); }) == 16);
  CHECK(into([&](sycl::handler &h) { return sycl::reduction(b, h, 0, sycl::plus<int>(), onto); }) == 116);
  sycl::free(m, q);
}

int main() {
  sycl::queue q;
  tags(q.get_device());
  reductions(q);
  CHECK(!q.get_device().ext_oneapi_can_build(ex::source_language::sycl));
  CHECK(!q.get_device().ext_oneapi_can_compile(ex::source_language::opencl));
  return failures;
}
