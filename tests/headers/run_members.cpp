//! Member functions that programs for SYCL 1.2.1 and conformance tests use: asynchronous copies, wait lists, shared_ptr copies, exceptions
//! with a context. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <memory>
#include <sycl/sycl.hpp>

static void asynchronous_copies(sycl::queue &q) {
  std::vector<int> in(64), out(64, -1), strided(64, -1), whole(64, -1);
  for (int i = 0; i < 64; ++i)
    in[i] = i;
  {
    sycl::buffer<int, 1> from(in), to(out), apart(strided), by_group(whole);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(from, h, sycl::read_only);
      sycl::accessor b(to, h, sycl::write_only);
      sycl::accessor c(apart, h, sycl::read_write);
      sycl::local_accessor<int, 1> l(sycl::range<1>(16), h);
      h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
        const auto g = i.get_group();
        const auto global = [&](auto *p) { return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::yes>(p); };
        const auto local = l.get_multi_ptr<sycl::access::decorated::yes>();
        const size_t base = g.get_group_id(0) * 16;
        g.wait_for(g.async_work_group_copy(local, global(&a[base]), 16));
        const int other = l[15 - i.get_local_id(0)];
        sycl::group_barrier(g);
        l[i.get_local_id(0)] = other;
        sycl::group_barrier(g);
        i.wait_for(i.async_work_group_copy(global(&b[base]), local, 16), i.async_work_group_copy(global(&c[base]), local, 8, 2));
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(from, h, sycl::read_only);
      sycl::accessor b(by_group, h, sycl::write_only);
      sycl::local_accessor<int, 1> l(sycl::range<1>(8), h);
      h.parallel_for_work_group(sycl::range<1>(8), sycl::range<1>(8), [=](sycl::group<1> g) {
        const auto global = [&](auto *p) { return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::yes>(p); };
        const auto local = l.get_multi_ptr<sycl::access::decorated::yes>();
        g.async_work_group_copy(local, global(&a[g.get_group_id(0) * 8]), 8).wait();
        g.parallel_for_work_item([&](sycl::h_item<1> i) { l[i.get_local_id(0)] += 100; });
        g.async_work_group_copy(global(&b[g.get_group_id(0) * 8]), local, 8).wait();
      });
    });
  }
  bool right = true;
  for (int i = 0; i < 64; ++i) {
    right = right && out[i] == i / 16 * 16 + 15 - i % 16 && whole[i] == i + 100;
    right = right && strided[i] == (i % 2 ? -1 : i / 16 * 16 + 15 - i % 16 / 2);
  }
  CHECK(right);
}

static void wait_lists(sycl::queue &q) {
  CHECK(sycl::event().get_wait_list().empty());
  bool release = false;
  const sycl::event slow = q.host_task([&] {
    while (!__atomic_load_n(&release, __ATOMIC_ACQUIRE)) {
    }
  });
  const sycl::event after = q.submit([&](sycl::handler &h) {
    h.depends_on(slow);
    h.host_task([] {});
  });
  const std::vector<sycl::event> list = after.get_wait_list();
  CHECK(list.size() == 1 && list[0] == slow && list[0].get_wait_list().empty());
  __atomic_store_n(&release, true, __ATOMIC_RELEASE);
  after.wait();
  slow.wait();
  CHECK(q.submit([&](sycl::handler &h) {
           h.depends_on(slow);
           h.host_task([] {});
         }).get_wait_list().empty());
}

/// wait_and_throw of an event asks the queues of all that it was told to wait for, over however many events. Source: SYCL 2020 §4.6.6.1.
static void errors_of_others() {
  int seen[3] = {};
  const auto count_into = [](int &one) { return [&one](sycl::exception_list list) { one += static_cast<int>(list.size()); }; };
  sycl::queue first(count_into(seen[0])), between(count_into(seen[1])), last(count_into(seen[2]));
  const auto fails = [](sycl::queue &q, const std::vector<sycl::event> &after) {
    return q.submit([&](sycl::handler &h) {
      h.depends_on(after);
      h.host_task([] { throw 1; });
    });
  };
  const sycl::event a = fails(first, {});
  a.wait(); // over before the next one is submitted
  const sycl::event b = between.single_task(a, [] {});
  sycl::event c = fails(last, {b});
  c.wait();
  CHECK(seen[0] == 0 && seen[2] == 0);
  c.wait_and_throw();
  CHECK(seen[0] == 1 && seen[1] == 0 && seen[2] == 1);
}

