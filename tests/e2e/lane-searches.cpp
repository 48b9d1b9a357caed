// Loops of an item that look for something, whose lanes read each its own place: binary searches (by indices of several sizes and by pointers), lists by index
// and by pointer, probes of a hash table, descents of a tree, searches in loops and behind guards, those that leave by several ways, and what an item has just
// written itself.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 67
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: 0 wrong of 67
//# run: ./a.out
//# stdout: 0 wrong of 67
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 67
//# deep: lanes gather
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images search.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'v(p?gather)[dq][dqp][ds]?'
//# stdout~: ^[1-9][0-9]*$
//# run: aspen++ -O2 -fsycl-targets=x86_64_v3 -fsycl-dump-device-code=with-avx2 search.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn with-avx2/* | grep -cE 'vpgatherqd'
//# stdout~: ^[1-9][0-9]*$
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

struct node {
  int key;
  const node *smaller, *larger;
  float value;
};
struct link {
  int value, next;
};
struct chained {
  double value;
  const chained *next;
};

// All that is looked in; `own` has a few numbers an item, which it fills itself.
struct library {
  const int *sorted;
  const double *doubles;
  int count;
  const link *links;
  const int *heads;
  int lists;
  const chained *const *chains;
  const unsigned *table;
  unsigned mask;
  const node *root;
  int *own;
};

static unsigned hashed(unsigned key) { return key * 2654435761u >> 7; }

