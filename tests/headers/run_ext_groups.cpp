//! DPC++'s extensions for groups: the first sub-group's members, masks, local memory without accessors, questions without an nd_item, the
//! first names of function objects. Results are compared with loops on the host. Exit status 0: all right.
#include "check.hpp"

#include <cstdio>
#include <vector>
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;

#if SYCL_EXT_ONEAPI_SUB_GROUP_MASK != 2 || SYCL_EXT_ONEAPI_LOCAL_MEMORY != 1 || SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES != 1
#error "feature-test macros"
#endif
static_assert(std::is_same_v<oneapi::sub_group, sycl::sub_group>);
static_assert(std::is_same_v<oneapi::plus<int>, sycl::plus<int>> && std::is_same_v<oneapi::experimental::maximum<>, sycl::maximum<>>);
static_assert(std::is_same_v<oneapi::atomic_ref<int, oneapi::memory_order::relaxed, oneapi::memory_scope::device>,
                             sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>>);

constexpr size_t count = 256, width = 64, results = 13;

static void members(sycl::queue &q, int *in, int *out) {
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const oneapi::sub_group s = item.get_sub_group();
     const size_t i = item.get_global_id(0);
     const int v = in[i];
     int *r = out + i * results;
     r[0] = static_cast<int>(s.get_local_range()[0]);
     r[1] = s.shuffle(v, s.get_local_range()[0] - 1);
     r[2] = s.shuffle_down(v, 1);
     r[3] = s.shuffle_up(v, 1);
     r[4] = s.shuffle_xor(v, 1);
     r[5] = s.reduce(v, oneapi::plus<>());
     r[6] = s.exclusive_scan(v, oneapi::plus<>());
     r[7] = s.inclusive_scan(v, sycl::maximum<>());
     r[8] = s.broadcast(v, 1) + s.any(v == 13) * 1000 + s.all(v > 0) * 10000;
     s.barrier();
     const size_t before = i - s.get_local_id()[0];
     r[9] = s.load(in + before);
     r[10] = static_cast<int>(oneapi::group_ballot(s, v % 3 == 0).count());
     r[11] = oneapi::reduce(s, v, oneapi::minimum<>());
     const auto mask = oneapi::group_ballot(s, v % 3 == 0);
     r[12] = static_cast<int>(mask.find_low()[0]) * 1000 + static_cast<int>(mask.find_high()[0]) * 10 + mask.test(s.get_local_id());
   }).wait();
  for (size_t i = 0; i < count; ++i) {
    const int *r = out + i * results;
    const size_t group = i / width * width, lanes = static_cast<size_t>(r[0]), sub = group + (i - group) / lanes * lanes;
    int sum = 0, before = 0, largest = 0, smallest = 99, thirds = 0, low = static_cast<int>(lanes), high = static_cast<int>(lanes);
    bool any = false, all = true;
    for (size_t k = sub; k < sub + lanes; ++k) {
      sum += in[k];
      any = any || in[k] == 13;
      all = all && in[k] > 0;
      smallest = in[k] < smallest ? in[k] : smallest;
      before += k < i ? in[k] : 0;
      largest = k <= i && in[k] > largest ? in[k] : largest;
      if (in[k] % 3 == 0) {
        low = thirds ? low : static_cast<int>(k - sub);
        high = static_cast<int>(k - sub);
        ++thirds;
      }
    }
    CHECK(r[1] == in[sub + lanes - 1]);
    CHECK(i + 1 == sub + lanes || r[2] == in[i + 1]);
    CHECK(i == sub || r[3] == in[i - 1]);
    CHECK(r[4] == in[sub + ((i - sub) ^ 1)]);
    CHECK(r[5] == sum && r[6] == before && r[7] == largest);
    CHECK(r[8] == in[sub + 1] + any * 1000 + all * 10000);
    CHECK(r[9] == in[i]);
    CHECK(r[10] == thirds && r[11] == smallest);
    CHECK(r[12] == low * 1000 + high * 10 + (in[i] % 3 == 0));
  }
}

static void stores(sycl::queue &q, int *in, int *out) {
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const auto s = item.get_sub_group();
     const size_t lanes = s.get_max_local_range()[0], first = item.get_group(0) * width + s.get_group_id()[0] * lanes;
     s.store(out + first, s.load(in + first) + 1);
     if (s.get_group_id()[0] == 0) {
       const sycl::vec<int, 2> two = s.load<2>(in + first / 2);
       s.store(out + count + first * 2, two);
     } else {
       // The type may be said, too.
       s.store(out + first, s.load<const volatile int>(in + first) + s.load<int>(sycl::global_ptr<int>(in + first)) - in[first + s.get_local_id()[0]] + 1);
     }
   }).wait();
  for (size_t i = 0; i < count; ++i)
    CHECK(out[i] == in[i] + 1);
  for (size_t group = 0; group < count / width; ++group)
    for (size_t i = 0; i < 2; ++i)
      CHECK(out[count + group * width * 2 + i] == in[group * width / 2 + i]);

  // Elements that are vectors, what is volatile, and the types and lengths said.
  sycl::int2 *pairs = sycl::malloc_shared<sycl::int2>(count * 2, q);
  for (size_t i = 0; i < count; ++i)
    pairs[i] = pairs[count + i] = {in[i], in[i] * 2};
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const auto s = item.get_sub_group();
     const size_t lanes = s.get_max_local_range()[0], first = item.get_group(0) * width + s.get_group_id()[0] * lanes;
     const sycl::global_ptr<const volatile sycl::int2> at(pairs + first);
     s.store(pairs + first, s.load(pairs + first) + s.load(at) + s.load<const volatile sycl::int2>(pairs + first));
     if (s.get_group_id()[0] == 0) {
       const sycl::multi_ptr<int, sycl::access::address_space::global_space, sycl::access::decorated::yes> to(out + first);
       const sycl::multi_ptr<const volatile int, sycl::access::address_space::global_space, sycl::access::decorated::yes> from(to);
       s.store<int>(to, s.load<int>(to) + s.load<const volatile int>(from));
       if (lanes * 2 <= width)
         s.store<2, int>(to, s.load<2, const volatile int>(from) + sycl::int2(1));
       else
         s.store<int>(to, s.load<int>(to) + 1);
     }
   }).wait();
  for (size_t i = 0; i < count; ++i)
    CHECK(pairs[i][0] == 3 * in[i] && pairs[i][1] == 6 * in[i] && pairs[count + i][0] == in[i]);
  for (size_t group = 0; group < count / width; ++group)
    CHECK(out[group * width] == 2 * (in[group * width] + 1) + 1);
  sycl::free(pairs, q);
}

