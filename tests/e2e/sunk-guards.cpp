// Guards in front of loops that all items run alike, with something behind: who passes does what the host does, and who does not keeps what it had. Guards of one
// dimension and two, with something for the others, of no item at all, of all, behind items that have ended, around several loops, conditions and
// sums, in work-groups and sub-groups of other sizes.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 2240
//# run: ./a.out
//# stdout: 0 wrong of 2240
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 2240
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fsycl-id-queries-fit-in-int {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 2240
//# deep: the loop behind the guard is made of vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images forces.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vfmadd[0-9]+ps.*zmm'
//# stdout~: ^[1-9][0-9]*$
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr int size = 60, groups = 4;

struct given {
  int bound, more, rows, odd, turns;
  const int *const *tables;
};

struct nd {
  int lid, gid, row, column;
};

// Each is run by an item between barriers, after all have written `mine` of what they have, and by the host.
template <int Case> int work(const nd &at, const given &g, const int *in, const int *table, int mine) {
  int sum = mine;
  if constexpr (Case == 0) {
    if (at.lid < g.bound) {
      for (int k = 0; k < g.turns; ++k)
        sum = sum * 3 + in[at.gid + k] * table[k];
    }
  } else if constexpr (Case == 1) { // something before and after, and a value for the others
    int other = 7;
    if (g.bound > at.lid) {
      const int scale = in[at.gid] | 1;
      for (int k = 0; k < g.more; ++k)
        sum += scale * table[k] ^ in[at.gid + k];
      other = sum % 5;
    }
    sum += other;
  } else if constexpr (Case == 2) { // conditions inside, and a loop of a length of the item's own
    if (at.lid >= g.bound) {
      int odd = 0;
      for (int k = 0; k < g.turns; ++k) {
        const int v = in[at.gid + k];
        if (v & 1)
          odd += v * table[k];
        else
          sum -= v;
      }
      for (int k = 0; k < (at.lid & 3); ++k)
        odd ^= in[k];
      sum += odd;
    }
  } else if constexpr (Case == 3) { // two dimensions, and two loops behind each other
    if (at.row < g.rows && at.column < g.bound) {
      for (int k = 0; k < g.turns; ++k)
        sum += in[at.gid + k] * table[k] - k;
      if (g.odd)
        for (int k = 0; k < g.more; ++k)
          sum = sum * 5 + in[at.gid + 2 * k] * table[k];
    }
  } else if constexpr (Case == 4) { // a nest, and a choice that all make alike
    if (at.lid < g.bound) {
      for (int r = 0; r < 3; ++r) {
        int part = r;
        for (int k = 0; k < g.turns; ++k)
          part += in[at.gid + k] * table[k + r] + part * 3;
        if (g.odd)
          sum ^= part;
        else
          sum += part;
      }
    }
  } else if constexpr (Case == 5) { // places that only who passes learns
    if (at.lid < g.bound) {
      sum += in[at.gid] * 7;
      const int *const own = g.tables[g.odd];
      const int *const *const further = reinterpret_cast<const int *const *const *>(g.tables)[2];
      for (int k = 0; k < g.turns; ++k)
        sum = sum * 3 + in[at.gid + k] * own[k] + further[1][k];
    }
  } else { // an unsigned comparison of a number that wraps around, and nothing behind the loop but a choice
    if (unsigned(at.lid - g.more) < unsigned(g.bound))
      for (int k = 0; k < g.turns; ++k)
        sum = sum * 3 + (in[at.gid + k] & table[k]);
    sum = sum < 0 ? -sum : sum;
  }
  return sum;
}

template <int Case, bool OfSubGroups, bool SomeEnd> int check(sycl::queue &q, const given &g, const int *in, const int *table, int *out) {
  for (int i = 0; i < size * groups; ++i)
    out[i] = -1;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> shared(size, h);
     h.parallel_for(sycl::nd_range<2>({3 * groups, size / 3}, {3, size / 3}), [=](sycl::nd_item<2> it) {
       const nd at = {int(it.get_local_linear_id()), int(it.get_group(0)) * size + int(it.get_local_linear_id()), int(it.get_local_id(0)), int(it.get_local_id(1))};
       if (SomeEnd && at.lid % 16 == 5)
         return;
       int mine = in[at.gid];
       for (int round = 0; round < 2; ++round) {
         shared[at.lid] = mine;
         if (OfSubGroups)
           sycl::group_barrier(it.get_sub_group());
         else
           sycl::group_barrier(it.get_group());
         mine = work<Case>(at, g, in, table, mine) + shared[at.lid] * 2;
         if (OfSubGroups)
           sycl::group_barrier(it.get_sub_group());
         else
           sycl::group_barrier(it.get_group());
       }
       out[at.gid] = mine;
     });
   }).wait();
  int wrong = 0;
  for (int i = 0; i < size * groups; ++i) {
    const int lid = i % size;
    int mine = in[i];
    for (int round = 0; round < 2; ++round)
      mine = work<Case>({lid, i, lid / (size / 3), lid % (size / 3)}, g, in, table, mine) + mine * 2;
    wrong += out[i] != (SomeEnd && lid % 16 == 5 ? -1 : mine);
  }
  return wrong != 0;
}