static void copies(sycl::queue &q) {
  // All sizes of an accessor to nothing are 0. Source: SYCL 2020 §4.7.6.9.
  const auto none = [](const auto &a) { return a.empty() && a.size() == 0 && a.byte_size() == 0 && a.max_size() == 0; };
  CHECK(none(sycl::accessor<int, 2>()) && none(sycl::accessor<int, 0>()) && none(sycl::local_accessor<int, 1>()) && none(sycl::host_accessor<int, 3>()));
  sycl::buffer<int, 1> b(sycl::range<1>(32));
  sycl::accessor placeholder(b); // the queue requires it
  q.fill(placeholder, 7);
  int host[32] = {};
  q.copy(placeholder, host).wait();
  CHECK(host[0] == 7 && host[31] == 7);
  // A parameter of type shared_ptr takes what becomes one, and the buffer ends it.
  int ended = 0;
  const auto end = [&ended](int *p) {
    ended = p[3];
    delete[] p;
  };
  std::unique_ptr<int, decltype(end)> unique(new int[4]{1, 2, 3, 4}, end);
  {
    sycl::buffer<int> of_unique(std::move(unique), 4);
    CHECK(!unique);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(of_unique, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] *= 10; });
    });
  }
  CHECK(ended == 40);
  std::unique_ptr<int, decltype(end)> second(new int[4]{1, 2, 3, 4}, end);
  {
    sycl::buffer<int> of_second(std::move(second), 4);
    of_second.set_final_data(nullptr); // the memory it was made from stays where update_host writes
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(of_second, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 3; });
    });
    q.submit([&](sycl::handler &h) { h.update_host(sycl::accessor<int, 1, sycl::access_mode::read>(of_second, h)); }).wait();
  }
  CHECK(ended == 7);
  std::shared_ptr<int> owned(new int[32], [](int *p) { delete[] p; });
  for (int i = 0; i < 32; ++i)
    owned.get()[i] = i;
  q.submit([&](sycl::handler &h) { h.copy(owned, b.get_access<sycl::access_mode::write>(h)); });
  std::shared_ptr<int> back(new int[32], [](int *p) { delete[] p; });
  q.submit([&](sycl::handler &h) { h.copy(b.get_access<sycl::access_mode::read>(h), back); }).wait();
  bool right = true;
  for (int i = 0; i < 32; ++i)
    right = right && back.get()[i] == i;
  CHECK(right);
}

static void exceptions(sycl::queue &q) {
  const sycl::exception with(q.get_context(), sycl::make_error_code(sycl::errc::invalid), "mine"), without(sycl::make_error_code(sycl::errc::build));
  const sycl::exception copy(with);
  CHECK(copy.has_context() && copy.get_context() == q.get_context() && !without.has_context() && std::strcmp(copy.what(), "mine") == 0);
  bool thrown = false;
  try {
    (void)without.get_context();
  } catch (const sycl::exception &e) {
    thrown = e.code() == sycl::errc::invalid;
  }
  CHECK(thrown);
}

/// A device says how it can be divided before somebody tries; what parts are like is tested by tests/e2e/sub-devices.cpp.
static void sub_devices(const sycl::device &d) {
  using how = sycl::info::partition_property;
  using domain = sycl::info::partition_affinity_domain;
  namespace info = sycl::info::device;
  const std::vector<how> ways = d.get_info<info::partition_properties>();
  const auto can = [&](how way) { return std::find(ways.begin(), ways.end(), way) != ways.end(); };
  if (ways.empty()) { // as of other backends
    CHECK(d.get_info<info::partition_max_sub_devices>() == 0);
    try {
      (void)d.create_sub_devices<how::partition_equally>(1);
      CHECK(!"divided");
    } catch (const sycl::exception &e) {
      CHECK(e.code() == sycl::errc::feature_not_supported);
    }
    return;
  }
  CHECK(can(how::partition_equally) && can(how::partition_by_counts));
  CHECK(can(how::partition_by_affinity_domain) == !d.get_info<info::partition_affinity_domains>().empty());
  const auto units = d.get_info<info::max_compute_units>();
  CHECK(d.get_info<info::partition_max_sub_devices>() == units && d.get_info<info::partition_type_property>() == how::no_partition);
  CHECK(d.get_info<info::partition_type_affinity_domain>() == domain::not_applicable);
  const auto refuses = [](sycl::errc code, auto ask) {
    try {
      (void)ask();
    } catch (const sycl::exception &e) {
      return e.code() == code;
    }
    return false;
  };
  CHECK(d.create_sub_devices<how::partition_equally>(1).size() == units);
  CHECK(refuses(sycl::errc::invalid, [&] { return d.create_sub_devices<how::partition_by_counts>({units, 1}); }));
  if (can(how::partition_by_affinity_domain))
    CHECK(d.create_sub_devices<how::partition_by_affinity_domain>(domain::numa).size() > 1);
  else
    CHECK(refuses(sycl::errc::feature_not_supported, [&] { return d.create_sub_devices<how::partition_by_affinity_domain>(domain::numa); }));
  CHECK(refuses(sycl::errc::invalid, [&] { return d.get_info<info::parent_device>(); }));
}

