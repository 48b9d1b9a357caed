// What is known when a kernel is whole: memory that nothing in it writes to, as `restrict` says, is read through the read-only cache, and other memory is not; a
// condition as a number is a choice; instructions of a whole sub-group name all threads by a number; conversions with a direction are one instruction, and so is a dot product of bytes.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=made {self} -o a.out
//# sh: cat made/*.ptx
//# stdout~: ld\.global\.nc\.b32
//# stdout!~: ld\.global\.nc\.b64
//# stdout!~: ld\.global\.nc\.b8
//# stdout!~: ld\.global\.nc\.b16
//# stdout~: selp\.f32
//# stdout!~: cvt\.rn\.f32\.[us]32
//# stdout~: vote\.sync\.any\.pred[^;]*, -1;
//# stdout~: shfl\.sync\.bfly\.b32[^;]*, -1;
//# stdout~: shfl\.sync\.down\.b32[^;]*, -1;
//# stdout~: bar\.warp\.sync\s+-1;
//# stdout~: cvt\.rzi\.s32\.f32
//# stdout~: cvt\.rm\.f32\.s64
//# stdout~: dp4a\.s32\.s32
//# stdout~: dp4a\.s32\.u32
// Without optimisation nobody looks.
//# run: aspen++ -O0 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=plain {self} -o a.out
//# sh: cat plain/*.ptx
//# stdout!~: ld\.global\.nc
#include <sycl/sycl.hpp>

// The functions are inlined; what they promise stays.
static void add(const float *__restrict a, const float *__restrict b, float *__restrict sum, size_t i, sycl::group<1> group) {
  sum[i] = a[i] + b[i];
  sycl::group_barrier(group);
  sum[i] *= a[i + 1];
}
static void move(const char *__restrict from, char *__restrict to, size_t i) { to[i] = static_cast<char>(from[i] + 1); }
static void half_of(const short *__restrict from, short *__restrict to, size_t i) { to[i] = static_cast<short>(from[i] / 2); }

int main() {
  sycl::queue q;
  float *const x = sycl::malloc_device<float>(512, q);
  double *const d = sycl::malloc_device<double>(512, q);
  short *const s = sycl::malloc_device<short>(512, q);
  char *const c = sycl::malloc_device<char>(512, q);
  const int turns = 5;
  long *const l = sycl::malloc_device<long>(512, q);
  q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) {
    add(x + 64, x + 256, x, at.get_global_id(0), at.get_group());
  });
  // Nothing says that these do not overlap.
  q.parallel_for(64, [=](sycl::id<1> i) { d[i] = d[i + 1]; });
  // Each turn's promise is its own: the second reads what the first wrote.
  q.parallel_for(64, [=](sycl::id<1> i) {
    char *from = c, *to = c + 256;
#pragma clang loop unroll(disable)
    for (int turn = 0; turn < turns; ++turn, std::swap(from, to))
      move(from, to, i);
  });
  // What the function promises ends with it.
  q.parallel_for(64, [=](sycl::id<1> i) {
    half_of(s, s + 256, i);
    s[i] = 3;
  });
  q.parallel_for(64, [=](sycl::id<1> i) { x[i] = static_cast<float>(x[i] > 1) * x[2 * i] - static_cast<float>(-static_cast<int>(x[i] < 3)); });
  q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) {
    const auto lanes = at.get_sub_group();
    const size_t i = at.get_global_id(0);
    float own = x[i];
    own += sycl::permute_group_by_xor(lanes, own, 4);
    own += sycl::shift_group_left(lanes, own, 2);
    sycl::group_barrier(lanes);
    x[i] = sycl::any_of_group(lanes, own > 2) ? own : 1;
  });
  q.parallel_for(64, [=](sycl::id<1> i) {
    x[i] = static_cast<float>(sycl::vec<float, 1>(x[i]).convert<int, sycl::rounding_mode::rtz>()[0] == 3);
    x[i + 64] = sycl::vec<long, 1>(l[i]).convert<float, sycl::rounding_mode::rtn>()[0];
  });
  int *const n = sycl::malloc_device<int>(64, q);
  q.parallel_for(64, [=](sycl::id<1> i) {
    namespace oneapi = sycl::ext::oneapi;
    const auto bytes = sycl::bit_cast<sycl::vec<std::int8_t, 4>>(n[i]);
    n[i] = oneapi::dot_acc(n[i], n[0], 7) + oneapi::dot_acc(bytes, sycl::vec<std::uint8_t, 4>(1, 2, 3, 4), n[i]);
  });
  q.wait();
}
