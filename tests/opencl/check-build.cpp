// `aspen check --build` has each driver compile what passes its check, and says what it does not take: PoCL lacks what one kernel calls. What
// it compiles is for nobody and is not kept. (The emulator of FPGAs has no atomics of 64 bits.)
//# run: aspen++ -fsycl-targets=spir64,native_cpu -O2 {self} -o a.out
//# sh: ASPEN_CACHE_DIR=cache aspen check a.out --here --build; ls cache 2>/dev/null | wc -l
//# stdout~: ^opencl:0 \(.*\):$
//# stdout~: ^  plain +yes$
//# stdout~: ^  maximum +(yes|no: lacks aspect atomic64)$
//# stdout~: ^  its compiler takes (2 of 2|1 of 2|1 of 1) SPIR-V images that pass$
//# stdout: 0
//# sh: aspen check a.out --device opencl:0 --build | grep -cE "takes (2 of 2|1 of 1)|'maximum'\) is not taken"
//# stdout: 1
#include <sycl/sycl.hpp>

class plain;
class maximum;

int main() {
  sycl::queue q;
  int *n = sycl::malloc_shared<int>(1, q);
  double *most = sycl::malloc_shared<double>(1, q);
  q.single_task<plain>([=] { ++*n; });
  q.single_task<maximum>([=] {
    sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>(*most).fetch_max(3.5);
  });
  q.wait();
}
