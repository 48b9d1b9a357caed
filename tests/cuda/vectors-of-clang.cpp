// Functions of clang for vectors: GPUs' libraries have them for numbers alone.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
//# run: aspen++ -O0 -fsycl-targets=nvidia_gpu_sm_90 {self} -o a.out
#include <sycl/sycl.hpp>

using float4 = float __attribute__((ext_vector_type(4)));
using double2 = double __attribute__((ext_vector_type(2)));

template <class V> V all(V x) {
  return __builtin_elementwise_sin(x) + __builtin_elementwise_pow(x, x) + __builtin_elementwise_exp(x) + __builtin_elementwise_log(x) +
         __builtin_elementwise_tanh(x) + __builtin_elementwise_max(x, x) + __builtin_elementwise_fma(x, x, x) + __builtin_elementwise_fmod(x, x * x);
}

int main() {
  sycl::queue q;
  float4 *f = sycl::malloc_shared<float4>(1, q);
  double2 *d = sycl::malloc_shared<double2>(1, q);
  q.single_task([=] {
     *f = all(*f);
     *d = all(*d);
   }).wait();
}
