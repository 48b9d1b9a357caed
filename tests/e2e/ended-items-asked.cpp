// What an ended work-item does not give: joint algorithms and copies are whole all the same, and a broadcast from it is an error under
// ASPEN_CHECK=1.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./a.out
//# stdout: ok
//# run: ASPEN_CHECK=1 ./a.out
//# stdout: ok
//# run: ASPEN_CHECK=0 ./a.out broadcast
//# stdout: went on
//# run: ASPEN_CHECK=1 ./a.out broadcast
//# stdout: kernel 'broadcast': in work-group (0, 0, 1) a broadcast asks for the value of work-item 3, which has ended and passes none (found by ASPEN_CHECK=1): let it return behind the broadcast, or take the value of a work-item that comes there
//# run: ASPEN_CHECK=1 ASPEN_CPU_GROUPS=items ./a.out broadcast
//# stdout~: in work-group \(0, 0, 1\) a broadcast asks for the value of work-item 3, which has ended
//# run: ASPEN_CHECK=1 ./a.out sub-group
//# stdout~: in work-group \(0, 0, [0-2]\) a broadcast asks for the value of work-item 9, which has ended
#include <sycl/sycl.hpp>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

constexpr unsigned size = 20, groups = 3, length = 77;

class joint;
class lanes;
class broadcast;
class lane_broadcast;

/// Who comes to the end.
constexpr bool stays(unsigned l) { return l % 5 != 0 && l != size - 1; }

int whole(sycl::queue &q) {
  std::vector<unsigned> in(length), got(groups * 8 * length);
  std::iota(in.begin(), in.end(), 3u);
  {
    sycl::buffer<unsigned> from(in.data(), length), to(got.data(), got.size());
    q.submit([&](sycl::handler &h) {
      sycl::accessor i(from, h, sycl::read_only);
      sycl::accessor o(to, h);
      sycl::local_accessor<unsigned, 1> m(2 * length, h);
      h.parallel_for<joint>(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        const unsigned l = it.get_local_id(0);
        auto group = it.get_group();
        if (!stays(l))
          return;
        unsigned *const at = &o[0] + it.get_group(0) * 8 * length;
        const unsigned *const first = &i[0], *const last = first + length;
        group.wait_for(group.async_work_group_copy(m.get_multi_ptr<sycl::access::decorated::no>(), i.get_multi_ptr<sycl::access::decorated::no>(), length));
        if (l == 1)
          for (unsigned k = 0; k < length; ++k)
            at[k] = m[k];
        sycl::joint_exclusive_scan(group, first, last, at + length, 5u, sycl::plus<unsigned>());
        sycl::joint_inclusive_scan(group, first, last, &m[0] + length, sycl::plus<unsigned>());
        sycl::group_barrier(group);
        if (l == 2)
          for (unsigned k = 0; k < length; ++k)
            at[2 * length + k] = m[length + k];
        at[3 * length + l] = sycl::joint_reduce(group, first, last, sycl::plus<unsigned>());
        at[4 * length + l] = sycl::joint_any_of(group, first, last, [](unsigned x) { return x == length + 2; }) +
                             2 * sycl::joint_all_of(group, first, last, [](unsigned x) { return x != 3; }) +
                             4 * sycl::joint_none_of(group, first, last, [](unsigned x) { return x == 2; });
      });
    });
  }
  int wrong = 0;
  const auto expect = [&](unsigned found, unsigned wanted) { wrong += found != wanted; };
  for (unsigned w = 0; w < groups; ++w) {
    const unsigned *const at = &got[w * 8 * length];
    unsigned sum = 0;
    for (unsigned k = 0; k < length; ++k) {
      expect(at[k], in[k]);
      expect(at[length + k], sum + 5);
      expect(at[2 * length + k], sum += in[k]);
    }
    for (unsigned l = 0; l < size; ++l) {
      expect(at[3 * length + l], stays(l) ? sum : 0);
      expect(at[4 * length + l], stays(l) ? 5 : 0);
    }
  }
  return wrong;
}

/// Sub-groups of 8, the last one of 4; in each some lanes end.
int by_lanes(sycl::queue &q) {
  std::vector<unsigned> got(size * 4, 9), want(size * 4, 9);
  const auto runs = [](unsigned l) { return l % 3 != 0 && l < 18; };
  {
    sycl::buffer<unsigned> to(got.data(), got.size());
    q.submit([&](sycl::handler &h) {
      sycl::accessor o(to, h);
      h.parallel_for<lanes>(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
        const unsigned l = it.get_local_id(0);
        if (!runs(l))
          return;
        auto lanes = it.get_sub_group();
        o[l * 4] = sycl::reduce_over_group(lanes, l, sycl::plus<unsigned>());
        sycl::group_barrier(it.get_group());
        o[l * 4 + 1] = sycl::exclusive_scan_over_group(lanes, 1u, sycl::plus<unsigned>());
        o[l * 4 + 2] = sycl::all_of_group(lanes, l % 3 != 0) + 2 * sycl::any_of_group(lanes, l % 3 == 0);
        o[l * 4 + 3] = sycl::joint_reduce(lanes, &o[0], &o[0], 6u, sycl::plus<unsigned>());
      });
    });
  }
  for (unsigned l = 0; l < size; ++l)
    if (runs(l)) {
      unsigned sum = 0, before = 0;
      for (unsigned k = l / 8 * 8; k < size && k < l / 8 * 8 + 8; ++k)
        sum += runs(k) ? k : 0, before += runs(k) && k < l;
      want[l * 4] = sum, want[l * 4 + 1] = before, want[l * 4 + 2] = 1, want[l * 4 + 3] = 6;
    }
  return got != want;
}

int main(int argc, char **argv) {
  sycl::queue q([](sycl::exception_list all) { for (auto &one : all) std::rethrow_exception(one); });
  const std::string wanted = argc > 1 ? argv[1] : "";
  unsigned *out = sycl::malloc_shared<unsigned>(groups * size, q);
  try {
    if (wanted == "broadcast")
      q.parallel_for<broadcast>(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        const unsigned l = it.get_local_id(0), w = it.get_group(0);
        if (w == 1 && l == 3)
          return;
        out[it.get_global_id(0)] = sycl::group_broadcast(it.get_group(), l, 3);
      });
    else if (wanted == "sub-group")
      q.parallel_for<lane_broadcast>(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
        const unsigned l = it.get_local_id(0);
        if (l == 9)
          return;
        out[it.get_global_id(0)] = sycl::group_broadcast(it.get_sub_group(), l, 1);
      });
    else
      std::puts(whole(q) + by_lanes(q) ? "wrong" : "ok");
    q.wait_and_throw();
    if (!wanted.empty())
      std::puts("went on");
  } catch (const sycl::exception &e) {
    std::puts(e.what());
  }
  sycl::free(out, q);
}
