// CUDA's side of the GPU bench, for clang without a toolkit: its words are made of clang's attributes and builtins.
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define BLOCK __attribute__((shared))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define THREAD_Y __nvvm_read_ptx_sreg_tid_y()
#define PLACE_X (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + THREAD_X)
#define PLACE_Y (__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + THREAD_Y)
#define MEET __nvvm_bar_sync(0)

#define BOTH __attribute__((device, host))
#include "data.h"

struct alignas(16) four {
  float x, y, z, w;
};

KERNEL start(float *x, float *y) {
  const int i = PLACE_X;
  x[i] = static_cast<float>(i % 4), y[i] = 1;
}
KERNEL saxpy(float *y, const float *x, float s, int n) {
  const int i = PLACE_X;
  if (i < n)
    y[i] = y[i] + s * x[i];
}

static DEVICE float other_lane(float v, int step) { return __nvvm_shfl_sync_bfly_f32(~0u, v, step, 31); }
static DEVICE double other_lane(double v, int step) {
  int halves[2];
  __builtin_memcpy(halves, &v, sizeof v);
  halves[0] = __nvvm_shfl_sync_bfly_i32(~0u, halves[0], step, 31), halves[1] = __nvvm_shfl_sync_bfly_i32(~0u, halves[1], step, 31);
  __builtin_memcpy(&v, halves, sizeof v);
  return v;
}

// In every thread of the first warp.
template <class T> static DEVICE T sum_of_block(T v) {
  static BLOCK T sums[32];
  const int t = THREAD_X, lane = t % 32;
  for (int step = 16; step > 0; step /= 2)
    v += other_lane(v, step);
  if (lane == 0)
    sums[t / 32] = v;
  MEET;
  if (t < 32) {
    v = t < static_cast<int>(__nvvm_read_ptx_sreg_ntid_x()) / 32 ? sums[t] : T(0);
    for (int step = 16; step > 0; step /= 2)
      v += other_lane(v, step);
  }
  return v;
}
KERNEL sums(float *out, const float *x) {
  const float all = sum_of_block(x[PLACE_X]);
  if (THREAD_X == 0)
    out[__nvvm_read_ptx_sreg_ctaid_x()] = all;
}
KERNEL reduce(float *out, const float *x, int n) {
  float v = 0;
  for (int i = PLACE_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x())
    v += x[i];
  v = sum_of_block(v);
  if (THREAD_X == 0)
    __nvvm_atom_add_gen_f(out, v);
}
// One block for what `sums` left.
KERNEL fold(float *out, const float *x, int n) {
  float v = 0;
  for (int i = THREAD_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x())
    v += x[i];
  v = sum_of_block(v);
  if (THREAD_X == 0)
    *out = v;
}
KERNEL fill(double *x, double v, int n) {
  const int i = PLACE_X;
  if (i < n)
    x[i] = v;
}
KERNEL place_bodies(four *p) {
  const unsigned i = PLACE_X;
  p[i] = {static_cast<float>(i % 1013) * 0.002f + 0.25f, static_cast<float>(i % 499) * 0.004f - 0.5f,
          static_cast<float>(i * 3 % 1013) * 0.002f + 0.25f, 1e-4f};
}
KERNEL nbody(four *f, const four *p, int n) {
  const int i = PLACE_X;
  const four own = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    const four other = p[j];
    const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    const float r = __nvvm_rsqrt_approx_f(x * x + y * y + z * z + 1e-3f), s = other.w * r * r * r;
    ax += x * s, ay += y * s, az += z * s;
  }
  f[i] = {ax, ay, az, 0};
}
KERNEL arithmetic(four *v) {
  const int i = PLACE_X;
  four a = v[i];
  const four b = {a.x * 0.5f, a.y * 0.5f, a.z * 0.5f, a.w * 0.5f};
  for (int k = 0; k < 256; ++k)
    a = {a.x * b.x + 0.25f, a.y * b.y + 0.25f, a.z * b.z + 0.25f, a.w * b.w + 0.25f};
  v[i] = a;
}
KERNEL stencil(float *out, const float *in, int n) {
  const int x = PLACE_X, y = PLACE_Y;
  if (y > 0 && x > 0 && y + 1 < n && x + 1 < n)
    out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}
KERNEL product(float *c, const float *a, const float *b, int n) {
  static BLOCK float s[16][16], t[16][16];
  const int x = THREAD_X, y = THREAD_Y, column = PLACE_X, row = PLACE_Y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[y][x] = a[row * n + k + x];
    t[y][x] = b[(k + y) * n + column];
    MEET;
    for (int l = 0; l < 16; ++l)
      sum += s[y][l] * t[l][x];
    MEET;
  }
  c[row * n + column] = sum;
}
KERNEL begin_stream(double *a, double *b, double *c) {
  const int i = PLACE_X;
  a[i] = 0.125, b[i] = 0.25, c[i] = 0;
}
KERNEL copy(double *c, const double *a) { c[PLACE_X] = a[PLACE_X]; }
KERNEL scale(double *b, const double *c) { b[PLACE_X] = 0.5 * c[PLACE_X]; }
KERNEL add(double *c, const double *a, const double *b) { c[PLACE_X] = a[PLACE_X] + b[PLACE_X]; }
KERNEL triad(double *a, const double *b, const double *c) { a[PLACE_X] = b[PLACE_X] + 0.5 * c[PLACE_X]; }

