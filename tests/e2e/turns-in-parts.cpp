// Items that go through a part of the memory in steps of their group, up to the part's end or to all's, as frameworks write their reductions: what they write
// and read in front of it, sums in local memory, and sub-groups that begin behind it.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
//# deep: sums of a part are vectors, with sub-groups behind them and without
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=alone part.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn alone/* | grep -cE 'vfmadd[0-9]*pd'
//# stdout~: ^[1-9]
//# run: aspen++ -O2 -fsycl-targets=native_cpu -DSUB_GROUPS -fsycl-dump-device-code=behind part.cpp -o c.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn behind/* | grep -cE 'vfmadd[0-9]*pd'
//# stdout~: ^[1-9]
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr size_t Size = 20000, Most = 3000;

struct functor {
  unsigned *x, *y;
  void operator()(size_t i, unsigned &sum) const { sum = sum * 3 + x[i] * y[i]; }
};

struct launched {
  size_t groups, local, per;
};

// What an item of a group comes to.
template <class Index> unsigned item(const functor &f, size_t n, const launched &l, size_t group, size_t lid) {
  const size_t first = l.local * group * l.per + lid;
  const Index end = std::min<Index>(Index(first + l.per * l.local), Index(n));
  unsigned sum = 0;
  for (Index i = Index(first); i < end; i += Index(l.local))
    f(size_t(i), sum);
  return sum;
}

int main() {
  sycl::queue q;
  functor f{sycl::malloc_shared<unsigned>(Size, q), sycl::malloc_shared<unsigned>(Size, q)};
  auto *fp = sycl::malloc_shared<functor>(1, q);
  auto *out = sycl::malloc_shared<unsigned>(Most, q);
  *fp = f;
  for (size_t i = 0; i < Size; i++) {
    f.x[i] = unsigned(i * 2654435761u >> 7);
    f.y[i] = unsigned(i * 40503u + 17);
  }
  std::vector<unsigned> want(Most);
  unsigned wrong = 0;
  const auto compare = [&](const char *what, const launched &l, size_t n) {
    unsigned here = 0;
    for (size_t i = 0; i < Most; i++)
      here += out[i] != want[i];
    if (here)
      std::printf("%s, %zu groups of %zu, %zu each, of %zu: %u wrong\n", what, l.groups, l.local, l.per, n, here);
    wrong += here;
    std::fill(out, out + Most, 7u);
    std::fill(want.begin(), want.end(), 7u);
  };
  std::fill(out, out + Most, 7u);
  std::fill(want.begin(), want.end(), 7u);

  for (const launched l : {launched{1, 1, 5}, launched{3, 7, 4}, launched{2, 64, 1}, launched{5, 96, 8}, launched{3, 256, 16}, launched{2, 1000, 6}})
    for (size_t n : {size_t(0), size_t(1), l.local - 1, l.local, l.local * l.per + 3, l.groups * l.local * l.per - 5, Size / 2}) {
      const size_t global = l.groups * l.local;
      const auto whole = [&](auto Index, size_t group) {
        unsigned sum = 0;
        for (size_t lid = 0; lid < l.local; lid++)
          sum += item<decltype(Index)>(f, n, l, group, lid) * unsigned(lid + 1);
        return sum;
      };
      // By their index: sums in local memory that is laid out at run time, and what works on them in memory.
      const auto inLocal = [&](auto index, const char *what, unsigned count) {
        using Index = decltype(index);
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<unsigned> local(l.local * count, h);
          h.parallel_for(sycl::nd_range<1>(global, l.local), [=](sycl::nd_item<1> it) {
            const size_t lid = it.get_local_linear_id(), by = it.get_local_range(0), first = by * it.get_group_linear_id() * l.per + lid;
            const Index end = std::min<Index>(Index(first + l.per * by), Index(n));
            unsigned &sum = local[lid * count];
            sum = 0;
            const functor &g = *fp;
            for (Index i = Index(first); i < end; i += Index(by))
              g(size_t(i), sum);
            sycl::group_barrier(it.get_group());
            if (lid == 0) {
              unsigned all = 0;
              for (size_t k = 0; k < by; k++)
                all += local[k * count] * unsigned(k + 1);
              out[it.get_group_linear_id()] = all;
            }
          });
        });
        q.wait();
        for (size_t g = 0; g < l.groups; g++)
          want[g] = whole(index, g);
        compare(what, l, n);
      };
      inLocal(int(), "int in local memory", 1);
      inLocal(unsigned(), "unsigned in local memory", 3);
      inLocal(size_t(), "size_t in local memory", 1);
      inLocal(std::int64_t(), "int64_t in local memory", 2);

      // A sum of the item's own, and something behind the loop for items without turns, too.
      q.parallel_for(sycl::nd_range<1>(global, l.local), [=](sycl::nd_item<1> it) {
         const size_t lid = it.get_local_id(0), first = l.local * it.get_group(0) * l.per + lid;
         const int end = std::min<int>(int(first + l.per * l.local), int(n));
         unsigned sum = 0;
         for (int i = int(first); i < end; i += int(l.local))
           f(size_t(i), sum);
         out[it.get_global_id(0)] = sum + unsigned(lid);
       }).wait();
      for (size_t i = 0; i < global; i++)
        want[i] = item<int>(f, n, l, i / l.local, i % l.local) + unsigned(i % l.local);
      compare("a sum of the item", l, n);

      // What is written in front of the loop is written once, and what the turns read of it is that.
      q.parallel_for(sycl::nd_range<1>(global, l.local), [=](sycl::nd_item<1> it) {
         const size_t at = it.get_global_id(0), first = l.local * it.get_group(0) * l.per + it.get_local_id(0);
         out[at] = out[at] * 2 + 1;
         for (size_t i = first; i < std::min(first + l.per * l.local, n); i += l.local)
           out[at] = out[at] * 3 + f.x[i];
       }).wait();
      for (size_t i = 0; i < global; i++) {
        want[i] = want[i] * 2 + 1;
        const size_t first = l.local * (i / l.local) * l.per + i % l.local;
        for (size_t k = first; k < std::min(first + l.per * l.local, n); k += l.local)
          want[i] = want[i] * 3 + f.x[k];
      }
      compare("written in front", l, n);

      // No end but the part's, told by `<=`.
      if (l.groups * l.local * l.per <= Size) {
        q.parallel_for(sycl::nd_range<1>(global, l.local), [=](sycl::nd_item<1> it) {
           const long first = long(l.local * it.get_group(0) * l.per + it.get_local_id(0));
           unsigned sum = 5;
           for (long i = first; i <= first + long(l.per * l.local) - 1; i += long(it.get_local_range(0)))
             f(size_t(i), sum);
           out[it.get_global_id(0)] = sum;
         }).wait();
        for (size_t i = 0; i < global; i++) {
          unsigned sum = 5;
          for (size_t k = 0; k < l.per; k++)
            f(l.local * (i / l.local) * l.per + i % l.local + k * l.local, sum);
          want[i] = sum;
        }
        compare("the part's end", l, n);
      }

      // Sub-groups that begin behind it, of groups of one row and of several; what items keep is theirs.
      const auto withSubGroups = [&](auto dimensions, sycl::nd_range<decltype(dimensions)::value> range, const char *what) {
        constexpr int D = decltype(dimensions)::value;
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<unsigned> local(l.local, h);
          h.parallel_for(range, [=](sycl::nd_item<D> it) {
            const size_t lid = it.get_local_linear_id(), group = it.get_group_linear_id(), by = it.get_group().get_local_linear_range();
            const size_t first = by * group * l.per + lid;
            const int end = std::min<int>(int(first + l.per * by), int(n));
            unsigned kept[3] = {unsigned(first), unsigned(lid * 5), 9};
            unsigned &sum = local[lid];
            sum = 0;
            for (int i = int(first); i < end; i += int(by)) {
              (*fp)(size_t(i), sum);
              kept[i % 3] += unsigned(i);
            }
            const unsigned mine = sum;
            sycl::group_barrier(it.get_group());
            auto sg = it.get_sub_group();
            for (unsigned by = 1; by < sg.get_local_linear_range(); by <<= 1) {
              if (sg.get_local_linear_id() % (2 * by) == 0 && sg.get_local_linear_id() + by < sg.get_local_linear_range())
                sum += local[lid + by];
              sycl::group_barrier(sg);
            }
            const unsigned all = sycl::reduce_over_group(sg, mine, sycl::plus<>()), most = sycl::reduce_over_group(it.get_group(), kept[1], sycl::maximum<>());
            out[group * by + lid] = (sycl::group_broadcast(sg, sum, 0) == all ? 0 : 1000000) + most + kept[0] + kept[2] + kept[lid % 3] + mine;
          });
        });
        q.wait();
        for (size_t g = 0; g < l.groups; g++) {
          unsigned most = 0;
          std::vector<unsigned> kepts(3 * l.local);
          for (size_t lid = 0; lid < l.local; lid++) {
            const size_t first = l.local * g * l.per + lid;
            unsigned *kept = &kepts[3 * lid];
            kept[0] = unsigned(first), kept[1] = unsigned(lid * 5), kept[2] = 9;
            for (size_t i = first; i < std::min(first + l.per * l.local, n); i += l.local)
              kept[i % 3] += unsigned(i);
            most = std::max(most, kept[1]);
          }
          for (size_t lid = 0; lid < l.local; lid++)
            want[g * l.local + lid] = most + kepts[3 * lid] + kepts[3 * lid + 2] + kepts[3 * lid + lid % 3] + item<int>(f, n, l, g, lid);
        }
        compare(what, l, n);
      };
      withSubGroups(std::integral_constant<int, 1>(), {global, l.local}, "sub-groups of a row");
      if (l.local % 8 == 0)
        withSubGroups(std::integral_constant<int, 2>(), {{8 * l.groups, l.local / 8}, {8, l.local / 8}}, "sub-groups of rows");
    }

  // Numbers that wrap around: whose part's end is below its beginning has no turns.
  for (size_t base : {size_t(INT_MAX) - 700, size_t(INT_MAX) - 100, size_t(UINT_MAX) - 700, size_t(UINT_MAX) - 60}) {
    const size_t before = base - 100;
    q.parallel_for(sycl::nd_range<1>(256, 128), [=](sycl::nd_item<1> it) {
       const size_t first = base + it.get_global_id(0);
       unsigned turns = 0;
       for (int i = int(first); i < std::min(int(first + 300), INT_MAX - 50); i += 128)
         turns = turns * 5 + f.x[unsigned(i) - unsigned(before)];
       for (unsigned i = unsigned(first); i < std::min(unsigned(first + 300), UINT_MAX - 20); i += 128)
         turns = turns * 7 + f.x[i - unsigned(before)];
       out[it.get_global_id(0)] = turns;
     }).wait();
    for (size_t k = 0; k < 256; k++) {
      const size_t first = base + k;
      unsigned turns = 0;
      for (std::int64_t i = int(first); i < std::min(int(first + 300), INT_MAX - 50); i += 128)
        turns = turns * 5 + f.x[unsigned(i) - unsigned(before)];
      for (std::uint64_t i = unsigned(first); i < std::min(unsigned(first + 300), UINT_MAX - 20); i += 128)
        turns = turns * 7 + f.x[unsigned(i) - unsigned(before)];
      want[k] = turns;
    }
    compare("around the greatest number", {2, 128, 3}, base);
  }
  std::printf("wrong %u\n", wrong);
}
//# file: part.cpp
#include <algorithm>
#include <sycl/sycl.hpp>

struct product {
  double *x, *y;
  void operator()(int i, double &sum) const { sum += x[i] * y[i]; }
};

int main(int count, char **) {
  sycl::queue q;
  auto *f = sycl::malloc_shared<product>(1, q);
  auto *out = sycl::malloc_shared<double>(8, q);
  const size_t n = size_t(count) * 1000, per = size_t(count) * 8;
  const unsigned apart = unsigned(count);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<double> near(256 * apart, h);
    h.parallel_for(sycl::nd_range<1>(256, 256), [=](sycl::nd_item<1> it) {
      const size_t l = it.get_local_linear_id(), by = it.get_local_range(0), first = by * it.get_group_linear_id() * per + l;
      const int end = std::min<int>(int(first + per * by), int(n));
      double &sum = near[l * apart];
      sum = 0;
      for (int i = int(first); i < end; i += int(by))
        (*f)(i, sum);
      sycl::group_barrier(it.get_group());
#ifdef SUB_GROUPS
      auto sg = it.get_sub_group();
      for (unsigned step = 1; step < sg.get_local_range()[0]; step <<= 1) {
        if (step + sg.get_local_id()[0] < sg.get_local_range()[0])
          sum += near[(l + step) * apart];
        sycl::group_barrier(sg);
      }
#endif
      if (l < 8)
        out[l] = sum;
    });
  });
}
