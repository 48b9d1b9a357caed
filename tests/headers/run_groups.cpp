//! Runs group algorithms, hierarchical kernels and multi-dimensional groups, and compares with loops on the host. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <vector>
#include <sycl/sycl.hpp>

struct triple {
  float a;
  int b;
  short c;
};

constexpr size_t count = 256, width = 64, results = 15;

static void algorithms(sycl::queue &q, int *in, int *out) {
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const auto g = item.get_group();
     const auto s = item.get_sub_group();
     const int v = in[item.get_global_id(0)];
     int *r = out + item.get_global_id(0) * results;
     r[0] = sycl::reduce_over_group(g, v, sycl::plus<>());
     r[1] = sycl::exclusive_scan_over_group(g, v, sycl::plus<>());
     r[2] = sycl::inclusive_scan_over_group(g, v, sycl::maximum<>());
     r[3] = sycl::group_broadcast(g, v, 5);
     r[4] = sycl::reduce_over_group(s, v, sycl::bit_xor<>());
     r[5] = static_cast<int>(s.get_local_range()[0]);
     r[6] = sycl::permute_group_by_xor(s, v, 1);
     r[7] = sycl::shift_group_left(s, v, 1);
     r[8] = sycl::any_of_group(g, v == 13);
     r[9] = sycl::all_of_group(g, v > 0);
     r[10] = sycl::inclusive_scan_over_group(s, v, sycl::plus<>(), 100);
     r[11] = sycl::joint_reduce(g, in, in + count, sycl::plus<>());
     const triple own{static_cast<float>(v), v, static_cast<short>(v)};
     const triple first = sycl::select_from_group(s, own, 0);
     r[12] = first.b + first.c + static_cast<int>(first.a);
     r[13] = static_cast<int>(sycl::reduce_over_group(g, static_cast<float>(v), sycl::minimum<>()));
     r[14] = sycl::exclusive_scan_over_group(g, v % 3 + 1, 1, sycl::multiplies<>()) & 0xffff;
   }).wait();
  for (size_t i = 0; i < count; ++i) {
    const int *r = out + i * results;
    const size_t group = i / width * width, lanes = static_cast<size_t>(r[5]), sub = group + (i - group) / lanes * lanes;
    int sum = 0, before = 0, largest = 0, smallest = 99, product = 1, bits = 0, inclusive = 100, all = 0;
    bool any = false;
    for (size_t k = group; k < group + width; ++k) {
      sum += in[k];
      any = any || in[k] == 13;
      smallest = in[k] < smallest ? in[k] : smallest;
      if (k < i) {
        before += in[k];
        product = static_cast<int>(static_cast<unsigned>(product) * static_cast<unsigned>(in[k] % 3 + 1));
      }
      if (k <= i && in[k] > largest)
        largest = in[k];
    }
    for (size_t k = sub; k < sub + lanes; ++k) {
      bits ^= in[k];
      inclusive += k <= i ? in[k] : 0;
    }
    for (size_t k = 0; k < count; ++k)
      all += in[k];
    CHECK(r[0] == sum && r[1] == before && r[2] == largest && r[3] == in[group + 5]);
    CHECK(r[4] == bits && r[6] == in[i ^ 1] && r[10] == inclusive && r[12] == 3 * in[sub]);
    CHECK(i + 1 == sub + lanes || r[7] == in[i + 1]);
    CHECK(r[8] == any && r[9] == 1 && r[11] == all && r[13] == smallest && r[14] == (product & 0xffff));
  }
}

static void joint_scans(sycl::queue &q, int *in, int *out) {
  q.parallel_for(sycl::nd_range<1>(width, width), [=](sycl::nd_item<1> item) {
     sycl::joint_inclusive_scan(item.get_group(), in, in + 200, out, sycl::plus<>());
     sycl::joint_exclusive_scan(item.get_group(), in, in + 200, out + 300, 5, sycl::plus<>());
   }).wait();
  int sum = 0;
  for (int i = 0; i < 200; ++i) {
    CHECK(out[300 + i] == sum + 5);
    sum += in[i];
    CHECK(out[i] == sum);
  }
}

static void hierarchical(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 2> ones({2, 3}, h);
     h.parallel_for_work_group(sycl::range<2>(4, 5), sycl::range<2>(2, 3), [=](sycl::group<2> g) {
       sycl::private_memory<int, 2> kept(g);
       int sum = 0;
       g.parallel_for_work_item([&](sycl::h_item<2> i) {
         kept(i) = static_cast<int>(i.get_global_id(1));
         ones[i.get_local_id()] = 1;
       });
       g.parallel_for_work_item([&](sycl::h_item<2> i) { ones[i.get_local_id()] += kept(i); });
       for (int a = 0; a < 2; ++a)
         for (int b = 0; b < 3; ++b)
           sum += ones[a][b];
       out[g.get_group_linear_id()] = sum;
     });
   }).wait();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 5; ++b)
      CHECK(out[a * 5 + b] == 6 + 2 * (9 * b + 3));
}

