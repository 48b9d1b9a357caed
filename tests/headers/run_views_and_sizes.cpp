// Views of constant vectors, buffers seen as wider elements, values of a work-group's items, masks of sub-groups, fused bfloat16, placeholders.
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <syclcompat/syclcompat.hpp>
#include <vector>

static int wrong = 0;
static void expect(const char *what, bool right) {
  if (!right) {
    ++wrong;
    std::printf("wrong: %s\n", what);
  }
}

template <class V> [[gnu::noinline]] static float two(const V &v) { return v[0] * 10 + v[1]; }
[[gnu::noinline]] static void overwrite() {
  volatile float a[64];
  for (int i = 0; i < 64; ++i)
    a[i] = 1000;
}
static void views() {
  const sycl::float16 v(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  auto quarter = v.lo().hi();
  const float &x = v.swizzle<3, 2, 1, 0>().x();
  overwrite();
  expect("a half of a half of a constant vector", two(quarter) == 56);
  expect("an element of a swizzle of it", x == 4);
  sycl::float4 w(1, 2, 3, 4);
  w.hi().lo() = sycl::vec<float, 1>(7);
  w.swizzle<0, 1>().y() = 9;
  expect("those of others write through", w.z() == 7 && w.y() == 9);
}

static void wider(sycl::queue &q) {
  std::vector<float> memory(64 + 8);
  float *odd = memory.data();
  while (reinterpret_cast<std::uintptr_t>(odd) % 32 != 4)
    ++odd;
  for (int i = 0; i < 64; ++i)
    odd[i] = float(i);
  {
    sycl::buffer<float> b(odd, sycl::range<1>(64));
    auto as = b.reinterpret<sycl::float8>(sycl::range<1>(8));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(as, h);
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] = a[i] + sycl::float8(float(i[0])); });
    });
  }
  bool right = true;
  for (int i = 0; i < 64; ++i)
    right = right && odd[i] == float(i + i / 8);
  expect("a buffer on memory that is less aligned than its elements", right);
}

struct alignas(64) wide {
  int value;
};
static void private_values(sycl::queue &q) {
  int *bad = sycl::malloc_shared<int>(1, q);
  *bad = 0;
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(5), [=](sycl::group<1> g) {
       sycl::private_memory<wide> own(g);
       g.parallel_for_work_item([&](sycl::h_item<1> i) { own(i).value = int(i.get_local_id(0)); });
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         const bool right = own(i).value == int(i.get_local_id(0)) && reinterpret_cast<std::uintptr_t>(&own(i)) % 64 == 0;
         if (!right)
           sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*bad) += 1;
       });
     });
   }).wait();
  expect("private memory is aligned", *bad == 0);
  sycl::free(bad, q);
}

static void masks(sycl::queue &q) {
  using sycl::ext::oneapi::sub_group_mask;
  int *bad = sycl::malloc_shared<int>(1, q);
  *bad = 0;
  q.parallel_for(sycl::nd_range<1>(45, 45), [=](sycl::nd_item<1> i) {
     const auto sg = i.get_sub_group();
     const std::uint32_t size = std::uint32_t(sg.get_max_local_range()[0]);
     sub_group_mask full;
     full.set();
     const auto ballot = sycl::ext::oneapi::group_ballot(sg, sg.get_local_linear_id() == 1);
     const bool right = sub_group_mask().size() == size && full.count() == size && full.all() && (~full).none() && ballot.size() == size &&
                        ballot == sub_group_mask(2) && (full << (size - 1)).count() == 1;
     if (!right)
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*bad) += 1;
   }).wait();
  expect("masks have the sub-group's size", *bad == 0);
  int *from = sycl::malloc_shared<int>(32 * 4, q), *to = sycl::malloc_shared<int>(32 * 4, q);
  for (int i = 0; i < 128; ++i)
    from[i] = i;
  q.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> i) {
     const auto sg = i.get_sub_group();
     const size_t at = 4 * sg.get_group_linear_id() * sg.get_max_local_range()[0];
     const sycl::vec<int, 4> x = sg.load<4>(from + at);
     sg.store<4>(to + at, x);
   }).wait();
  bool right = true;
  for (int i = 0; i < 128; ++i)
    right = right && to[i] == i;
  expect("rows of a sub-group by their number", right);
  sycl::free(bad, q);
  sycl::free(from, q);
  sycl::free(to, q);
}

