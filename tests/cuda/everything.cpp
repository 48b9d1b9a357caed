// Everything that is of its own on NVIDIA's GPUs, in one program: indices of all launches, sub-groups of 32 lanes (the last one short), group
// algorithms of every type, atomic operations of every order and scope, local memory, functions of libdevice, printf.
//
// CI has no GPU: there it must be code for the oldest and the newest kind of processor (a deep run: for those between), and right on the embedded CPU with such sub-groups.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_50,nvidia_gpu_sm_90a {self} -o a.out
//# run: aspen++ -O0 -fsycl-targets=nvidia_gpu_sm_90,native_cpu {self} -o b.out
//# run: ASPEN_DEVICE_PROFILE=nvidia_gpu_sm_90 ./b.out
//# stdout: from the device: 42 words
//# stdout: ok
//# deep: the kinds between
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_60,nvidia_gpu_sm_70 {self} -o c.out
#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

static int wrong = 0;
static void expect(const char *what, bool ok) {
  if (!ok) {
    std::printf("%s: WRONG\n", what);
    ++wrong;
  }
}
template <class T> static T *shared(sycl::queue &q, size_t n) {
  T *p = sycl::malloc_shared<T>(n, q);
  for (size_t i = 0; i < n; ++i)
    p[i] = T();
  return p;
}

static void ranges(sycl::queue &q) {
  const sycl::range<3> extent(5, 70, 33);
  int *count = shared<int>(q, extent.size());
  q.parallel_for(extent, [=](sycl::item<3> at) { count[at.get_linear_id()] += 1 + (at.get_range(1) == 70) + (at[2] < 33); }).wait();
  bool ok = true;
  for (size_t i = 0; i < extent.size(); ++i)
    ok = ok && count[i] == 3;
  expect("range of three dimensions", ok);
  size_t *seen = shared<size_t>(q, 1000);
  q.parallel_for(sycl::range<1>(1000), sycl::id<1>(7), [=](sycl::item<1> at) { seen[at[0] - 7] = at[0] + at.get_offset()[0]; }).wait();
  ok = true;
  for (size_t i = 0; i < 1000; ++i)
    ok = ok && seen[i] == i + 14;
  expect("range with offset", ok);
  const size_t tall = 70000; // more than a grid has blocks in that dimension
  int *high = shared<int>(q, tall);
  q.parallel_for(sycl::range<3>(tall, 1, 1), [=](sycl::id<3> at) { high[at[0]] = static_cast<int>(at[0]); }).wait();
  ok = true;
  for (size_t i = 0; i < tall; ++i)
    ok = ok && high[i] == static_cast<int>(i);
  expect("tall range", ok);
  sycl::free(count, q);
  sycl::free(seen, q);
  sycl::free(high, q);
}

static void indices(sycl::queue &q) {
  const sycl::range<3> global(4, 6, 40), local(2, 3, 20);
  struct row {
    size_t values[8];
  };
  row *rows = shared<row>(q, global.size());
  q.parallel_for(sycl::nd_range<3>(global, local, sycl::id<3>(1, 2, 3)), [=](sycl::nd_item<3> at) {
     const sycl::sub_group s = at.get_sub_group();
     const size_t i = ((at.get_global_id(0) - 1) * 6 + (at.get_global_id(1) - 2)) * 40 + (at.get_global_id(2) - 3);
     rows[i] = {{at.get_local_linear_id(), at.get_group(0), at.get_group(1), at.get_group(2), s.get_group_linear_id(),
                 s.get_local_linear_id(), s.get_local_linear_range(), s.get_group_linear_range()}};
   }).wait();
  bool ok = true;
  for (size_t k = 0; k < 4; ++k)
    for (size_t j = 0; j < 6; ++j)
      for (size_t i = 0; i < 40; ++i) {
        const size_t linear = ((k % 2) * 3 + j % 3) * 20 + i % 20; // of 120: the last sub-group has 24
        const size_t wanted[8] = {linear, k / 2, j / 3, i / 20, linear / 32, linear % 32, linear < 96 ? size_t(32) : 24, 4};
        for (int v = 0; v < 8; ++v)
          ok = ok && rows[(k * 6 + j) * 40 + i].values[v] == wanted[v];
      }
  expect("nd_range of three dimensions with offset", ok);
  sycl::free(rows, q);
}

struct pair_sum {
  int a;
  double b;
  short c;
};

