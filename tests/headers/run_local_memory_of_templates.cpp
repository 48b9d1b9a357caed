// Each instance of a template has group-local memory of its own, as with CUDA's `__shared__`, whether or not the call names what the
// instance was made with. What several functions hand on, or one call that is reached twice, is one memory.
#include <cstdio>
#include <sycl/sycl.hpp>
#include <syclcompat.hpp>

namespace oneapi = sycl::ext::oneapi;

template <int N> int *unnamed(sycl::group<1> g) { return oneapi::group_local_memory_for_overwrite<int>(g).get(); }
template <class T, int N> T *named(sycl::group<1> g) { return oneapi::group_local_memory_for_overwrite<T>(g).get(); }
template <int N> int *made(sycl::group<1> g) { return oneapi::group_local_memory<int>(g, N).get(); }
template <int N> int *compat() { return syclcompat::local_mem<int>(); }
template <int N> int *handed_on(sycl::group<1> g) { return N > 10 ? unnamed<1>(g) : unnamed<2>(g); }
static int *twice(sycl::group<1> g) { return oneapi::group_local_memory_for_overwrite<int>(g).get(); }

int main() {
  sycl::queue q;
  constexpr int count = 12;
  int *const out = sycl::malloc_shared<int>(count, q);
  q.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> item) {
     const auto g = item.get_group();
     int *const all[count] = {unnamed<1>(g), unnamed<2>(g), named<int, 1>(g), named<int, 2>(g), made<7>(g), made<8>(g),
                              compat<1>(),   compat<2>(),   handed_on<11>(g), handed_on<9>(g),  twice(g),   twice(g)};
     if (g.leader()) {
       for (int i = 0; i < count; ++i)
         if (i != 4 && i != 5)
           *all[i] = i;
     }
     sycl::group_barrier(g);
     if (g.leader() && item.get_group(0) == 1)
       for (int i = 0; i < count; ++i)
         out[i] = *all[i];
   }).wait();
  const int expected[count] = {8, 9, 2, 3, 7, 8, 6, 7, 8, 9, 11, 11};
  for (int i = 0; i < count; ++i)
    if (out[i] != expected[i]) {
      std::printf("memory %d holds %d and not %d\n", i, out[i], expected[i]);
      return 1;
    }
  std::puts("ok");
}
