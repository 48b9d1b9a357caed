//! Every way in which a kernel's function may take its item, run.
#include <cstdio>
#include <sycl/sycl.hpp>

namespace {

int failed = 0;

/// Runs `launch(queue, counters)`, in which each of 12 work-items adds 1 to its own counter.
template <class Launch> void check(const char *what, Launch launch) {
  sycl::queue q;
  int *counters = sycl::malloc_shared<int>(12, q);
  for (int i = 0; i < 12; ++i)
    counters[i] = 0;
  launch(q, counters);
  q.wait();
  for (int i = 0; i < 12; ++i)
    if (counters[i] != 1) {
      std::printf("%s: counter %d is %d\n", what, i, counters[i]);
      ++failed;
      break;
    }
  sycl::free(counters, q);
}

constexpr sycl::specialization_id<int> one(1);

struct by_reference {
  int *c;
  void operator()(sycl::item<1> &i) const {
    ++c[i];
  }
};

struct with_both {
  int *c;
  void operator()(sycl::id<1> &i, sycl::kernel_handler &h) const {
    i += 0;
    c[i] += h.get_specialization_constant<one>();
  }
};

} // namespace

int main() {
  using queue = sycl::queue;
  const sycl::range<1> line(12);
  const sycl::range<2> plane(3, 4);
  const sycl::range<3> box(1, 3, 4);
  check("auto &", [&](queue &q, int *c) { q.parallel_for(line, [=](auto &i) { ++c[i]; }); });
  check("const auto &", [&](queue &q, int *c) { q.parallel_for(line, [=](const auto &i) { ++c[i]; }); });
  check("auto &&", [&](queue &q, int *c) { q.parallel_for(line, [=](auto &&i) { ++c[i]; }); });
  check("auto", [&](queue &q, int *c) { q.parallel_for(line, [=](auto i) { ++c[i]; }); });
  check("int", [&](queue &q, int *c) { q.parallel_for(line, [=](int i) { ++c[i]; }); });
  check("const size_t &", [&](queue &q, int *c) { q.parallel_for(line, [=](const size_t &i) { ++c[i]; }); });
  check("unsigned char", [&](queue &q, int *c) { q.parallel_for(line, [=](unsigned char i) { ++c[i]; }); });
  check("id &", [&](queue &q, int *c) { q.parallel_for(line, [=](sycl::id<1> &i) { ++c[i]; }); });
  check("const id &", [&](queue &q, int *c) { q.parallel_for(line, [=](const sycl::id<1> &i) { ++c[i]; }); });
  check("id", [&](queue &q, int *c) { q.parallel_for(line, [=](sycl::id<1> i) { ++c[i]; }); });
  check("item &", [&](queue &q, int *c) { q.parallel_for(line, by_reference{c}); });
  check("item without offset &", [&](queue &q, int *c) { q.parallel_for(line, [=](sycl::item<1, false> &i) { ++c[i]; }); });
  check("item &&", [&](queue &q, int *c) { q.parallel_for(line, [=](sycl::item<1> &&i) { ++c[i]; }); });
  check("item of two, auto &", [&](queue &q, int *c) { q.parallel_for(plane, [=](auto &i) { ++c[i.get_linear_id()]; }); });
  check("id of two &", [&](queue &q, int *c) { q.parallel_for(plane, [=](sycl::id<2> &i) { ++c[i[0] * 4 + i[1]]; }); });
  check("item of three &", [&](queue &q, int *c) { q.parallel_for(box, [=](sycl::item<3> &i) { ++c[i.get_linear_id()]; }); });
  check("nd_item &", [&](queue &q, int *c) {
    q.parallel_for(sycl::nd_range<1>(12, 4), [=](sycl::nd_item<1> &i) { ++c[i.get_global_id(0)]; });
  });
  check("item of an nd_range", [&](queue &q, int *c) {
    q.parallel_for(sycl::nd_range<2>({3, 4}, {1, 2}), [=](sycl::item<2> i) { c[i.get_linear_id()] += i.get_range(0) == 3; });
  });
  check("id of an nd_range, kernel_handler", [&](queue &q, int *c) {
    q.parallel_for(sycl::nd_range<1>(12, 4), [=](sycl::id<1> i, sycl::kernel_handler) { ++c[i]; });
  });
  check("nd_item, auto &", [&](queue &q, int *c) {
    q.parallel_for(sycl::nd_range<2>({3, 4}, {1, 2}), [=](auto &i) { ++c[i.get_global_linear_id()]; });
  });
  check("nd_item, const auto", [&](queue &q, int *c) {
    q.parallel_for(sycl::nd_range<2>({3, 4}, {1, 2}), [=](const auto i) { ++c[i.get_global_linear_id()]; });
  });
  check("id & and kernel_handler &", [&](queue &q, int *c) { q.submit([&](sycl::handler &h) { h.parallel_for(line, with_both{c}); }); });
  check("auto & and kernel_handler", [&](queue &q, int *c) {
    q.submit([&](sycl::handler &h) {
      h.parallel_for(line, [=](auto &i, sycl::kernel_handler k) { c[i] += k.get_specialization_constant<one>(); });
    });
  });
  check("nd_item & and const kernel_handler &", [&](queue &q, int *c) {
    q.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::nd_range<1>(12, 4), [=](sycl::nd_item<1> &i, const sycl::kernel_handler &k) {
        c[i.get_global_linear_id()] += k.get_specialization_constant<one>();
      });
    });
  });
  check("group &, h_item &", [&](queue &q, int *c) {
    q.submit([&](sycl::handler &h) {
      h.parallel_for_work_group(sycl::range<1>(3), sycl::range<1>(4), [=](sycl::group<1> &g) {
        g.parallel_for_work_item([&](sycl::h_item<1> &i) { ++c[i.get_global_id(0)]; });
      });
    });
  });
  check("group, h_item as auto &", [&](queue &q, int *c) {
    q.submit([&](sycl::handler &h) {
      h.parallel_for_work_group(sycl::range<1>(3), sycl::range<1>(4), [=](auto &g) {
        g.parallel_for_work_item([&](auto &i) { ++c[i.get_global_id(0)]; });
      });
    });
  });
  check("auto & and reducers", [&](queue &q, int *c) {
    int *sum = sycl::malloc_shared<int>(1, q);
    *sum = 0;
    q.parallel_for(line, sycl::reduction(sum, sycl::plus<int>()), [=](auto &i, auto &total) {
      ++c[i];
      total += 1;
    });
    q.wait();
    failed += *sum != 12;
    sycl::free(sum, q);
  });
  check("id & and a reducer", [&](queue &q, int *c) {
    int *sum = sycl::malloc_shared<int>(1, q);
    *sum = 0;
    q.parallel_for(plane, sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<2> &i, auto &total) {
      ++c[i[0] * 4 + i[1]];
      total += 1;
    });
    q.wait();
    failed += *sum != 12;
    sycl::free(sum, q);
  });
  check("single_task with kernel_handler &", [&](queue &q, int *c) {
    q.submit([&](sycl::handler &h) {
      h.single_task([=](sycl::kernel_handler &k) {
        for (int i = 0; i < 12; ++i)
          c[i] += k.get_specialization_constant<one>();
      });
    });
  });
  return failed != 0;
}
