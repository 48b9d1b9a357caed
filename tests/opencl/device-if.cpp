// if_device_has in SPIR-V that is compiled at run time: one binary, one image, a result for every device; in both modes, as on the CPU.
//# run: aspen++ -O2 {self} -o split.out
//# run: aspen++ -O2 -fsycl-optional-features=conditional {self} -o conditional.out
//# sh: for p in '' intel_gpu_dg1 intel_gpu_skl intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ./split.out || exit 1; done > split.txt
//# sh: for p in '' intel_gpu_dg1 intel_gpu_skl intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ./conditional.out || exit 1; done > conditional.txt
//# sh: cmp split.txt conditional.txt
//# sh: sort -u split.txt | grep -c right
//# stdout: 1
//# sh: ! grep wrong split.txt
//# sh: ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ASPEN_SAVE_DIR=saved ./conditional.out && spirv-val --target-env spv1.4 saved/*.spv && spirv-dis saved/*.spv > saved.txt
//# sh: ! grep -E 'Float64|OpTypeFloat 64|SpecConst|SpecId|6245|6247|DontInline' saved.txt
#include <sycl/sycl.hpp>
#include <cstdio>
using sycl::aspect;
namespace ex = sycl::ext::oneapi::experimental;

/// Called from both kernels.
static int precision(int *p, int at) {
  ex::if_device_has<aspect::fp64>([=] {
    double third = p[0] / 3.0;
    p[at] = int(third * 1e9);
  }).else_device([=] { p[at] = 32; });
  return at;
}

class first;
class second;

int main() {
  sycl::queue q;
  auto d = q.get_device();
  int *p = sycl::malloc_shared<int>(8, q);
  for (int i = 0; i < 8; ++i)
    p[i] = -1;
  p[0] = 1;
  q.single_task<first>([=] {
    precision(p, 1);
    // Nested, with arguments, in a chain.
    ex::if_device_has<aspect::fp16, aspect::fp64>([=](int v) {
      ex::if_device_has<aspect::gpu>([=] { p[2] = v; }).else_device([=] { p[2] = v + 1; });
    }, 10).template else_if_device_has<aspect::fp16>([=](int v) {
      sycl::half h = sycl::half(float(v));
      p[2] = int(float(h));
    }, 20).else_device([=] {
      ex::if_device_has<aspect::fp64>([=] { p[2] = int(30.0 * p[0]); }).else_device([=] { p[2] = 40; });
    });
    // In a loop, with a value that both arms change.
    int sum = 0;
    for (int i = 0; i < p[0] + 3; ++i) {
      int *s = &sum;
      ex::if_device_has<aspect::fp16>([=] { *s += 2 * i; }).else_device([=] { *s -= i; });
    }
    p[3] = sum;
    // Without anything for other devices.
    ex::if_device_has<aspect::fp64>([=] { p[4] = int(4.5 * p[0]); });
  });
  q.single_task<second>([=] {
    precision(p, 5);
    ex::if_device_has<aspect::ext_intel_gpu_dg1>([=] { p[6] = 1; })
        .template else_if_device_has<aspect::ext_intel_gpu_skl>([=] { p[6] = 2; })
        .else_device([=] { p[6] = 3; });
  });
  q.wait();
  // A profile's aspects count as far as the device behind it can execute them, which `has` of the program's own kernels shows.
  auto runs = [&](auto id) { return q.get_device().has(id); };
  bool fp64 = runs(aspect::fp64) && p[1] != 32, fp16 = runs(aspect::fp16) && p[3] == 12;
  int nested = fp16 && fp64 ? (d.has(aspect::gpu) ? 10 : 11) : fp16 ? 20 : fp64 ? 30 : 40;
  const char *profile = std::getenv("ASPEN_DEVICE_PROFILE");
  std::string name = profile ? profile : "";
  int which = name == "intel_gpu_dg1" ? 1 : name == "intel_gpu_skl" ? 2 : 3;
  bool right = p[1] == (fp64 ? 333333333 : 32) && p[2] == nested && p[3] == (fp16 ? 12 : -6) && p[4] == (fp64 ? 4 : -1) && p[5] == p[1] &&
               p[6] == which;
  std::printf("%s\n", right ? "right" : "wrong");
  if (!right)
    for (int i = 1; i < 7; ++i)
      std::printf("%d: %d\n", i, p[i]);
}