KERNEL dot(double *out, const double *a, const double *b, int n) {
  double v = 0;
  for (int i = PLACE_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x())
    v += a[i] * b[i];
  v = sum_of_block(v);
  if (THREAD_X == 0)
    __nvvm_atom_add_gen_d(out, v);
}

KERNEL mix(unsigned *x) { x[PLACE_X] = bench::mixed(PLACE_X); }
KERNEL histogram(unsigned *bins, const unsigned *x, int n) {
  static BLOCK unsigned own[256];
  own[THREAD_X] = 0;
  MEET;
  for (int i = PLACE_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_nctaid_x())
    __atomic_fetch_add(&own[x[i] & 255], 1u, __ATOMIC_RELAXED);
  MEET;
  __atomic_fetch_add(&bins[THREAD_X], own[THREAD_X], __ATOMIC_RELAXED);
}
// One step of a bitonic sort: pairs `distance` apart, in blocks of `size` that rise and fall in turns.
KERNEL sort_step(unsigned *x, unsigned size, unsigned distance) {
  const unsigned pair = PLACE_X, low = (pair & ~(distance - 1)) * 2 + (pair & (distance - 1)), high = low + distance;
  const unsigned a = x[low], b = x[high];
  if ((a > b) == ((low & size) == 0))
    x[low] = b, x[high] = a;
}

// What is before this thread in the block.
static DEVICE unsigned scan_of_block(unsigned v, unsigned *total) {
  static BLOCK unsigned sums[33];
  const int t = THREAD_X, lane = t % 32, warps = __nvvm_read_ptx_sreg_ntid_x() / 32;
  unsigned all = v;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned below = __nvvm_shfl_sync_up_i32(~0u, all, step, 0);
    if (lane >= step)
      all += below;
  }
  if (lane == 31)
    sums[t / 32] = all;
  MEET;
  if (t < 32) {
    unsigned own = t < warps ? sums[t] : 0, sum = own;
    for (int step = 1; step < 32; step *= 2) {
      const unsigned below = __nvvm_shfl_sync_up_i32(~0u, sum, step, 0);
      if (lane >= step)
        sum += below;
    }
    if (t < warps)
      sums[t] = sum - own;
    if (t == 31)
      sums[32] = sum;
  }
  MEET;
  const unsigned before = sums[t / 32] + all - v;
  *total = sums[32];
  return before;
}
KERNEL small_numbers(unsigned *x) { x[PLACE_X] = bench::small_number(PLACE_X); }
KERNEL scan_blocks(unsigned *out, unsigned *totals, const unsigned *x) {
  const unsigned first = PLACE_X * 4;
  const unsigned v[4] = {x[first], x[first + 1], x[first + 2], x[first + 3]};
  unsigned total, before = scan_of_block(v[0] + v[1] + v[2] + v[3], &total);
  for (int k = 0; k < 4; ++k)
    out[first + k] = before, before += v[k];
  if (THREAD_X == 0)
    totals[__nvvm_read_ptx_sreg_ctaid_x()] = total;
}
// One block.
KERNEL scan_totals(unsigned *totals, int n) {
  unsigned before = 0;
  for (int i = THREAD_X; i < n; i += __nvvm_read_ptx_sreg_ntid_x()) {
    unsigned total;
    const unsigned own = scan_of_block(totals[i], &total);
    totals[i] = before + own;
    before += total;
    MEET;
  }
}
KERNEL scan_add(unsigned *out, const unsigned *totals) {
  const unsigned first = PLACE_X * 4, before = totals[__nvvm_read_ptx_sreg_ctaid_x()];
  for (int k = 0; k < 4; ++k)
    out[first + k] += before;
}

KERNEL place_elements(unsigned *columns, float *elements) {
  const unsigned row = PLACE_X;
  for (unsigned k = 0; k < bench::filled; ++k)
    columns[row * bench::filled + k] = bench::column(row, k), elements[row * bench::filled + k] = bench::element(row, k);
}
KERNEL place_factors(float *x) { x[PLACE_X] = bench::factor(PLACE_X); }
// A warp a row.
KERNEL sparse(float *y, const unsigned *columns, const float *elements, const float *x) {
  const unsigned row = PLACE_X / 32, lane = THREAD_X % 32;
  float v = 0;
  for (unsigned k = row * bench::filled + lane; k < (row + 1) * bench::filled; k += 32)
    v += elements[k] * x[columns[k]];
  for (int step = 16; step > 0; step /= 2)
    v += __nvvm_shfl_sync_bfly_f32(~0u, v, step, 31);
  if (lane == 0)
    y[row] = v;
}
KERNEL nothing() {}
KERNEL one(int *p) { *p = 1; }
KERNEL increase(float *x) { x[PLACE_X] += 1; }
