// Requirements come from the SPIR-V module: the x86-64 ABI passes small vectors as double and drops empty classes.
//# run: aspen++ -O2 {self} -o a.out
//# run: aspen inspect a.out --format json
//# run: aspen++ -O2 -fsycl-targets=native_cpu {self} -o native.out
//# sh: aspen inspect native.out --format json > native.json; aspen inspect a.out --format json > both.json
//# run: ./a.out
//# stdout: ok
//# run: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./native.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <cstdio>

struct [[__sycl_detail__::__uses_aspects__(sycl::aspect::cpu)]] empty_mark {};

static int two_floats(sycl::float2 v) { return int(v.x() + v.y()); }
static int two_ints(sycl::int2 v) { return v.x() + v.y(); }
static int four_halves(sycl::half4 v) { return int(float(v.x()) + float(v.w())); }
static int marked(empty_mark) { return 1; }

class k_float2;
class k_int2;
class k_half4;
class k_mark;

int main() {
  sycl::queue q;
  bool gpu_profile = !q.get_device().has(sycl::aspect::fp64);
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<k_float2>([=] { p[0] = two_floats(sycl::float2(1.0f, 2.0f)); }).wait();
  q.single_task<k_int2>([=] { p[1] = two_ints(sycl::int2(3, 4)); }).wait();
  q.single_task<k_half4>([=] { p[2] = four_halves(sycl::half4(sycl::half(1.0f), sycl::half(2.0f), sycl::half(3.0f), sycl::half(4.0f))); }).wait();
  bool refused = false;
  try {
    q.single_task<k_mark>([=] { p[3] = marked(empty_mark{}); }).wait();
  } catch (const sycl::exception &e) {
    refused = e.code() == sycl::errc::kernel_not_supported;
  }
  std::puts(p[0] == 3 && p[1] == 7 && p[2] == 5 && refused == gpu_profile ? "ok" : "wrong");
}
