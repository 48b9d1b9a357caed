// Items that go through memory in steps of a group or of the whole range, with every way to say so; numbers that wrap around keep their loops.
//# run: aspen++ -O2 -ffp-contract=off -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
#include <climits>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr size_t Size = 5000;

struct memory {
  unsigned *out, *in;
};

template <class Kernel> void launch(sycl::queue &q, size_t global, size_t local, Kernel kernel) {
  q.parallel_for(sycl::nd_range<1>(global, local), kernel).wait();
}

int main() {
  sycl::queue q;
  memory m{sycl::malloc_shared<unsigned>(Size, q), sycl::malloc_shared<unsigned>(Size, q)};
  for (size_t i = 0; i < Size; i++)
    m.in[i] = unsigned(i * 2654435761u >> 3);
  unsigned wrong = 0;
  std::vector<unsigned> want(Size);
  const auto compare = [&](const char *what, size_t n) {
    unsigned here = 0;
    for (size_t i = 0; i < Size; i++)
      here += m.out[i] != want[i];
    if (here)
      std::printf("%s, %zu: %u wrong\n", what, n, here);
    wrong += here;
  };
  const auto begin = [&] {
    for (size_t i = 0; i < Size; i++)
      m.out[i] = want[i] = 7;
  };
  for (size_t n : {size_t(0), size_t(1), size_t(63), size_t(64), size_t(65), size_t(1000), Size})
    for (size_t local : {size_t(64), size_t(160), size_t(256)}) {
      const size_t global = local * 3;
      begin();
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (size_t i = it.get_global_id(0); i < n; i += it.get_global_range(0))
          m.out[i] += m.in[i] % 11;
      });
      for (size_t i = 0; i < n; i++)
        want[i] += m.in[i] % 11;
      compare("size_t by the range", n);

      begin();
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (int i = int(it.get_global_id(0)); i < int(n); i += it.get_global_range(0)) // a ring: of the number only the lower half counts
          m.out[i] += m.in[i & 1023] % 11 + m.in[(i * 3) & 511] % 7;
      });
      for (size_t i = 0; i < n; i++)
        want[i] += m.in[i & 1023] % 11 + m.in[(i * 3) & 511] % 7;
      compare("places of a ring", n);

      begin();
      const int count = int(n);
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (int i = int(it.get_global_id(0)); i < count; i += int(it.get_global_range(0))) {
          unsigned x = m.in[i];
          if (x % 3 == 1)
            x = x * 5 + unsigned(i);
          m.out[i] = x;
        }
      });
      for (size_t i = 0; i < n; i++)
        want[i] = m.in[i] % 3 == 1 ? m.in[i] * 5 + unsigned(i) : m.in[i];
      compare("int by the range", n);

      begin(); // a row a group, in steps of the group
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        const unsigned row = unsigned(it.get_group(0)) * 1000, end = unsigned(n < 1000 ? n : 1000);
        for (unsigned i = unsigned(it.get_local_id(0)); i < end; i += unsigned(it.get_local_range(0)))
          m.out[row + i] = m.in[row + i] + row;
      });
      for (unsigned row = 0; row < 3000; row += 1000)
        for (size_t i = 0; i < n && i < 1000; i++)
          want[row + i] = m.in[row + i] + row;
      compare("unsigned by the group", n);

      begin(); // an int that grows by a size_t, as programs write that come from CUDA
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (int i = it.get_global_id(0); i < count; i += it.get_local_range(0) * it.get_group_range(0))
          m.out[i] = m.in[i] / 3;
      });
      for (size_t i = 0; i < n; i++)
        want[i] = m.in[i] / 3;
      compare("int by a size_t", n);

      begin(); // two numbers an item
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (int i = it.get_local_id(0) * 2; i < count - 1; i += it.get_local_range(0) * 2)
          if (it.get_group(0) == 2)
            m.out[i] = m.in[i] + 5, m.out[i + 1] = m.in[i + 1] * 3;
      });
      for (int i = 0; i < count - 1; i += 2)
        want[i] = m.in[i] + 5, want[i + 1] = m.in[i + 1] * 3;
      compare("two an item", n);

      begin(); // the number is asked for behind the loop, by the one item that comes to the end
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        int i = it.get_global_id(0);
        while (i < count / 2) {
          m.out[2 * i] = m.in[2 * i] % 4 > 1 ? m.in[2 * i] : 1;
          m.out[2 * i + 1] = m.in[2 * i + 1] % 4 > 1 ? 3 : 1;
          i += it.get_group_range(0) * it.get_local_range(0);
        }
        if (count % 2 == 1 && i == count / 2)
          m.out[count - 1] = 99;
      });
      for (size_t i = 0; i + 1 < n; i += 2)
        want[i] = m.in[i] % 4 > 1 ? m.in[i] : 1, want[i + 1] = m.in[i + 1] % 4 > 1 ? 3 : 1;
      if (n % 2 == 1)
        want[n - 1] = 99;
      compare("asked behind the loop", n);

      begin(); // pairs by a number that counts halves, from a row that begins anywhere
      for (int odd : {0, 1})
        launch(q, global, local, [=](sycl::nd_item<1> it) {
          const int row = odd * 3 + count / 5;
          for (int y = it.get_local_id(0) * 2; y < count / 2; y += it.get_local_range(0) * 2) {
            const int at = (row + y) >> 1;
            if (it.get_group(0) == 1)
              m.out[at] = m.in[y >> 1] * 5 + m.in[at] + unsigned(odd);
          }
        });
      for (int odd : {0, 1})
        for (int y = 0; y < count / 2; y += 2)
          want[size_t((odd * 3 + count / 5 + y) >> 1)] = m.in[y >> 1] * 5 + m.in[(odd * 3 + count / 5 + y) >> 1] + unsigned(odd);
      compare("pairs by halves", n);

      begin(); // with a state, three numbers an item, up to the bound itself
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        unsigned sum = 1;
        long i = long(it.get_local_id(0)) * 3;
        for (; i <= long(n) - 3; i += long(it.get_local_range(0)) * 3)
          sum = sum * 7 + (m.in[i] ^ m.in[i + 2]);
        m.out[it.get_global_id(0)] = sum + unsigned(i);
      });
      for (size_t g = 0; g < global; g++) {
        unsigned sum = 1;
        long i = long(g % local) * 3;
        for (; i <= long(n) - 3; i += long(local) * 3)
          sum = sum * 7 + (m.in[i] ^ m.in[i + 2]);
        want[g] = sum + unsigned(i);
      }
      compare("a state and three an item", n);

      begin(); // sums of several kinds in steps of the group, which are asked for behind the loop; with a float whose order counts
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        unsigned sum = 5, most = 0;
        float f = 1;
        for (int i = it.get_local_id(0); i < count; i += it.get_local_range(0)) {
          sum = sum * 3 + m.in[i];
          most = most > m.in[i] ? most : m.in[i];
          if (m.in[i] % 2)
            f = f * 0.75f + float(m.in[i] % 64);
        }
        m.out[it.get_global_id(0)] = sum ^ most ^ unsigned(f * 16);
      });
      for (size_t g = 0; g < global; g++) {
        unsigned sum = 5, most = 0;
        float f = 1;
        for (size_t i = g % local; i < n; i += local) {
          sum = sum * 3 + m.in[i];
          most = most > m.in[i] ? most : m.in[i];
          if (m.in[i] % 2)
            f = f * 0.75f + float(m.in[i] % 64);
        }
        want[g] = sum ^ most ^ unsigned(f * 16);
      }
      compare("sums", n);

      begin(); // the same behind barriers, and sums that begin with one
      q.submit([&](sycl::handler &h) {
         sycl::local_accessor<unsigned, 1> t(local, h);
         h.parallel_for(sycl::nd_range<1>(global, local), [=](sycl::nd_item<1> it) {
           const size_t l = it.get_local_id(0);
           unsigned sum = 0;
           for (size_t i = l; i < n; i += local)
             sum += m.in[i];
           t[l] = sum;
           const unsigned all = sycl::reduce_over_group(it.get_group(), sum, sycl::plus<unsigned>());
           unsigned again = t[local - 1 - l], before = 7;
           for (size_t i = l; i < n; i += local) {
             again = (again ^ before) + m.in[i] % (all % 5 + 1);
             before = m.in[i];
           }
           m.out[it.get_global_id(0)] = again + before;
         });
       }).wait();
      {
        std::vector<unsigned> sums(local);
        unsigned all = 0;
        for (size_t l = 0; l < local; l++) {
          for (size_t i = l; i < n; i += local)
            sums[l] += m.in[i];
          all += sums[l];
        }
        for (size_t g = 0; g < global; g++) {
          unsigned again = sums[local - 1 - g % local], before = 7;
          for (size_t i = g % local; i < n; i += local) {
            again = (again ^ before) + m.in[i] % (all % 5 + 1);
            before = m.in[i];
          }
          want[g] = again + before;
        }
      }
      compare("sums behind barriers", n);

      begin(); // a last one that is in it, and items that do nothing
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        if (it.get_group(0) == 1)
          return;
        for (long i = long(it.get_global_id(0)) - 2; i <= long(n) - 3; i += long(it.get_global_range(0)))
          if (i >= 0)
            m.out[i] = m.in[i] + 1;
      });
      for (size_t g = 0; g < global; g++)
        if (g / local != 1)
          for (long i = long(g) - 2; i <= long(n) - 3; i += long(global))
            if (i >= 0)
              want[i] = m.in[i] + 1;
      compare("long, and the last one", n);

      begin(); // what an item keeps for its next turn in private memory, or in a number
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        unsigned own[4] = {1, 2, 3, 4}, sum = 0;
        for (size_t i = it.get_global_id(0); i < n; i += it.get_global_range(0)) {
          own[m.in[i] % 4] += m.in[i] % 7;
          sum += own[m.in[i] / 4 % 4];
          m.out[i] = sum;
        }
      });
      for (size_t g = 0; g < global; g++) {
        unsigned own[4] = {1, 2, 3, 4}, sum = 0;
        for (size_t i = g; i < n; i += global) {
          own[m.in[i] % 4] += m.in[i] % 7;
          sum += own[m.in[i] / 4 % 4];
          want[i] = sum;
        }
      }
      compare("with a state", n);

      begin(); // what one turn writes the item's next one reads
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        const size_t step = it.get_global_range(0);
        for (size_t i = it.get_global_id(0); i < n; i += step)
          m.out[i] = m.in[i] % 5 + (i >= step ? m.out[i - step] : 0);
      });
      for (size_t i = 0; i < n; i++)
        want[i] = m.in[i] % 5 + (i >= global ? want[i - global] : 0);
      compare("by what the turn before wrote", n);

      begin(); // a loop inside, and a barrier behind
      launch(q, global, local, [=](sycl::nd_item<1> it) {
        for (unsigned i = unsigned(it.get_global_id(0)); i < n; i += unsigned(it.get_global_range(0))) {
          unsigned sum = 0;
          for (unsigned k = 0; k < m.in[i] % 9; k++)
            sum += k * i;
          m.out[i] = sum;
        }
        sycl::group_barrier(it.get_group());
        if (it.get_global_id(0) < n)
          m.out[it.get_global_id(0)] += 3;
      });
      for (size_t i = 0; i < n; i++) {
        const unsigned k = m.in[i] % 9;
        want[i] = unsigned(k ? k * (k - 1) / 2 * i : 0) + (i < global ? 3 : 0);
      }
      compare("with a loop inside", n);
    }
  // A sum that wraps around is below the end again: a step further than the greatest number is from the end is left to the loops as they were.
  for (unsigned end : {UINT_MAX - 700u, UINT_MAX - 300u}) {
    begin();
    launch(q, 256, 256, [=](sycl::nd_item<1> it) {
      const unsigned base = UINT_MAX - 1000;
      for (unsigned i = base + unsigned(it.get_global_id(0)); i < end; i += 256)
        m.out[i - base] = i;
    });
    for (unsigned i = UINT_MAX - 1000; i < end; i++)
      want[i - (UINT_MAX - 1000)] = i;
    compare("near the greatest number", end);
  }
  std::printf("wrong %u\n", wrong);
}
