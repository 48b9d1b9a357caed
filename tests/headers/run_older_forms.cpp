// What programs of before SYCL 2020 and for DPC++ say: sycl::atomic, launches of kernel objects, arguments by number, names of backends; and
// group loads and stores, and the limits of launches.
#include <sycl/detail/defines_elementary.hpp>
#include <sycl/sycl.hpp>

namespace ex = sycl::ext::oneapi::experimental;
static_assert(SYCL_EXT_ONEAPI_GROUP_LOAD_STORE >= 1 && SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY >= 1);

int failures = 0;
void expect(bool holds, const char *what) {
  if (!holds) {
    std::printf("wrong: %s\n", what);
    ++failures;
  }
}

__SYCL_ALWAYS_INLINE inline bool of_macros() { return true; }
__SYCL2020_DEPRECATED("for another") void of_old();

namespace other::sycl {
struct runtime_error {
  int of_another_library = 1;
};
} // namespace other::sycl

/// By their plain names, where nothing else has them.
namespace plain {
using namespace sycl;
struct device_error {
  int own = 1;
};
/// Found by its argument alone.
namespace elsewhere {
struct event {};
template <class T> int told(T of) { return event_error(of); }
inline int event_error(event) { return 0; }
} // namespace elsewhere
inline int errors(queue &q) {
  int seen = device_error().own + event_error(elsewhere::event()) + elsewhere::told(elsewhere::event()), platform_error = 1;
  try {
    q.parallel_for(nd_range<1>(10, 3), [](nd_item<1>) {});
  } catch (const nd_range_error &e) {
    seen += e.code() == errc::nd_range;
  }
  try {
    throw exception(make_error_code(errc::memory_allocation));
  } catch (feature_not_supported e) {
    seen += e.code() == errc::memory_allocation;
  }
  struct accessor_error {};
  try {
    throw accessor_error();
  } catch (accessor_error &) {
    ++seen;
  }
  return seen + platform_error;
}
} // namespace plain

/// SYCL 1.2.1's classes of errors, which are one now; unqualified, the C++ library's are meant.
void errors(sycl::queue &q) {
  using namespace std;
  using namespace sycl;
  int seen = 0;
  try {
    q.parallel_for(nd_range<1>(10, 3), [](nd_item<1>) {});
  } catch (sycl::nd_range_error const &e) {
    seen = e.code() == sycl::errc::nd_range;
  }
  try {
    throw runtime_error("the C++ library's");
  } catch (const runtime_error &e) {
    seen += std::string(e.what()) == "the C++ library's";
  }
  const std::exception_ptr none = std::make_exception_ptr(sycl::runtime_error(make_error_code(sycl::errc::runtime), "ours"));
  try {
    std::rethrow_exception(none);
  } catch (const sycl::feature_not_supported &e) {
    seen += e.code() == sycl::errc::runtime;
  }
  static_assert(is_same_v<sycl::runtime_error, sycl::exception> && is_same_v<::sycl::memory_allocation_error, sycl::exception>);
  expect(plain::errors(q) == 5, "plain names of errors");
  expect(seen == 3 && other::sycl::runtime_error().of_another_library == 1, "classes of errors");
}

void atomics(sycl::queue &q) {
  int *values = sycl::malloc_shared<int>(8, q);
  const int before[8] = {0, 100, 0xFF, 0, 0, 1000, -1000, 7};
  std::copy(before, before + 8, values);
  q.parallel_for(64, [=](sycl::id<1> i) {
     const int n = static_cast<int>(i[0]);
     auto at = [=](int place) { return sycl::atomic<int>(sycl::global_ptr<int>(values + place)); };
     at(0).fetch_add(1);
     sycl::atomic_fetch_sub(at(1), 1);
     at(2).fetch_and(~(1 << (n % 4)));
     sycl::atomic_fetch_or(at(3), 1 << (n % 8));
     at(4).fetch_xor(1 << (n % 31));
     at(5).fetch_min(n);
     sycl::atomic_fetch_max(at(6), n);
     int expected = 7;
     at(7).compare_exchange_strong(expected, 8);
   }).wait();
  const int after[8] = {64, 36, 0xF0, 0xFF, 3, 0, 63, 8};
  for (int i = 0; i < 8; ++i)
    expect(values[i] == after[i], "sycl::atomic");
  float *number = sycl::malloc_shared<float>(1, q);
  q.single_task([=] {
     sycl::atomic<float> object{sycl::global_ptr<float>(number)};
     sycl::atomic_store(object, 1.5f);
     sycl::atomic_store(object, sycl::atomic_load(object) + sycl::atomic_exchange(object, 2.0f));
   }).wait();
  expect(*number == 3.0f, "sycl::atomic of float");
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 1> sum(1, h);
     h.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
       if (item.get_local_id(0) == 0)
         sum[0] = 0;
       sycl::group_barrier(item.get_group());
       sycl::atomic<int, sycl::access::address_space::local_space>(sum.get_multi_ptr<sycl::access::decorated::no>()).fetch_add(2);
       sycl::group_barrier(item.get_group());
       values[0] = sum[0];
     });
   }).wait();
  expect(values[0] == 64, "sycl::atomic in local memory");
  sycl::free(values, q);
  sycl::free(number, q);
}