struct own_error {
  int value;
};
/// What a host task throws reaches the handler as it is, in order.
static void thrown_objects() {
  std::string seen;
  sycl::queue q{[&](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      try {
        std::rethrow_exception(error);
      } catch (const own_error &e) {
        seen += "own " + std::to_string(e.value) + ";";
      } catch (const sycl::exception &e) {
        seen += "sycl " + std::to_string(e.code().value()) + ";";
      } catch (const std::exception &e) {
        seen += std::string(e.what()) + ";";
      }
  }};
  q.host_task([] { throw own_error{7}; }).wait();
  q.host_task([] { throw own_error{8}; }).wait();
  q.host_task([] { throw std::out_of_range("far"); }).wait();
  q.host_task([] { throw sycl::exception(sycl::make_error_code(sycl::errc::event), "e"); }).wait();
  q.wait_and_throw();
  CHECK(seen == "own 7;own 8;far;sycl 5;");
  seen.clear();
  q.wait_and_throw();
  CHECK(seen.empty());
}

static_assert(sycl::is_property_of_v<sycl::property::queue::in_order, sycl::queue> && !sycl::is_property_of_v<sycl::property::no_init, sycl::queue>);
static_assert(std::is_same_v<sycl::opencl::cl_uint, std::uint32_t>);

/// Vectors in unions, which ports of CUDA programs have.
union four {
  sycl::float4 whole;
  float each[4];
};
static_assert(std::is_trivially_default_constructible_v<sycl::half2> && std::is_trivially_default_constructible_v<four>);
static_assert(sycl::int4().y() == 0 && sycl::vec<int, 3>{}.z() == 0);
void in_unions(sycl::queue &q) {
  float *out = sycl::malloc_shared<float>(4, q);
  q.single_task([=] {
     four both;
     both.whole = sycl::float4(1, 2, 3, 4);
     for (int i = 0; i < 4; ++i)
       out[i] = both.each[i];
   }).wait();
  CHECK(out[0] == 1 && out[3] == 4);
  sycl::free(out, q);
}

/// Owners are not counted, so that there is one of each.
static void owners(sycl::queue &q) {
  using namespace sycl::info;
  const auto k = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).get_kernel(sycl::get_kernel_ids()[0]);
  CHECK(sycl::event().get_info<event::reference_count>() == 1 && q.get_info<queue::reference_count>() == 1);
  CHECK(q.get_context().get_info<context::reference_count>() == 1 && q.get_device().get_info<device::reference_count>() == 1);
  CHECK(k.get_info<kernel::reference_count>() == 1);
}

/// Of atomic operations, and of fences: these alone have the work-item's. Source: SYCL 2020 revision 12.
static void scopes_of_atomics(const sycl::queue &q) {
  using scopes = std::vector<sycl::memory_scope>;
  const scopes atomics{sycl::memory_scope::sub_group, sycl::memory_scope::work_group, sycl::memory_scope::device, sycl::memory_scope::system};
  scopes fences = atomics;
  fences.insert(fences.begin(), sycl::memory_scope::work_item);
  const sycl::device d = q.get_device();
  const sycl::context c = q.get_context();
  CHECK(d.get_info<sycl::info::device::atomic_memory_scope_capabilities>() == atomics);
  CHECK(c.get_info<sycl::info::context::atomic_memory_scope_capabilities>() == atomics);
  CHECK(d.get_info<sycl::info::device::atomic_fence_scope_capabilities>() == fences);
  CHECK(c.get_info<sycl::info::context::atomic_fence_scope_capabilities>() == fences);
}

int main() {
  sycl::queue q;
  owners(q);
  scopes_of_atomics(q);
  in_unions(q);
  asynchronous_copies(q);
  wait_lists(q);
  errors_of_others();
  copies(q);
  exceptions(q);
  sub_devices(q.get_device());
  thrown_objects();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
