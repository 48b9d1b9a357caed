//! Kernels that write into their own function object, through mutable members or where const was cast away: each work-item has the object to itself,
//! across barriers too, and what the launch gave is what each begins with. Exit status 0: all right.
#include "check.hpp"

#include <sycl/sycl.hpp>

/// Counts from what it was given, and follows a pointer that it has set itself.
struct by_mutable {
  int *out;
  mutable int count;
  mutable int *place;
  mutable int row[4];
  void operator()(sycl::nd_item<1> item) const {
    const int mine = static_cast<int>(item.get_local_id(0));
    count += mine;
    place = out + item.get_global_id(0);
    row[mine % 4] = 10 * mine;
    sycl::group_barrier(item.get_group());
    count += sycl::reduce_over_group(item.get_group(), 1, sycl::plus<>());
    sycl::group_barrier(item.get_group());
    *place = count + row[mine % 4] + row[(mine + 1) % 4];
  }
};

/// The same by a function that is not inlined.
struct by_cast {
  int *out;
  int count;
  by_cast &self() const { return const_cast<by_cast &>(*this); }
  __attribute__((noinline)) void add(int value) { count += value; }
  void operator()(sycl::nd_item<2> item) const {
    self().add(static_cast<int>(item.get_local_linear_id()));
    sycl::group_barrier(item.get_group());
    self().add(1);
    sycl::group_barrier(item.get_sub_group());
    out[item.get_global_linear_id()] = count;
  }
};

struct of_groups {
  int *out;
  mutable int sum;
  void operator()(sycl::group<1> group) const {
    sum += static_cast<int>(group.get_group_id(0));
    group.parallel_for_work_item([&](sycl::h_item<1> item) { out[item.get_global_id()[0]] = sum; });
  }
};

template <int D> struct of_range {
  int *out;
  mutable int count;
  mutable int row[4];
  void operator()(sycl::item<D> item) const {
    const int mine = static_cast<int>(item.get_linear_id());
    count += 1;
    row[mine % 4] += mine;
    out[mine] = count + row[mine % 4];
  }
};

int main() {
  sycl::queue q;
  int *const out = sycl::malloc_shared<int>(1024, q);
  for (int size : {1, 4, 7, 32}) {
    q.parallel_for(sycl::nd_range<1>(8 * size, size), by_mutable{out, 100, nullptr, {1, 2, 3, 4}}).wait();
    for (int i = 0; i < 8 * size; ++i) {
      const int mine = i % size;
      CHECK(out[i] == 100 + mine + size + 10 * mine + (mine + 1) % 4 + 1);
    }
    q.parallel_for(sycl::nd_range<2>({8, size_t(size)}, {2, size_t(size)}), by_cast{out, 5}).wait();
    for (int i = 0; i < 8 * size; ++i)
      CHECK(out[i] == 6 + i % (2 * size));
    q.submit([&](sycl::handler &h) { h.parallel_for_work_group(sycl::range<1>(8), sycl::range<1>(size), of_groups{out, 3}); }).wait();
    for (int i = 0; i < 8 * size; ++i)
      CHECK(out[i] == 3 + i / size);
  }
  const auto check_range = [&](auto range, auto kernel) {
    q.parallel_for(range, kernel).wait();
    for (int i = 0; i < 1000; ++i)
      CHECK(out[i] == 6 + i + i % 4);
  };
  check_range(sycl::range<1>(1000), of_range<1>{out, 5, {0, 1, 2, 3}});
  check_range(sycl::range<2>(10, 100), of_range<2>{out, 5, {0, 1, 2, 3}});
  check_range(sycl::range<3>(10, 5, 20), of_range<3>{out, 5, {0, 1, 2, 3}});
  sycl::free(out, q);
  return failures;
}