static long lower_bound(const library &in, int i) {
  int low = 0, high = in.count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (in.sorted[middle] < i * 3 % (in.count * 2 + 1))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
static long upper_bound(const library &in, int i) {
  const double x = i % (in.count + 3) * 1.5 - 2;
  const double *first = in.doubles;
  std::size_t left = std::size_t(in.count);
  while (left > 0) {
    const std::size_t half = left / 2;
    if (!(x < first[half]))
      first += half + 1, left -= half + 1;
    else
      left = half;
  }
  return first - in.doubles;
}
static long listed(const library &in, int i) {
  long sum = 0;
  for (int at = in.heads[i % in.lists]; at >= 0; at = in.links[at].next)
    sum += in.links[at].value ^ i;
  return sum;
}
static long chained_up(const library &in, int i) {
  double sum = 0;
  for (const chained *at = in.chains[i % in.lists]; at; at = at->next)
    sum += at->value;
  return long(sum);
}
static long probed(const library &in, int i) {
  const unsigned key = unsigned(i) * 5 % 97 + 1;
  unsigned at = hashed(key) & in.mask, steps = 0;
  while (in.table[at] != 0) {
    if (in.table[at] == key)
      return long(at) * 100 + steps;
    at = (at + 1) & in.mask;
    if (++steps > in.mask)
      return -2;
  }
  return -1;
}
static long descended(const library &in, int i) {
  const node *at = in.root;
  int depth = 0;
  float sum = 0;
  while (at && at->key != i % 301) {
    sum += at->value;
    at = i % 301 < at->key ? at->smaller : at->larger;
    ++depth;
  }
  return long(sum * 4) + (at ? 1000 : 0) + depth;
}
static long several(const library &in, int i) {
  long all = 0;
  if (i % 5 == 3)
    return -7;
  for (int k = 0; k < i % 4 + 1; ++k) {
    int low = -1, high = in.count;
    while (high - low > 1) {
      const int middle = (low + high) >> 1;
      if (in.sorted[middle] == i + k) {
        low = middle;
        break;
      }
      if (in.sorted[middle] < i + k)
        low = middle;
      else
        high = middle;
    }
    all = all * 31 + low;
  }
  return all;
}
// What is read by what was found, in 32 bits, and what is looked for among few.
static long quantized(const library &in, int i) {
  const int x = i * 37 % (in.count * 2 + 5) - 2;
  int low = 0, high = in.count - 1;
  if (x <= in.sorted[low])
    return low;
  if (in.sorted[high] <= x)
    return high;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (in.sorted[middle] <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return in.sorted[low - 1] < x ? low : low - 1;
}
static long nearest(const library &in, int i) {
  const unsigned key = unsigned(i) % in.mask;
  unsigned at = hashed(key) & in.mask;
  for (unsigned steps = 0; in.table[at] && in.table[at] != key && steps < in.mask; ++steps)
    at = (at + 1) & in.mask;
  return in.table[at] * 8l + in.sorted[at % unsigned(in.count)];
}
static long of_own(const library &in, int i) {
  int *mine = in.own + i * 8;
  for (int k = 0; k < 8; ++k)
    mine[k] = (k + 1 + i % 3) % 8;
  mine[(i + 5) % 8] = -1;
  int at = i % 8, steps = 0;
  while (at >= 0 && steps < 20)
    at = mine[at], ++steps;
  return steps * 10 + at;
}

using search = long (*)(const library &, int);
template <search S> int check(sycl::queue &q, const library &in, int many, size_t local) {
  const size_t all = (size_t(many) + local - 1) / local * local;
  long *out = sycl::malloc_shared<long>(many, q);
  if (local == 1)
    q.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { out[i] = S(in, int(i[0])); }).wait();
  else
    q.parallel_for(sycl::nd_range<1>(all, local), [=](sycl::nd_item<1> it) {
       const int i = int(it.get_global_id(0));
       if (i < many)
         out[i] = S(in, i);
     }).wait();
  int wrong = 0;
  for (int i = 0; i < many; ++i)
    if (const long expected = S(in, i); out[i] != expected && ++wrong < 3)
      std::printf("item %d of %d by %zu: %ld, not %ld\n", i, many, local, out[i], expected);
  sycl::free(out, q);
  return wrong != 0;
}

int main() {
  sycl::queue q;
  auto shared = [&](auto one, size_t many) { return sycl::malloc_shared<decltype(one)>(many, q); };
  int wrong = 0, of = 0;
  for (int count : {1, 2, 37, 1000}) {
    int *sorted = shared(0, count);
    double *doubles = shared(0.0, count);
    for (int i = 0; i < count; ++i)
      sorted[i] = i * 2, doubles[i] = i * 1.5;
    constexpr int lists = 23;
    link *links = shared(link{}, 4 * count);
    int *heads = shared(0, lists);
    chained *cells = shared(chained{}, 4 * count);
    const chained **chains = shared(static_cast<const chained *>(nullptr), lists);
    for (int i = 0; i < lists; ++i)
      heads[i] = -1, chains[i] = nullptr;
    for (int i = 0; i < 4 * count; ++i) {
      const int at = i * i % lists;
      links[i] = {i * 7, heads[at]}, heads[at] = i;
      cells[i] = {i * 0.5, chains[at]}, chains[at] = &cells[i];
    }
    constexpr unsigned mask = 63;
    unsigned *table = shared(0u, mask + 1);
    for (unsigned i = 0; i <= mask; ++i)
      table[i] = 0;
    for (unsigned key = 1; key < 49; ++key) {
      unsigned at = hashed(key) & mask;
      while (table[at])
        at = (at + 1) & mask;
      table[at] = key;
    }
    node *nodes = shared(node{}, count), *root = nullptr;
    for (int i = 0; i < count; ++i) {
      nodes[i] = {int(unsigned(i) * 2654435761u >> 23), nullptr, nullptr, float(i % 9) * 0.25f};
      if (!root) {
        root = nodes;
        continue;
      }
      for (node *at = root;;) {
        const node *&next = nodes[i].key < at->key ? at->smaller : at->larger;
        if (!next) {
          next = &nodes[i];
          break;
        }
        at = const_cast<node *>(next);
      }
    }
    constexpr int many = 3000;
    const library in{sorted, doubles, count, links, heads, lists, chains, table, mask, root, shared(0, many * 8)};
    auto checks = [&](int n, size_t local) {
      const int all[] = {check<lower_bound>(q, in, n, local), check<upper_bound>(q, in, n, local), check<listed>(q, in, n, local),
                         check<chained_up>(q, in, n, local), check<probed>(q, in, n, local),      check<descended>(q, in, n, local),
                         check<several>(q, in, n, local),         check<quantized>(q, in, n, local),   check<nearest>(q, in, n, local)};
      for (int one : all)
        wrong += one, ++of;
    };
    checks(many, 64);
    if (count == 37)
      checks(many, 1), checks(77, 256), checks(many, 100);
    wrong += check<of_own>(q, in, many, 128), ++of;
    for (const void *p : {static_cast<const void *>(sorted), static_cast<const void *>(doubles), static_cast<const void *>(links),
                          static_cast<const void *>(heads), static_cast<const void *>(cells), static_cast<const void *>(chains),
                          static_cast<const void *>(table), static_cast<const void *>(nodes), static_cast<const void *>(in.own)})
      sycl::free(const_cast<void *>(p), q);
  }
  std::printf("%d wrong of %d\n", wrong, of);
}
//# file: search.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  const int n = 1 << 16;
  float *in = sycl::malloc_shared<float>(n, q);
  int *out = sycl::malloc_shared<int>(n, q);
  q.parallel_for(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
     const size_t i = it.get_global_id(0);
     int low = 0, high = n;
     while (high - low > 1) {
       const int middle = low + (high - low) / 2;
       (float(i) < in[middle] ? high : low) = middle;
     }
     out[i] = low;
   }).wait();
}
