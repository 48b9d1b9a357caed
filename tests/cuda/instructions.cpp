// What floating-point arithmetic becomes: products and sums are contracted across statements, as in clang's CUDA, unless a word says otherwise;
// rsqrt is an instruction, and local memory is loaded four words at once.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=usual {self} -o a.out
//# sh: cat usual/*.ptx
//# stdout~: fma\.rn\.f32
//# stdout~: rsqrt\.approx\.f32
//# stdout~: ld\.shared\.v4\.b32
//# stdout!~: sqrt\.rn
//# run: aspen++ -O2 -ffp-contract=on -fsycl-targets=nvidia_gpu_sm_90 -save-temps=on {self} -o a.out
//# sh: cat on/*.ptx
//# stdout!~: fma\.rn\.f32
//# run: aspen++ -O2 -ffp-model=precise -fsycl-targets=nvidia_gpu_sm_90 -save-temps=precise {self} -o a.out
//# sh: cat precise/*.ptx
//# stdout!~: fma\.rn\.f32
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(64, q);
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
    const float product = x[i] * x[0];
    x[i] = product + 1.5f;
  });
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { x[i] = sycl::rsqrt(x[i]); });
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<float> local(256, h);
    h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) {
      const size_t own = at.get_local_id(0);
      local[own] = x[own];
      sycl::group_barrier(at.get_group());
      x[own] = local[own * 4] + local[own * 4 + 1] + local[own * 4 + 2] + local[own * 4 + 3];
    });
  });
  q.wait();
}