struct start {
  int first;
  int step;
};

static void local_memory(sycl::queue &q, int *in, int *out) {
  q.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
     const auto g = item.get_group();
     const size_t l = item.get_local_id(0);
     auto a = oneapi::group_local_memory_for_overwrite<int[width]>(g);
     auto b = oneapi::group_local_memory_for_overwrite<int[width]>(g);
     auto from = oneapi::group_local_memory<start>(g, static_cast<int>(g.get_group_id(0)), 3);
     (*a)[l] = in[item.get_global_id(0)];
     (*b)[l] = 1000 + static_cast<int>(l);
     sycl::group_barrier(g);
     out[item.get_global_id(0)] = (*a)[width - 1 - l] + (*b)[width - 1 - l] + from->first * 100000 + from->step * 10000000;
   }).wait();
  for (size_t i = 0; i < count; ++i) {
    const size_t group = i / width, l = i % width, other = width - 1 - l;
    CHECK(out[i] == in[group * width + other] + 1000 + static_cast<int>(other) + static_cast<int>(group) * 100000 + 30000000);
  }
}

static int asks_without_item() {
  const auto item = oneapi::this_work_item::get_nd_item<2>();
  const auto group = oneapi::this_work_item::get_work_group<2>();
  const auto sub = oneapi::this_work_item::get_sub_group();
  return static_cast<int>(item.get_global_linear_id() + 1000 * group.get_group_linear_id() + 100000 * (sub.get_local_id()[0] == sub.get_local_linear_id()));
}

static void questions(sycl::queue &q, int *out) {
  q.parallel_for(sycl::nd_range<2>({8, 16}, {4, 8}), [=](sycl::nd_item<2> item) {
     const auto same = oneapi::experimental::this_nd_item<2>();
     item.barrier();
     out[item.get_global_linear_id()] = asks_without_item() + 1000000 * (same == item) +
                                        2000000 * (oneapi::experimental::this_group<2>() == item.get_group()) +
                                        4000000 * (oneapi::experimental::this_sub_group() == item.get_sub_group());
   }).wait();
  for (int i = 0; i < 128; ++i)
    CHECK(out[i] == i + 1000 * (i / 16 / 4 * 2 + i % 16 / 8) + 100000 + 7000000);
}

static void masks() {
  oneapi::sub_group_mask m(0b1011u, 8);
  CHECK(m.size() == 8 && m.count() == 3 && m.any() && !m.all() && !m.none());
  CHECK(m[0] && m[1] && !m[2] && m[3] && !m[9]);
  m[2] = true;
  CHECK(m.count() == 4 && m.find_low() == sycl::id<1>(0) && m.find_high() == sycl::id<1>(3));
  m.reset_low();
  m.reset_high();
  CHECK(m == oneapi::sub_group_mask(0b0110u, 8) && m != oneapi::sub_group_mask(0b0110u, 16));
  CHECK((~m).count() == 6 && (m << 6).count() == 1 && (m >> 2).count() == 1);
  CHECK(oneapi::detail::Builder::createSubGroupMask<oneapi::sub_group_mask>(0b0110u, 8) == m); // oneDPL's way
  CHECK((m | oneapi::sub_group_mask(0b1001u, 8)).count() == 4 && (m & oneapi::sub_group_mask(0b0011u, 8)).count() == 1);
  m.insert_bits(static_cast<unsigned char>(0xff), 4);
  CHECK(m.count() == 6);
  unsigned char bits = 0;
  m.extract_bits(bits, 1);
  CHECK(bits == 0x7b);
  sycl::marray<unsigned, 2> words;
  oneapi::sub_group_mask(~0ull).extract_bits(words);
  CHECK(words[0] == ~0u && words[1] == ~0u);
  m.flip();
  m.set(0, false);
  CHECK(m.count() == 1);
  // A number is what it is as an unsigned long long.
  CHECK(oneapi::sub_group_mask(-1).all() && oneapi::sub_group_mask(static_cast<signed char>(-2), 16).count() == 15);
  m.insert_bits(true);
  CHECK(m.find_low() == sycl::id<1>(0) && m.count() == 1);
}

int main() {
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(count, q);
  int *out = sycl::malloc_shared<int>(count * results, q);
  for (size_t i = 0; i < count; ++i)
    in[i] = static_cast<int>(i * 37 % 23) + 1;
  members(q, in, out);
  stores(q, in, out);
  local_memory(q, in, out);
  questions(q, out);
  masks();
  sycl::free(in, q);
  sycl::free(out, q);
  return failures;
}
