// Programs that were written for warps, whose threads are in step without saying so: volatile local memory, folds behind guards, what a neighbour has just
// written. It is a race in SYCL; on the embedded CPU it comes out as on a GPU (docs/decisions/0066).
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>

using Local = sycl::local_accessor<int>;
constexpr int Groups = 3;
static int wrong = 0;

// Launches `Groups` groups of `size` items, each of which has `places` numbers of local memory a group and gives one.
template <class Kernel, class Want> void check(sycl::queue &q, const char *what, int size, int places, Kernel kernel, Want want) {
  int *const out = sycl::malloc_shared<int>(Groups * size, q);
  q.submit([&](sycl::handler &h) {
     Local near(places, h);
     h.parallel_for(sycl::nd_range<1>(Groups * size, size), [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = kernel(it, &near[0]); });
   }).wait();
  int here = 0;
  for (int i = 0; i < Groups * size; i++)
    if (out[i] != want(i / size, i % size) && here++ == 0)
      std::printf("%s of %d: item %d has %d, not %d\n", what, size, i, out[i], want(i / size, i % size));
  wrong += here;
  sycl::free(out, q);
}

constexpr int number(int group, int item) { return (item * 7 + group * 5) % 11 - 3; }
int sumTo(int group, int from, int to) {
  int sum = 0;
  for (int i = from; i < to; i++)
    sum += number(group, i);
  return sum;
}

// Inclusive scans of warps, with zeroes in front of each: row by row of twice a warp.
inline int scanWarp(int x, volatile int *t, int l) {
  int at = 2 * l - (l & 31);
  t[at] = 0;
  at += 32;
  int sum = t[at] = x;
  t[at] = sum = sum + t[at - 1];
  t[at] = sum = sum + t[at - 2];
  t[at] = sum = sum + t[at - 4];
  t[at] = sum = sum + t[at - 8];
  t[at] = sum = sum + t[at - 16];
  return t[at - 1];
}

// Folds of the last warp of a group.
inline void foldVolatile(volatile int *t, int l) {
  t[l] += t[l + 32];
  t[l] += t[l + 16];
  t[l] += t[l + 8];
  t[l] += t[l + 4];
  t[l] += t[l + 2];
  t[l] += t[l + 1];
}

void scans(sycl::queue &q, int size) {
  const int warps = size / 32;
  check(q, "scans of warps", size, 2 * size, [](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), x = number(it.get_group(0), l);
    const int before = scanWarp(x, t, l);
    sycl::group_barrier(it.get_group());
    return before;
  }, [](int group, int item) { return sumTo(group, item / 32 * 32, item); });
  check(q, "scans of warps' sums", size, 2 * size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), x = number(it.get_group(0), l);
    const int before = scanWarp(x, t, l);
    sycl::group_barrier(it.get_group());
    if (l % 32 == 31)
      t[l / 32] = before + x;
    sycl::group_barrier(it.get_group());
    if (l < warps)
      t[l] = scanWarp(t[l], t, l);
    sycl::group_barrier(it.get_group());
    return before + t[l / 32];
  }, [](int group, int item) { return sumTo(group, 0, item); });
  check(q, "scans by sub-groups", size, 2 * size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), x = number(it.get_group(0), l);
    auto sg = it.get_sub_group();
    const int width = sg.get_local_linear_range();
    const int before = sycl::exclusive_scan_over_group(sg, x, sycl::plus<int>());
    if (l % width == width - 1)
      t[l / width] = before + x;
    sycl::group_barrier(it.get_group());
    if (l < width)
      t[l] = scanWarp(l < warps ? t[l] : 0, t, l);
    sycl::group_barrier(it.get_group());
    return before + t[l / width];
  }, [](int group, int item) { return sumTo(group, 0, item); });
}

