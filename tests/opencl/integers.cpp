// Integers of every width, and operations on them that have no counterpart in SPIR-V, give what the host gives: bit-fields (24 bits), sums
// of loops (33 and 65 bits, made by LLVM), switches as bit maps, _BitInt, overflow checks, and functions of other units inlined at link.
//# file: helper.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL unsigned widen(unsigned char x) { return x; }
SYCL_EXTERNAL long widen_signed(short x) { return x; }
SYCL_EXTERNAL unsigned char narrow(unsigned long x) { return (unsigned char)x; }
SYCL_EXTERNAL bool low_bit(unsigned long x) { return x & 1; }
//# file: main.cpp
#include <sycl/sycl.hpp>
#include <cstdio>

SYCL_EXTERNAL unsigned widen(unsigned char x);
SYCL_EXTERNAL long widen_signed(short x);
SYCL_EXTERNAL unsigned char narrow(unsigned long x);
SYCL_EXTERNAL bool low_bit(unsigned long x);

struct fields {
  unsigned a : 20, b : 3;
  unsigned char c;
  long d : 47;
};
struct colour {
  unsigned char r, g, b;
};
typedef unsigned _BitInt(24) u24;
typedef _BitInt(24) s24;
typedef unsigned _BitInt(48) u48;
typedef unsigned _BitInt(65) u65;
typedef _BitInt(127) s127;
typedef unsigned _BitInt(128) u128;

constexpr int values = 48;

static inline void all(unsigned long id, unsigned long *out) {
  unsigned long *p = out;
  const unsigned long x = id * 0x9E3779B97F4A7C15ul + id, y = (x >> 7) ^ (x << 21);
  // Through other units' functions.
  *p++ = widen((unsigned char)x);
  *p++ = (unsigned long)widen_signed((short)x);
  *p++ = narrow(x) + (unsigned)narrow(y);
  *p++ = widen((unsigned char)low_bit(x));
  // Through every pair of widths.
  *p++ = (unsigned short)(unsigned char)x, *p++ = (unsigned)(unsigned short)x, *p++ = (unsigned long)(unsigned)x;
  *p++ = (unsigned long)(short)(signed char)x, *p++ = (unsigned long)(int)(short)x, *p++ = (unsigned long)(long)(int)x;
  *p++ = (unsigned char)(x != 0) + (unsigned short)(y & 1);
  // Sums of loops, which LLVM makes products of 33 and 65 bits.
  unsigned sum = 0;
  for (unsigned i = 0; i < (unsigned)(x & 0xFFFF); ++i)
    sum += i;
  unsigned long long_sum = 0;
  for (unsigned long i = 0; i < (y & 0xFFFF); ++i)
    long_sum += i;
  *p++ = sum, *p++ = long_sum;
  // Bit-fields and structures of odd sizes.
  fields f{(unsigned)x & 0xFFFFF, (unsigned)y & 7, (unsigned char)y, (long)(y & 0x3FFFFFFFFFFF)};
  f.a += 77, f.b -= 3, f.d = f.d * 3 - 1;
  *p++ = f.a, *p++ = f.b, *p++ = f.c, *p++ = (unsigned long)f.d;
  colour k = x & 1 ? colour{1, 2, (unsigned char)x} : colour{(unsigned char)y, 5, 6};
  *p++ = k.r * 65536u + k.g * 256u + k.b;
  // Switches that become bit maps.
  switch (x % 23) {
  case 1: case 3: case 7: case 9: case 12: case 17: case 22: *p++ = 1; break;
  default: *p++ = 0;
  }
  switch (y % 7) {
  case 0: *p++ = 3; break;
  case 1: *p++ = 7; break;
  case 2: *p++ = 1; break;
  case 3: *p++ = 9; break;
  case 4: *p++ = 15; break;
  case 5: *p++ = 2; break;
  default: *p++ = 0;
  }
  // Widths that only C has names for.
  const u24 a24 = (u24)x, b24 = (u24)(y | 1);
  const s24 c24 = (s24)x, d24 = (s24)((y & 0xFFFF) | 1);
  *p++ = (unsigned long)(u24)(a24 + b24), *p++ = (unsigned long)(u24)(a24 * b24), *p++ = (unsigned long)(a24 / b24);
  *p++ = (unsigned long)(long)(c24 / d24), *p++ = (unsigned long)(long)(c24 >> 5), *p++ = a24 < b24, *p++ = c24 < d24;
  const u48 a48 = (u48)x * (u48)y;
  *p++ = (unsigned long)a48, *p++ = (unsigned long)(a48 >> 11);
  const u128 a128 = (u128)x * y, b128 = (u128)y << 64 | x;
  *p++ = (unsigned long)(a128 >> 64), *p++ = (unsigned long)a128, *p++ = (unsigned long)((a128 + b128) >> (x & 127)), *p++ = a128 < b128;
  *p++ = (unsigned long)(b128 / (y | 1)), *p++ = (unsigned long)(b128 % (y | 1)), *p++ = (unsigned long)((a128 - b128) >> 70);
  *p++ = (unsigned long)((u65)x * (u65)y >> 1), *p++ = (unsigned long)((s127)(long)x * (s127)(long)y >> 66);
  // Operations that tell whether they overflow, and some that SPIR-V lacks.
  int i;
  unsigned u;
  long l;
  unsigned long ul;
  *p++ = __builtin_add_overflow((int)x, (int)y, &i) + 2ul * (unsigned)i, *p++ = __builtin_sub_overflow((long)x, (long)y, &l) + 2ul * l;
  *p++ = __builtin_mul_overflow((unsigned)x, (unsigned)y, &u) + 2ul * u, *p++ = __builtin_mul_overflow((long)x >> 20, (long)y >> 35, &l) + 2ul * l;
  *p++ = __builtin_mul_overflow(x >> 9, y >> 50, &ul) + 2ul * ul;
  *p++ = __builtin_bitreverse32((unsigned)x) + __builtin_bitreverse64(y), *p++ = __builtin_popcountl(x) + __builtin_bswap64(y);
  *p++ = __builtin_bitreverse8((unsigned char)x) + __builtin_bitreverse16((unsigned short)y);
  while (p < out + values)
    *p++ = 0;
}

