// The shapes that kernels come in, for `cargo xtask bench runtime`: sub-groups, trees, tables, sorting, the library's own reductions. The same
// program runs on the embedded CPU and, by SPIR-V, on Intel's CPU driver. Times are nanoseconds, the best of several rounds; a launch and its
// wait are in them, so each does some milliseconds of work.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

constexpr unsigned n = 1 << 20, group = 256, dim = 256, tile = 16, table = 4096;

template <class Name> struct of;

struct data {
  sycl::queue q;
  float *x, *y, *z;
  unsigned *u, *v, *sorted;
  sycl::nd_range<1> all{n, group};
};

/// One value of each work-item, made of others' by its sub-group.
template <class Name, class F> static void sub_groups(data &d, const F &f) {
  d.q.parallel_for<of<Name>>(d.all, [=, x = d.x, z = d.z](sycl::nd_item<1> it) {
    const size_t i = it.get_global_id(0);
    const sycl::sub_group sg = it.get_sub_group();
    float value = x[i];
    for (int round = 0; round < 8; ++round)
      value = f(sg, value) * 0.25f + 1.0f;
    z[i] = value;
  });
}

static void sub_group_matmul(data &d) {
  d.q.parallel_for<of<struct matmul_name>>(sycl::nd_range<2>({dim, dim}, {8, 32}), [=, x = d.x, y = d.y, z = d.z](sycl::nd_item<2> it) {
    const sycl::sub_group sg = it.get_sub_group();
    const unsigned row = it.get_global_id(0), column = it.get_global_id(1);
    const unsigned lanes = sg.get_max_local_range()[0], lane = sg.get_local_id()[0];
    float sum = 0;
    for (unsigned t = 0; t < dim; t += lanes) {
      const float own = x[row * dim + t + lane];
      for (unsigned k = 0; k < lanes; ++k)
        sum += sycl::group_broadcast(sg, own, k) * y[(t + k) * dim + column];
    }
    z[row * dim + column] = sum;
  });
}

static void tree(data &d) {
  d.q.submit([&](sycl::handler &h) {
    sycl::local_accessor<float, 1> m(group, h);
    h.parallel_for<of<struct tree_name>>(d.all, [=, x = d.x, z = d.z](sycl::nd_item<1> it) {
      const unsigned l = it.get_local_id(0);
      m[l] = x[it.get_global_id(0)];
      for (unsigned step = group / 2; step > 0; step /= 2) {
        sycl::group_barrier(it.get_group());
        if (l < step)
          m[l] += m[l + step];
      }
      if (l == 0)
        z[it.get_group(0)] = m[0];
    });
  });
}

/// In groups as ports from other models have them, of which nothing is asked.
static void small_groups(data &d) {
  d.q.parallel_for<of<struct small_groups_name>>(sycl::nd_range<2>({1024, 1024}, {8, 8}), [=, x = d.x, z = d.z](sycl::nd_item<2> it) {
    const int row = it.get_global_id(0), column = it.get_global_id(1), at = row * 1024 + column;
    if (row > 0 && column > 0 && row < 1023 && column < 1023)
      z[at] = x[at] * 0.5f + (x[at - 1024] + x[at + 1024] + x[at - 1] + x[at + 1]) * 0.125f;
  });
}