class object_kernel;
void kernel_objects(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(4, q);
  auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).get_kernel(sycl::get_kernel_id<object_kernel>());
  q.submit([&](sycl::handler &h) {
     h.set_args(1, 2.0f);
     h.parallel_for<object_kernel>(kernel, sycl::range<1>(4), [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]) + 5; });
   }).wait();
  expect(out[0] == 5 && out[3] == 8, "a kernel object beside its function");
  const auto refused = [&](auto launch) {
    try {
      q.submit([&](sycl::handler &h) {
         h.set_arg(0, out);
         launch(h);
       }).wait();
    } catch (const sycl::exception &e) {
      return e.code() == sycl::errc::invalid;
    }
    return false;
  };
  expect(refused([&](sycl::handler &h) { h.single_task(kernel); }), "single_task of a kernel object");
  expect(refused([&](sycl::handler &h) { h.parallel_for(sycl::range<2>(2, 2), kernel); }), "a range of a kernel object");
  expect(refused([&](sycl::handler &h) { h.parallel_for(sycl::nd_range<1>(2, 2), kernel); }), "an nd_range of a kernel object");
  sycl::free(out, q);
}

template <class Group, class Properties> void move(Group g, const int *in, int *out, Properties properties) {
  int values[4];
  ex::group_load(g, in, sycl::span{values}, properties);
  for (int &value : values)
    value = value * 10 + static_cast<int>(g.get_local_linear_id());
  ex::group_store(g, sycl::span{values}, out, properties);
  sycl::vec<int, 2> pair;
  ex::group_load(g, in, pair, properties);
  ex::group_store(g, pair + 1, out + 32, properties);
  int one;
  ex::group_load(g, in, one);
  ex::group_store(g, one + 2, out + 48);
}
void loads_and_stores(sycl::queue &q) {
  int *in = sycl::malloc_shared<int>(32, q), *out = sycl::malloc_shared<int>(2 * 56, q);
  for (int i = 0; i < 32; ++i)
    in[i] = i;
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
     move(item.get_group(), in, out, ex::properties{ex::data_placement_blocked, ex::contiguous_memory, ex::full_group});
     move(item.get_group(), in, out + 56, ex::properties{ex::data_placement_striped});
   }).wait();
  for (int i = 0; i < 32; ++i) {
    expect(out[i] == i * 10 + i / 4, "blocked");
    expect(out[56 + i] == i * 10 + i % 8, "striped");
  }
  for (int i = 0; i < 16; ++i)
    expect(out[32 + i] == i + 1 && out[56 + 32 + i] == i + 1, "a vector");
  for (int i = 0; i < 8; ++i)
    expect(out[48 + i] == i + 2, "a number");
  sycl::free(in, q);
  sycl::free(out, q);
}

/// What the items stored, others read at once, and what others read, the items store over.
void stores_are_seen(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(32, q);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> local(32, h);
     expect(local.get_count() == 32, "get_count of a local accessor");
     h.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {
       const int i = static_cast<int>(item.get_local_id(0));
       const ex::properties striped{ex::data_placement_striped};
       int values[2] = {i, i + 16};
       ex::group_store(item.get_group(), sycl::span{values}, local.begin(), striped);
       const int mirrored = local[31 - i];
       ex::group_load(item.get_group(), local.begin(), sycl::span{values});
       local[i] = mirrored;
       ex::group_store(item.get_sub_group(), local[i], local.begin() + item.get_sub_group().get_group_linear_id() * item.get_sub_group().get_max_local_range()[0]);
       out[2 * i] = values[0] * 100 + values[1];
       out[2 * i + 1] = local[i ^ 1];
     });
   }).wait();
  for (int i = 0; i < 16; ++i)
    expect(out[2 * i] == 2 * i * 100 + 2 * i + 1 && out[2 * i + 1] == 31 - (i ^ 1), "a store that others read");
  sycl::free(out, q);
}

