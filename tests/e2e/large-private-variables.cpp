// Private variables of any alignment, and of megabytes: where they outlive a barrier and where not, in kernels of all kinds.
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o a.out
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./a.out
//# stdout: ok
//# run: ASPEN_CPU_THREADS=1 ./a.out
//# stdout: ok
//# deep: further levels of optimisation
//# run: aspen++ -O0 -fsycl-targets=native_cpu {self} -o b.out
//# run: ./b.out
//# stdout: ok
// More than there can be is refused from the launch.
//# run: aspen++ -O1 -DTOO_MUCH -fsycl-targets=native_cpu {self} -o c.out
//# run: ./c.out
//# stdout~: ^kernel 'too_much' needs 35184372088832 bytes of stack for private variables, and this machine's memory has \d+; keep large arrays in global memory
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

// A value that depends on all of an array, which so cannot go away.
template <class T> __attribute__((noinline)) void fill(T *p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; ++i)
    p[i] = T(seed + i * 7);
}
template <class T> __attribute__((noinline)) unsigned sum(const T *p, size_t n) {
  unsigned out = 0;
  for (size_t i = 0; i < n; i += 61)
    out = out * 31 + unsigned(p[i]);
  return out;
}
template <class T> unsigned wanted(size_t n, unsigned seed) {
  std::vector<T> p(n);
  fill(p.data(), n, seed);
  return sum(p.data(), n);
}
__attribute__((noinline)) unsigned deep(unsigned seed) {
  int p[300000];
  fill(p, 300000, seed);
  return sum(p, 300000);
}

template <size_t A> struct alignas(A) aligned {
  unsigned v[8];
};

class single;
class too_much;
class range;
class nested;
class stays;
class hierarchy;
template <size_t> class alignments;
template <size_t> class aligned_range;

constexpr size_t million = 1 << 20;

int large(sycl::queue &q, unsigned *out) {
  int wrong = 0;
  const auto check = [&](const char *what, unsigned count, auto expected) {
    q.wait_and_throw();
    for (unsigned i = 0; i < count; ++i)
      if (out[i] != expected(i) && !wrong++)
        std::printf("%s: [%u] is %u, not %u\n", what, i, out[i], expected(i));
  };
  q.single_task<single>([=] {
    int p[6 * million];
    fill(p, 6 * million, 5);
    out[0] = sum(p, 6 * million);
  });
  check("single", 1, [](unsigned) { return wanted<int>(6 * million, 5); });
  q.parallel_for<range>(20, [=](sycl::id<1> i) {
    short p[3 * million / 2];
    fill(p, 3 * million / 2, unsigned(i));
    out[i] = sum(p, 3 * million / 2) + deep(unsigned(i));
  });
  check("range", 20, [](unsigned i) { return wanted<short>(3 * million / 2, i) + wanted<int>(300000, i); });
  // No barrier while the array is needed.
  q.parallel_for<nested>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) {
    const unsigned i = it.get_global_id(0);
    const unsigned x = deep(i);
    sycl::group_barrier(it.get_group());
    out[i] = x + deep(i + 1);
  });
  check("nested", 8, [](unsigned i) { return wanted<int>(300000, i) + wanted<int>(300000, i + 1); });
  // Each item keeps its own.
  q.parallel_for<stays>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) {
    const unsigned i = it.get_global_id(0);
    unsigned char p[3 * million];
    fill(p, 3 * million, i);
    sycl::group_barrier(it.get_group());
    out[i] = sum(p, 3 * million);
  });
  check("stays", 8, [](unsigned i) { return wanted<unsigned char>(3 * million, i); });
  q.submit([&](sycl::handler &h) {
    h.parallel_for_work_group<hierarchy>(sycl::range<1>(2), sycl::range<1>(3), [=](sycl::group<1> g) {
      g.parallel_for_work_item([&](sycl::h_item<1> it) {
        int p[million];
        fill(p, million, unsigned(it.get_global_id(0)));
        out[it.get_global_id(0)] = sum(p, million);
      });
    });
  });
  check("hierarchy", 6, [](unsigned i) { return wanted<int>(million, i); });
  return wrong;
}

template <size_t A> int of_alignment(sycl::queue &q, unsigned *out) {
  q.parallel_for<alignments<A>>(sycl::nd_range<2>({6, 5}, {3, 5}), [=](sycl::nd_item<2> it) {
    const unsigned i = it.get_global_linear_id(), l = it.get_local_linear_id();
    aligned<A> p = {{i, i + 1}};
    aligned<64> other = {{i * 3}};
    fill(p.v + 2, 6, i);
    const unsigned misplaced = unsigned((std::uintptr_t(&p) % A + std::uintptr_t(&other) % 64) != 0);
    sycl::group_barrier(it.get_group());
    fill(other.v, l % 8, i);
    sycl::group_barrier(it.get_group());
    out[i] = misplaced * 1000000 + sum(p.v, 8) + p.v[i % 8] + other.v[(l + 7) % 8] + unsigned(std::uintptr_t(&p) % A);
  });
  q.parallel_for<aligned_range<A>>(30, [=](sycl::id<1> i) {
    aligned<A> p = {{unsigned(i)}};
    fill(p.v + 1, 7, unsigned(i));
    out[30 + i] = sum(p.v, 8) + p.v[i % 8] + unsigned(std::uintptr_t(&p) % A);
  });
  q.wait_and_throw();
  int wrong = 0;
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned l = i % 15;
    aligned<A> p = {{i, i + 1}}, r = {{i}};
    aligned<64> other = {{i * 3}};
    fill(p.v + 2, 6, i), fill(other.v, l % 8, i), fill(r.v + 1, 7, i);
    wrong += out[i] != sum(p.v, 8) + p.v[i % 8] + other.v[(l + 7) % 8];
    wrong += out[30 + i] != sum(r.v, 8) + r.v[i % 8];
  }
  if (wrong)
    std::printf("alignment %zu: %d wrong\n", A, wrong);
  return wrong;
}

int main() {
  sycl::queue q([](sycl::exception_list all) { for (auto &one : all) std::rethrow_exception(one); });
  unsigned *out = sycl::malloc_shared<unsigned>(64, q);
  int wrong = 0;
#ifdef TOO_MUCH
  try {
    q.single_task<too_much>([=] {
      struct { int v[long(1) << 43]; } p;
      fill(p.v, 100, 5);
      out[0] = sum(p.v, 100);
    });
    wrong = 1;
  } catch (const sycl::exception &e) {
    std::puts(e.what());
    wrong = e.code() != sycl::errc::memory_allocation;
  }
#else
  wrong += large(q, out);
  wrong += of_alignment<128>(q, out) + of_alignment<256>(q, out) + of_alignment<512>(q, out) + of_alignment<4096>(q, out);
#endif
  std::puts(wrong ? "wrong" : "ok");
  sycl::free(out, q);
}
