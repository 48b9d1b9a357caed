// A long function that several kernels call at once is part of each of them: what they captured is not put into memory for it.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=usual {self} -o a.out
//# sh: cat usual/*.ptx
//# count: 2 stdout ^\.(weak|visible) \.entry
//# stdout!~: ^\.(weak |visible )?\.?func
//# stdout!~: \.local
#include <sycl/sycl.hpp>

inline void body(const sycl::nd_item<1> &at, float *x, const float &scale) {
  const size_t i = at.get_global_id(0);
  float sum = x[i];
#pragma unroll
  for (int turn = 0; turn < 800; ++turn)
    sum = sum * scale + x[i + turn];
  x[i] = sum;
}

int main(int count, char **) {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(1024, q), scale = count;
  q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) { body(at, x, scale); });
  q.parallel_for(sycl::nd_range<1>(128, 64), [=](sycl::nd_item<1> at) { body(at, x, scale); });
  q.wait();
}