void folds(sycl::queue &q, int size) {
  auto all = [=](int group, int item) { return item == 0 ? sumTo(group, 0, size) : 0; };
  check(q, "folds of volatile numbers", size, size + 64, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0);
    t[l] = number(it.get_group(0), l);
    if (l < 64)
      t[size + l] = 0;
    sycl::group_barrier(it.get_group());
    for (int step = size / 2; step > 32; step >>= 1) {
      if (l < step)
        t[l] += t[l + step];
      sycl::group_barrier(it.get_group());
    }
    if (l < 32)
      foldVolatile(t, l);
    return l == 0 ? t[0] : 0;
  }, all);
  // Fewer of them in each step.
  check(q, "folds behind guards", size, size + 64, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0);
    t[l] = number(it.get_group(0), l);
    sycl::group_barrier(it.get_group());
    for (int step = size / 2; step > 16; step >>= 1) {
      if (l < step)
        t[l] += t[l + step];
      sycl::group_barrier(it.get_group());
    }
    if (l < 16) {
#pragma unroll
      for (int step = 16; step > 0; step >>= 1)
        if (l < step)
          t[l] += t[l + step];
    }
    return l == 0 ? t[0] : 0;
  }, all);
  check(q, "butterflies", size, size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0);
    t[l] = number(group, l);
    if (l < 16) {
      t[l] += t[l ^ 8];
      t[l] += t[l ^ 4];
      t[l] += t[l ^ 2];
      t[l] += t[l ^ 1];
    }
    return t[l];
  }, [](int group, int item) { return item < 16 ? sumTo(group, 0, 16) : number(group, item); });
  check(q, "turns of a ring", size, size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0), lane = l & 31, warp = l & ~31;
    volatile int *const v = t;
    v[l] = number(group, l);
    sycl::group_barrier(it.get_group());
    if (l < 32) {
      const int x = v[(l + 5) % 32];
      v[l] = x;
    } else {
      const int x = t[warp + ((lane + 1) & 31)];
      t[l] = x * 2;
    }
    sycl::group_barrier(it.get_group());
    return t[l];
  }, [](int group, int item) { return item < 32 ? number(group, (item + 5) % 32) : 2 * number(group, item / 32 * 32 + (item + 1) % 32); });
  // What all read in one place is what was there before any of them wrote.
  check(q, "one number for all", size, size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0);
    volatile int *const v = t;
    v[l] = number(group, l);
    sycl::group_barrier(it.get_group());
    int sum = 0;
    if (l < 32) {
      v[l] = v[l] + v[3];
      sum = v[7];
      v[l] = sum;
      v[9] = l;
      sum += v[9];
    }
    return sum;
  }, [](int group, int item) { return item < 32 ? number(group, 7) + number(group, 3) + 31 : 0; });
  // Guards in a loop in a guard: lanes are in step nowhere there, and what is read is the same whoever comes first.
  check(q, "loops between guards", size, size + 64, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0);
    volatile int *const v = t;
    v[l] = 1;
    if (l < 64)
      v[size + l] = 1;
    sycl::group_barrier(it.get_group());
    int sum = 0;
    if (l < 16) {
      for (int k = 0; k < v[l & 3] + 4; k++) {
        if (l >= k) {
          v[l + 1] = 1;
          sum += v[l + 2] + v[l];
          if (l < 8) {
            v[l] = 1;
            sum += v[l + k];
          }
        }
      }
    }
    return sum;
  }, [](int, int item) {
    int sum = 0;
    for (int k = 0; item < 16 && k < 5; k++)
      sum += item < k ? 0 : item < 8 ? 3 : 2;
    return sum;
  });
  // Whoever comes to a warp's sums reads what all others have written just before.
  check(q, "sums that one reads", size, size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0);
    t[l] = number(group, l);
    sycl::group_barrier(it.get_group());
    if (l < 16) {
      int sum = 0;
      for (int i = l; i < size; i += 16)
        sum += t[i];
      t[l] = sum;
    }
    int sum = 0;
    if (l == 0)
      for (int i = 0; i < 16; i++)
        sum += t[i];
    return sum;
  }, all);
  check(q, "ranks", size, 2 * size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0);
    int *const ranks = t + size;
    int rank = 0;
    if (l < 16) {
      t[l] = number(group, l);
#pragma unroll
      for (int i = 0; i < 16; i++)
        rank += t[i] < t[l];
      ranks[l] = rank;
#pragma unroll
      for (int i = 0; i < 15; i++)
        if (l > i && ranks[l] == ranks[i])
          ++ranks[l];
      rank = ranks[l];
    }
    return rank;
  }, [](int group, int item) {
    int rank = 0;
    for (int i = 0; i < 16; i++)
      rank += item < 16 && (number(group, i) < number(group, item) || (i < item && number(group, i) == number(group, item)));
    return rank;
  });
}

template <int Places> struct Colour {
  float of[Places];
};

