// Items that have a partner at `i ^ step` do what the host does: exchanges, butterflies, places that one of two writes for both, numbers that begin anywhere, two
// partners at a time; for steps that are known and not, powers of two and others, in groups of full runs and of any size.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 1569
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: 0 wrong of 1569
//# run: ./a.out
//# stdout: 0 wrong of 1569
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 1569
// A sort is made of vectors whose steps are shorter than they are, and longer; between its stores it asks where local memory begins.
//# deep: what became vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images sort.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vpcmp(u|nle|lt|nlt|le|gt)[a-z]*d.*zmm'
//# stdout~: ^[1-9][0-9]*$
//# run: ./b.out
//# stdout: sorted
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fsycl-id-queries-fit-in-int {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 1569
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr unsigned most = 256, rounds = 2, numbers = 3 * most;

// What an item of that number does in a round, of `count` items whose first one has the number `first`; run by the host, too.
template <int Case, class T> void work(T i, T step, T first, T count, int round, int *a, int *b) {
  const T other = i ^ step, end = first + count;
  const bool both = other < end && other >= first;
  if constexpr (Case == 0) { // an exchange
    if (other > i && both && (a[i] > a[other]) == ((i & 64) == 0)) {
      const int kept = a[i];
      a[i] = a[other];
      a[other] = kept;
    }
  } else if constexpr (Case == 1) { // all read, each writes its own
    if (both)
      b[i] = i & step ? a[other] - a[i] : a[i] + a[other];
    else
      b[i] = a[i];
  } else if constexpr (Case == 2) { // one of two writes for both
    if (!both)
      b[i] = a[i] * 3;
    else if ((i & step) == 0 && i != other) {
      b[i] = a[i] + a[other] * round;
      b[other] = a[i] - a[other];
    }
  } else if constexpr (Case == 3) { // conditions in what one of two does, and what was not read
    if (both && i < other) {
      if (a[i] & 1)
        a[other] += a[i];
      else
        a[i] ^= 5;
      b[other] = round;
    }
  } else if constexpr (Case == 4) { // two partners
    const T third = i ^ (step + step);
    b[i] = (both ? a[other] * 3 : 1) + (third < end && third >= first ? a[third] : 2);
  } else { // least and greatest
    if (both)
      b[i] = (other > i) == ((i & 32) == 0) ? (a[i] < a[other] ? a[i] : a[other]) : (a[i] < a[other] ? a[other] : a[i]);
  }
}

static int content(unsigned i) { return int((i * 2654435761u) >> 20); }

struct checker {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(2 * numbers, q);
  int wrong = 0, tried = 0;

  // `Step` is 0 for one that is known at run time only.
  template <int Case, class T, unsigned Step> void check(unsigned size, unsigned first, unsigned some) {
    const T step = Step ? Step : some;
    q.submit([&](sycl::handler &h) {
       sycl::local_accessor<int> memory(2 * numbers, h);
       h.parallel_for(sycl::nd_range<1>(size, size), [=, out = out](sycl::nd_item<1> it) {
         const T l = T(std::is_signed_v<T> ? it.get_local_linear_id() : it.get_local_id(0));
         int *a = &memory[0], *b = a + numbers;
         for (unsigned i = l; i < numbers; i += size) {
           a[i] = content(i);
           b[i] = content(i + 7);
         }
         for (unsigned round = 0; round < rounds; ++round) {
           sycl::group_barrier(it.get_group());
           work<Case, T>(l + T(first), Step ? T(Step) : step, first, size, round, a, b);
           sycl::group_barrier(it.get_group());
           const T i = l + T(first);
           if (round == 0)
             a[i] += b[i];
         }
         sycl::group_barrier(it.get_group());
         for (unsigned i = l; i < 2 * numbers; i += size)
           out[i] = a[i];
       });
     }).wait();
    std::vector<int> want(2 * numbers);
    int *a = want.data(), *b = a + numbers;
    for (unsigned i = 0; i < numbers; ++i)
      a[i] = content(i), b[i] = content(i + 7);
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned i = first; i < first + size; ++i)
        work<Case, T>(i, step, first, size, round, a, b);
      for (unsigned i = first; round == 0 && i < first + size; ++i)
        a[i] += b[i];
    }
    ++tried;
    if (!std::equal(want.begin(), want.end(), out)) {
      ++wrong;
      std::printf("case %d, step %u (%u), size %u, first %u\n", Case, unsigned(step), Step, size, first);
    }
  }

  template <int Case, class T, unsigned Step> void sizes(unsigned some = 0) {
    for (unsigned size : {1u, 7u, 32u, 96u, 129u, 256u})
      check<Case, T, Step>(size, 0, some);
    for (unsigned size : {32u, 100u, 256u})
      check<Case, T, Step>(size, size == 32 ? 16 : 5, some);
  }

  template <int Case> void steps() {
    sizes<Case, unsigned, 1>();
    sizes<Case, unsigned, 2>();
    sizes<Case, unsigned, 4>();
    sizes<Case, unsigned, 8>();
    sizes<Case, unsigned, 16>();
    sizes<Case, unsigned, 64>();
    sizes<Case, unsigned, 3>();
    sizes<Case, int, 4>();
    sizes<Case, int, 32>();
    sizes<Case, int, 32>();
    sizes<Case, int, 0x40000000>();
    sizes<Case, size_t, 2>();
    sizes<Case, size_t, 16>();
    for (unsigned some : {0u, 1u, 2u, 4u, 8u, 16u, 24u, 128u})
      sizes<Case, unsigned, 0>(some);
    for (unsigned some : {1u, 8u, 32u, 255u, 0x80000000u})
      sizes<Case, int, 0>(some);
    for (unsigned some : {2u, 64u, 1024u})
      sizes<Case, size_t, 0>(some);
  }
};

