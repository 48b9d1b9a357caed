// Items near edges and away from them: places that are clamped, wrapped around, guarded or divided out, in groups and rows of all shapes, with numbers of all kinds of
// integers, in loops and without; pictures that are nothing but edge, and bounds that leave none inside.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: 0 wrong of 672
//# run: ./a.out
//# stdout: 0 wrong of 672
//# run: env ASPEN_CPU_GROUPS=items ./a.out
//# stdout: 0 wrong of 672
//# deep: further levels of optimisation
//# run: aspen++ -O3 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: 0 wrong of 672
//# deep: places that are divided out are neighbours
//# run: aspen++ -O2 -fsycl-targets=native_cpu -fsycl-dump-device-code=images rows.cpp -o b.out
//# sh: llvm-objdump-22 -d --no-show-raw-insn images/* | grep -cE 'vfmadd[0-9]+ps.*\(.*zmm'
//# stdout~: ^[1-9][0-9]*$
#include <algorithm>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

// A picture, and what is made of it at (x, y), or at number `i`.
struct picture {
  const int *at;
  int width, height;
};

template <class T> T clamped(T x, T least, T most) { return x < least ? least : x > most ? most : x; }

struct clamps {
  static int make(const picture &p, int x, int y) {
    int sum = 0;
    for (int j = -2; j <= 2; ++j)
      for (int i = -2; i <= 2; ++i)
        sum += (i * 5 + j) * p.at[sycl::clamp(y + j, 0, p.height - 1) * p.width + sycl::clamp(x + i, 0, p.width - 1)];
    return sum;
  }
};
struct limits {
  static int make(const picture &p, int x, int y) {
    const int left = std::max(x - 1, 0), right = std::min(x + 1, p.width - 1), up = std::max(y - 1, 0);
    return 3 * p.at[y * p.width + left] - p.at[up * p.width + right] + p.at[y * p.width + x];
  }
};
struct wraps {
  static int make(const picture &p, int x, int y) {
    const int left = x == 0 ? p.width - 1 : x - 1, right = x == p.width - 1 ? 0 : x + 1, far = x + 3 >= p.width ? x + 3 - p.width : x + 3;
    return p.at[y * p.width + left] * 2 - p.at[y * p.width + right] + (p.width > 3 ? p.at[y * p.width + far] : 0);
  }
};
struct remainders {
  static int make(const picture &p, int x, int y) {
    const unsigned w = unsigned(p.width), left = (unsigned(x) + w - 1) % w, right = (unsigned(x) + 1) % w;
    return p.at[unsigned(y) * w + left] * 5 + p.at[unsigned(y) * w + right];
  }
};
struct guarded {
  static int make(const picture &p, int x, int y) {
    int sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const int to = x + i, from = y + j;
        if (to >= 0 && to < p.width && from >= 0 && from < p.height)
          sum += (3 * i + j + 5) * p.at[from * p.width + to];
      }
    return sum;
  }
};
struct small_numbers {
  static int make(const picture &p, int x, int y) {
    const short right = short(x + 2) < short(p.width) ? short(x + 2) : short(p.width - 1);
    const auto mirrored = static_cast<unsigned char>(x) < 100 ? x : x / 2;
    return p.at[y * p.width + right] + 7 * p.at[y * p.width + mirrored];
  }
};
struct backwards {
  static int make(const picture &p, int x, int y) {
    const int from = p.width - 1 - x, to = std::max(from - 1, 0);
    return p.at[y * p.width + from] - 2 * p.at[y * p.width + to];
  }
};

// By one number: columns and rows divided out, by what the launch knows and by constants.
struct divided {
  static int make(const picture &p, long i) {
    const int x = int(i) % p.width, y = int(i) / p.width;
    return p.at[y * p.width + std::min(x + 1, p.width - 1)] * 3 + x * 7 - y;
  }
};
struct transposed {
  static int make(const picture &p, long i) {
    const std::size_t n = std::size_t(i), column = n / std::size_t(p.height), row = n % std::size_t(p.height);
    return p.at[row * std::size_t(p.width) + column] + int(row);
  }
};
struct in_planes {
  static int make(const picture &p, long i) {
    const long half = (p.width + 1) / 2, x = i % half, rest = i / half, y = rest % p.height, plane = rest / p.height;
    return p.at[std::min(y * p.width + x + plane, long(p.width) * p.height - 1)] * int(plane + 1) - int(y);
  }
};
struct by_constants {
  static int make(const picture &p, long i) {
    const unsigned n = unsigned(i), x = n % 300, y = n / 300, z = n % 3, all = unsigned(p.width * p.height);
    return p.at[(y * 300 + x) % all] * 3 + p.at[(n / 3 * 3 + z) % all];
  }
};
struct signs {
  static int make(const picture &p, long i) {
    const int n = int(i) - p.width * 2, x = n % p.width, y = n / p.width;
    return p.at[(x < 0 ? -x : x) % p.width] + x * 5 + y * 3;
  }
};

