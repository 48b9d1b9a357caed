// Items that go through memory in steps that the source knows, that it wants unrolled, or that lie in a loop which all items run alike.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: wrong 0
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu -fsycl-id-queries-fit-in-int {self} -o b.out
//# run: ./b.out
//# stdout: wrong 0
//# deep: each of them is vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -DSHAPE=0 -fsycl-dump-device-code=known shape.cpp -o c.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn known/* | grep -cE 'vmulps.*zmm'
//# stdout~: ^[1-9]
//# run: aspen++ -O2 -fsycl-targets=native_cpu -DSHAPE=1 -fsycl-dump-device-code=unrolled shape.cpp -o d.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn unrolled/* | grep -cE 'vmulps.*zmm'
//# stdout~: ^[1-9]
//# run: aspen++ -O2 -fsycl-targets=native_cpu -DSHAPE=2 -fsycl-dump-device-code=nested shape.cpp -o e.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn nested/* | grep -cE 'vmulps.*zmm'
//# stdout~: ^[1-9]
#include <climits>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr int Size = 5000, Items = 192, Local = 64;

struct memory {
  unsigned *out, *in;
};

// What a work-item finds out about itself.
struct self {
  size_t id, range, local, locals, group, groups;
};

unsigned wrong = 0;

// The same by work-items and by the host, one item behind the other: no item reads what another one writes.
template <class Work> void check(sycl::queue &q, const memory &m, const char *name, Work work) {
  const auto zero = [&] {
    for (int i = 0; i < Size; i++)
      m.out[i] = 0;
  };
  zero();
  for (size_t id = 0; id < Items; id++)
    work({id, Items, id % Local, Local, id / Local, Items / Local});
  const std::vector<unsigned> want(m.out, m.out + Size);
  zero();
  q.parallel_for(sycl::nd_range<1>(Items, Local), [=](sycl::nd_item<1> it) {
    work({it.get_global_id(0), it.get_global_range(0), it.get_local_id(0), it.get_local_range(0), it.get_group(0), it.get_group_range(0)});
  }).wait();
  for (int i = 0; i < Size; i++)
    if (m.out[i] != want[i] && ++wrong && i < Size)
      std::printf("%s: %d has %u, not %u\n", name, i, m.out[i], want[i]);
}

// Ends and steps that are known.
template <class Index, Index End, Index Step> void known(sycl::queue &q, const memory &m) {
  check(q, m, "known", [=](self s) {
    for (Index i = Index(s.id); i < End; i += Step)
      m.out[i] = m.in[i] * 3;
  });
  check(q, m, "known, with the end", [=](self s) {
    for (Index i = Index(s.id); i <= End - 1; i += Step)
      m.out[i] += m.in[i];
  });
  check(q, m, "known, other numbers", [=](self s) {
    for (Index i = Index(s.id) + 7; i < End - 9; i += Step)
      m.out[i] = m.in[i + 9];
  });
  check(q, m, "known, twos", [=](self s) {
    for (Index i = Index(s.id) * 2; i + 1 < End; i += 2 * Step) {
      m.out[i] = m.in[i];
      m.out[i + 1] = m.in[i] + m.in[i + 1];
    }
  });
  check(q, m, "known sums", [=](self s) {
    unsigned sum = 0;
    Index i = Index(s.id);
    for (; i < End; i += Step)
      sum = sum * 5 + m.in[i];
    m.out[s.id] = sum + unsigned(i);
  });
  check(q, m, "known, by `while`", [=](self s) {
    Index i = Index(s.local);
    while (i < End / 4) {
      const Index at = Index(s.group) * (End / 4) + i;
      m.out[at] = m.in[at] ^ unsigned(i);
      i += Local;
    }
  });
  check(q, m, "known, backwards", [=](self s) {
    for (Index i = End - 1 - Index(s.id); i < End && i + 1 > 0; i -= Step)
      m.out[i] = m.in[i] + 1;
  });
  check(q, m, "known, unrolled", [=](self s) {
#pragma unroll 4
    for (Index i = Index(s.id); i < End; i += Step)
      m.out[i] = m.in[i] * 3;
  });
}

// Numbers that are as large as their type lets them be.
template <class Index, Index Least> void large(sycl::queue &q, const memory &m) {
  constexpr Index Most = Least + (Size - 1);
  check(q, m, "large", [=](self s) {
    for (Index i = Least + Index(s.id); i < Most - Items; i += Items)
      m.out[i - Least] = m.in[i - Least] + 2;
  });
  check(q, m, "large sums", [=](self s) {
    unsigned sum = 0;
#pragma unroll 8
    for (Index i = Least + Index(s.id); i < Most - Items; i += Items)
      sum = sum * 3 + m.in[i - Least];
    m.out[s.id] = sum;
  });
}

