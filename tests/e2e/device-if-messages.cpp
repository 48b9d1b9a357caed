// What if_device_has refuses, word for word, in the passes that know: aspects that nobody knows in all passes, and what a target may have
// beyond its list where it must be decided while compiling. Source: S4; DESIGN §7.9, §7.20.
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -DINVALID=1 -fsyntax-only {self}
//# exit: 1
//# stderr~: static assertion failed.*Invalid aspect used in if_device_has\.\n
//# run: aspen++ -std=c++17 -fsycl-targets=native_cpu -DINVALID=2 -fsyntax-only {self}
//# exit: 1
//# stderr~: static assertion failed.*Invalid aspect used in else_if_device_has\.\n
//# run: aspen++ -std=c++17 -fsycl-targets=intel_gpu_skl -DINVALID=2 -fsycl-device-only -fsyntax-only {self}
//# exit: 1
//# stderr~: static assertion failed.*Invalid aspect used in else_if_device_has\.\n
//# run: aspen++ -std=c++17 -fsycl-targets=spir64_x86_64 -DOPEN=1 -fsyntax-only {self}
//# exit: 1
//# stderr~: static assertion failed.*if_device_has: devices of this target may or may not have these aspects, which is not known when compiling ahead of time\n
//# deep: the same in further positions
//# run: aspen++ -std=c++17 -fsycl-targets=spir64_x86_64 -DOPEN=2 -fsyntax-only {self}
//# exit: 1
//# stderr~: static assertion failed.*else_if_device_has: devices of this target may or may not have these aspects, which is not known when compiling ahead of time\n
// A clause that cannot come to its turn is not asked, one aspect that is surely missing decides, and an architecture is always known.
//# run: aspen++ -std=c++17 -Wall -Wextra -Werror -fsycl-targets=spir64_x86_64,intel_gpu_pvc,native_cpu,spir64 -DOPEN=3 -fsyntax-only {self}
// A deprecated aspect is one, and so is a number that an enumerator of the table has.
//# run: aspen++ -std=c++17 -Wno-deprecated-declarations -fsycl-targets=intel_gpu_pvc,native_cpu -DOPEN=4 -fsyntax-only {self}
#include <sycl/sycl.hpp>
using sycl::aspect;
namespace ex = sycl::ext::oneapi::experimental;
class k;
void host(sycl::queue &q, int *p) {
  q.single_task<k>([=] {
#if INVALID == 1
    ex::if_device_has<aspect::gpu, aspect{4242}>([=] { p[0] = 1; });
#elif INVALID == 2
    ex::if_device_has<aspect::accelerator>([=] { p[0] = 1; }).template else_if_device_has<aspect{4243}>([=] { p[0] = 2; });
#elif OPEN == 1
    ex::if_device_has<aspect::accelerator>([=] { p[0] = 1; });
#elif OPEN == 2
    ex::if_device_has<aspect::ext_intel_gpu_skl>([=] { p[0] = 1; }).template else_if_device_has<aspect::accelerator>([=] { p[0] = 2; });
#elif OPEN == 3
    ex::if_device_has<aspect::fp64>([=] { p[0] = 1; }).template else_if_device_has<aspect::fp64>([=] { p[0] = 2; }).else_device([=] { p[0] = 3; });
    ex::if_device_has<aspect::ext_intel_gpu_skl, aspect::fp64>([=](int v) { p[0] = v; }, 4).else_device([=](int v) { p[0] = v; }, 5);
#elif OPEN == 4
    ex::if_device_has<aspect::int64_base_atomics>([=] { p[0] = 1; }).template else_if_device_has<aspect{6}>([=] { p[0] = 2; });
#endif
  });
}
