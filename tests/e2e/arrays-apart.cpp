// Private arrays, whose elements lie beside other items': filled, copied, indexed by what all items have in common and by what they do not, kept across
// barriers and sub-groups, in items that end, in groups of all shapes; and what does not lie so, since its address goes elsewhere.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 33
//# run: ./a.out
//# stdout: 0 wrong of 33
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 33
//# deep: further levels of optimisation
//# run: aspen++ -O1 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 33
//# deep: what became vectors
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images path.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'v(fmadd|mul).*ps.*[yz]mm'
//# stdout~: ^[1-9][0-9]
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=exchanges exchange.cpp -o c.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn exchanges/* | grep -cE 'v(blend|max|min).*ps.*[yz]mm'
//# stdout~: ^[1-9]
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>
#include <vector>

struct pair {
  int first;
  float second;
};

// What a kernel does, as it is on the host: the item's number, the local one, how many there are in a group, and what all have in common.
struct both {
  int i, local, group, many;
};

// In order: loops that all run alike, arrays filled with zeroes and from a table, copies.
inline long alike(both at) {
  float a[40] = {}, b[40];
  const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  for (int k = 0; k < at.many; ++k)
    a[k] = float(at.i % 7 + k);
  std::memcpy(b, a, sizeof a);
  for (int n = 1; n < at.many; ++n)
    for (int k = n; k < at.many; ++k)
      b[k] = b[k] * 0.5f + a[k - n];
  float sum = 0;
  for (int k = 0; k < 40; ++k)
    sum += b[k] * float(table[k % 8]);
  return long(sum * 16);
}

// Indices of each item's own, bytes, and two dimensions.
inline long own_index(both at) {
  unsigned char count[16] = {};
  short square[4][5];
  unsigned x = unsigned(at.i) * 2654435761u;
  for (int k = 0; k < at.many; ++k) {
    count[x >> 28]++;
    x = x * 1664525u + 1013904223u;
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 5; ++c)
      square[r][c] = short(count[(r * 5 + c) % 16] * (r + 1));
  long out = 0;
  for (int c = 0; c < 5; ++c)
    out = out * 31 + square[(at.i + c) % 4][c];
  return out;
}

// Sorted, which ends when it is; elements of two types and one size.
inline long sorted(both at) {
  pair p[9];
  for (int k = 0; k < 9; ++k)
    p[k] = {(at.i * 37 + k * 11) % 23, float(k)};
  bool again = true;
  while (again) {
    again = false;
    for (int k = 0; k + 1 < 9; ++k)
      if (p[k].first > p[k + 1].first) {
        pair t = p[k];
        p[k] = p[k + 1];
        p[k + 1] = t;
        again = true;
      }
  }
  long out = 0;
  for (int k = 0; k < 9; ++k)
    out = out * 7 + p[k].first * 10 + long(p[k].second);
  return out;
}

// Read whole, and exchanged behind conditions: of neighbours, of two arrays, of what may be one element; written where nothing was read.
inline long exchanged(both at) {
  int table[24], a[24], b[24];
  for (int k = 0; k < 24; ++k)
    table[k] = (at.i * 29 + k * 17) % 41;
  std::memcpy(a, table, sizeof a);
  std::memcpy(b, table, sizeof b);
  for (int n = 0; n < at.many; ++n)
    for (int k = 0; k + 1 < 24; ++k) {
      if (a[k] > a[k + 1]) {
        int t = a[k];
        a[k] = a[k + 1];
        a[k + 1] = t;
      }
      const int other = (k * n + at.local) % 24;
      if (b[k] < b[other]) {
        b[k] += 3;
        b[other] = b[k] - 5;
      }
      int least = a[k];
      if (b[k] > least + n) {
        b[k] = least;
        least = a[23 - k];
      } else
        a[(k + n) % 24] ^= 1;
      if (least % 3 == 0)
        b[23 - k] = least;
    }
  long out = 0;
  for (int k = 0; k < 24; ++k)
    out = out * 3 + a[k] * 2 + b[k];
  return out;
}

// A pointer that walks, one of two arrays, doubles.
inline long pointers(both at) {
  double a[12], b[12];
  double *p = a;
  for (int k = 0; k < 12; ++k)
    *p++ = at.i + k, b[k] = at.i - k;
  const double *of = at.i % 3 ? a : b;
  double out = 0;
  for (int k = 0; k < at.many % 12; ++k)
    out = out * 0.5 + of[k];
  return long(out * 1024);
}

// Of sizes that LLVM does not take apart, with members of other sizes.
struct mixed {
  char tag;
  double value;
  int numbers[5];
};
inline long mixtures(both at) {
  mixed m[3] = {};
  for (int k = 0; k < 15; ++k)
    m[k / 5].numbers[(k + at.i) % 5] += k;
  m[at.i % 3].tag = 'x', m[(at.i + 1) % 3].value = at.i;
  long out = 0;
  for (const mixed &of : m) {
    out = out * 3 + of.tag + long(of.value);
    for (int number : of.numbers)
      out = out * 5 + number;
  }
  return out;
}

template <class F> void tell(F value, const std::vector<long> &out, int length, int group, int many, int &wrong, int &tried) {
  int bad = 0;
  for (int i = 0; i < length; ++i)
    bad += out[i] != value(both{i, i % group, group, many});
  ++tried;
  if (bad != 0)
    std::printf("%d: %d wrong of %d in groups of %d\n", tried, bad, length, group);
  wrong += bad != 0;
}

template <class F> void check(sycl::queue &queue, F value, int &wrong, int &tried) {
  for (int group : {1, 48, 64, 200}) {
    const int length = 1000, many = 17 + group % 5;
    std::vector<long> out(length);
    {
      sycl::buffer<long> buffer(out.data(), length);
      queue.submit([&](sycl::handler &handler) {
        sycl::accessor to(buffer, handler);
        handler.parallel_for(sycl::nd_range<1>((length + group - 1) / group * group, group), [=](sycl::nd_item<1> item) {
          const int i = int(item.get_global_id(0));
          if (i < length)
            to[i] = value(both{i, int(item.get_local_id(0)), group, many});
        });
      });
    }
    tell(value, out, length, group, many, wrong, tried);
  }
}

// Kept across a barrier, a sub-group's reduction, and items that end in between.
void across(sycl::queue &queue, int &wrong, int &tried) {
  for (int kind : {0, 1, 2})
    for (int group : {32, 40}) {
      const int length = 10 * group;
      std::vector<int> out(length), expected(length);
      {
        sycl::buffer<int> buffer(out.data(), length);
        queue.submit([&](sycl::handler &handler) {
          sycl::accessor to(buffer, handler);
          sycl::local_accessor<int> shared(group, handler);
          handler.parallel_for(sycl::nd_range<2>({10, size_t(group)}, {1, size_t(group)}), [=](sycl::nd_item<2> item) {
            const int local = int(item.get_local_id(1)), row = int(item.get_global_id(0));
            int a[20];
            for (int k = 0; k < 20; ++k)
              a[k] = local * k + row;
            shared[local] = a[local % 20];
            if (kind == 1 && local % 5 == 3) {
              to[row * group + local] = a[local % 7];
              return;
            }
            sycl::group_barrier(item.get_group());
            a[local % 20] += shared[(local + 1) % group];
            int most = 0;
            if (kind == 2)
              most = sycl::reduce_over_group(item.get_sub_group(), a[(local + 3) % 20] + a[2], sycl::maximum<int>());
            int sum = most;
            for (int k = 0; k < 20; ++k)
              sum = sum * 3 + a[k];
            to[row * group + local] = sum;
          });
        });
      }
      // The same by hand.
      const int lanes = 32;
      for (int row = 0; row < 10; ++row) {
        std::vector<std::vector<int>> all(group, std::vector<int>(20));
        std::vector<int> shared(group), most(group);
        for (int local = 0; local < group; ++local) {
          for (int k = 0; k < 20; ++k)
            all[local][k] = local * k + row;
          shared[local] = all[local][local % 20];
        }
        for (int local = 0; local < group; ++local)
          all[local][local % 20] += shared[(local + 1) % group];
        for (int local = 0; local < group && kind == 2; ++local)
          for (int other = local / lanes * lanes; other < group && other < (local / lanes + 1) * lanes; ++other)
            most[local] = std::max(most[local], other == local / lanes * lanes ? all[other][(other + 3) % 20] + all[other][2]
                                                                               : std::max(most[local], all[other][(other + 3) % 20] + all[other][2]));
        for (int local = 0; local < group; ++local) {
          int sum = most[local];
          for (int k = 0; k < 20; ++k)
            sum = sum * 3 + all[local][k];
          expected[row * group + local] = kind == 1 && local % 5 == 3 ? local * (local % 7) + row : sum;
        }
      }
      ++tried;
      if (out != expected)
        std::printf("%d: kind %d in groups of %d\n", tried, kind, group);
      wrong += out != expected;
    }
}

// Ranges, whose kernels loop over items by themselves.
void ranges(sycl::queue &queue, int &wrong, int &tried) {
  for (auto value : {0, 1, 2}) {
    const int length = 777, many = 19;
    std::vector<long> out(length);
    {
      sycl::buffer<long> buffer(out.data(), length);
      queue.submit([&](sycl::handler &handler) {
        sycl::accessor to(buffer, handler);
        if (value == 0)
          handler.parallel_for(sycl::range<1>(length), [=](sycl::id<1> i) { to[i] = alike({int(i[0]), 0, 1, many}); });
        else if (value == 2)
          handler.parallel_for(sycl::range<1>(length), [=](sycl::id<1> i) { to[i] = exchanged({int(i[0]), 0, 1, many}); });
        else
          handler.parallel_for(sycl::range<1>(length), [=](sycl::id<1> i) { to[i] = own_index({int(i[0]), 0, 1, many}); });
      });
    }
    if (value == 0)
      tell(alike, out, length, 1, many, wrong, tried);
    else if (value == 2)
      tell(exchanged, out, length, 1, many, wrong, tried);
    else
      tell(own_index, out, length, 1, many, wrong, tried);
  }
}

int main() {
  sycl::queue queue;
  int wrong = 0, tried = 0;
  check(queue, [](both at) { return alike(at); }, wrong, tried);
  check(queue, [](both at) { return own_index(at); }, wrong, tried);
  check(queue, [](both at) { return sorted(at); }, wrong, tried);
  check(queue, [](both at) { return exchanged(at); }, wrong, tried);
  check(queue, [](both at) { return pointers(at); }, wrong, tried);
  check(queue, [](both at) { return mixtures(at); }, wrong, tried);
  across(queue, wrong, tried);
  ranges(queue, wrong, tried);
  std::printf("%d wrong of %d\n", wrong, tried);
}
//# file: path.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue queue;
  float *out = sycl::malloc_shared<float>(1024, queue);
  const int many = 30;
  queue.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) {
    float path[40];
    for (int k = 0; k < many; ++k)
      path[k] = float(item.get_global_id(0)) / float(k + 1);
    for (int n = 1; n < many; ++n)
      for (int k = n; k < many; ++k)
        path[k] = path[k] * 0.5f + path[k - n];
    out[item.get_global_id(0)] = path[many - 1];
  });
  queue.wait();
}
//# file: exchange.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue queue;
  float *out = sycl::malloc_shared<float>(64 * 1024, queue);
  queue.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> i) {
    float a[64];
    for (int k = 0; k < 64; ++k)
      a[k] = out[64 * i + k];
    for (int n = 0; n < 64; ++n)
      for (int k = 0; k < 63 - n; ++k)
        if (a[k] > a[k + 1]) {
          float t = a[k];
          a[k] = a[k + 1];
          a[k + 1] = t;
        }
    for (int k = 0; k < 64; ++k)
      out[64 * i + k] = a[k];
  });
  queue.wait();
}
