// Headers and lines that programs have for other implementations and for their host code.
//# run: aspen++ -fsycl-targets=native_cpu,spir64 {self} older.cpp bare.cpp -o a.out
//# run: ./a.out
//# stdout: 7 4 older bare
//# run: aspen++ -E {self} -o preprocessed.ii
//# run: aspen++ -fsycl-targets=native_cpu preprocessed.ii older.cpp bare.cpp -o b.out
//# run: ./b.out
//# stdout: 7 4 older bare
#include <cpuid.h>
#include <immintrin.h>
#include <sycl/sycl.hpp>
#include <cstdio>

// A class of the host, which kernels know nothing of, although every pass sees its virtual functions.
struct shape {
  virtual ~shape();
  virtual float area();
};
shape::~shape() {}
float shape::area() {
  float four[4];
  _mm_storeu_ps(four, _mm_add_ps(_mm_set1_ps(3), _mm_set1_ps(4)));
  return four[2];
}

const char *older();
const char *bare();
int main() {
  sycl::queue q;
  float *v = sycl::malloc_shared<float>(4, q);
  // What intrinsics are made of is nothing of the processor's.
  q.single_task([=] { _mm_storeu_ps(v, _mm_add_ps(_mm_set1_ps(1), _mm_set1_ps(3))); }).wait();
  std::printf("%g %g %s %s\n", shape().area(), v[3], older(), bare());
}
//# file: older.cpp
#include <CL/sycl.hpp>
#include <CL/sycl/ONEAPI/experimental/builtins.hpp>
#include <CL/sycl/builtins.hpp>
#include <CL/sycl/detail/common.hpp>
#include <CL/sycl/intel/sub_group.hpp>
#include <CL/sycl/properties/accessor_properties.hpp>
#include <CL/sycl/usm/usm_allocator.hpp>

namespace sycl = cl::sycl;
namespace mine {
namespace sycl = ::cl::sycl;
}
const char *older() {
  namespace sycl=cl::sycl;
  namespace other = cl::sycl;
  mine::sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.submit([&](other::handler &h) { h.single_task([=] { *p = cl::sycl::max(1, 2); }); }).wait();
  return *p == 2 ? "older" : "wrong";
}
//# file: bare.cpp
#include <sycl.hpp>
#include <usm.hpp>
const char *bare() { return sycl::queue().is_host() ? "wrong" : "bare"; }