template <class T, class Op> static void algorithm(sycl::queue &q, const char *what, T init, Op op, size_t size) {
  T *in = shared<T>(q, 3 * size), *out = shared<T>(q, 5 * 3 * size);
  for (size_t i = 0; i < 3 * size; ++i)
    in[i] = static_cast<T>(static_cast<int>(i * 7 % 11) + 1);
  const size_t n = 3 * size;
  q.parallel_for(sycl::nd_range<1>(n, size), [=](sycl::nd_item<1> at) {
     const size_t i = at.get_global_id(0);
     const auto g = at.get_group();
     const auto s = at.get_sub_group();
     out[i] = sycl::reduce_over_group(g, in[i], op);
     out[n + i] = sycl::inclusive_scan_over_group(g, in[i], op);
     out[2 * n + i] = sycl::exclusive_scan_over_group(g, in[i], init, op);
     out[3 * n + i] = sycl::reduce_over_group(s, in[i], init, op);
     out[4 * n + i] = sycl::exclusive_scan_over_group(s, in[i], init, op);
   }).wait();
  bool ok = true;
  for (size_t group = 0; group < 3; ++group) {
    T all = in[group * size];
    for (size_t i = 1; i < size; ++i)
      all = op(all, in[group * size + i]);
    T before = init, inclusive = in[group * size];
    for (size_t i = 0; i < size; ++i) {
      const size_t at = group * size + i, first = group * size + i / 32 * 32;
      if (i > 0)
        inclusive = op(inclusive, in[at]);
      T sub_before = init, sub_all = init;
      for (size_t j = first; j < group * size + size && j < first + 32; ++j) {
        if (j < at)
          sub_before = op(sub_before, in[j]);
        sub_all = op(sub_all, in[j]);
      }
      ok = ok && out[at] == all && out[n + at] == inclusive && out[2 * n + at] == before && out[3 * n + at] == sub_all &&
           out[4 * n + at] == sub_before;
      before = op(before, in[at]);
    }
  }
  expect(what, ok);
  sycl::free(in, q);
  sycl::free(out, q);
}

static void groups(sycl::queue &q) {
  for (size_t size : {size_t(32), size_t(40), size_t(256), size_t(1), size_t(1000)}) {
    algorithm<int>(q, "sums of int", 5, sycl::plus<int>(), size);
    algorithm<long>(q, "largest long", 3, sycl::maximum<long>(), size);
    algorithm<unsigned>(q, "bits of unsigned", 64u, sycl::bit_or<unsigned>(), size);
    algorithm<double>(q, "smallest double", 9.0, sycl::minimum<double>(), size);
    algorithm<float>(q, "sums of float", 0.0f, sycl::plus<float>(), size);
    algorithm<short>(q, "sums of short", short(1), sycl::plus<short>(), size);
  }
  const size_t n = 100;
  pair_sum *pairs = shared<pair_sum>(q, n);
  int *questions = shared<int>(q, 6 * n);
  q.parallel_for(sycl::nd_range<1>(n, n), [=](sycl::nd_item<1> at) {
     const size_t i = at.get_global_id(0);
     const auto g = at.get_group();
     const auto s = at.get_sub_group();
     const pair_sum own = {static_cast<int>(i), i * 0.5, static_cast<short>(-static_cast<int>(i))};
     pairs[i] = sycl::select_from_group(s, own, (s.get_local_linear_id() + 1) % s.get_local_linear_range());
     const pair_sum far = sycl::group_broadcast(g, own, 77);
     questions[i] = far.a == 77 && far.b == 38.5 && far.c == -77;
     questions[n + i] = sycl::any_of_group(g, i == 99);
     questions[2 * n + i] = sycl::all_of_group(g, i != 99);
     questions[3 * n + i] = sycl::any_of_group(s, i == 40);
     questions[4 * n + i] = sycl::none_of_group(s, i == 40);
     questions[5 * n + i] = sycl::permute_group_by_xor(s, static_cast<int>(i), 1) + sycl::shift_group_left(s, static_cast<int>(i), 1);
   }).wait();
  bool ok = true;
  for (size_t i = 0; i < n; ++i) {
    const size_t lanes = i < 96 ? 32 : 4, next = i / 32 * 32 + (i % 32 + 1) % lanes;
    ok = ok && pairs[i].a == static_cast<int>(next) && pairs[i].b == next * 0.5 && pairs[i].c == -static_cast<int>(next);
    ok = ok && questions[i] == 1 && questions[n + i] == 1 && questions[2 * n + i] == 0;
    ok = ok && questions[3 * n + i] == (i / 32 == 1) && questions[4 * n + i] == (i / 32 != 1);
    if (i % 32 != 31 && i != 99)
      ok = ok && questions[5 * n + i] == static_cast<int>((i ^ 1) + i + 1);
  }
  expect("values of other work-items", ok);
  sycl::free(pairs, q);
  sycl::free(questions, q);
}