static void search(data &d) {
  d.q.parallel_for<of<struct search_name>>(d.all, [=, u = d.u, v = d.v, sorted = d.sorted](sycl::nd_item<1> it) {
    const unsigned i = it.get_global_id(0), wanted = u[i];
    int low = 0, high = table;
    while (low < high) {
      const int middle = (low + high) >> 1;
      if (sorted[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    v[i] = low;
  });
}

static void transpose(data &d) {
  d.q.submit([&](sycl::handler &h) {
    sycl::local_accessor<float, 2> m(sycl::range<2>(tile, tile + 1), h);
    h.parallel_for<of<struct transpose_name>>(sycl::nd_range<2>({1024, 1024}, {tile, tile}), [=, x = d.x, z = d.z](sycl::nd_item<2> it) {
      const size_t r = it.get_local_id(0), c = it.get_local_id(1), across = it.get_group(1) * tile, down = it.get_group(0) * tile;
      m[r][c] = x[(down + r) * 1024 + across + c];
      sycl::group_barrier(it.get_group());
      z[(across + r) * 1024 + down + c] = m[c][r];
    });
  });
}

static void histogram(data &d) {
  d.q.submit([&](sycl::handler &h) {
    sycl::local_accessor<unsigned, 1> m(256, h);
    h.parallel_for<of<struct histogram_name>>(sycl::nd_range<1>(n / 16, group), [=, u = d.u, v = d.v](sycl::nd_item<1> it) {
      using local = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group>;
      using global = sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>;
      const unsigned l = it.get_local_id(0);
      m[l] = 0;
      sycl::group_barrier(it.get_group());
      for (unsigned i = it.get_global_id(0); i < n; i += n / 16)
        ++local(m[u[i] % 256]);
      sycl::group_barrier(it.get_group());
      global(v[l]) += m[l];
    });
  });
}

static void black_scholes(data &d) {
  d.q.parallel_for<of<struct options_name>>(n, [=, x = d.x, y = d.y, z = d.z](sycl::id<1> i) {
    const float price = 20 + x[i], strike = 20 + y[i], years = 1 + y[i], rate = 0.02f, volatility = 0.3f;
    const auto normal = [](float v) { return 0.5f * sycl::erfc(-v * 0.70710678f); };
    const float root = volatility * sycl::sqrt(years);
    const float one = (sycl::log(price / strike) + (rate + volatility * volatility / 2) * years) / root, two = one - root;
    z[i] = price * normal(one) - strike * sycl::exp(-rate * years) * normal(two);
  });
}

static void mandelbrot(data &d) {
  d.q.parallel_for<of<struct mandelbrot_name>>(sycl::range<2>(512, 512), [=, v = d.v](sycl::id<2> at) {
    const float cx = at[1] / 256.0f - 1.5f, cy = at[0] / 256.0f - 1.0f;
    float x = 0, y = 0;
    unsigned turn = 0;
    for (; turn < 200 && x * x + y * y < 4; ++turn) {
      const float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    v[at[0] * 512 + at[1]] = turn;
  });
}

static void sparse(data &d) {
  d.q.parallel_for<of<struct sparse_name>>(n / 16, [=, x = d.x, y = d.y, z = d.z, u = d.u](sycl::id<1> row) {
    float sum = 0;
    for (unsigned i = row[0] * 16; i < row[0] * 16 + 16; ++i)
      sum += x[i] * y[u[i] % n];
    z[row] = sum;
  });
}

static void prefix_sum(data &d) {
  d.q.parallel_for<of<struct prefix_name>>(d.all, [=, u = d.u, v = d.v](sycl::nd_item<1> it) {
    const size_t i = it.get_global_id(0);
    v[i] = sycl::inclusive_scan_over_group(it.get_group(), u[i], sycl::plus<unsigned>());
  });
}

static void bitonic(data &d) {
  d.q.submit([&](sycl::handler &h) {
    sycl::local_accessor<unsigned, 1> m(group, h);
    h.parallel_for<of<struct bitonic_name>>(d.all, [=, u = d.u, v = d.v](sycl::nd_item<1> it) {
      const unsigned l = it.get_local_id(0);
      m[l] = u[it.get_global_id(0)];
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
      v[it.get_global_id(0)] = m[l];
    });
  });
}

static void hierarchical(data &d) {
  d.q.submit([&](sycl::handler &h) {
    const sycl::range<1> groups(n / group), items(group);
    h.parallel_for_work_group<of<struct hierarchical_name>>(groups, items, [=, x = d.x, z = d.z](sycl::group<1> g) {
      g.parallel_for_work_item([&](sycl::h_item<1> it) {
        const size_t i = it.get_global_id(0);
        z[i] = 1.0001f * x[i] + z[i];
      });
    });
  });
}

static void reduction(data &d) {
  d.q.parallel_for<of<struct reduction_name>>(sycl::range<1>(n), sycl::reduction(d.z, sycl::plus<float>()),
                                              [=, x = d.x](sycl::id<1> i, auto &sum) { sum += x[i]; });
}

int main() {
  data d{sycl::queue{sycl::property::queue::in_order{}}, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  for (float **p : {&d.x, &d.y, &d.z})
    *p = sycl::malloc_shared<float>(n + 64, d.q);
  for (unsigned **p : {&d.u, &d.v})
    *p = sycl::malloc_shared<unsigned>(n + 64, d.q);
  std::uint32_t random = 1;
  for (unsigned i = 0; i < n; ++i) {
    random = random * 1664525u + 1013904223u;
    d.u[i] = random >> 8;
    d.x[i] = float(random >> 20) / 4096, d.y[i] = float(random >> 12 & 4095) / 4096, d.z[i] = 0;
  }
  d.sorted = sycl::malloc_shared<unsigned>(table, d.q);
  for (unsigned i = 0; i < table; ++i)
    d.sorted[i] = (1u << 24) / table * i;
  const struct {
    const char *label;
    std::function<void()> launch;
  } shapes[] = {
      {"sub-group-matmul", [&] { sub_group_matmul(d); }},
      {"sub-group-reduce",
       [&] { sub_groups<struct r>(d, [](auto sg, float v) { return sycl::reduce_over_group(sg, v, sycl::plus<float>()); }); }},
      {"sub-group-xor", [&] { sub_groups<struct x>(d, [](auto sg, float v) { return sycl::permute_group_by_xor(sg, v, 3); }); }},
      {"sub-group-scan",
       [&] { sub_groups<struct s>(d, [](auto sg, float v) { return sycl::inclusive_scan_over_group(sg, v, sycl::plus<float>()); }); }},
      {"sub-group-shift", [&] { sub_groups<struct h>(d, [](auto sg, float v) { return sycl::shift_group_left(sg, v, 1); }); }},
      {"sub-group-broadcast", [&] { sub_groups<struct b>(d, [](auto sg, float v) { return v + sycl::group_broadcast(sg, v, 2); }); }},
      {"tree-reduction", [&] { tree(d); }},
      {"groups-of-8x8", [&] { small_groups(d); }},
      {"search", [&] { search(d); }},
      {"transpose", [&] { transpose(d); }},
      {"histogram", [&] { histogram(d); }},
      {"black-scholes", [&] { black_scholes(d); }},
      {"mandelbrot", [&] { mandelbrot(d); }},
      {"spmv", [&] { sparse(d); }},
      {"prefix-sum", [&] { prefix_sum(d); }},
      {"bitonic-sort", [&] { bitonic(d); }},
      {"hierarchical-saxpy", [&] { hierarchical(d); }},
      {"reduction", [&] { reduction(d); }},
  };
  for (const auto &[label, launch] : shapes) {
    double best = 1e300;
    for (int round = 0; round < 12; ++round) {
      const auto start = std::chrono::steady_clock::now();
      launch();
      d.q.wait();
      best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("%s ns=%.1f\n", label, best);
  }
}