static void numbers() {
  const sycl::half2 h(300, 400);
  const sycl::half2 n = sycl::normalize(h);
  expect("lengths of halves", float(sycl::length(h)) == 500 && float(sycl::distance(h, sycl::half2(0, 0))) == 500 && n[0] == sycl::half(0.6f));
  using sycl::ext::oneapi::bfloat16;
  const sycl::vec<bfloat16, 2> v(1.5f, 2.5f);
  const auto even = v.convert<int, sycl::rounding_mode::rte>();
  const auto up = v.convert<int, sycl::rounding_mode::rtp>();
  expect("bfloat16 in directions", even[0] == 2 && even[1] == 2 && up[0] == 2 && up[1] == 3);
  const auto zero = sycl::vec<float, 1>(1.00490625f).convert<bfloat16, sycl::rounding_mode::rtz>();
  const auto above = sycl::vec<float, 1>(1 + 1 / 256.f).convert<bfloat16, sycl::rounding_mode::rtp>();
  expect("and to it", float(zero[0]) == 1 && float(above[0]) == 1.0078125f && sycl::vec<bfloat16, 1>(300.f).convert<signed char>()[0] == 127);
  // The number is not rounded first.
  expect("bfloat16 and numbers", float(bfloat16(1.f) + 0x1.01p-7f) == 1 + 0x1p-7f && float(0x1.01p-8f + bfloat16(1.f)) == 1 + 0x1p-7f);
  const sycl::ulonglong2 u(1, 2);
  const sycl::schar2 s(-1, 1);
  expect("DPC++'s vectors", u[1] == 2 && s[0] == -1);
}

static void forms(sycl::queue &q) {
  int plain[3] = {1, 2, 3};
  {
    sycl::buffer<int> b(plain);
    sycl::buffer c(plain);
    static_assert(std::is_same_v<decltype(c), sycl::buffer<int, 1>> && !std::is_constructible_v<sycl::buffer<float>, std::vector<int> &>);
    sycl::host_accessor{b}[1] = 7;
  }
  expect("buffers on arrays", plain[1] == 7);
  // What converts to a pointer is written back to as a pointer is.
  int pointed[4] = {1, 2, 3, 4};
  struct {
    int *at;
    operator int *() const { return at; }
  } holder{pointed};
  {
    sycl::buffer<int> held(holder, sycl::range<1>(4));
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(held, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] *= 2; });
    });
  }
  expect("buffers on what converts to a pointer", pointed[3] == 8);
  sycl::buffer<int> b(sycl::range<1>(64));
  const sycl::queue second(q);
  q.submit(
      [&](sycl::handler &h) {
        sycl::accessor a(b, h);
        sycl::local_accessor<int> near(32, h);
        h.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> i) {
          namespace ext = sycl::ext::oneapi::experimental;
          ext::joint_prefetch(i.get_group(), a, size_t(3), 4);
          ext::prefetch(a, 3, 4);
          a[i.get_global_id()] = int(i.get_global_id(0));
          sycl::group_barrier(i.get_group());
          const auto from = a.get_multi_ptr<sycl::access::decorated::yes>() + i.get_group(0) * 32;
          i.wait_for(i.async_work_group_copy<int>(near.get_multi_ptr<sycl::access::decorated::yes>(), from, 16, 2));
          if (i.get_local_id(0) < 16)
            a[i.get_global_id()] = near[i.get_local_id(0)];
        });
      },
      second);
  sycl::host_accessor seen(b);
  expect("copies with types named", seen[1] == 2 && seen[47] == 62 && seen[16] == 16);
}

static int first(sycl::accessor<int, 1, sycl::access_mode::read> a) { return int(a.size()); }

int main() {
  sycl::queue q;
  views();
  wider(q);
  private_values(q);
  masks(q);
  numbers();
  forms(q);
  using sycl::ext::oneapi::bfloat16;
  using sycl::ext::oneapi::experimental::fma;
  expect("bfloat16 is rounded once", float(fma(bfloat16(7.f), bfloat16(37.f), bfloat16(-0x1p-30f))) == 258 &&
                                         float(fma(bfloat16(7.f), bfloat16(37.f), bfloat16(0x1p-30f))) == 260 &&
                                         float(fma(bfloat16(-7.f), bfloat16(37.f), bfloat16(0x1p-30f))) == -258);
  sycl::buffer<int> b(sycl::range<1>(4));
  sycl::accessor placeholder(b, sycl::read_only);
  std::vector<sycl::accessor<int, 1, sycl::access_mode::read>> kept{placeholder};
  expect("placeholders stay what they are", kept[0].is_placeholder() && first(placeholder) == 4);
  const sycl::nd_range<3> large = syclcompat::detail::shape_of(syclcompat::dim3(1u << 24), syclcompat::dim3(256));
  expect("grids of more than 2^32 threads", large.get_global_range()[2] == size_t(1) << 32);
  if (!wrong)
    std::puts("ok");
  return wrong != 0;
}
