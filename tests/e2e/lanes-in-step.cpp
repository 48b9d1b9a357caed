// Lanes in step without a barrier, where programs count on it: what a lane reads of another one a step away, written just before; folds of the last group as
// frameworks write them, whose lanes lie as far apart as only the launch knows.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: env ASPEN_CPU_LEVEL=1 ./a.out
//# stdout: wrong 0
//# run: env ASPEN_CPU_LEVEL=3 ./a.out
//# stdout: wrong 0
//# run: ./a.out
//# stdout: wrong 0
#include <algorithm>
#include <cstdio>
#include <sycl/sycl.hpp>

static int wrong = 0;

// A tree over lanes that are `apart` places apart, and those of the first round `behind`.
template <class T> void tree(sycl::nd_item<1> &it, const sycl::local_accessor<T> &near, unsigned apart, unsigned most) {
  const int l = int(it.get_local_linear_id());
  auto sg = it.get_sub_group();
  const int lane = int(sg.get_local_id()[0]);
  const unsigned lanes = std::min<unsigned>(sg.get_local_range()[0], most), end = std::min<unsigned>(lanes - lane, most - l);
  for (unsigned step = 1; step < lanes; step <<= 1) {
    if (step < end)
      near[l * apart] = near[l * apart] + near[(l + step) * apart];
    sycl::group_barrier(sg);
  }
}

template <class T> void folds(sycl::queue &q, unsigned groups, unsigned apart, unsigned first) {
  static T *const results = sycl::malloc_shared<T>(64, q), *const out = sycl::malloc_shared<T>(1, q);
  static unsigned *const arrived = sycl::malloc_shared<unsigned>(1, q);
  std::fill(results, results + 64, T(0));
  *out = T(77), *arrived = 0;
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<T> near(32 * std::max(apart, first), h);
    sycl::local_accessor<unsigned> done(1, h);
    h.parallel_for(sycl::nd_range<1>(groups * 32, 32), [=, results = results, out = out, arrived = arrived](sycl::nd_item<1> it) {
      const int l = int(it.get_local_linear_id());
      near[l * apart] = l == 3 ? T(1 + it.get_group(0)) : T(0);
      sycl::group_barrier(it.get_group());
      tree<T>(it, near, apart, 32);
      sycl::group_barrier(it.get_group());
      if (l == 0) {
        results[it.get_group(0)] = near[0];
        sycl::atomic_ref<unsigned, sycl::memory_order::acq_rel, sycl::memory_scope::device, sycl::access::address_space::global_space> count(*arrived);
        done[0] = ++count;
      }
      sycl::group_barrier(it.get_group());
      if (done[0] != groups)
        return;
      if (l >= int(groups))
        near[l * first] = 0;
      else {
        near[l * first] = results[l];
        for (unsigned g = l + 32; g < groups; g += 32)
          near[l * first] = near[l * first] + results[g];
      }
      tree<T>(it, near, apart, std::min<int>(groups, 32)); // no barrier in front
      if (l == 0)
        *out = near[0];
    });
  });
  q.wait();
  const T want = T(groups * (groups + 1) / 2);
  if (*out != want)
    std::printf("%u groups, %u and %u apart, %zu bytes: %g not %g\n", groups, apart, first, sizeof(T), double(*out), double(want));
  wrong += *out != want;
}

template <class T> void neighbours(sycl::queue &q, size_t size) {
  T *const out = sycl::malloc_shared<T>(3 * size, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<T> near(size + 64, h);
    h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(32)]] {
      const int l = int(it.get_local_linear_id());
      auto sg = it.get_sub_group();
      const int lane = int(sg.get_local_linear_id());
      T *const mine = &near[32];
      // A half reads of the other.
      mine[l] = T(l % 97);
      if (lane < 16)
        mine[l] = mine[l] + mine[l + 16];
      sycl::group_barrier(sg);
      out[l] = mine[l];
      // Each reads of the one in front before that one writes.
      sycl::group_barrier(it.get_group());
      mine[l] = T(l % 89);
      sycl::group_barrier(it.get_group());
      mine[l] = mine[l] + mine[l - 1]; // the first lane's is another sub-group's
      sycl::group_barrier(sg);
      out[size + l] = lane > 0 ? mine[l] : 0;
      // And of the one behind, whose own it is.
      sycl::group_barrier(it.get_group());
      mine[l] = T(l % 83);
      out[2 * size + l] = lane < 31 ? mine[l + 1] : 0;
    });
  });
  q.wait();
  int here = 0;
  for (size_t l = 0; l < size; l++) {
    const size_t lane = l % 32;
    here += out[l] != (lane < 16 ? T(l % 97 + (l + 16) % 97) : T(l % 97));
    here += out[size + l] != (lane > 0 ? T(l % 89 + (l - 1) % 89) : T(0));
    here += out[2 * size + l] != (lane < 31 ? T((l + 1) % 83) : T(0));
  }
  if (here)
    std::printf("neighbours of %zu, %zu bytes: %d wrong\n", size, sizeof(T), here);
  wrong += here;
}

int main() {
  sycl::queue q;
  for (unsigned groups : {2u, 3u, 4u, 9u, 33u, 50u})
    for (unsigned apart : {1u, 2u}) {
      folds<unsigned short>(q, groups, apart, apart);
      folds<int>(q, groups, apart, apart);
      folds<double>(q, groups, apart, apart);
      folds<long>(q, groups, apart, apart);
    }
  for (size_t size : {size_t(32), size_t(64), size_t(256)}) {
    neighbours<short>(q, size);
    neighbours<int>(q, size);
    neighbours<float>(q, size);
    neighbours<double>(q, size);
  }
  std::printf("wrong %d\n", wrong);
}