// What is put in order in its own place.
template <int Places> void permutes(sycl::queue &q, int size) {
  check(q, "permutations", size, (Places + 1) * size, [=](sycl::nd_item<1> it, int *t) {
    const int l = it.get_local_id(0), group = it.get_group(0);
    auto *const colours = reinterpret_cast<Colour<Places> *>(t);
    int *const order = t + Places * size;
    for (int i = 0; i < Places; i++)
      colours[l].of[i] = float(number(group, l) + i);
    order[l] = (l * 7 + 3) % size;
    sycl::group_barrier(it.get_group());
    if (l < 32)
      colours[order[l]] = colours[l];
    sycl::group_barrier(it.get_group());
    return int(colours[l].of[0] + 10 * colours[l].of[Places - 1]);
  }, [=](int group, int item) {
    int from = item;
    for (int l = 0; l < 32; l++)
      if ((l * 7 + 3) % size == item)
        from = l;
    return number(group, from) * 11 + 10 * (Places - 1);
  });
}

// Statements of one warp between guards that LLVM folds into each other: guards that ask the same, of one lane inside of others (which become a `switch`), and places that
// come by two ways. Each is done by all 32 lanes before one does the next.
template <class Device, class Host> void states(sycl::queue &q, const char *what, Device device, Host host) {
  int t[64];
  for (int i = 0; i < 64; i++)
    t[i] = 37 * i + 6;
  host(t);
  check(q, what, 32, 64, [=](sycl::nd_item<1> it, int *near) {
    const int l = it.get_local_id(0);
    volatile int *const t = near;
    for (int i = l; i < 64; i += 32)
      t[i] = 37 * i + 6;
    sycl::group_barrier(it.get_group());
    device(l & 31, t);
    sycl::group_barrier(it.get_group());
    return t[l] + t[l + 32];
  }, [&](int, int item) { return t[item] + t[item + 32]; });
}
// What every lane for which it holds does to its place, all reading before one writes.
template <class If, class Place, class Value> void step(int *t, If passes, Place place, Value value) {
  int read[32];
  for (int l = 0; l < 32; l++)
    read[l] = passes(l) ? value(l) : 0;
  for (int l = 0; l < 32; l++)
    if (passes(l))
      t[place(l)] = read[l];
}
static void guards(sycl::queue &q) {
  const auto all = [](int) { return true; };
  const auto few = [](int l) { return l < 8; };
  const auto most = [](int l) { return l < 31; };
  const auto even = [](int l) { return l % 2 == 0; };
  states(q, "a guard twice", [](int l, volatile int *t) {
    if (l < 8)
      t[l ^ 3] = 4 * l;
    t[l + 3] = t[l + 3] ^ t[l + 5];
    if (l < 8)
      t[l] = t[l] + t[l + 4];
  }, [=](int *t) {
    step(t, few, [](int l) { return l ^ 3; }, [](int l) { return 4 * l; });
    step(t, all, [](int l) { return l + 3; }, [=](int l) { return t[l + 3] ^ t[l + 5]; });
    step(t, few, [](int l) { return l; }, [=](int l) { return t[l] + t[l + 4]; });
  });
  states(q, "one of most", [](int l, volatile int *t) {
    if (l < 31) {
      if (l < 1)
        t[l] = t[l] ^ t[57];
      t[l + 1] = t[l + 1] ^ t[l];
    }
  }, [=](int *t) {
    step(t, [](int l) { return l < 1; }, [](int l) { return l; }, [=](int l) { return t[l] ^ t[57]; });
    step(t, most, [](int l) { return l + 1; }, [=](int l) { return t[l + 1] ^ t[l]; });
  });
  states(q, "some of most, and a place by two ways", [](int l, volatile int *t) {
    if (l < 31) {
      if ((l & 2) == 0)
        t[l] = t[l] ^ t[57];
      t[l] = 3 * l;
      t[l + 1] = t[l + 1] ^ t[l];
    }
  }, [=](int *t) {
    step(t, [](int l) { return l < 31 && (l & 2) == 0; }, [](int l) { return l; }, [=](int l) { return t[l] ^ t[57]; });
    step(t, most, [](int l) { return l; }, [](int l) { return 3 * l; });
    step(t, most, [](int l) { return l + 1; }, [=](int l) { return t[l + 1] ^ t[l]; });
  });
  states(q, "even lanes read odd ones", [](int l, volatile int *t) {
    if ((l & 1) == 0)
      t[l + 1] = t[l ^ 31];
  }, [=](int *t) { step(t, even, [](int l) { return l + 1; }, [=](int l) { return t[l ^ 31]; }); });
}

int main() {
  sycl::queue q;
  guards(q);
  for (int size : {64, 128, 256, 512}) {
    scans(q, size);
    folds(q, size);
    permutes<2>(q, size);
    permutes<3>(q, size);
    permutes<4>(q, size);
    permutes<7>(q, size);
  }
  std::printf("wrong %d\n", wrong);
}
