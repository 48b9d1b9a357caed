// Work-groups that nobody asks about run several at once, and each item has what it would have alone: ids of one to three dimensions, offsets, guards, early
// ends, arrays of an item's own, atomics. Kernels that ask for anything of their group have it. docs/decisions/0085.
//# run: aspen++ -O2 -fsycl-targets=native_cpu -Wno-deprecated-declarations {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 117
//# run: ASPEN_CPU_LEVEL=1 ASPEN_CPU_THREADS=3 ./a.out
//# stdout: 0 wrong of 117
//# run: ASPEN_CHECK=1 ./a.out
//# stdout: 0 wrong of 117
//# deep: further levels of optimisation
//# run: aspen++ -O1 -g -fsycl-targets=native_cpu -Wno-deprecated-declarations {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 117
//# run: aspen++ -O3 -fsycl-targets=native_cpu -Wno-deprecated-declarations {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 117
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

using sycl::nd_item;
using shape = sycl::nd_range<3>;
static int wrong, of;

// What an item of the range may ask for, and what no more than it is told.
struct place {
  size_t id[3], range[3], offset[3], local[3], groups[3];
  size_t linear() const { return ((id[0] - offset[0]) * range[1] + id[1] - offset[1]) * range[2] + id[2] - offset[2]; }
  size_t in_group(int d) const { return (id[d] - offset[d]) % local[d]; }
  size_t group(int d) const { return (id[d] - offset[d]) / local[d]; }
};

template <class Kernel, class Expected> static void check(sycl::queue &q, const char *what, const shape &all, const Kernel &kernel, const Expected &expected) {
  const auto global = all.get_global_range(), local = all.get_local_range();
  const auto offset = all.get_offset();
  const size_t count = global.size();
  long *out = sycl::malloc_shared<long>(count, q);
  std::fill(out, out + count, -1);
  q.parallel_for(all, [=](nd_item<3> it) { kernel(it, out + it.get_global_linear_id(), out); }).wait();
  place at{};
  for (int d = 0; d < 3; ++d)
    at.range[d] = global[d], at.offset[d] = offset[d], at.local[d] = local[d], at.groups[d] = global[d] / local[d];
  int lost = 0;
  for (size_t i = 0; i < count; ++i) {
    at.id[0] = i / (global[1] * global[2]) + offset[0], at.id[1] = i / global[2] % global[1] + offset[1], at.id[2] = i % global[2] + offset[2];
    const long wanted = expected(at);
    if (out[i] != wanted && ++lost < 3)
      std::printf("%s: item %zu has %ld and not %ld\n", what, i, out[i], wanted);
  }
  wrong += lost != 0, ++of;
  sycl::free(out, q);
}

[[clang::noinline]] static long apart(const nd_item<3> &it) { return long(it.get_global_id(2)) * 3 + long(it.get_global_id(0)); }

[[clang::noinline]] static long asked_apart() { return sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_local_id(2); }

static void all(sycl::queue &q, const shape &r) {
  check(q, "ids", r, [](auto it, long *own, long *) { *own = it.get_global_id(0) * 10000 + it.get_global_id(1) * 100 + it.get_global_id(2); },
        [](const place &p) { return long(p.id[0] * 10000 + p.id[1] * 100 + p.id[2]); });
  check(q, "guard", r,
        [](auto it, long *own, long *) {
          const int x = it.get_global_id(2), y = it.get_global_id(1);
          if (x >= 3 && y < 5)
            *own = x * y;
        },
        [](const place &p) { return int(p.id[2]) >= 3 && int(p.id[1]) < 5 ? long(p.id[2] * p.id[1]) : -1l; });
  check(q, "ranges", r, [](auto it, long *own, long *) { *own = it.get_global_range(2) * 7 + it.get_global_range(0) + it.get_offset()[2]; },
        [](const place &p) { return long(p.range[2] * 7 + p.range[0] + p.offset[2]); });
  check(q, "arrays", r,
        [](auto it, long *own, long *) {
          int some[8];
          const int i = it.get_global_linear_id();
          for (int k = 0; k < 8; ++k)
            some[(k * 5 + i) % 8] = k * i;
          if (i % 3 == 0)
            return;
          *own = some[i % 5] + some[7];
        },
        [](const place &p) {
          int some[8];
          const int i = int(p.linear());
          for (int k = 0; k < 8; ++k)
            some[(k * 5 + i) % 8] = k * i;
          return i % 3 == 0 ? -1l : long(some[i % 5] + some[7]);
        });
  check(q, "atomics", r,
        [](auto it, long *own, long *all) {
          if (it.get_global_linear_id() != 0)
            sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device>(all[0]).fetch_add(1), *own = 5;
        },
        [](const place &p) { return p.linear() == 0 ? long(p.range[0] * p.range[1] * p.range[2]) - 2 : 5l; });
  check(q, "a function", r, [](auto it, long *own, long *) { *own = apart(it); }, [](const place &p) { return long(p.id[2] * 3 + p.id[0]); });
  check(q, "the item of this function", r,
        [](auto, long *own, long *) { *own = sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_global_id(1); },
        [](const place &p) { return long(p.id[1]); });
  check(q, "the groups of this function", r,
        [](auto, long *own, long *) { *own = sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_group(2) * 100 + asked_apart(); },
        [](const place &p) { return long(p.group(2) * 100 + p.in_group(2)); });
  check(q, "groups", r, [](auto it, long *own, long *) { *own = it.get_group(2) * 1000 + it.get_group(1); },
        [](const place &p) { return long(p.group(2) * 1000 + p.group(1)); });
  check(q, "local ids", r, [](auto it, long *own, long *) { *own = it.get_local_id(2) * 100 + it.get_local_linear_id(); },
        [](const place &p) { return long(p.in_group(2) * 100 + (p.in_group(0) * p.local[1] + p.in_group(1)) * p.local[2] + p.in_group(2)); });
  check(q, "sizes", r, [](auto it, long *own, long *) { *own = it.get_local_range(2) * 100 + it.get_group_range(2); },
        [](const place &p) { return long(p.local[2] * 100 + p.groups[2]); });
  check(q, "the first of a group", r,
        [](auto it, long *own, long *) {
          if (it.get_group().leader())
            *own = it.get_nd_range().get_local_range()[2];
        },
        [](const place &p) { return p.in_group(0) + p.in_group(1) + p.in_group(2) == 0 ? long(p.local[2]) : -1l; });
  check(q, "sub-groups", r, [](auto it, long *own, long *) { *own = it.get_sub_group().get_group_linear_range() > 0 ? long(it.get_sub_group().get_local_range()[0]) : 0; },
        [](const place &p) {
          const size_t items = p.local[0] * p.local[1] * p.local[2], own = (p.in_group(0) * p.local[1] + p.in_group(1)) * p.local[2] + p.in_group(2);
          return long(std::min<size_t>(32, items - own / 32 * 32));
        });
}

int main() {
  sycl::queue q;
  for (const shape &r : {shape({1, 64, 64}, {1, 4, 4}), shape({1, 16, 256}, {1, 16, 16}), shape({1, 1, 4096}, {1, 1, 8}), shape({6, 10, 14}, {2, 2, 2}),
                         shape({1, 60, 65}, {1, 4, 5}), shape({2, 16, 26}, {1, 8, 2}), shape({4, 4, 64}, {1, 1, 1}), shape({1, 1, 30030}, {1, 1, 30}),
                         shape({2, 8, 96}, {1, 2, 8}, {3, 5, 7})})
    all(q, r);
  std::printf("%d wrong of %d\n", wrong, of);
}
