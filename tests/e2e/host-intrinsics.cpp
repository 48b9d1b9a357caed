// Host code with intrinsics of processors, in constants. In passes for other targets clang 22 takes their builtins for others: it ended at the first of these functions,
// and found another number in the second one.
//# run: aspen++ -O1 {self} -o a.out
//# run: ./a.out
//# stdout: ok
//# run: aspen++ -std=c++20 -fsyntax-only -fsycl-targets=spir64 {self}
#include <cstdio>
#include <immintrin.h>
#include <sycl/sycl.hpp>

__attribute__((target("avx512bw"))) static unsigned mask(unsigned of) {
  const auto fixed = _cvtu32_mask32(0xaaaaaaaaU);
  return _cvtmask32_u32(fixed) ^ of;
}
__attribute__((target("avx512f,avx512bw,avx512dq"))) static int both() {
  static const int three = _kand_mask16(3, 7), eight = _cvtu32_mask8(8);
  return three + eight;
}
__attribute__((target("sse4.2"))) static int bits() {
  const int count = _mm_popcnt_u32(7);
  const __m128i packed = _mm_packs_epi32(_mm_set1_epi32(70000), _mm_set1_epi32(5));
  return count + _mm_extract_epi16(packed, 0);
}

int main(int argc, char **) {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 3; }).wait();
  // What the processor here has is all that is run.
  bool ok = *p == 3 && (!__builtin_cpu_supports("sse4.2") || bits() == 3 + 32767);
  if (argc > 1)
    ok = ok && mask(1) != 0 && both() == 11;
  std::puts(ok ? "ok" : "wrong");
}