/// More logical work-items than physical ones: each physical one runs those at its place modulo the physical range.
static void flexible_range(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(4), [=](sycl::group<1> g) {
       g.parallel_for_work_item(sycl::range<1>(10), [&](sycl::h_item<1> i) {
         int *r = out + (g.get_group_id(0) * 10 + i.get_logical_local_id(0)) * 3;
         r[0] = static_cast<int>(i.get_global_id(0));
         r[1] = static_cast<int>(i.get_physical_local()[0]);
         r[2] = static_cast<int>(i.get_local()[0]);
       });
     });
   }).wait();
  for (int i = 0; i < 20; ++i)
    CHECK(out[i * 3] == i / 10 * 4 + i % 10 % 4 && out[i * 3 + 1] == i % 10 % 4 && out[i * 3 + 2] == i % 10);
}

static void three_dimensions(sycl::queue &q, int *out) {
  q.parallel_for(sycl::nd_range<3>({4, 4, 8}, {2, 2, 4}), [=](sycl::nd_item<3> i) {
     const int of_one = sycl::group_broadcast(i.get_group(), static_cast<int>(i.get_local_linear_id()), sycl::id<3>(1, 0, 1));
     i.barrier();
     out[i.get_global_linear_id()] = of_one * 1000 + static_cast<int>(i.get_group_linear_id());
   }).wait();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 8; ++c)
        CHECK(out[(a * 4 + b) * 8 + c] == 9000 + (a / 2 * 2 + b / 2) * 2 + c / 4);
}

struct large {
  int numbers[43];
};

/// Values that are larger than what is exchanged at once.
static void large_values(sycl::queue &q, int *out) {
  q.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> i) {
     large mine;
     for (int n = 0; n < 43; ++n)
       mine.numbers[n] = static_cast<int>(i.get_global_id(0)) * 100 + n;
     const large of_one = sycl::group_broadcast(i.get_group(), mine, 3), other = sycl::permute_group_by_xor(i.get_sub_group(), mine, 1);
     int wrong = 0;
     for (int n = 0; n < 43; ++n) {
       const int first = static_cast<int>(i.get_group(0)) * 16;
       wrong += of_one.numbers[n] != (first + 3) * 100 + n || other.numbers[n] != static_cast<int>(i.get_global_id(0) ^ 1) * 100 + n;
     }
     out[i.get_global_id(0)] = wrong;
   }).wait();
  for (int i = 0; i < 32; ++i)
    CHECK(out[i] == 0);
}

/// Copies there and back, with every second element of the global side, asked for by `group_or_item`, between pointers of one decoration.
template <sycl::access::decorated Decorated, class Ask> static void asynchronous_copies(sycl::queue &q, const Ask &ask) {
  constexpr size_t groups = 3, each = 10;
  std::vector<int> from(groups * each), near(groups * each, -1), far(groups * each, -1);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int>(i) * 3;
  {
    sycl::buffer source(from), plain(near), spread(far);
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(source, h, sycl::read_only);
      sycl::accessor out(plain, h), strided(spread, h);
      sycl::local_accessor<int> mine(each, h);
      h.parallel_for(sycl::nd_range<1>(groups * 4, 4), [=](sycl::nd_item<1> i) {
        const auto group_or_item = ask(i);
        const size_t first = i.get_group(0) * each;
        const auto local = mine.template get_multi_ptr<Decorated>();
        group_or_item.wait_for(group_or_item.async_work_group_copy(local, in.template get_multi_ptr<Decorated>() + first, each));
        group_or_item.wait_for(group_or_item.async_work_group_copy(out.template get_multi_ptr<Decorated>() + first, local, each),
                               group_or_item.async_work_group_copy(strided.template get_multi_ptr<Decorated>() + first, local + 2, each / 2, 2));
        group_or_item.wait_for(group_or_item.async_work_group_copy(local, in.template get_multi_ptr<Decorated>() + first, each / 2, 2));
        if (i.get_local_id(0) == 0)
          strided[first + 1] = local[each / 2 - 1];
      });
    });
  }
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t k = i % each;
    CHECK(near[i] == from[i]);
    CHECK(far[i] == (k == 1 ? from[i + each - 3] : k % 2 == 0 ? from[i - k + 2 + k / 2] : -1));
  }
}

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(count, q), *out = sycl::malloc_shared<int>(count * results, q);
  for (size_t i = 0; i < count; ++i)
    in[i] = static_cast<int>(i * 7 % 13) + 1;
  algorithms(q, in, out);
  joint_scans(q, in, out);
  hierarchical(q, out);
  flexible_range(q, out);
  large_values(q, out);
  three_dimensions(q, out);
  const auto item_itself = [](sycl::nd_item<1> i) { return i; };
  const auto group_of_it = [](sycl::nd_item<1> i) { return i.get_group(); };
  asynchronous_copies<sycl::access::decorated::yes>(q, item_itself);
  asynchronous_copies<sycl::access::decorated::yes>(q, group_of_it);
  asynchronous_copies<sycl::access::decorated::no>(q, item_itself);
  asynchronous_copies<sycl::access::decorated::no>(q, group_of_it);
  sycl::free(in, q);
  sycl::free(out, q);
  std::puts(failures ? "failed" : "ok");
  return failures != 0;
}
