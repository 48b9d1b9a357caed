// A counter of 32 bits that is raised by a size is counted in 32 bits: nothing is cut or extended but where an address is made of it.
//# run: aspen++ -O2 -fno-unroll-loops -fsycl-targets=nvidia_gpu_sm_90 -save-temps=usual {self} -o a.out
//# sh: cat usual/*.ptx
//# stdout!~: cvt\.u32\.u64
//# stdout!~: cvt\.s64\.s32
//# stdout~: mul\.wide\.s32
//# stdout~: sqrt
//# stdout!~: \.shared
#include <sycl/sycl.hpp>

int main(int count, char **) {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(64, q);
  const int n = count;
  q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> at) {
    float sum = 0;
    for (int i = at.get_local_id(0); i < n; i += at.get_local_range(0))
      sum += sycl::sqrt(x[i]);
    x[at.get_local_id(0)] = sum;
  });
  q.wait();
}
