// Numbers that pieces make anew in place of keeping them, and function objects that kernels read from memory, in the loops over tiles that frameworks write.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=4 ./a.out
//# stdout: wrong 0
//# deep: the loop over tiles takes neighbours, and gathers nothing
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images tile.cpp -o b.out
//# sh: test $(llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vgather|vscatter') = 0
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vmulpd.*zmm'
//# stdout~: ^[1-9]
#include <algorithm>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

struct point {
  int *in, *out;
  int width;
  void operator()(int x, int y) const { out[y * width + x] += in[y * width + std::max(x - 1, 0)] * 3 + in[std::max(y - 1, 0) * width + x]; }
};

struct tiling {
  int tile[2], lower[2], upper[2], tiles[2];
};

template <class F> void over(const tiling &t, const F &f, int wide, int high, int gx, int gy, int lx, int ly) {
  for (int ty = gy; ty < t.tiles[1]; ty += high) {
    const int y = ty * t.tile[1] + ly + t.lower[1];
    if (y < t.upper[1] && ly < t.tile[1])
      for (int tx = gx; tx < t.tiles[0]; tx += wide) {
        const int x = tx * t.tile[0] + lx + t.lower[0];
        if (x < t.upper[0] && lx < t.tile[0])
          f(x, y);
      }
  }
}

int main() {
  sycl::queue q;
  constexpr int width = 150, height = 70, all = width * height;
  int *in = sycl::malloc_shared<int>(all, q), *out = sycl::malloc_shared<int>(all, q), *sums = sycl::malloc_shared<int>(all, q);
  auto *f = sycl::malloc_shared<point>(1, q);
  *f = {in, out, width};
  std::vector<int> want(all);
  int wrong = 0;
  for (int i = 0; i < all; i++)
    in[i] = i * 7919 % 1009;
  for (const auto &tile : {std::pair{16, 2}, {32, 4}, {5, 7}, {64, 1}, {128, 3}})
    for (const auto &groups : {std::pair{1000, 1000}, {2, 3}, {1, 1}})
      for (const auto &upper : {std::pair{width, height}, {width - 1, height - 1}, {17, 33}, {0, 5}}) {
        tiling t{{tile.first, tile.second}, {0, 1}, {upper.first, upper.second}, {}};
        for (int d = 0; d < 2; ++d)
          t.tiles[d] = (t.upper[d] - t.lower[d] + t.tile[d] - 1) / t.tile[d];
        const int wide = std::max(1, std::min(groups.first, t.tiles[0])), high = std::max(1, std::min(groups.second, t.tiles[1]));
        const sycl::nd_range<2> range({size_t(high * tile.second), size_t(wide * tile.first)}, {size_t(tile.second), size_t(tile.first)});
        std::fill(out, out + all, 1);
        std::fill(want.begin(), want.end(), 1);
        q.parallel_for(range, [=](sycl::nd_item<2> it) {
           over(t, *f, int(it.get_group_range(1)), int(it.get_group_range(0)), int(it.get_group(1)), int(it.get_group(0)), int(it.get_local_id(1)), int(it.get_local_id(0)));
         }).wait();
        for (int y = t.lower[1]; y < t.upper[1]; y++)
          for (int x = t.lower[0]; x < t.upper[0]; x++)
            want[y * width + x] += in[y * width + std::max(x - 1, 0)] * 3 + in[std::max(y - 1, 0) * width + x];
        const bool first = !std::equal(want.begin(), want.end(), out);

        // What pieces on both sides of barriers make of the same numbers, in loops that all run alike and behind guards.
        std::fill(sums, sums + all, 0);
        q.submit([&](sycl::handler &h) {
          sycl::local_accessor<int> near(tile.first * tile.second, h);
          h.parallel_for(range, [=](sycl::nd_item<2> it) {
            const int lx = int(it.get_local_id(1)), ly = int(it.get_local_id(0)), at = ly * t.tile[0] + lx;
            const int x = int(it.get_global_id(1)), y = int(it.get_global_id(0)), place = std::min(y, height - 1) * width + std::min(x, width - 1);
            const bool inside = x < t.upper[0] && y < t.upper[1];
            int sum = 0;
            for (int round = 0; round < 3; ++round) {
              const int shifted = place + round * (x & 3);
              near[at] = inside ? in[shifted % all] : 0;
              sycl::group_barrier(it.get_group());
              if (inside)
                for (int k = 0; k < t.tile[0]; ++k)
                  sum += near[ly * t.tile[0] + k] * (k + round) + (shifted ^ place);
              sycl::group_barrier(it.get_group());
            }
            if (inside)
              sums[y * width + x] = sum;
          });
        });
        q.wait();
        bool second = false;
        for (int y = 0; y < std::min(t.upper[1], high * tile.second); y++)
          for (int x = 0; x < std::min(t.upper[0], wide * tile.first); x++) {
            int sum = 0;
            const auto number = [&](int x, int round) {
              return std::min(y, height - 1) * width + std::min(x, width - 1) + round * (x & 3);
            };
            for (int round = 0; round < 3; ++round)
              for (int k = 0; k < t.tile[0]; ++k) {
                const int other = x / t.tile[0] * t.tile[0] + k;
                sum += (other < t.upper[0] ? in[number(other, round) % all] : 0) * (k + round) + (number(x, round) ^ number(x, 0));
              }
            second |= sums[y * width + x] != sum;
          }
        if (first || second)
          std::printf("tiles of %d x %d, %d x %d groups, up to %d, %d: %d %d\n", tile.first, tile.second, wide, high, upper.first, upper.second, first, second);
        wrong += first + second;
      }
  std::printf("wrong %d\n", wrong);
}
//# file: tile.cpp
#include <sycl/sycl.hpp>

struct smooth {
  double *in, *out;
  long width;
  void operator()(int x, int y) const { out[y * width + x] = .5 * (in[y * width + x - 1] + in[(y + 1) * width + x]); }
};

int main(int argc, char **) {
  sycl::queue q;
  auto *f = sycl::malloc_shared<smooth>(1, q);
  const int wide = argc, high = argc, end = argc;
  q.parallel_for(sycl::nd_range<2>({2, 256}, {2, 256}), [=](sycl::nd_item<2> it) {
    for (int ty = int(it.get_group(0)); ty < high; ty += int(it.get_group_range(0))) {
      const int y = ty * 2 + int(it.get_local_id(0));
      if (y < end)
        for (int tx = int(it.get_group(1)); tx < wide; tx += int(it.get_group_range(1))) {
          const int x = tx * 256 + int(it.get_local_id(1));
          if (x < end)
            (*f)(x, y);
        }
    }
  });
}
