// parallel_for_work_group where groups run in a thread a work-item, and where they do not: variables of the work-group's scope that work-items
// read and write, private memory, logical ranges of any size, memory and atomic operations at both scopes. Source: SYCL 2020 §4.9.4.2.3.
#include "check.hpp"
#include <sycl/sycl.hpp>

constexpr int groups = 37;

/// One work-item writes a variable of the group; the others, and the group, see it.
static void shared_variables(sycl::queue &q, int *out, int size) {
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
       int chosen = -1, base = static_cast<int>(g.get_group_id(0)) * 1000;
       for (int round = 0; round < 3; ++round) {
         g.parallel_for_work_item([&](sycl::h_item<1> i) {
           if (i.get_local_id(0) == static_cast<size_t>((round + 1) % size))
             chosen = base + round;
         });
         base += chosen % 10;
         g.parallel_for_work_item([&](sycl::h_item<1> i) {
           int &r = out[g.get_group_id(0) * size + i.get_local_id(0)];
           r = (round == 0 ? 0 : r) + chosen;
         });
       }
     });
   }).wait();
  for (int g = 0; g < groups; ++g) {
    int base = g * 1000, sum = 0;
    for (int round = 0; round < 3; ++round) {
      const int chosen = base + round;
      sum += chosen, base += chosen % 10;
    }
    for (int i = 0; i < size; ++i)
      CHECK(out[g * size + i] == sum);
  }
}

struct counted {
  counted() : value(7) {}
  ~counted() { value = 0; }
  int value;
};

/// Each work-item's value lasts from one loop to the next, in the largest groups too.
static void private_values(sycl::queue &q, int *out, size_t size) {
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<1>(3), sycl::range<1>(size), [=](sycl::group<1> g) {
       sycl::private_memory<counted> kept(g);
       sycl::private_memory<int> plain(g);
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         kept(i).value += static_cast<int>(i.get_global_id(0));
         plain(i) = static_cast<int>(i.get_local_id(0));
       });
       g.parallel_for_work_item([&](sycl::h_item<1> i) { kept(i).value *= 2; });
       g.parallel_for_work_item([&](sycl::h_item<1> i) { out[i.get_global_id(0)] = kept(i).value + plain(i); });
     });
   }).wait();
  for (size_t i = 0; i < 3 * size; ++i)
    CHECK(out[i] == static_cast<int>(2 * (7 + i) + i % size));
}

/// What the group does to memory is done once, and work-items see it, and the group sees what they did.
static void group_scope(sycl::queue &q, int *out, int *counter) {
  *counter = 0;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 1> local(64, h);
     h.parallel_for_work_group(sycl::range<1>(groups), sycl::range<1>(64), [=](sycl::group<1> g) {
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> all(*counter);
       const int ticket = all.fetch_add(1);
       for (int i = 0; i < 64; ++i)
         local[i] = i * ticket;
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         const size_t at = i.get_local_id(0);
         local[at] += static_cast<int>(at);
       });
       int sum = 0;
       for (int i = 0; i < 64; ++i)
         sum += local[i];
       g.parallel_for_work_item([&](sycl::h_item<1> i) { local[63 - i.get_local_id(0)] = sum; });
       out[g.get_group_linear_id()] = local[5] - 2016;
       out[groups + ticket] = 1;
     });
   }).wait();
  CHECK(*counter == groups);
  long sum = 0;
  for (int i = 0; i < groups; ++i) {
    CHECK(out[groups + i] == 1 && out[i] % 2016 == 0);
    sum += out[i] / 2016;
  }
  CHECK(sum == groups * (groups - 1) / 2);
}

static __attribute__((noinline)) void add_places(const sycl::group<3> &g, int *out) {
  g.parallel_for_work_item(sycl::range<3>(3, 5, 7), [&](sycl::h_item<3> i) {
    const size_t at = (i.get_logical_local_id(0) * 5 + i.get_logical_local_id(1)) * 7 + i.get_logical_local_id(2);
    out[g.get_group_linear_id() * 105 + at] +=
        static_cast<int>(i.get_physical_local_id(0) * 100 + i.get_physical_local_id(1) * 10 + i.get_physical_local_id(2));
  });
}

/// Logical ranges that are no multiple of the physical one, from a function that is not the kernel's.
static void logical_ranges(sycl::queue &q, int *out) {
  for (int i = 0; i < 8 * 105; ++i)
    out[i] = 0;
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<3>(2, 2, 2), sycl::range<3>(2, 2, 4), [=](sycl::group<3> g) {
       for (int twice = 0; twice < 2; ++twice)
         add_places(g, out);
     });
   }).wait();
  for (int g = 0; g < 8; ++g)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 5; ++b)
        for (int c = 0; c < 7; ++c)
          CHECK(out[g * 105 + (a * 5 + b) * 7 + c] == 2 * (a % 2 * 100 + b % 2 * 10 + c % 4));
  // Without a work-group's size: each logical work-item once.
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<2>(3, 2), [=](sycl::group<2> g) {
       g.parallel_for_work_item(sycl::range<2>(9, 11), [&](sycl::h_item<2> i) {
         out[g.get_group_linear_id() * 99 + i.get_logical_local_id(0) * 11 + i.get_logical_local_id(1)] = static_cast<int>(i.get_local_range(1));
       });
     });
   }).wait();
  for (int i = 0; i < 6 * 99; ++i)
    CHECK(out[i] == 11);
}

static void copies(sycl::queue &q, int *out) {
  for (int i = 0; i < 4 * 100; ++i)
    out[i] = i;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 1> local(100, h);
     h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(32), [=](sycl::group<1> g) {
       const auto global = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(out + g.get_group_id(0) * 100);
       g.wait_for(g.async_work_group_copy(local.get_multi_ptr<sycl::access::decorated::no>(), global, 100));
       g.parallel_for_work_item(sycl::range<1>(100), [&](sycl::h_item<1> i) { local[i.get_local_id(0)] *= 3; });
       g.async_work_group_copy(global, local.get_multi_ptr<sycl::access::decorated::no>(), 100).wait();
     });
   }).wait();
  for (int i = 0; i < 4 * 100; ++i)
    CHECK(out[i] == 3 * i);
}

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1 << 16, q), *counter = sycl::malloc_shared<int>(1, q);
  for (int size : {1, 3, 32, 33, 256, 1000})
    shared_variables(q, out, size);
  for (size_t size : {size_t(1), size_t(31), size_t(256), size_t(1024), size_t(2500)})
    if (size <= q.get_device().get_info<sycl::info::device::max_work_group_size>())
      private_values(q, out, size);
  group_scope(q, out, counter);
  logical_ranges(q, out);
  copies(q, out);
  sycl::free(out, q);
  sycl::free(counter, q);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