// Global memory, an exchange a launch.
static void sorts(checker &c) {
  for (unsigned size : {1024u, 96u, 4096u}) {
    int *a = sycl::malloc_shared<int>(size, c.q);
    std::vector<int> want(size);
    for (unsigned i = 0; i < size; ++i)
      a[i] = want[i] = content(i);
    for (unsigned k = 2; k <= size; k *= 2)
      for (unsigned j = k / 2; j > 0; j /= 2) {
        c.q.parallel_for(sycl::range<1>(size), [=](sycl::id<1> id) {
           const unsigned i = id[0], other = i ^ j;
           if (other > i && other < size && (a[i] > a[other]) == ((i & k) == 0))
             std::swap(a[i], a[other]);
         }).wait();
        for (unsigned i = 0; i < size; ++i)
          if (const unsigned other = i ^ j; other > i && other < size && (want[i] > want[other]) == ((i & k) == 0))
            std::swap(want[i], want[other]);
      }
    ++c.tried;
    c.wrong += !std::equal(want.begin(), want.end(), a);
  }
}

int main() {
  checker c;
  c.steps<0>();
  c.steps<1>();
  c.steps<2>();
  c.steps<3>();
  c.steps<4>();
  c.steps<5>();
  sorts(c);
  std::printf("%d wrong of %d\n", c.wrong, c.tried);
}
//# file: sort.cpp
#include <algorithm>
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  constexpr unsigned group = 256, count = 16 * group;
  sycl::queue q;
  unsigned *out = sycl::malloc_shared<unsigned>(count, q);
  for (unsigned i = 0; i < count; ++i)
    out[i] = i * 2654435761u >> 7;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<unsigned> m(group, h);
     h.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> it) {
       const unsigned l = it.get_local_id(0);
       m[l] = out[it.get_global_id(0)];
       for (unsigned size = 2; size <= group; size *= 2)
         for (unsigned step = size / 2; step > 0; step /= 2) {
           sycl::group_barrier(it.get_group());
           const unsigned other = l ^ step;
           if (other > l && (m[l] > m[other]) == ((l & size) == 0)) {
             const unsigned kept = m[l];
             m[l] = m[other];
             m[other] = kept;
           }
         }
       sycl::group_barrier(it.get_group());
       out[it.get_global_id(0)] = m[l];
     });
   }).wait();
  for (unsigned g = 0; g < count; g += group)
    if (!std::is_sorted(out + g, out + g + group))
      return std::puts("not sorted"), 1;
  std::puts("sorted");
}
