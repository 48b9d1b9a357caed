// A kernel's submission allocates twice: its command, and its job. What the C library is asked for is counted here, of all threads.
//# also: fake/libcuda.c
//# sh: gcc -shared -fPIC -o libcuda.so libcuda.c
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90,native_cpu {self} -ldl -o a.out
//# run: env LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR=cuda:* ./a.out
//# stdout: in order 2, apart 2, in groups 2
//# run: env ASPEN_DEVICE_SELECTOR=native_cpu ./a.out
//# stdout: in order 2, apart 2, in groups 2
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sycl/sycl.hpp>

static std::atomic<long> allocations;

template <class F> static F *next(const char *name) { return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name)); }

extern "C" {
void *malloc(std::size_t size) {
  static const auto real = next<void *(std::size_t)>("malloc");
  ++allocations;
  return real(size);
}
void *aligned_alloc(std::size_t alignment, std::size_t size) {
  static const auto real = next<void *(std::size_t, std::size_t)>("aligned_alloc");
  ++allocations;
  return real(alignment, size);
}
int posix_memalign(void **out, std::size_t alignment, std::size_t size) {
  static const auto real = next<int(void **, std::size_t, std::size_t)>("posix_memalign");
  ++allocations;
  return real(out, alignment, size);
}
void *memalign(std::size_t alignment, std::size_t size) {
  static const auto real = next<void *(std::size_t, std::size_t)>("memalign");
  ++allocations;
  return real(alignment, size);
}
void *calloc(std::size_t count, std::size_t size) {
  // Asked for while `dlsym` looks for it.
  static unsigned char early[4096];
  static std::size_t used;
  static bool looking;
  static void *(*real)(std::size_t, std::size_t);
  if (!real && looking) {
    void *const own = early + used;
    used += (count * size + 15) / 16 * 16;
    return own;
  }
  if (!real) {
    looking = true;
    real = next<void *(std::size_t, std::size_t)>("calloc");
  }
  ++allocations;
  return real(count, size);
}
void *realloc(void *old, std::size_t size) {
  static const auto real = next<void *(void *, std::size_t)>("realloc");
  ++allocations;
  return real(old, size);
}
}

/// Allocations a submission, of many when as many came before.
template <class Submit> static long each(sycl::queue &q, Submit submit) {
  constexpr int count = 1000;
  long all = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const long before = allocations;
    for (int i = 0; i < count; ++i)
      submit();
    all = allocations - before;
    q.wait();
  }
  return all / count;
}

int main() {
  sycl::queue ordered{sycl::property::queue::in_order{}}, q;
  float *const p = sycl::malloc_device<float>(1024, q);
  const long in_order = each(ordered, [&] { ordered.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> i) { p[i] += 1; }); });
  const long apart = each(q, [&] { q.single_task([=] { p[0] += 1; }); });
  const long in_groups = each(ordered, [&] {
    ordered.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) { p[item.get_global_id(0)] += 1; });
    });
  });
  sycl::free(p, q);
  std::printf("in order %ld, apart %ld, in groups %ld\n", in_order, apart, in_groups);
}
