//! Mathematical functions on vectors.
#include <sycl/vec_math.hpp>

using namespace sycl;
static_assert(std::is_same_v<decltype(sqrt(float4())), float4> && std::is_same_v<decltype(dot(half2(), half2())), half>);
SYCL_EXTERNAL float floats(float4 a, float3 b) {
  const float4 c = fma(sin(a), pow(a, a), clamp(a, 0.0f, 1.0f)) + min(a, 2.0f) + mix(a, a, a);
  return dot(a, c) + length(b) + normalize(cross(b, b)).x() + distance(b, b);
}
SYCL_EXTERNAL int4 integers(int4 a) { return max(abs(a), rotate(a, a)); }
