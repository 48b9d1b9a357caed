// Work-items that have ended count as arrived at every later barrier, and contribute nothing to group algorithms: by loops over the items of a
// group and one by one, at every level.
//# run: aspen++ -O3 {self} -fsycl-targets=native_cpu -o c.out
//# run: ./c.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./c.out
//# stdout: ok
//# deep: further levels of optimisation
//# run: aspen++ -O0 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: ok
//# run: aspen++ -O1 {self} -fsycl-targets=native_cpu -o b.out
//# run: ./b.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

constexpr unsigned nobody = ~0u;

template <int D> sycl::nd_range<D> shape(unsigned groups, unsigned planes, unsigned lines, unsigned columns) {
  if constexpr (D == 1)
    return {groups * columns * lines * planes, columns * lines * planes};
  else if constexpr (D == 2)
    return {{lines * planes * groups, columns}, {lines * planes, columns}};
  else
    return {{planes, lines * groups, columns}, {planes, lines, columns}};
}

template <int D, int Kind> class kernel;

/// Who ends, and in which of the rounds. Kinds: 0 a first line on the global id, 1 everybody sooner or later, 2 in branches that others do not
/// take, 3 a first line on the local id, the first item among them.
template <int D, int Kind> int run(sycl::queue &q, unsigned groups, unsigned a, unsigned b, unsigned c, unsigned n) {
  const unsigned size = a * b * c, all = groups * size;
  std::vector<unsigned> got(all * 8, 7), want(all * 8, 7);
  const auto ends_at = [=](unsigned l, unsigned w) -> unsigned {
    const unsigned g = w * size + l;
    switch (Kind) {
    case 0: return g >= n ? 0 : nobody;
    case 1: return (l * 7 + w) % 5;                          // in round 0..4 of 5
    case 2: return l % 3 == 1 ? (l % 2 ? 1u : 3u) : nobody;
    default: return l == 0 || l % 4 == 2 ? 0 : nobody;       // the leader too
    }
  };
  {
    sycl::buffer<unsigned> out(got.data(), got.size());
    q.submit([&](sycl::handler &h) {
      sycl::accessor o(out, h);
      sycl::local_accessor<unsigned, 1> m(size, h);
      h.parallel_for<kernel<D, Kind>>(shape<D>(groups, a, b, c), [=](sycl::nd_item<D> it) {
        const unsigned l = it.get_local_linear_id(), w = it.get_group_linear_id(), g = w * size + l;
        auto group = it.get_group();
        unsigned x = g * 3 + 1;
        m[l] = 0;
        if constexpr (Kind == 0)
          if (g >= n)
            return;
        if constexpr (Kind == 3)
          if (l == 0 || l % 4 == 2)
            return;
        for (unsigned round = 0; round < 5; ++round) {
          if constexpr (Kind == 1)
            if ((l * 7 + w) % 5 == round)
              return;
          if constexpr (Kind == 2)
            if (l % 3 == 1) {
              if (l % 2 && round == 1)
                return;
              if (round == 3)
                return;
              x += 1;
            }
          m[l] = x;
          sycl::group_barrier(group);
          unsigned sum = 0;
          for (unsigned i = 0; i < size; ++i)
            sum += m[i];
          sycl::group_barrier(group);
          m[l] = 0;
          x = x * 5 + sum;
          o[g * 8] = x;
          o[g * 8 + 1] = sycl::reduce_over_group(group, x, sycl::plus<unsigned>());
          o[g * 8 + 2] = sycl::inclusive_scan_over_group(group, x, sycl::plus<unsigned>());
          o[g * 8 + 3] = sycl::exclusive_scan_over_group(group, x, sycl::plus<unsigned>());
          o[g * 8 + 4] = sycl::any_of_group(group, l % 2 == 1) * 4 + sycl::all_of_group(group, l != 0) * 2 + sycl::none_of_group(group, l == 2);
          o[g * 8 + 5] = sycl::reduce_over_group(group, l, sycl::minimum<unsigned>()) ;
          o[g * 8 + 6] = round;
          o[g * 8 + 7] = sycl::group_broadcast(group, x, o[g * 8 + 5]);
        }
      });
    });
  }
  for (unsigned w = 0; w < groups; ++w) {
    std::vector<unsigned> x(size), sum(size);
    for (unsigned l = 0; l < size; ++l) x[l] = (w * size + l) * 3 + 1;
    for (unsigned round = 0; round < 5; ++round) {
      const auto runs = [&](unsigned l) { return ends_at(l, w) > round; };
      unsigned total = 0;
      for (unsigned l = 0; l < size; ++l) if (runs(l)) { if (Kind == 2 && l % 3 == 1) x[l] += 1; total += x[l]; }
      unsigned reduced = 0, any = 0, all_ = 1, none = 1, least = nobody;
      for (unsigned l = 0; l < size; ++l) if (runs(l)) { x[l] = x[l] * 5 + total; }
      for (unsigned l = 0; l < size; ++l) if (runs(l)) {
        auto *o = &want[(w * size + l) * 8];
        o[0] = x[l]; o[3] = reduced; reduced += x[l]; o[2] = reduced; any |= l % 2 == 1; all_ &= l != 0; none &= l != 2;
        if (least == nobody) least = l;
      }
      for (unsigned l = 0; l < size; ++l) if (runs(l)) {
        auto *o = &want[(w * size + l) * 8];
        o[1] = reduced; o[4] = any * 4 + all_ * 2 + none; o[5] = least; o[6] = round; o[7] = x[least];
      }
    }
  }
  int wrong = 0;
  for (unsigned i = 0; i < got.size(); ++i)
    if (got[i] != want[i] && !wrong++)
      std::printf("D %d kind %d groups %u x %u items, n %u: [%u].%u: %u, not %u\n", D, Kind, groups, size, n, i / 8, i % 8, got[i], want[i]);
  return wrong != 0;
}

int main() {
  sycl::queue q([](sycl::exception_list all) { for (auto &one : all) std::rethrow_exception(one); });
  int wrong = 0;
  for (unsigned n : {0u, 1u, 5u, 37u, 100u, 1000u})
    wrong += run<1, 0>(q, 4, 1, 3, 8, n) + run<3, 0>(q, 2, 2, 2, 16, n);
  wrong += run<1, 1>(q, 4, 1, 3, 8, 0) + run<1, 1>(q, 3, 2, 2, 2, 0) + run<1, 1>(q, 3, 1, 1, 1, 0);
  wrong += run<3, 2>(q, 4, 1, 3, 8, 0) + run<3, 2>(q, 3, 2, 2, 2, 0) + run<3, 2>(q, 3, 1, 1, 33, 0);
  wrong += run<2, 3>(q, 4, 1, 3, 8, 0) + run<2, 3>(q, 3, 2, 2, 2, 0) + run<2, 3>(q, 3, 1, 1, 1, 0);
  std::puts(wrong ? "wrong" : "ok");
}
