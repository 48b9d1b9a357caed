// Square roots of float are NVIDIA's approximation, which SYCL allows, unless the option asks for more; what the source asks for in double is
// exact, and so is what says how it is rounded.
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=usual {self} -o a.out
//# sh: cat usual/*.ptx
//# stdout~: sqrt\.approx\.f32
//# stdout!~: sqrt\.rn
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -fsycl-fp32-prec-sqrt -save-temps=exact {self} -o a.out
//# sh: cat exact/*.ptx
//# stdout~: sqrt\.rn\.f32
//# stdout!~: sqrt\.approx
//# run: aspen++ -O2 -DEXACT -fsycl-targets=nvidia_gpu_sm_90 -save-temps=rounded {self} -o a.out
//# sh: cat rounded/*.ptx
//# stdout~: sqrt\.rn\.f32
//# stdout!~: sqrt\.approx
//# deep: further levels and spellings; SPIR-V's drivers decide by themselves, which is said
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90 -foffload-fp32-prec-sqrt -fno-offload-fp32-prec-sqrt -save-temps=last {self} -o a.out
//# sh: cat last/*.ptx
//# stdout!~: sqrt\.rn
//# run: aspen++ -O2 -ffast-math -fsycl-targets=nvidia_gpu_sm_90 -save-temps=fast {self} -o a.out
//# sh: cat fast/*.ptx
//# stdout!~: sqrt\.rn
//# run: aspen++ -O0 -fsycl-targets=nvidia_gpu_sm_90 -save-temps=plain {self} -o a.out
//# sh: cat plain/*.ptx
//# stdout~: sqrt\.approx\.f32
//# run: aspen++ -O2 -fsycl-targets=nvidia_gpu_sm_90,spir64 -fsycl-fp32-prec-sqrt {self} -o a.out
//# stderr~: '-fsycl-fp32-prec-sqrt' is not used for SPIR-V
#include <cmath>
#include <sycl/ext/intel/math.hpp>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  float *x = sycl::malloc_shared<float>(64, q);
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
#if defined(EXACT)
    x[i] = sycl::ext::intel::math::fsqrt_rn(x[i]) + static_cast<float>(sycl::sqrt(static_cast<double>(x[i])));
#else
    x[i] = sycl::sqrt(x[i]) + std::sqrt(x[i] + 1) + sqrtf(x[i] + 2);
#endif
  });
  q.wait();
}