// Ends and steps of the launch.
template <class Index> void unrolled(sycl::queue &q, const memory &m, Index end) {
  check(q, m, "unrolled", [=](self s) {
#pragma unroll 4
    for (Index i = s.id; i < end; i += s.range)
      m.out[i] = m.in[i] * 3;
  });
  check(q, m, "unrolled sums", [=](self s) {
    unsigned sum = 0, least = UINT_MAX;
#pragma unroll 3
    for (Index i = s.id; i < end; i += s.range) {
      sum = sum * 7 + m.in[i];
      least = sycl::min(least, m.in[i]);
    }
    m.out[s.id] = sum ^ least;
  });
  check(q, m, "unrolled as a whole", [=](self s) {
#pragma unroll
    for (Index i = s.local; i < end / 4; i += s.locals)
      m.out[s.group * (end / 4) + i] = m.in[i];
  });
  check(q, m, "unrolled rows", [=](self s) {
    unsigned sum = 0;
    const Index first = m.in[s.id] % 1000, last = first + m.in[s.id + 1] % 50;
#pragma unroll 4
    for (Index i = first; i < last; i++)
      sum = sum * 3 + m.in[i];
    m.out[s.id] = sum;
  });
  check(q, m, "unrolled, alike", [=](self s) {
    unsigned sum = 0;
#pragma unroll 8
    for (Index i = 0; i < end / Index(s.range); i++)
      sum = sum * 3 + m.in[Index(s.id) + i * Index(s.range)];
    m.out[s.id] = sum;
  });
}

// In a loop that all items run alike.
template <class Index> void nested(sycl::queue &q, const memory &m, Index rows, Index row) {
  check(q, m, "rows", [=](self s) {
    for (Index r = s.group; r < rows; r += s.groups)
      for (Index i = s.local; i < row; i += s.locals)
        m.out[r * row + i] = m.in[r * row + i] * 3;
  });
  check(q, m, "known rows", [=](self s) {
    for (Index r = s.group; r < 17; r += Items / Local)
      for (Index i = s.local; i < 250; i += Local)
        m.out[r * 250 + i] = m.in[r * 250 + i] * 3;
  });
  check(q, m, "again and again", [=](self s) {
    for (Index r = 0; r < rows; r++)
      for (Index i = s.id; i < row; i += s.range)
        m.out[i] = m.out[i] * 3 + m.in[r * row + i];
  });
  check(q, m, "a number for all rows", [=](self s) {
    unsigned all = 0, in = 0;
    for (Index r = 0; r < rows; r++) {
      unsigned sum = r;
      for (Index i = s.id; i < row; i += s.range)
        sum = sum * 3 + m.in[r * row + i];
      all = all * 5 + sum;
      in += sum & 1;
    }
    m.out[s.id] = all + in;
  });
  check(q, m, "rows of other lengths", [=](self s) {
    for (Index r = s.group; r < rows; r += s.groups) {
      const Index length = m.in[r] % row;
      for (Index i = s.local; i < length; i += s.locals)
        m.out[r * row + i] = m.in[i] + length;
    }
  });
  check(q, m, "until all is found", [=](self s) {
    for (Index r = 0; r < rows; r++) {
      for (Index i = s.id; i < row; i += s.range)
        m.out[i] += m.in[r * row + i];
      if (m.in[r] % 11 == 3)
        break;
    }
  });
}

int main() {
  sycl::queue q;
  const memory m{sycl::malloc_shared<unsigned>(Size, q), sycl::malloc_shared<unsigned>(Size, q)};
  for (int i = 0; i < Size; i++)
    m.in[i] = unsigned(i * 2654435761u >> 3);
  known<int, 4800, Items>(q, m);
  known<int, 4799, Items>(q, m);
  known<unsigned, 4801, Items>(q, m);
  known<size_t, 4600, Items>(q, m);
  known<long, 65, Items>(q, m);
  known<long, 4999, 1000>(q, m);
  large<int, INT_MAX - Size + 1>(q, m);
  large<unsigned, UINT_MAX - Size + 1>(q, m);
  large<int, INT_MIN>(q, m);
  large<long, LONG_MAX - Size + 1>(q, m);
  for (int end : {0, 1, 63, 191, 192, 193, 1000, 4999}) {
    unrolled<int>(q, m, end);
    unrolled<unsigned>(q, m, end);
    unrolled<size_t>(q, m, end);
  }
  for (int row : {1, 40, 64, 65, 200, 250}) {
    nested<int>(q, m, 4900 / 250, row);
    nested<unsigned>(q, m, 1, row);
    nested<size_t>(q, m, 11, row);
  }
  std::printf("wrong %u\n", wrong);
}
//# file: shape.cpp
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  constexpr int size = 1 << 20, items = 1 << 14;
  float *x = sycl::malloc_shared<float>(size, q), *y = sycl::malloc_shared<float>(size, q);
  q.parallel_for(sycl::nd_range<1>(items, 256), [=](sycl::nd_item<1> it) {
#if SHAPE == 0
    for (int i = it.get_global_id(0); i < size; i += items)
      y[i] = x[i] * 3;
#elif SHAPE == 1
#pragma unroll 8
    for (int i = it.get_global_id(0); i < size; i += it.get_global_range(0))
      y[i] = x[i] * 3;
#else
    for (int row = it.get_group(0); row < size / 1024; row += it.get_group_range(0))
      for (int i = it.get_local_id(0); i < 1024; i += it.get_local_range(0))
        y[row * 1024 + i] = x[row * 1024 + i] * 3;
#endif
  });
}