template <class T, sycl::memory_order Order, sycl::memory_scope Scope> static void atomics_of(sycl::queue &q, const char *what) {
  T *p = shared<T>(q, 8);
  p[2] = T(1000);
  q.parallel_for(sycl::nd_range<1>(1000, 100), [=](sycl::nd_item<1> at) {
     const T own = static_cast<T>(at.get_global_id(0));
     sycl::atomic_ref<T, Order, Scope> sum(p[0]), most(p[1]), least(p[2]), loop(p[3]), last(p[4]);
     sum.fetch_add(T(2));
     sum.fetch_sub(T(1));
     most.fetch_max(own);
     least.fetch_min(own);
     T expected = loop.load();
     while (!loop.compare_exchange_weak(expected, expected + T(1)))
       ;
     last.exchange(own);
     if constexpr (std::is_integral_v<T>) {
       sycl::atomic_ref<T, Order, Scope> bits(p[5]), both(p[6]), odd(p[7]);
       bits.fetch_or(T(1) << (at.get_global_id(0) % 16));
       both.fetch_and(T(0));
       odd.fetch_xor(T(1));
     }
   }).wait();
  bool ok = p[0] == T(1000) && p[1] == T(999) && p[2] == T(0) && p[3] == T(1000) && p[4] >= T(0) && p[4] < T(1000);
  if (std::is_integral_v<T>)
    ok = ok && p[5] == T(0xFFFF) && p[6] == T(0) && p[7] == T(0);
  expect(what, ok);
  sycl::free(p, q);
}

template <sycl::memory_order Order, sycl::memory_scope Scope> static void atomics_as(sycl::queue &q) {
  atomics_of<int, Order, Scope>(q, "atomics of int");
  atomics_of<unsigned, Order, Scope>(q, "atomics of unsigned");
  atomics_of<long long, Order, Scope>(q, "atomics of long long");
  atomics_of<float, Order, Scope>(q, "atomics of float");
  atomics_of<double, Order, Scope>(q, "atomics of double");
}

/// A message from one work-group to another: what was written before the flag is seen after it.
static void messages(sycl::queue &q) {
  int *p = shared<int>(q, 70);
  q.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> at) {
     sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> flag(p[64]);
     const int lane = static_cast<int>(at.get_local_id(0));
     if (at.get_group(0) == 1) {
       p[lane] = 3 * lane;
       sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::device);
       flag.fetch_add(1);
     } else {
       while (flag.load() != 32)
         ;
       p[32 + lane] = p[31 - lane];
     }
   }).wait();
  bool ok = true;
  for (int i = 0; i < 32; ++i)
    ok = ok && p[32 + i] == 3 * (31 - i);
  expect("messages between work-groups", ok);
  sycl::free(p, q);
}

static void local_memory(sycl::queue &q, size_t words) {
  const size_t n = 256;
  int *out = shared<int>(q, 2 * n);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int, 1> large(words, h);
     sycl::local_accessor<double, 2> small(sycl::range<2>(2, 128), h);
     h.parallel_for(sycl::nd_range<1>(2 * n, n), [=](sycl::nd_item<1> at) {
       const size_t i = at.get_local_id(0);
       for (size_t j = i; j < words; j += n)
         large[j] = static_cast<int>(j);
       small[i / 128][i % 128] = static_cast<double>(i);
       sycl::group_barrier(at.get_group());
       out[at.get_global_id(0)] = large[words - 1 - i] + static_cast<int>(small[(255 - i) / 128][(255 - i) % 128]);
     });
   }).wait();
  bool ok = true;
  for (size_t i = 0; i < 2 * n; ++i)
    ok = ok && out[i] == static_cast<int>(words - 1 - i % n + 255 - i % n);
  expect("local memory", ok);
  sycl::free(out, q);
}

/// Exact in both types.
template <class T> static T argument(size_t i) { return static_cast<T>(2 * i + 1) / T(128); }

