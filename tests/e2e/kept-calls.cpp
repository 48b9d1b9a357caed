// Functions that stay calls and take items, sub-groups and groups by value, or ask for them, see the item that calls them; so does a kernel that is too
// long to be inlined into its entry point.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0 0 0 0 0 0 0 0
//# run: ./a.out
//# stdout: wrong 0 0 0 0 0 0 0 0
//# deep: further levels of optimisation
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: wrong 0 0 0 0 0 0 0 0
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr size_t Size = 256, Local = 64;

struct held {
  sycl::nd_item<1> item;
  int much;
};

#define KEPT __attribute__((noinline))

KEPT void by_item(int *out, sycl::nd_item<1> it) { out[it.get_global_id(0)] = static_cast<int>(it.get_local_id(0)); }
KEPT int given_back(sycl::nd_item<1> it) { return static_cast<int>(it.get_local_id(0)); }
KEPT void by_sub_group(int *out, size_t at, sycl::sub_group sg) { out[at] = static_cast<int>(sg.get_group_linear_id() * sg.get_max_local_range()[0] + sg.get_local_linear_id()); }
KEPT void by_struct(int *out, held h) { out[h.item.get_global_id(0)] = static_cast<int>(h.item.get_local_id(0)) * h.much; }
KEPT void by_group(int *out, sycl::group<1> g) { out[g.get_group_linear_id() * Local + g.get_local_linear_id()] = static_cast<int>(g.get_local_linear_id()); }
KEPT void asked(int *out) {
  const auto it = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  out[it.get_global_id(0)] = static_cast<int>(it.get_local_id(0));
}
KEPT void in_rows(int *out, sycl::nd_item<2> it) { out[it.get_global_linear_id()] = static_cast<int>(it.get_local_linear_id()); }

// Longer than what is inlined even where it is called once.
#define A1 a = (a << 7 | a >> 25) + (b ^ t[a & 255]); b = (b << 3 | b >> 29) * 5 + a;
#define A8 A1 A1 A1 A1 A1 A1 A1 A1
#define A64 A8 A8 A8 A8 A8 A8 A8 A8

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(Size, q);
  unsigned *t = sycl::malloc_shared<unsigned>(Size, q);
  for (unsigned i = 0; i < Size; ++i)
    t[i] = i * 2654435761u;
  std::printf("wrong");
  auto run = [&](auto kernel, int times = 1) {
    q.fill(out, -1, Size).wait();
    q.parallel_for(sycl::nd_range<1>(Size, Local), kernel).wait();
    int wrong = 0;
    for (size_t i = 0; i < Size; ++i)
      wrong += out[i] != static_cast<int>(i % Local) * times;
    std::printf(" %d", wrong);
  };
  run([=](sycl::nd_item<1> it) { by_item(out, it); });
  run([=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = given_back(it); });
  run([=](sycl::nd_item<1> it) { by_sub_group(out, it.get_global_id(0), it.get_sub_group()); });
  run([=](sycl::nd_item<1> it) { by_struct(out, {it, 3}); }, 3);
  run([=](sycl::nd_item<1> it) { by_group(out, it.get_group()); });
  run([=](sycl::nd_item<1>) { asked(out); });
  q.fill(out, -1, Size).wait();
  q.parallel_for(sycl::nd_range<2>({16, 16}, {8, 16}), [=](sycl::nd_item<2> it) { in_rows(out, it); }).wait();
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(Size); ++i)
    wrong += out[i] != i % 128;
  std::printf(" %d", wrong);
  q.parallel_for(sycl::nd_range<1>(Size, Local), [=](sycl::nd_item<1> it) {
     unsigned a = static_cast<unsigned>(it.get_global_id(0)), b = 1;
     A64 A64 A64 A64 A64 A64 A64 A64
     out[it.get_global_id(0)] = static_cast<int>(a + b);
   }).wait();
  wrong = 0;
  for (unsigned i = 0; i < Size; ++i) {
    unsigned a = i, b = 1;
    A64 A64 A64 A64 A64 A64 A64 A64
    wrong += out[i] != static_cast<int>(a + b);
  }
  std::printf(" %d\n", wrong);
  sycl::free(out, q);
  sycl::free(t, q);
}
