// Variables without a value at first, set by some items only and used by these behind a barrier; the same idiom with a broadcast.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./a.out
//# stdout: ok
//# run: aspen++ -O0 {self} -fsycl-targets=native_cpu -o b.out
//# run: ./b.out
//# stdout: ok
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int items = 64, all = 256, nobody = -1;

/// Runs the kernel, and says which of its results are not the expected ones.
template <class K, class Want> int run(sycl::queue &q, const char *name, K kernel, Want want) {
  int *in = sycl::malloc_shared<int>(all, q), *out = sycl::malloc_shared<int>(all, q), *counter = sycl::malloc_shared<int>(1, q);
  for (int i = 0; i < all; ++i)
    in[i] = 1000 + i, out[i] = nobody;
  *counter = 0;
  q.parallel_for(sycl::nd_range<1>(all, items), [=](sycl::nd_item<1> it) { kernel(it, in, out, counter); }).wait_and_throw();
  int wrong = 0;
  for (int i = 0; i < all; ++i)
    if (out[i] != want(i) && wrong++ == 0)
      std::printf("%s: [%d] is %d, not %d\n", name, i, out[i], want(i));
  sycl::free(in, q), sycl::free(out, q), sycl::free(counter, q);
  return wrong;
}

int main() {
  sycl::queue q;
  int wrong = 0;
  wrong += run(q, "behind a barrier of the group", [](auto it, int *in, int *out, int *) {
    const int l = int(it.get_local_id(0));
    int y;
    if (l < 20)
      y = in[it.get_group(0)];
    sycl::group_barrier(it.get_group());
    if (l < 20)
      out[it.get_global_id(0)] = y;
  }, [](int i) { return i % items < 20 ? 1000 + i / items : nobody; });
  wrong += run(q, "behind a sum of the sub-group", [](auto it, int *in, int *out, int *) {
    const auto part = it.get_sub_group();
    const int l = int(part.get_local_linear_id());
    int y;
    if (l < 20)
      y = in[it.get_group(0)];
    const int sum = sycl::reduce_over_group(part, l, sycl::plus<>());
    if (l < 20)
      out[it.get_global_id(0)] = y + sum;
  }, [](int i) { return i % 32 < 20 ? 1000 + i / items + 496 : nobody; });
  wrong += run(q, "in a loop", [](auto it, int *in, int *out, int *) {
    const int l = int(it.get_local_id(0));
    int y, sum = 0;
    for (int round = 0; round < 4; ++round) {
      if (l % 4 == round)
        y = in[round];
      sycl::group_barrier(it.get_group());
      if (l % 4 <= round)
        sum += y;
    }
    out[it.get_global_id(0)] = sum;
  }, [](int i) { return (1000 + i % 4) * (4 - i % 4); });
  wrong += run(q, "a branch on it", [](auto it, int *in, int *out, int *) {
    const int l = int(it.get_local_id(0));
    int y;
    if (l % 3 == 1)
      y = in[it.get_group(0)] % 2;
    sycl::group_barrier(it.get_group());
    if (l % 3 == 1)
      out[it.get_global_id(0)] = y != 0 ? in[l] : -in[l];
  }, [](int i) { return i % items % 3 != 1 ? nobody : i / items % 2 != 0 ? 1000 + i % items : -(1000 + i % items); });
  wrong += run(q, "one atomic for a sub-group", [](auto it, int *, int *out, int *counter) {
    const auto part = it.get_sub_group();
    int base;
    if (part.leader())
      base = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*counter).fetch_add(int(part.get_local_linear_range()));
    base = sycl::group_broadcast(part, base, 0);
    const int at = base + int(part.get_local_linear_id());
    out[at < all ? at : 0] = at;
  }, [](int i) { return i; });
  wrong += run(q, "one atomic, and a choice of items", [](auto it, int *, int *out, int *counter) {
    const auto part = it.get_sub_group();
    int base;
    if (part.get_local_linear_id() == 3)
      base = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*counter).fetch_add(int(part.get_local_linear_range()));
    const int at = sycl::select_from_group(part, base, 3) + int(part.get_local_linear_id());
    out[at < all ? at : 0] = at;
  }, [](int i) { return i; });
  std::puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