struct room {
  int *in, *out;
};

template <class Of> int by_place(sycl::queue &q, room r, int width, int height) {
  const picture p{r.in, width, height};
  int *out = r.out, wrong = 0;
  auto check = [&] {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (const int expected = Of::make(p, x, y); out[y * width + x] != expected && ++wrong < 3)
          std::printf("%d, %d of %d x %d: %d, not %d\n", x, y, width, height, out[y * width + x], expected);
    std::fill_n(out, width * height, -1);
  };
  q.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> i) { out[i[0] * width + i[1]] = Of::make(p, int(i[1]), int(i[0])); }).wait();
  check();
  for (auto [rows, columns] : {std::pair<size_t, size_t>{4, 64}, {1, 256}, {8, 16}}) {
    const sycl::range<2> local(rows, columns), all((height + rows - 1) / rows * rows, (width + columns - 1) / columns * columns);
    q.parallel_for(sycl::nd_range<2>(all, local), [=](sycl::nd_item<2> it) {
       const int x = int(it.get_global_id(1)), y = int(it.get_global_id(0));
       if (x < width && y < height)
         out[y * width + x] = Of::make(p, x, y);
     }).wait();
    check();
  }
  return wrong != 0;
}

template <class Of> int by_number(sycl::queue &q, room r, int width, int height) {
  const picture p{r.in, width, height};
  int *out = r.out, wrong = 0;
  const long many = long(width) * height;
  auto check = [&] {
    for (long i = 0; i < many; ++i)
      if (const int expected = Of::make(p, i); out[i] != expected && ++wrong < 3)
        std::printf("%ld of %d x %d: %d, not %d\n", i, width, height, out[i], expected);
    std::fill_n(out, many, -1);
  };
  q.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { out[i] = Of::make(p, long(i[0])); }).wait();
  check();
  for (size_t local : {64, 100, 512}) {
    q.parallel_for(sycl::nd_range<1>((many + local - 1) / local * local, local), [=](sycl::nd_item<1> it) {
       const long i = long(it.get_global_id(0));
       if (i < many)
         out[i] = Of::make(p, i);
     }).wait();
    check();
  }
  return wrong != 0;
}

int main() {
  sycl::queue q;
  int wrong = 0, of = 0;
  const room r{sycl::malloc_shared<int>(1 << 17, q), sycl::malloc_shared<int>(1 << 17, q)};
  for (int i = 0; i < 1 << 17; ++i)
    r.in[i] = i * 37 % 1001;
  for (int width : {1, 2, 3, 5, 15, 16, 17, 31, 64, 127, 128, 129, 300, 777})
    for (int height : {1, 3, 40, 100 % width + 2 > 20 ? 9 : 21}) {
      if (height == 40 && width > 300)
        height = 5;
      const int all[] = {by_place<clamps>(q, r, width, height),     by_place<limits>(q, r, width, height),        by_place<wraps>(q, r, width, height),
                         by_place<remainders>(q, r, width, height), by_place<guarded>(q, r, width, height),       by_place<small_numbers>(q, r, width, height),
                         by_place<backwards>(q, r, width, height),  by_number<divided>(q, r, width, height),      by_number<transposed>(q, r, width, height),
                         by_number<in_planes>(q, r, width, height), by_number<by_constants>(q, r, width, height), by_number<signs>(q, r, width, height)};
      for (int one : all)
        wrong += one, ++of;
    }
  std::printf("%d wrong of %d\n", wrong, of);
}
//# file: rows.cpp
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  const int n = 1 << 16, width = 640;
  float *in = sycl::malloc_shared<float>(n, q), *out = sycl::malloc_shared<float>(n, q);
  q.parallel_for(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
     const int i = int(it.get_global_id(0)), x = i % width, y = i / width;
     out[i] = in[y * width + (x + 1) % width] * 0.5f + in[y * width + sycl::max(x - 1, 0)] * 0.25f;
   }).wait();
}
