// CUDA's side of the GPU bench, for clang without a toolkit: its words are made of clang's attributes and builtins.
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define BLOCK __attribute__((shared))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define THREAD_Y __nvvm_read_ptx_sreg_tid_y()
#define PLACE_X (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + THREAD_X)
#define PLACE_Y (__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + THREAD_Y)
#define MEET __nvvm_bar_sync(0)

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

// In every thread of the first warp.
static DEVICE float sum_of_block(float v) {
  static BLOCK float sums[32];
  const int t = THREAD_X, lane = t % 32;
  for (int step = 16; step > 0; step /= 2)
    v += __nvvm_shfl_sync_bfly_f32(~0u, v, step, 31);
  if (lane == 0)
    sums[t / 32] = v;
  MEET;
  if (t < 32) {
    v = t < static_cast<int>(__nvvm_read_ptx_sreg_ntid_x()) / 32 ? sums[t] : 0.f;
    for (int step = 16; step > 0; step /= 2)
      v += __nvvm_shfl_sync_bfly_f32(~0u, v, step, 31);
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
KERNEL nothing() {}
KERNEL one(int *p) { *p = 1; }
KERNEL increase(float *x) { x[PLACE_X] += 1; }