struct filled {
  int a = 1;
};
union either {
  filled f;
  float g;
};
void memory_alone(sycl::queue &q) {
  float *out = sycl::malloc_shared<float>(8, q);
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
     auto &shared = *sycl::ext::oneapi::group_local_memory_for_overwrite<either[8]>(item.get_group());
     shared[item.get_local_id(0)].g = static_cast<float>(item.get_local_id(0));
     sycl::group_barrier(item.get_group());
     out[item.get_local_id(0)] = shared[7 - item.get_local_id(0)].g;
   }).wait();
  expect(out[0] == 7 && out[7] == 0, "local memory of a union");
  sycl::free(out, q);
}

/// A selector as SYCL 1.2.1's programs write them.
class first_of_all : public sycl::device_selector {
public:
  int operator()(const sycl::device &) const override { return 7; }
};

/// As their operator is private where the class is one of those that hide all by default.
class hidden : public sycl::device_selector {
  int operator()(const sycl::device &) const final { return 7; }
};

int main() {
  sycl::queue q;
  const sycl::default_selector chosen;
  const sycl::device_selector &any = chosen;
  expect(any.select_device() == sycl::device(sycl::default_selector_v), "default_selector is a device_selector");
  q = sycl::default_selector{};
  expect(q.get_device() == any.select_device(), "a selector converts to a queue");
  {
    sycl::buffer<int, 2> table(sycl::range<2>(4, 4));
    q.submit([&](sycl::handler &h) {
      auto part = table.get_access<sycl::access_mode::write>(h, {2, 3}, {1, 1});
      expect(part.get_range() == sycl::range<2>(2, 3) && part.get_offset() == sycl::id<2>(1, 1), "a range in braces");
      h.fill(part, 1);
    });
    sycl::buffer<int> row(sycl::range<1>(4));
    q.submit([&](sycl::handler &h) { h.fill(row.get_access<sycl::access_mode::write>(h, {4}), 1); });
  }
  expect(sycl::queue(hidden()).get_device() == hidden().select_device(), "a selector whose operator is private");
  const first_of_all selector;
  const sycl::device_selector &base = selector;
  expect(sycl::queue(base).get_device() == selector.select_device(), "a class derived from device_selector");
  const sycl::host_selector host;
  const sycl::device of_host{host};
  expect(of_macros(), "macros");
  expect(of_host.get_backend() == sycl::backend::native_cpu && !of_host.is_host(), "the host as a device");
  expect(sycl::ext::intel::ctz(8u) == 3 && sycl::ext::intel::ctz(sycl::int2(4, 1))[0] == 2, "ctz");
  static_assert(sycl::access::address_space::ext_intel_host_device_space == sycl::access::address_space::ext_intel_global_host_space);
  errors(q);
  atomics(q);
  kernel_objects(q);
  loads_and_stores(q);
  stores_are_seen(q);
  memory_alone(q);
  const auto groups = q.get_device().get_info<ex::info::device::max_work_groups<3>>();
  expect(groups[0] >= 65535 && groups[2] >= 0x7FFFFFFF, "max_work_groups");
  // Ports keep them in signed integers, and take the least of them and of what they want.
  expect(std::min(static_cast<std::int64_t>(groups[0]), std::int64_t{3}) == 3, "max_work_groups in signed integers");
  static_assert(std::is_same_v<sycl::ulong, unsigned long> && std::is_same_v<sycl::uchar, unsigned char>, "OpenCL C's short names");
  expect(q.get_device().get_info<ex::info::device::max_global_work_groups>() >= 0x7FFFFFFF, "max_global_work_groups");
  const sycl::device d = q.get_device();
  expect(d.get_info<sycl::ext::oneapi::info::device::num_compute_units>() == d.get_info<sycl::info::device::max_compute_units>(), "units");
  if (!d.ext_oneapi_can_access_peer(d, sycl::ext::oneapi::peer_access::atomics_supported))
    try {
      d.ext_oneapi_enable_peer_access(d);
      expect(false, "peer access that is not there");
    } catch (const sycl::exception &e) {
      expect(e.code() == sycl::errc::feature_not_supported, "the code of peer access");
    }
  expect(q.get_backend() != sycl::backend::ext_oneapi_level_zero && q.get_backend() != sycl::backend::ext_oneapi_hip, "backends");
  std::printf("%d failures\n", failures);
  return failures != 0;
}