template <int Case> int checkAll(sycl::queue &q, const int *in, const int *table, const int *const *tables, int *out) {
  int wrong = 0;
  for (int bound : {0, 1, 17, 31, 47, 60, 1000, -3})
    for (int more : {0, 1, 8, 20, -2})
      for (int odd : {0, 1}) {
        const given g = {bound, more, 1 + more % 3, odd, 13, tables};
        wrong += check<Case, false, false>(q, g, in, table, out) + check<Case, false, true>(q, g, in, table, out);
        wrong += check<Case, true, false>(q, g, in, table, out) + check<Case, true, true>(q, g, in, table, out);
      }
  return wrong;
}

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(size * groups + 64, q), *table = sycl::malloc_shared<int>(64, q), *out = sycl::malloc_shared<int>(size * groups, q);
  for (int i = 0; i < size * groups + 64; ++i)
    in[i] = int(unsigned(i * 2654435761u) >> 24) - 100;
  for (int i = 0; i < 64; ++i)
    table[i] = i * 7 % 13 - 5;
  const int **tables = sycl::malloc_shared<const int *>(3, q);
  tables[0] = table, tables[1] = table + 9, tables[2] = reinterpret_cast<const int *>(tables);
  const int wrong = checkAll<0>(q, in, table, tables, out) + checkAll<1>(q, in, table, tables, out) + checkAll<2>(q, in, table, tables, out) +
                    checkAll<3>(q, in, table, tables, out) + checkAll<4>(q, in, table, tables, out) + checkAll<5>(q, in, table, tables, out) +
                    checkAll<6>(q, in, table, tables, out);
  std::printf("%d wrong of %d\n", wrong, 7 * 320);
}
//# file: forces.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  const int n = 100;
  float *at = sycl::malloc_shared<float>(1 << 14, q), *out = sycl::malloc_shared<float>(1 << 14, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<float> near(n, h);
    h.parallel_for(sycl::nd_range<1>(128 * 128, 128), [=](sycl::nd_item<1> it) {
      const int lid = it.get_local_id(0), first = it.get_group(0) * n;
      for (int round = 0; round < 4; ++round) {
        if (lid < n)
          near[lid] = at[first + lid];
        sycl::group_barrier(it.get_group());
        if (lid < n) {
          float sum = out[first + lid];
          for (int k = 0; k < n; ++k)
            sum += near[k] * (near[k] - at[first + lid]) * 0.5f + near[k];
          out[first + lid] = sum;
        }
        sycl::group_barrier(it.get_group());
      }
    });
  });
  q.wait();
}