// Vectors of lengths that SPIR-V lacks, inside what lies in memory and in what a kernel captures.
typedef float five __attribute__((ext_vector_type(5)));
typedef int seven __attribute__((ext_vector_type(7)));
struct odd {
  five a;
  int n;
  seven b[2];
};

static int sums_of_odd(sycl::queue &q) {
  odd captured{};
  captured.a[2] = 4;
  captured.b[1][3] = 2;
  const int n = 3;
  auto *out = sycl::malloc_shared<float>(8, q);
  q.parallel_for(8, [=](sycl::id<1> i) {
     odd mine;
     mine.a = static_cast<float>(i[0]);
     mine.a[n] = 2;
     mine.b[1] = static_cast<int>(i[0]);
     mine.b[n & 1][6] = 5;
     const odd copy = mine;
     five sums[3];
     sums[n - 1] = copy.a + captured.a;
     out[i] = sums[n - 1][n] + sums[n - 1][2] + static_cast<float>(copy.b[1][6] + captured.b[1][n]);
   }).wait();
  int wrong = 0;
  for (int i = 0; i < 8; ++i)
    wrong += out[i] != 2 + i + 4 + 5 + 2;
  sycl::free(out, q);
  return wrong;
}

// Bytes that move to where they overlap, by as many as the source says; loops of that kind, too, of which LLVM makes such moves. Of functions LLVM knows what
// integers of odd widths they give.
[[gnu::noinline]] u24 bounded(unsigned x) { return (u24)(x % 500 + 1); }
static int moved_bytes(sycl::queue &q) {
  constexpr int bytes = 20;
  const auto move = [](unsigned char *a, unsigned n) {
    for (int k = 0; k < bytes; ++k)
      a[k] = static_cast<unsigned char>(k * 7 + n);
    __builtin_memmove(a + 3, a, 5);
    for (int k = 4; k >= 0; --k)
      a[k + 9] = a[k + 7];
    __builtin_memmove(a + n % 4, a + 2, 11);
    a[0] = static_cast<unsigned char>(bounded(n));
  };
  auto *out = sycl::malloc_shared<unsigned char>(64 * bytes, q);
  q.parallel_for(64, [=](sycl::id<1> i) {
     unsigned char own[bytes];
     move(own, static_cast<unsigned>(i[0]));
     for (int k = 0; k < bytes; ++k)
       out[i * bytes + k] = own[k];
   }).wait();
  int wrong = 0;
  for (unsigned i = 0; i < 64; ++i) {
    unsigned char own[bytes];
    move(own, i);
    for (int k = 0; k < bytes; ++k)
      wrong += out[i * bytes + k] != own[k];
  }
  sycl::free(out, q);
  return wrong;
}

// Four bits the other way round, as small Fourier transforms want them: LLVM has an operation on integers of four bits for that.
static int reversed_bits(sycl::queue &q) {
  auto *out = sycl::malloc_shared<unsigned>(16, q);
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) {
     for (unsigned i = it.get_local_id(0); i < 16; i += 8) {
       unsigned reversed = 0;
       for (unsigned bit = 0; bit < 4; ++bit)
         reversed |= (i >> bit & 1u) << (3 - bit);
       out[i] = reversed;
     }
   }).wait();
  int wrong = 0;
  for (unsigned i = 0; i < 16; ++i)
    wrong += out[i] != ((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | i >> 3);
  sycl::free(out, q);
  return wrong;
}

int main() {
  constexpr int items = 512;
  sycl::queue q;
  auto *device = sycl::malloc_shared<unsigned long>(items * values, q);
  q.parallel_for(items, [=](sycl::id<1> id) { all(id[0], device + id[0] * values); }).wait();
  int wrong = sums_of_odd(q) + moved_bytes(q) + reversed_bits(q);
  for (unsigned long id = 0; id < items; ++id) {
    unsigned long host[values];
    all(id, host);
    for (int value = 0; value < values; ++value)
      if (host[value] != device[id * values + value] && ++wrong < 10)
        std::printf("item %lu, value %d: %lx, not %lx\n", id, value, device[id * values + value], host[value]);
  }
  std::printf("%d wrong\n", wrong);
  sycl::free(device, q);
}
//# run: aspen++ -O2 -fsycl-targets=spir64 helper.cpp main.cpp -o two
//# run: ./two
//# stdout: 0 wrong
//# run: aspen++ -O1 -fsycl-targets=spir64 helper.cpp main.cpp -o one
//# run: ./one
//# stdout: 0 wrong
//# run: aspen++ -O0 -fsycl-targets=spir64 helper.cpp main.cpp -o zero
//# run: ./zero
//# stdout: 0 wrong
//# run: aspen++ -O3 -fsycl-targets=spir64 -fsycl-optional-features=conditional helper.cpp main.cpp -o three
//# run: ./three
//# stdout: 0 wrong
