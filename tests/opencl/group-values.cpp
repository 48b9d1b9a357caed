// What group algorithms give where drivers are odd: the first of an exclusive scan of small integers is the identity, and what nobody
// passed in is any value, but no undefined one that spoils what is computed with it.
//# run: aspen++ -O2 {self} -o values
//# run: ./values
//# stdout: scans wrong 0
//# stdout: shuffles wrong 0
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

constexpr int count = 64;

template <class T, class Op> int scans(sycl::queue &q, bool in_sub_groups) {
  std::vector<T> in(count), exclusive(count), inclusive(count), reduced(count);
  std::vector<size_t> ids(count);
  for (int i = 0; i < count; ++i)
    in[i] = static_cast<T>((i * 37) % 23 - 50);
  {
    sycl::buffer from(in), ex(exclusive), inc(inclusive), red(reduced);
    sycl::buffer numbers(ids);
    q.submit([&](sycl::handler &h) {
      sycl::accessor values(from, h, sycl::read_only);
      sycl::accessor e(ex, h, sycl::write_only), u(inc, h, sycl::write_only), r(red, h, sycl::write_only);
      sycl::accessor n(numbers, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
        const size_t i = item.get_local_id(0);
        const auto all = [&](auto group) {
          n[i] = group.get_local_linear_id();
          e[i] = sycl::exclusive_scan_over_group(group, values[i], Op());
          u[i] = sycl::inclusive_scan_over_group(group, values[i], Op());
          r[i] = sycl::reduce_over_group(group, values[i], Op());
        };
        if (in_sub_groups)
          all(item.get_sub_group());
        else
          all(item.get_group());
      });
    });
  }
  int wrong = 0;
  T sum{};
  for (int i = 0; i < count; ++i) {
    if (ids[i] == 0)
      sum = sycl::known_identity_v<Op, T>;
    wrong += exclusive[i] != sum;
    sum = static_cast<T>(Op()(sum, in[i]));
    wrong += inclusive[i] != sum;
    if (i + 1 == count || ids[i + 1] == 0)
      wrong += reduced[i] != sum;
  }
  return wrong;
}
template <class T> int scans(sycl::queue &q) {
  int wrong = 0;
  for (const bool in_sub_groups : {false, true})
    wrong += scans<T, sycl::plus<T>>(q, in_sub_groups) + scans<T, sycl::minimum<T>>(q, in_sub_groups) + scans<T, sycl::maximum<T>>(q, in_sub_groups);
  return wrong;
}

/// Each answer is "as it should be, or nobody's value".
int shuffles(sycl::queue &q) {
  std::vector<char> right(4 * count, 0);
  {
    sycl::buffer b(right);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
        const sycl::sub_group sg = item.get_sub_group();
        const unsigned lane = sg.get_local_linear_id(), lanes = sg.get_local_linear_range();
        const float mine = float(lane + 1);
        char *to = &out[4 * item.get_local_id(0)];
        to[0] = sycl::shift_group_left(sg, mine, 3) == float(lane + 4) || lane + 3 >= lanes;
        to[1] = sycl::shift_group_right(sg, mine, 2) == float(lane - 1) || lane < 2;
        to[2] = sycl::permute_group_by_xor(sg, mine, 128 + 1) == 0 || lane < lanes;
        to[3] = sycl::select_from_group(sg, mine, lane + 5) == float(lane + 6) || lane + 5 >= lanes;
      });
    });
  }
  int wrong = 0;
  for (const char it : right)
    wrong += it != 1;
  return wrong;
}

int main() {
  sycl::queue q;
  std::printf("scans wrong %d\n", scans<char>(q) + scans<signed char>(q) + scans<unsigned char>(q) + scans<short>(q) + scans<unsigned short>(q) + scans<int>(q) +
                                      scans<long>(q));
  std::printf("shuffles wrong %d\n", shuffles(q));
}
