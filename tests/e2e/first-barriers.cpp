// Kernels that use their sub-groups, whose items all come to one barrier of the group or all to another: what is in front of them, with its loops, is not one stretch
// that could be done for the whole group. It was taken for one, and sub-groups of the second way were none, or code generation crashed.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

constexpr int Size = 64, Groups = 3, Count = Size * Groups;

int main() {
  sycl::queue q;
  int wrong = 0;
  int *const out = sycl::malloc_shared<int>(Count, q), *const ways = sycl::malloc_shared<int>(1, q);
  for (int way = 0; way < 3; ++way)
    for (int steps : {1, 5}) {
      *ways = way;
      q.submit([&](sycl::handler &h) {
         sycl::local_accessor<int> near(Size, h);
         h.parallel_for(sycl::nd_range<1>(Count, Size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
           const int l = it.get_local_id(0), way = *ways;
           const auto sg = it.get_sub_group();
           const auto sum = [&](int x) { return sycl::reduce_over_group(sg, x, sycl::plus<int>()); };
           int kept = l * 3, mine = 0;
           for (int i = 0; i < steps; ++i)
             kept = kept * 5 + i;
           switch (way) {
           case 0:
             near[l] = kept;
             sycl::group_barrier(it.get_group());
             for (int i = steps; i > 0; --i) {
               if (l < i)
                 near[l] = sycl::max(near[l], near[l + i]);
               sycl::group_barrier(it.get_group());
             }
             mine = sum(near[l ^ 1]) + 1;
             break;
           case 1:
             near[l] = kept + 1;
             sycl::group_barrier(it.get_group());
             mine = sum(near[Size - 1 - l] + l);
             break;
           default:
             near[l] = kept ^ 7;
             sycl::group_barrier(it.get_group());
             mine = near[(l + steps) % Size] + 1;
           }
           out[it.get_global_id(0)] = mine + kept;
         });
       }).wait();
      int near[Size], kept[Size];
      for (int l = 0; l < Size; ++l) {
        kept[l] = l * 3;
        for (int i = 0; i < steps; ++i)
          kept[l] = kept[l] * 5 + i;
        near[l] = way == 0 ? kept[l] : way == 1 ? kept[l] + 1 : kept[l] ^ 7;
      }
      if (way == 0)
        for (int i = steps; i > 0; --i)
          for (int l = 0; l < i; ++l)
            near[l] = sycl::max(near[l], near[l + i]);
      for (int i = 0; i < Count; ++i) {
        const int l = i % Size, first = l / 16 * 16;
        int want = near[(l + steps) % Size] + 1;
        if (way < 2) {
          want = way == 0 ? 1 : 0;
          for (int x = first; x < first + 16; ++x)
            want += way == 0 ? near[x ^ 1] : near[Size - 1 - x] + x;
        }
        wrong += out[i] != want + kept[l];
      }
    }
  std::printf("wrong %d\n", wrong);
  sycl::free(ways, q);
  sycl::free(out, q);
}
