//! Least and greatest values by atomics, in every order of memory that has code of its own. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <limits>
#include <sycl/sycl.hpp>

using namespace sycl;

// Least and greatest values that many work-items look for at once; a number replaces what is none, and nothing is replaced by what is none.
template <class T, memory_order Order> static void extremes(queue &q) {
  T *r = malloc_shared<T>(4, q);
  r[0] = r[2] = T(1000);
  r[1] = r[3] = T(-1000);
  q.parallel_for(nd_range<1>(1 << 14, 128), [=](nd_item<1> it) {
     const T own = T(static_cast<int>(it.get_global_id(0) * 37 % 1999) - 1000);
     const T before = atomic_ref<T, Order, memory_scope::device>(r[0]).fetch_min(own);
     atomic_ref<T, Order, memory_scope::device>(r[1]).fetch_max(own);
     if (before < T(-1000) || before > T(1000))
       r[2] = before;
     r[3] = own; // of any
   }).wait();
  CHECK(r[0] == T(-1000) && r[1] == T(998) && r[2] == T(1000));
  if constexpr (std::is_floating_point_v<T>) {
    r[0] = r[1] = std::numeric_limits<T>::quiet_NaN();
    r[2] = r[3] = 5;
    q.single_task([=] {
       const T none = std::numeric_limits<T>::quiet_NaN();
       atomic_ref<T, Order, memory_scope::device>(r[0]).fetch_min(T(3));
       atomic_ref<T, Order, memory_scope::device>(r[1]).fetch_max(T(3));
       atomic_ref<T, Order, memory_scope::device>(r[2]).fetch_min(none);
       atomic_ref<T, Order, memory_scope::device>(r[3]).fetch_max(none);
     }).wait();
    CHECK(r[0] == 3 && r[1] == 3 && r[2] == 5 && r[3] == 5);
  }
  free(r, q);
}

int main() {
  queue q;
  extremes<int, memory_order::relaxed>(q);
  extremes<long long, memory_order::relaxed>(q);
  extremes<float, memory_order::relaxed>(q);
  extremes<double, memory_order::relaxed>(q);
  extremes<int, memory_order::acq_rel>(q);
  extremes<double, memory_order::acq_rel>(q);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
