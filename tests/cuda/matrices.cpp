// Joint matrices of the shapes that tensor cores multiply are multiplied by them, from sm_80 on, with neighbours loaded at once; of other shapes,
// and before, by exchanges between the work-items.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_80 -save-temps=new {self} -o a.out
//# sh: cat new/*.ptx
//# stdout~: mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32
//# stdout~: mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32
//# stdout~: mma\.sync\.aligned\.m16n8k16\.row\.col\.s32\.u8\.s8\.s32
//# stdout~: mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.tf32\.tf32\.f32
//# stdout~: mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64
//# stdout~: ld\.(global\.)?(v2\.b32|b64)
// Two instructions a product of halves, of bfloat16, of bytes and of tf32, one of double.
//# count: 9 stdout mma\.sync
//# deep: shapes and processors without such instructions
//# run: aspen++ -O2 -DOTHER -fsycl-targets=nvidia_gpu_sm_80 -save-temps=other {self} -o b.out
//# sh: cat other/*.ptx
//# stdout!~: mma\.sync
//# stdout~: shfl\.sync
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_75 -save-temps=old {self} -o c.out
//# sh: cat old/*.ptx
//# stdout!~: mma\.sync
//# stdout~: shfl\.sync
#include <sycl/sycl.hpp>
using namespace sycl::ext::oneapi::experimental::matrix;
using sycl::ext::oneapi::bfloat16;

template <class T> auto global(T *p) { return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(p); }

template <class Ta, class Tb, class Tc, size_t M, size_t N, size_t K, class A, class B> void product(sycl::queue &q, A *a, B *b, Tc *c) {
  q.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
    const sycl::sub_group sg = item.get_sub_group();
    joint_matrix<sycl::sub_group, Ta, use::a, M, K, layout::row_major> left;
    joint_matrix<sycl::sub_group, Tb, use::b, K, N, layout::col_major> right;
    joint_matrix<sycl::sub_group, Tc, use::accumulator, M, N> sum;
    joint_matrix_load(sg, left, global(a), K);
    joint_matrix_load(sg, right, global(b), K);
    joint_matrix_load(sg, sum, global(c), N, layout::row_major);
    joint_matrix_mad(sg, sum, left, right, sum);
    joint_matrix_store(sg, sum, global(c), N, layout::row_major);
  });
}

void all(sycl::queue &q, sycl::half *half, bfloat16 *brain, std::uint8_t *bytes, std::int8_t *signs, float *floats, std::int32_t *ints, double *doubles) {
#ifdef OTHER
  product<sycl::half, sycl::half, float, 16, 24, 16>(q, half, half, floats);
#else
  product<sycl::half, sycl::half, float, 16, 16, 16>(q, half, half, floats);
  product<bfloat16, bfloat16, float, 8, 32, 16>(q, brain, brain, floats);
  product<std::uint8_t, std::int8_t, std::int32_t, 32, 8, 16>(q, bytes, signs, ints);
  product<precision::tf32, precision::tf32, float, 16, 16, 8>(q, floats, floats, floats);
  product<double, double, double, 8, 8, 4>(q, doubles, doubles, doubles);
#endif
}
int main() {}