static void mathematics(sycl::queue &q) {
  const size_t n = 512, kinds = 24;
  float *f = shared<float>(q, n * kinds);
  double *d = shared<double>(q, n * kinds);
  auto all = [](auto x, auto *o) {
    using T = decltype(x);
    int e;
    T whole, c;
    o[0] = std::sin(x), o[1] = std::cos(x), o[2] = std::tan(x), o[3] = std::exp(x), o[4] = std::log(x), o[5] = std::pow(x, T(1.5));
    o[6] = std::erf(x), o[7] = std::cbrt(x), o[8] = std::tanh(x), o[9] = std::atan2(x, T(2)), o[10] = std::fmod(T(1000) * x, T(0.3));
    o[11] = std::modf(T(3.7) * x, &whole) + whole, o[12] = std::frexp(x, &e) + T(e), o[13] = std::scalbln(std::ldexp(x, 5), -2l), o[14] = std::hypot(x, T(3));
    o[15] = std::lgamma(x), o[16] = T(std::lround(T(10) * x)), o[17] = std::log2(x), o[18] = std::exp2(x), o[19] = std::expm1(x);
    o[20] = std::remainder(x, T(0.7)), o[21] = sycl::sincos(x, &c) + c, o[22] = sycl::rsqrt(x), o[23] = std::fma(x, x, std::isnan(std::nan("")) ? T(1) : T(0));
  };
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
     all(argument<float>(i[0]), f + kinds * i[0]);
     all(argument<double>(i[0]), d + kinds * i[0]);
   }).wait();
  double worst_f = 0, worst_d = 0;
  size_t kind_f = 0, kind_d = 0;
  bool exact = true;
  for (size_t i = 0; i < n; ++i) {
    
    double of_float[kinds], of_double[kinds];
    all(argument<double>(i), of_float);
    all(argument<double>(i), of_double);
    for (size_t k = 0; k < kinds; ++k) {
      if (k == 10 || k == 20 || k == 16 || k == 2)
        continue; // jumps and poles: compared below or not in float
      const double ef = std::fabs(f[i * kinds + k] - of_float[k]) / std::fmax(1.0, std::fabs(of_float[k]));
      const double ed = std::fabs(d[i * kinds + k] - of_double[k]) / std::fmax(1.0, std::fabs(of_double[k]));
      if (!(ef <= worst_f))
        worst_f = ef, kind_f = k;
      if (!(ed <= worst_d))
        worst_d = ed, kind_d = k;
    }
    exact = exact && d[i * kinds + 10] == of_double[10] && d[i * kinds + 20] == of_double[20];
  }
  std::printf("worst errors: float %.1e (function %zu), double %.1e (function %zu)\n", worst_f, kind_f, worst_d, kind_d);
  expect("remainders", exact);
  expect("functions of float", worst_f < 1e-6);
  expect("functions of double", worst_d < 1e-14);
  sycl::free(f, q);
  sycl::free(d, q);
}

static void half_and_vectors(sycl::queue &q) {
  sycl::half *h = shared<sycl::half>(q, 64);
  sycl::float4 *v = shared<sycl::float4>(q, 64);
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
     const sycl::half x(static_cast<float>(i[0]));
     h[i] = x * x + sycl::half(0.5f) + sycl::sqrt(x);
     v[i] = sycl::float4(1, 2, 3, 4) * static_cast<float>(i[0]) + sycl::float4(1);
   }).wait();
  bool ok = true;
  for (int i = 0; i < 64; ++i) {
    const float exact = static_cast<float>(i * i) + 0.5f + std::sqrt(static_cast<float>(i));
    ok = ok && std::fabs(static_cast<float>(h[i]) - exact) <= 0.003f * exact + 0.001f && v[i].w() == 4.0f * i + 1;
  }
  expect("half and vectors", ok);
  sycl::free(h, q);
  sycl::free(v, q);
}

static void memory(sycl::queue &q) {
  const size_t n = 1000;
  int *device = sycl::malloc_device<int>(n, q), *host = sycl::malloc_host<int>(n, q);
  std::vector<int> own(n, 5);
  q.fill(device, 7, n).wait();
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { host[i] = device[i] + static_cast<int>(i[0]); }).wait();
  q.memcpy(device, own.data(), n * sizeof(int)).wait();
  q.memset(device, 1, 4).wait();
  q.memcpy(own.data(), device, n * sizeof(int)).wait();
  bool ok = own[0] == 0x01010101 && own[1] == 5;
  for (size_t i = 0; i < n; ++i)
    ok = ok && host[i] == static_cast<int>(i) + 7;
  sycl::buffer<int> b(own.data(), sycl::range<1>(n));
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] *= 2; });
  });
  sycl::host_accessor seen(b, sycl::read_only);
  ok = ok && seen[1] == 10 && seen[999] == 10;
  expect("memory", ok);
  sycl::free(device, q);
  sycl::free(host, q);
}

int main() {
  sycl::queue q([](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      std::rethrow_exception(error);
  });
  std::printf("on %s\n", q.get_device().get_info<sycl::info::device::name>().c_str());
  ranges(q);
  indices(q);
  groups(q);
  using order = sycl::memory_order;
  using scope = sycl::memory_scope;
  atomics_as<order::relaxed, scope::device>(q);
  atomics_as<order::acq_rel, scope::device>(q);
  atomics_as<order::seq_cst, scope::system>(q);
  atomics_as<order::relaxed, scope::system>(q);
  messages(q);
  local_memory(q, 2000);
  if (q.get_device().get_info<sycl::info::device::local_mem_size>() > 80000)
    local_memory(q, 18000); // more than a block has without being asked
  mathematics(q);
  half_and_vectors(q);
  memory(q);
  q.single_task([=] {
#if !defined(__AMDGCN__) // does not print (tests/amd/same-as-nvidia.cpp)
     sycl::ext::oneapi::experimental::printf("from the device: %d %s\n", 42, "words");
#endif
   }).wait();
  q.wait_and_throw();
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  return wrong != 0;
}
